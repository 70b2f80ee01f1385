/* SPDX-License-Identifier: MIT
 * model-info: looks inside a model file. */
#include <inttypes.h>
#include <stdio.h>

#include "cli.h"
#include "in.h"
#include "lstm.h"
#include "mdl.h"
#include "meta.h"
#include "model.h"
#include "out.h"
#include "pfsa.h"
#include "report.h"

struct options {
    bool check, sections;
};

enum { OPT_CHECK = 256, OPT_SECTIONS };

static const struct cli_option options[] = {
    {OPT_CHECK, "check", NULL, "only verify the file; print nothing", 0},
    {OPT_SECTIONS, "sections", NULL, "print a table of the file's sections instead", 0},
    {0, NULL, NULL, NULL, 0}};

static int
set_option(void *self, int key, const char *value, struct err *e)
{
    struct options *o = self;
    (void)value, (void)e;
    if (key == OPT_CHECK)
        o->check = true;
    else
        o->sections = true;
    return 0;
}

static const struct cli_tool tool = {
    .name = "model-info",
    .operands = "MODEL",
    .summary = "Prints what a model is and how it was made.",
    .details = "Every checksum and every value is verified on the way.",
    .examples = "  model-info m.pfsa\n"
                "  model-info --check m.pfsa && echo sound",
    .options = options,
    .flags = CLI_REPORT,
    .min_operands = 1,
    .max_operands = 1,
    .set = set_option,
};

static void
describe_pfsa(struct report *r, const struct pfsa *p)
{
    report_u64(r, "states", p->states);
    report_u64(r, "transitions", p->arcs);
    report_text(r, "acyclic", p->acyclic ? "yes" : "no");
    report_f64(r, "log_partition", p->log_partition);
}

static void
describe_lstm(struct report *r, const struct lstm *l)
{
    report_u64(r, "layers", l->layout.layers);
    report_u64(r, "hidden", l->layout.hidden);
    report_u64(r, "parameters", l->layout.count);
    report_u64(r, "updates", l->adam.step);
    report_text(r, "optimiser_state", l->adam.m != NULL ? "yes" : "no");
}

static void
describe_model(struct report *r, const struct model *m)
{
    report_text(r, "kind", mdl_kind_name(m->ops->kind));
    report_text(r, "alphabet", m->alphabet.chars);
    if (m->max_length == MODEL_UNBOUNDED)
        report_text(r, "max_length", "unbounded");
    else
        report_u64(r, "max_length", m->max_length);
    if (m->ops->kind == MDL_PFSA)
        describe_pfsa(r, (const struct pfsa *)m);
    else
        describe_lstm(r, (const struct lstm *)m);
}

static void
describe_origin(struct report *r, const struct meta *meta)
{
    for (size_t i = 0; i < meta_count(meta); i++)
        report_text(r, meta_key(meta, i), meta_value(meta, i));
}

static void
list_sections(struct report *r, const struct mdl *m)
{
    static const char *const columns[] = {"section", "type", "count", "stored", "checksum", NULL};
    report_table(r, "sections", columns);
    for (size_t i = 0; i < mdl_sections(m); i++) {
        const struct mdl_section *s = mdl_section(m, i);
        char sum[17];
        snprintf(sum, sizeof sum, "%016" PRIx64, s->hash);
        report_cell_text(r, s->name);
        report_cell_text(r, mdl_type_name(s->type));
        report_cell_u64(r, s->count);
        report_cell_u64(r, s->stored);
        report_cell_text(r, sum);
    }
    report_table_end(r);
}

static int
describe(const struct cli *c, const struct options *o, const struct mdl *mdl, const struct model *m,
         struct out *out, struct err *e)
{
    struct report r;
    report_begin(&r, out, c->json, e);
    if (o->sections)
        list_sections(&r, mdl);
    else {
        describe_model(&r, m);
        describe_origin(&r, mdl_meta(mdl));
    }
    return report_end(&r);
}

int
main(int argc, char **argv)
{
    struct options o = {0};
    struct cli c;
    struct err e = {0};
    struct out *out = NULL;
    struct mdl *mdl = NULL;
    struct model *m = NULL;
    int status = cli_parse(&c, &tool, &o, argc, argv);
    if (status >= 0)
        return status;
    struct in *in = in_open(cli_operand(&c, 0), &e);
    if (in != NULL && (mdl = mdl_read(in, &e)) != NULL)
        m = model_from_mdl(mdl, &e);
    if (m != NULL && !o.check && (out = cli_output(&c, false, &e)) != NULL)
        describe(&c, &o, mdl, m, out, &e);
    model_free(m);
    mdl_free(mdl);
    in_close(in);
    return cli_finish(&c, out, EXIT_DONE, &e);
}
