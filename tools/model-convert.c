/* SPDX-License-Identifier: MIT
 * model-convert: exchanges models with other programs. */
#include <inttypes.h>
#include <string.h>

#include "att.h"
#include "cli.h"
#include "dot.h"
#include "in.h"
#include "mdl.h"
#include "meta.h"
#include "out.h"
#include "pfsa.h"
#include "pfsa_json.h"

enum format { FORMAT_NONE, FORMAT_NATIVE, FORMAT_ATT, FORMAT_DOT, FORMAT_JSON };

static const char *const format_names[] = {
    [FORMAT_NATIVE] = "native", [FORMAT_ATT] = "att", [FORMAT_DOT] = "dot", [FORMAT_JSON] = "json"};

struct options {
    enum format from, to;
    const char *alphabet; /* NULL: the default, or the model's own */
    const char *symbols;  /* file for the symbol table, or NULL */
};

enum { OPT_FROM = 256, OPT_SYMBOLS, OPT_TO };

static const struct cli_option options[] = {
    {'a', "alphabet", "CHARS", "the symbols of labels 1, 2, .. when reading att [01]", 0},
    {OPT_FROM, "from", "FORMAT", "what is read: att, json, native [native]", 0},
    {OPT_SYMBOLS, "symbols", "FILE", "with --to att, also write the symbol table", CLI_NO_TRACE},
    {OPT_TO, "to", "FORMAT",
     "what is written: att, dot, json, native\n[native, unless that is what is read]", 0},
    {0, NULL, NULL, NULL, 0}};

static int
set_format(enum format *format, const char *value, struct err *e)
{
    for (int i = FORMAT_NATIVE; i <= FORMAT_JSON; i++)
        if (strcmp(value, format_names[i]) == 0) {
            *format = (enum format)i;
            return 0;
        }
    return err_set(e, ERR_USAGE, "'%s' is not one of att, dot, json, native", value);
}

static int
set_option(void *self, int key, const char *value, struct err *e)
{
    struct options *o = self;
    switch (key) {
    case 'a':
        o->alphabet = value;
        return 0;
    case OPT_FROM:
        return set_format(&o->from, value, e);
    case OPT_SYMBOLS:
        o->symbols = value;
        return 0;
    default:
        return set_format(&o->to, value, e);
    }
}

static const struct cli_tool tool = {
    .name = "model-convert",
    .operands = "[IN]",
    .summary = "Converts a model from one format to another.",
    .examples =
        "  model-convert --to att --symbols s.txt m.pfsa | fstcompile --acceptor --arc_type=log\n"
        "  fstprint a.fst | model-convert --from att >a.pfsa",
    .options = options,
    .max_operands = 1,
    .set = set_option,
};

static int
check_options(struct options *o, struct err *e)
{
    if (o->to == FORMAT_NONE && o->from != FORMAT_NATIVE)
        o->to = FORMAT_NATIVE;
    if (o->to == FORMAT_NONE)
        return err_set(e, ERR_USAGE, "--to is missing: att, dot, json or native");
    if (o->from == FORMAT_DOT)
        return err_set(e, ERR_USAGE, "--from: 'dot' can only be written");
    if (o->symbols != NULL && o->to != FORMAT_ATT)
        return err_set(e, ERR_USAGE, "--symbols goes with --to att");
    if (o->alphabet != NULL && o->from != FORMAT_ATT)
        return err_set(e, ERR_USAGE, "--alphabet goes with --from att; a model has its own");
    return 0;
}

/* The automaton inside a native file; its provenance goes to *meta. */
static struct pfsa *
read_native(struct in *in, struct err *e)
{
    struct mdl *m = mdl_read(in, e);
    struct pfsa *p = NULL;
    if (m != NULL && mdl_kind(m) != MDL_PFSA)
        err_set(e, ERR_FORMAT, "%s: a pfsa is expected, this is a %s model", in_name(in),
                mdl_kind_name(mdl_kind(m)));
    else if (m != NULL)
        p = pfsa_from_mdl(m, e);
    mdl_free(m);
    return p;
}

/* What is read from elsewhere was made here and now, from that input. */
static int
add_provenance(const struct cli *c, struct pfsa *p, const struct in *in, struct err *e)
{
    if (p->model.meta != NULL)
        return 0;
    p->model.meta = cli_meta(c, e);
    if (p->model.meta == NULL)
        return ERR_NOMEM;
    return meta_set(p->model.meta, "input", e, "%016" PRIx64, in_hash(in));
}

static struct pfsa *
read_model(const struct cli *c, const struct options *o, struct err *e)
{
    struct alphabet a;
    struct pfsa *p = NULL;
    if (alphabet_init(&a, o->alphabet != NULL ? o->alphabet : "01", e) != 0)
        return NULL;
    struct in *in = in_open(cli_operand(c, 0), e);
    if (in == NULL)
        return NULL;
    if (o->from == FORMAT_ATT)
        p = att_read(in, &a, e);
    else if (o->from == FORMAT_JSON)
        p = pfsa_json_read(in, e);
    else
        p = read_native(in, e);
    if (p != NULL && add_provenance(c, p, in, e) != 0) {
        pfsa_free(p);
        p = NULL;
    }
    in_close(in);
    return p;
}

static int
write_symbols(const char *path, const struct alphabet *a, struct err *e)
{
    struct out *out = out_open(path, e);
    if (out == NULL)
        return e->code;
    if (att_write_symbols(a, out, e) == 0)
        return out_commit(out, e);
    out_abort(out);
    return e->code;
}

static int
write_model(const struct pfsa *p, enum format to, struct out *out, struct err *e)
{
    switch (to) {
    case FORMAT_ATT:
        return att_write(p, out, e);
    case FORMAT_DOT:
        return dot_write(p, out, e);
    case FORMAT_JSON:
        return pfsa_json_write(p, out, e);
    default:
        return pfsa_save(p, p->model.meta, out, e);
    }
}

int
main(int argc, char **argv)
{
    struct options o = {.from = FORMAT_NATIVE};
    struct cli c;
    struct err e = {0};
    struct out *out = NULL;
    int status = cli_parse(&c, &tool, &o, argc, argv);
    if (status >= 0)
        return status;
    struct pfsa *p = check_options(&o, &e) == 0 ? read_model(&c, &o, &e) : NULL;
    if (p != NULL)
        out = cli_output(&c, o.to == FORMAT_NATIVE, &e);
    if (out != NULL && write_model(p, o.to, out, &e) == 0 && o.symbols != NULL)
        write_symbols(o.symbols, &p->model.alphabet, &e);
    pfsa_free(p);
    return cli_finish(&c, out, EXIT_DONE, &e);
}
