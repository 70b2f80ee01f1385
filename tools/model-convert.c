/* SPDX-License-Identifier: MIT
 * model-convert: exchanges models with other programs. */
#include "cli/cli.h"
#include "cli/option_groups.h"
#include "gam/gam.h"
#include "gam/product.h"
#include "io/input.h"
#include "io/output.h"
#include "lstm/lstm.h"
#include "lstm/safetensors.h"
#include "mix/mix.h"
#include "model/container.h"
#include "model/meta.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_formats.h"

enum format {
    FORMAT_ATT,
    FORMAT_DOT,
    FORMAT_JSON,
    FORMAT_SAFETENSORS, /* formats from here on are binary */
    FORMAT_NATIVE,
    FORMAT_PFSA, /* native; a GAM over an automaton becomes that automaton */
    FORMAT_NONE
};

static const char *const formats[] = {"att", "dot", "json", "safetensors", "native", "pfsa", NULL};

/* What each format can carry; native carries all. */
static const struct model_kind *const carries[] = {&pfsa_kind, &pfsa_kind, &pfsa_kind,
                                                   &lstm_kind, NULL,       &pfsa_kind};

struct options {
    int from, to;                  /* enum format */
    struct string_options strings; /* its alphabet, NULL: the default, or the model's own */
    const char *symbols;           /* file for the symbol table, or NULL */
    uint64_t max_length;           /* SAFETENSORS_LENGTH: as the file says */
};

static const struct cli_option options[] = {
    CLI_HEADING("Conversion"),
    {0, "from", "FORMAT", "input format: att, json, safetensors or native [default: native]",
     CLI_NAME(struct options, from, formats)},
    {0, "to", "FORMAT",
     "output format: att, dot, json, safetensors, native or pfsa (a GAM over an automaton, or a "
     "mixture of automata, as an "
     "automaton); required if the input is native [default: native]",
     CLI_NAME(struct options, to, formats)},
    {'a', "alphabet", "ALPHABET",
     "from att: the symbols of the labels 1, 2, ... [default: 01]; from safetensors: the symbols "
     "of the outputs [default: as in the file]",
     CLI_TEXT(struct options, strings.alphabet)},
    {0, "tokens", NULL, "the symbols of -a are words separated by blanks",
     CLI_FLAG(struct options, strings.tokens)},
    {0, "max-length", "N",
     "from safetensors: maximum length of the model [default: as in the file]",
     CLI_U64(struct options, max_length, 0, SAFETENSORS_LENGTH - 1)},
    {0, "symbols", "FILE", "to att: also write the symbol table to FILE",
     CLI_FILE(struct options, symbols, FILE_WRITE)},
    CLI_END};

static int
check_options(struct cli *c, void *self, struct err *e)
{
    struct options *o = self;
    if (o->to == FORMAT_NONE && o->from != FORMAT_NATIVE)
        o->to = FORMAT_NATIVE;
    if (o->to == FORMAT_NONE)
        return err_set(
            e, ERR_USAGE,
            "missing required option --to FORMAT: att, dot, json, safetensors, native or pfsa");
    if (o->from == FORMAT_DOT || o->from == FORMAT_PFSA)
        return err_set(e, ERR_USAGE, "--from: '%s' is an output format only", formats[o->from]);
    if (o->symbols != NULL && o->to != FORMAT_ATT)
        return err_set(e, ERR_USAGE, "--symbols requires --to att");
    if (o->strings.tokens && o->strings.alphabet == NULL)
        return err_set(e, ERR_USAGE, "--tokens requires --alphabet");
    if (o->strings.alphabet != NULL && o->from != FORMAT_ATT && o->from != FORMAT_SAFETENSORS)
        return err_set(
            e, ERR_USAGE,
            "--alphabet requires --from att or safetensors; other formats contain the alphabet");
    if (o->max_length != SAFETENSORS_LENGTH && o->from != FORMAT_SAFETENSORS)
        return err_set(
            e, ERR_USAGE,
            "--max-length requires --from safetensors; other formats contain the maximum length");
    /* A model may replace the one that was read.  Between formats something is always lost,
     * so there the input is kept. */
    c->writes_model = o->from == FORMAT_NATIVE && o->to == FORMAT_NATIVE;
    return 0;
}

static struct model *
read_native(struct input *in, struct err *e)
{
    struct container *file = container_read(in, e);
    struct model *m = file != NULL ? model_read(file, e) : NULL;
    container_free(file);
    return m;
}

static int
find_alphabet(const struct options *o, struct alphabet *a, struct err *e)
{
    int rc = string_options_alphabet(&o->strings, a, e);
    if (rc == 0 && a->size == 0)
        rc = err_set(e, ERR_USAGE, "--alphabet: auto requires data; list the symbols");
    return rc;
}

static struct model *
read_att(struct input *in, const struct options *o, struct err *e)
{
    struct alphabet a;
    struct pfsa *p = find_alphabet(o, &a, e) == 0 ? pfsa_att_read(in, &a, e) : NULL;
    return p != NULL ? &p->model : NULL;
}

static struct model *
read_safetensors(struct input *in, const struct options *o, struct err *e)
{
    struct alphabet a;
    if (find_alphabet(o, &a, e) != 0)
        return NULL;
    struct lstm *l =
        safetensors_read(in, o->strings.alphabet != NULL ? &a : NULL, o->max_length, e);
    return l != NULL ? &l->model : NULL;
}

