/* SPDX-License-Identifier: MIT
 * model-info: looks inside a model file. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "gam/gam.h"
#include "io/input.h"
#include "io/report.h"
#include "model/container.h"
#include "model/meta.h"
#include "model/model.h"

struct options {
    bool base, check, sections;
};

static const struct cli_option options[] = {
    CLI_HEADING("Report"),
    {0, "base", NULL, "describe the base model inside a GAM", CLI_FLAG(struct options, base)},
    {0, "check", NULL, "verify the file and print nothing if it is valid",
     CLI_FLAG(struct options, check)},
    {0, "sections", NULL, "print a table of the sections of the file instead",
     CLI_FLAG(struct options, sections)},
    CLI_END};

static void
describe_model(struct report *r, const struct model *m)
{
    report_text(r, "kind", m->kind->name);
    report_text(r, "alphabet", m->alphabet.text);
    if (m->alphabet.tokens)
        report_text(r, "tokens", "yes");
    if (m->max_length == MODEL_UNBOUNDED)
        report_text(r, "max_length", "unbounded");
    else
        report_u64(r, "max_length", m->max_length);
    m->kind->describe(m, r);
}

static void
describe_origin(struct report *r, const struct meta *meta)
{
    for (size_t i = 0; i < meta_count(meta); i++) {
        uint64_t whole;
        double real;
        const char *key = meta_key(meta, i);
        enum meta_type type = meta_number(meta, i, &whole, &real);
        if (type == META_WHOLE)
            report_u64(r, key, whole);
        else if (type == META_REAL)
            report_f64(r, key, real);
        else
            report_text(r, key, meta_value(meta, i));
    }
}

static void
list_sections(struct report *r, const struct container *m)
{
    static const char *const columns[] = {"section", "type", "count", "stored", "checksum", NULL};
    report_table(r, "sections", columns);
    for (size_t i = 0; i < container_sections(m); i++) {
        const struct section_info *s = container_section(m, i);
        char sum[17];
        snprintf(sum, sizeof sum, "%016" PRIx64, s->hash);
        report_cell_text(r, s->name);
        report_cell_text(r, section_type_name(s->type));
        report_cell_u64(r, s->count);
        report_cell_u64(r, s->stored);
        report_cell_text(r, sum);
    }
    report_table_end(r);
}

/* A model file that has been read. */
struct file {
    struct container *container;
    struct model *model;
};

static int
describe(const struct cli *c, const struct options *o, const struct file *f, struct err *e)
{
    struct report r;
    report_begin(&r, c->out, c->json, e);
    if (o->sections) {
        list_sections(&r, f->container);
        return report_end(&r);
    }
    describe_model(&r, f->model);
    describe_origin(&r, f->model->meta);
    if (f->model->kind->list != NULL)
        f->model->kind->list(f->model, &r);
    return report_end(&r);
}

/* `outer` is the model that contains this one, or NULL. */
static int
read_file(struct file *f, const struct container *outer, struct input *in, struct err *e)
{
    f->container = in != NULL ? container_read_within(outer, in, e) : NULL;
    f->model = f->container != NULL ? model_read(f->container, e) : NULL;
    return f->model != NULL ? container_verify_rest(f->container, e) : e->code;
}

static void
close_file(struct file *f)
{
    container_free(f->container);
    model_free(f->model);
}

/* Replaces a GAM by its base. */
static int
open_base(struct file *f, struct err *e)
{
    struct file base = {0};
    const struct gam *g = gam_of(f->model);
    const char *name = container_name(f->container);
    if (g == NULL)
        return err_set(e, ERR_FORMAT, "%s: expected a model of kind '%s', found '%s'", name,
                       gam_kind.name, f->model->kind->name);
    struct input *in = input_from_memory(g->base_file.bytes, g->base_file.size, name, e);
    read_file(&base, f->container, in, e);
    input_close(in);
    close_file(f);
    *f = base;
    return e->code;
}

static int
run(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    struct file f = {0};
    struct input *in = input_open(cli_operand(c, 0), e);
    if (read_file(&f, NULL, in, e) == 0 && (!o->base || open_base(&f, e) == 0) && !o->check &&
        cli_output(c, false, e) != NULL)
        describe(c, o, &f, e);
    close_file(&f);
    input_close(in);
    return EXIT_DONE;
}

static const struct cli_tool tool = {
    .name = "model-info",
    .operands = "MODEL",
    .summary = "Print what a model is and how it was made.",
    .details = "Every checksum and every value of the file is verified.",
    .examples = "  model-info m.pfsa\n"
                "  model-info --check m.pfsa && echo valid",
    .options = options,
    .flags = CLI_REPORT,
    .min_operands = 1,
    .max_operands = 1,
    .operand = {{"MODEL", FILE_READ_MODEL}},
    .run = run,
};

int
main(int argc, char **argv)
{
    struct options o = {0};
    return cli_main(&tool, &o, argc, argv);
}
