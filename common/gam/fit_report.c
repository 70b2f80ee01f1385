/* SPDX-License-Identifier: MIT */
#include "gam/fit_report.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "gam/fit.h"
#include "gam/gam.h"
#include "gam/joint_fit.h"
#include "gam/joint_model.h"
#include "io/output.h"

static const char *const first_columns[] = {"epoch", "rate", "l1_mom", "samples"};

enum { FIRST_COLUMNS = sizeof first_columns / sizeof *first_columns };

int
fit_log_open(struct fit_log *l, const char *path, const struct feature_set *f, struct err *e)
{
    l->features = feature_set_count(f);
    l->column = mem_zero(FIRST_COLUMNS + l->features + 1, sizeof *l->column, e);
    if (l->column == NULL || (l->out = output_open(path, e)) == NULL)
        return e->code;
    memcpy(l->column, first_columns, sizeof first_columns);
    for (size_t i = 0; i < l->features; i++)
        l->column[FIRST_COLUMNS + i] = feature_set_name(f, i);
    report_begin(&l->rows, l->out, false, e);
    report_table(&l->rows, "epochs", l->column);
    return e->code;
}

void
fit_log_row(struct fit_log *l, const struct fit_epoch *s)
{
    if (l->out == NULL)
        return;
    report_cell_u64(&l->rows, s->epoch);
    report_cell_f64(&l->rows, s->rate);
    report_cell_f64(&l->rows, s->l1_mom);
    report_cell_u64(&l->rows, s->samples);
    for (size_t i = 0; i < l->features; i++)
        report_cell_f64(&l->rows, s->lambda[i]);
}

int
fit_log_close(struct fit_log *l, struct err *e)
{
    if (l->out != NULL && e->code == ERR_NONE) {
        report_table_end(&l->rows);
        report_end(&l->rows);
    }
    output_close(l->out, e);
    mem_free(l->column);
    *l = (struct fit_log){0};
    return e->code;
}

static void
report_features(struct report *r, const struct gam *g, const struct fit_feature *feature)
{
    static const char *const columns[] = {"feature",     "target",    "base",       "model",
                                          "lambda",      "lambda_se", "draws_se",   "note",
                                          "target_freq", "base_freq", "model_freq", NULL};
    report_table(r, "features", columns);
    for (size_t i = 0; i < feature_set_count(g->features); i++) {
        const struct fit_feature *f = &feature[i];
        report_cell_text(r, feature_set_name(g->features, i));
        report_cell_f64(r, f->target);
        report_cell_f64(r, f->base);
        report_cell_f64(r, f->model);
        report_cell_f64(r, g->lambda[i]);
        report_cell_f64(r, f->se);
        report_cell_f64(r, f->draws_se);
        report_cell_text(r, fit_note_text(f->note));
        report_cell_f64(r, feature_set_share(g->features, i, f->target));
        report_cell_f64(r, feature_set_share(g->features, i, f->base));
        report_cell_f64(r, feature_set_share(g->features, i, f->model));
    }
    report_table_end(r);
}

static void
report_fitted(struct report *r, const struct joint_candidate *c)
{
    if (c->order == JOINT_NO_WORDS)
        report_text(r, "order", "none");
    else
        report_u64(r, "order", (uint64_t)c->order);
    report_f64(r, "prior", c->prior);
    report_f64(r, "cv_ce", c->cv_ce);
}

int
fit_report(struct report *r, const struct gam *g, const struct fit_options *o,
           const struct fit_result *result, const struct joint_candidate *fitted, uint64_t strings,
           double seconds)
{
    if (fitted != NULL)
        report_fitted(r, fitted);
    report_text(r, "regime", fit_regimes[result->regime]);
    report_text(r, "optimizer", fit_optimizers[o->optimizer]);
    report_f64(r, "l2", o->l2);
    report_u64(r, "strings", strings);
    report_features(r, g, result->feature);
    report_f64(r, "l1_mom", result->l1_mom);
    report_f64(r, "log_z", result->log_z);
    report_f64(r, "log_z_se", result->log_z_se);
    report_f64(r, "kl", result->kl);
    report_f64(r, "kl_se", result->kl_se);
    report_f64(r, "ess", result->ess);
    report_u64(r, "epochs", result->epochs);
    report_u64(r, "samples", result->samples);
    report_u64(r, "model_steps", result->model_steps);
    report_f64(r, "seconds", seconds);
    return report_end(r);
}