static struct model *
read_format(struct input *in, const struct options *o, struct err *e)
{
    struct pfsa *p;
    switch (o->from) {
    case FORMAT_ATT:
        return read_att(in, o, e);
    case FORMAT_JSON:
        p = pfsa_json_read(in, e);
        return p != NULL ? &p->model : NULL;
    case FORMAT_SAFETENSORS:
        return read_safetensors(in, o, e);
    default:
        return read_native(in, e);
    }
}

/* The provenance of an imported model: made by this command from that input. */
static int
add_provenance(const struct cli *c, struct model *m, const struct input *in, struct err *e)
{
    if (m->meta != NULL)
        return 0;
    m->meta = cli_meta(c, e);
    return m->meta != NULL ? meta_set_hash(m->meta, "input", input_hash(in), e) : ERR_NOMEM;
}

/* Replaces a GAM by its automaton, with the provenance of the GAM. */
static int
convert_gam(struct model **m, const char *name, struct err *e)
{
    struct model *gam = *m, *base = gam->base;
    if (pfsa_of(base) == NULL)
        return err_set(
            e, ERR_DATA,
            "%s: only a GAM over an automaton can be written as pfsa, and its base model "
            "is of kind '%s'",
            name, base->kind->name);
    struct pfsa *p = product_of_gam(gam_of(gam), MODEL_UNBOUNDED, e);
    if (p == NULL) {
        err_prefix(e, "%s", name);
        return e->code;
    }
    p->model.meta = gam->meta;
    gam->meta = NULL;
    model_free(gam);
    *m = &p->model;
    return 0;
}

/* Replaces a mixture of automata by its automaton, with the provenance of the mixture. */
static int
convert_mix(struct model **m, const char *name, struct err *e)
{
    struct pfsa *p = mix_automaton(mix_of(*m), MIX_AUTOMATON_SIZE_MAX, e);
    if (p == NULL) {
        err_prefix(e, "%s", name);
        return e->code;
    }
    p->model.meta = (*m)->meta;
    (*m)->meta = NULL;
    model_free(*m);
    *m = &p->model;
    return 0;
}

static struct model *
read_model(const struct cli *c, const struct options *o, struct err *e)
{
    struct input *in = input_open(cli_operand(c, 0), e);
    struct model *m = in != NULL ? read_format(in, o, e) : NULL;
    const struct model_kind *kind = carries[o->to];
    if (m != NULL && o->to == FORMAT_PFSA && gam_of(m) != NULL)
        convert_gam(&m, input_name(in), e);
    if (mix_of(m) != NULL && kind == &pfsa_kind)
        convert_mix(&m, input_name(in), e);
    if (e->code == 0 && add_provenance(c, m, in, e) == 0 && kind != NULL && kind != m->kind)
        err_set(e, ERR_DATA, "%s: model of kind '%s' cannot be written as %s, which requires '%s'",
                input_name(in), m->kind->name, formats[o->to], kind->name);
    input_close(in);
    if (e->code == ERR_NONE)
        return m;
    model_free(m);
    return NULL;
}

static int
write_symbols(const char *path, const struct alphabet *a, struct err *e)
{
    struct output *out = output_open(path, e);
    if (out != NULL)
        pfsa_att_write_symbols(a, out, e);
    return output_close(out, e);
}

/* The kind has been checked against the format. */
static int
write_model(const struct model *m, int to, struct output *out, struct err *e)
{
    switch (to) {
    case FORMAT_ATT:
        return pfsa_att_write(pfsa_of(m), out, e);
    case FORMAT_DOT:
        return pfsa_dot_write(pfsa_of(m), out, e);
    case FORMAT_JSON:
        return pfsa_json_write(pfsa_of(m), out, e);
    case FORMAT_SAFETENSORS:
        return safetensors_write(lstm_of(m), out, e);
    default:
        return model_write(m, m->meta, out, e);
    }
}

static int
run(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    struct model *m = read_model(c, o, e);
    if (m != NULL && cli_output(c, o->to >= FORMAT_SAFETENSORS, e) != NULL &&
        write_model(m, o->to, c->out, e) == 0 && o->symbols != NULL)
        write_symbols(o->symbols, &m->alphabet, e);
    model_free(m);
    return EXIT_DONE;
}

static const struct cli_tool tool = {
    .name = "model-convert",
    .operands = "[IN]",
    .summary = "Convert a model to or from the format of another program.",
    .examples = "  model-convert --to att m.pfsa | fstcompile --acceptor --arc_type=log >m.fst\n"
                "  fstprint --acceptor a.fst | model-convert --from att >a.pfsa\n"
                "  model-convert --to safetensors r.lstm -o r.safetensors",
    .options = options,
    .max_operands = 1,
    .operand = {{"IN", FILE_READ_MODEL}},
    .check = check_options,
    .run = run,
    .remedy =
        {[REMEDY_SET_ALPHABET] = "set --alphabet", [REMEDY_SET_MAX_LENGTH] = "set --max-length"},
};

int
main(int argc, char **argv)
{
    struct options o = {.from = FORMAT_NATIVE, .to = FORMAT_NONE, .max_length = SAFETENSORS_LENGTH};
    return cli_main(&tool, &o, argc, argv);
}
