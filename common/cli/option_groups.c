/* SPDX-License-Identifier: MIT */
#include "cli/option_groups.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/feature_file.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "feature/feature.h"
#include "feature/feature_set.h"
#include "io/input.h"
#include "pfsa/motif_process.h"
#include "pfsa/pfsa.h"
#include "text/alphabet.h"

/* ---- strings ---- */

const char *const string_kind_names[] = {"auto", "lines", "fasta", NULL};

const char *const string_output_names[] = {"lines", "fasta", NULL};

int
string_options_alphabet(const struct string_options *o, struct alphabet *a, struct err *e)
{
    const char *text = o->alphabet != NULL ? o->alphabet : o->tokens ? "auto" : "01";
    int rc = 0;
    if (strcmp(text, "auto") == 0)
        alphabet_clear(a, o->tokens);
    else
        rc = o->tokens ? alphabet_init_tokens(a, text, e) : alphabet_parse(a, text, e);
    if (rc != 0)
        err_prefix(e, "--alphabet");
    return rc;
}

struct string_format
string_options_format(const struct string_options *o, struct alphabet *a)
{
    return (struct string_format){.kind = (enum string_kind)o->format,
                                  .fold_case = o->fold_case,
                                  .skip_bad = o->skip_bad,
                                  .grow = a->size == 0 ? a : NULL};
}

int
string_options_check(const struct string_options *o, const struct alphabet *a, struct err *e)
{
    if (!o->tokens || a->tokens)
        return 0;
    char alphabet[ALPHABET_SHOW_MAX];
    return err_set(e, ERR_USAGE, "--tokens: the symbols of the model are characters, '%s'",
                   alphabet_show(a, alphabet));
}

void
string_options_report(const struct cli *c, uint64_t skipped, const struct alphabet *grown)
{
    if (skipped > 0)
        cli_warn(c, "left out %" PRIu64 " string%s not over the alphabet", skipped,
                 skipped == 1 ? " that is" : "s that are");
    if (grown != NULL)
        cli_say(c, "alphabet of %u %s: %s", grown->size, grown->tokens ? "tokens" : "characters",
                grown->text);
}

/* ---- features ---- */

static int
add_bits(struct feature_set *f, const char *bits, const char *const *motif, size_t motifs,
         struct err *e)
{
    if (bits == NULL)
        return 0;
    int rc = motifs == 1 ? feature_paper_add(f, motif[0], bits, e)
                         : err_set(e, ERR_USAGE, "requires exactly one --motif, got %zu", motifs);
    if (rc < 0)
        err_prefix(e, "--ft");
    return rc;
}

static int
add_file(struct feature_set *f, const char *path, struct err *e)
{
    if (path == NULL)
        return 0;
    struct input *in = input_open(path, e);
    int rc = in != NULL ? feature_file_read(f, in, e) : e->code;
    input_close(in);
    return rc;
}

bool
feature_options_given(const struct feature_options *o)
{
    return o->bits != NULL || o->specs.count > 0 || o->file != NULL;
}

struct feature_set *
feature_options_build(const struct feature_options *o, const struct alphabet *a,
                      const char *const *motif, size_t motifs, struct err *e)
{
    struct feature_set *f = feature_set_new(a, e);
    int rc = f == NULL ? ERR_NOMEM : add_bits(f, o->bits, motif, motifs, e);
    for (size_t i = 0; rc == 0 && i < o->specs.count; i++) {
        rc = fsa_spec_add(f, o->specs.word[i], o->specs.word[i], e);
        if (rc < 0)
            err_prefix(e, "--feature");
    }
    if (rc == 0)
        rc = add_file(f, o->file, e);
    if (rc < 0) {
        feature_set_free(f);
        return NULL;
    }
    if (o->max_length > 0)
        feature_set_set_max_length(f, o->max_length);
    return f;
}

/* ---- hard constraints ---- */

bool
constraint_options_given(const struct constraint_options *o)
{
    return o->required.count > 0 || o->forbidden.count > 0;
}

/* A feature must be 0 or 1, so that it is clear what 0 means. */
static int
add_constraint(struct feature_set *f, const char *spec, struct err *e)
{
    size_t i = feature_set_count(f);
    int rc = fsa_spec_add(f, spec, spec, e);
    if (rc == 0 && !feature_is_test(feature_set_feature(f, i)))
        rc = err_set(e, ERR_USAGE, "'%s' is a number; give a range of it, such as %s@1..", spec,
                     spec);
    return rc;
}

static int
add_forbidden(struct feature_set *f, const char *spec, struct err *e)
{
    if (strncmp(spec, "not:", 4) == 0)
        return add_constraint(f, spec + 4, e);
    size_t room = strlen(spec) + sizeof "not:";
    char *complement = mem_array(room, 1, e);
    if (complement == NULL)
        return ERR_NOMEM;
    snprintf(complement, room, "not:%s", spec);
    int rc = add_constraint(f, complement, e);
    mem_free(complement);
    return rc;
}

struct feature_set *
constraint_options_build(const struct constraint_options *o, const struct alphabet *a,
                         struct err *e)
{
    struct feature_set *f = feature_set_new(a, e);
    int rc = f == NULL ? ERR_NOMEM : 0;
    for (size_t i = 0; rc == 0 && i < o->required.count; i++)
        if ((rc = add_constraint(f, o->required.word[i], e)) != 0)
            err_prefix(e, "--require");
    for (size_t i = 0; rc == 0 && i < o->forbidden.count; i++)
        if ((rc = add_forbidden(f, o->forbidden.word[i], e)) != 0)
            err_prefix(e, "--forbid");
    if (rc == 0)
        return f;
    feature_set_free(f);
    return NULL;
}

/* ---- the source of strings ---- */

static int
check_options(const struct process_options *p, struct err *e)
{
    if (p->has_length && p->has_stop)
        return err_set(e, ERR_USAGE, "--length cannot be combined with --stop");
    if (!p->has_length && !p->has_stop)
        return err_set(e, ERR_USAGE, "missing required option --length N or --stop P");
    if (p->has_p1 && p->probs != NULL)
        return err_set(e, ERR_USAGE, "--p1 cannot be combined with --probs");
    if (p->has_mix && p->motifs.count != 1)
        return err_set(e, ERR_USAGE, "--mix requires exactly one --motif, got %zu",
                       p->motifs.count);
    return 0;
}

/* --- alphabet and symbol weights --- */

static int
set_alphabet(const struct process_options *p, struct alphabet *a, struct err *e)
{
    const struct string_options o = {.alphabet = p->alphabet, .tokens = p->tokens};
    if (p->tokens && p->alphabet == NULL)
        return err_set(e, ERR_USAGE, "--tokens requires --alphabet");
    int rc = string_options_alphabet(&o, a, e);
    if (rc == 0 && a->size == 0)
        rc = err_set(e, ERR_USAGE, "--alphabet: auto requires data; list the symbols");
    return rc;
}

/* Parses "P,P,..." with exactly n numbers. */
static int
parse_shares(const char *text, size_t n, const char *each, double *share, struct err *e)
{
    size_t count = 0;
    for (const char *at = text;; at += strcspn(at, ",") + 1) {
        size_t length = strcspn(at, ",");
        char number[64];
        if (count == n || length >= sizeof number)
            break;
        memcpy(number, at, length);
        number[length] = '\0';
        int rc = num_parse_f64(number, 0, 1, &share[count++], e);
        if (rc != 0)
            return rc;
        if (at[length] == '\0')
            return count == n
                       ? 0
                       : err_set(e, ERR_USAGE, "'%s' has %zu numbers, expected %zu, one per %s",
                                 text, count, n, each);
    }
    return err_set(e, ERR_USAGE, "'%s': expected %zu numbers, one per %s", text, n, each);
}

int
shares_parse(const char *text, size_t n, const char *each, double *share, struct err *e)
{
    double sum = 0;
    int rc = parse_shares(text, n, each, share, e);
    for (size_t i = 0; rc == 0 && i < n; i++)
        sum += share[i];
    if (rc == 0 && fabs(sum - 1) > 1e-9)
        rc = err_set(e, ERR_USAGE, "'%s' sums to %.12g, expected 1", text, sum);
    for (size_t i = 0; rc == 0 && i < n; i++)
        share[i] /= sum; /* decimals such as 0.3333333333 sum to 1 up to their rounding */
    return rc;
}

static int
symbol_probs(const struct process_options *p, const struct alphabet *a, double *prob, struct err *e)
{
    char alphabet[ALPHABET_SHOW_MAX];
    for (unsigned i = 0; i < a->size; i++)
        prob[i] = 1.0 / a->size;
    if (p->has_p1 && a->size != 2)
        return err_set(e, ERR_USAGE,
                       "--p1: the alphabet '%s' does not have two symbols; "
                       "use --probs",
                       alphabet_show(a, alphabet));
    if (p->has_p1) {
        prob[0] = 1 - p->p1;
        prob[1] = p->p1;
    }
    if (p->probs == NULL)
        return 0;
    int rc = shares_parse(p->probs, a->size, "symbol", prob, e);
    if (rc != 0)
        err_prefix(e, "--probs");
    return rc;
}

/* Whether the words of an option are over the alphabet. */
static int
check_words(const struct text_list *words, const char *option, const struct alphabet *a,
            struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < words->count; i++) {
        uint8_t *symbols = NULL;
        size_t length;
        rc = alphabet_word(a, words->word[i], &symbols, &length, e);
        if (rc != 0)
            err_prefix(e, "%s", option);
        mem_free(symbols);
    }
    return rc;
}

/* Leaves out every word of a list without which the process still has no strings. */
static void
reduce_words(struct motif_process *m, const char **word, size_t *count)
{
    for (size_t k = *count; k-- > 0;) {
        struct err why = {0};
        const char *left = word[k];
        size_t after = --*count - k;
        memmove(word + k, word + k + 1, after * sizeof *word);
        pfsa_free(motif_process_build(m, &why));
        if (why.code == ERR_EMPTY)
            continue;
        memmove(word + k + 1, word + k, after * sizeof *word);
        word[k] = left;
        ++*count;
    }
}

/* Appends "--motif S" for each word, as far as there is room. */
static void
list_words(char *text, size_t room, const char *option, const char *const *word, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t used = strlen(text);
        snprintf(text + used, room - used, "%s%s %s", used > 0 ? ", " : "", option, word[k]);
    }
}

/* Says which motifs and excluded words no string satisfies: a smallest set, found by leaving out
 * one after the other. */
static void
name_conflict(const struct process_options *p, const struct motif_process *process, struct err *e)
{
    struct err why = {0};
    char list[ERR_TEXT_MAX / 2] = "";
    size_t motifs = p->motifs.count, all = motifs + p->excludes.count;
    const char **word = mem_array(all, sizeof *word, &why);
    if (word == NULL)
        return;
    struct motif_process m = *process;
    for (size_t k = 0; k < all; k++)
        word[k] = k < motifs ? p->motifs.word[k] : p->excludes.word[k - motifs];
    m.required = word;
    m.forbidden = word + motifs;
    reduce_words(&m, word, &m.required_count);
    reduce_words(&m, word + motifs, &m.forbidden_count);
    list_words(list, sizeof list, "--motif", m.required, m.required_count);
    list_words(list, sizeof list, "--exclude", m.forbidden, m.forbidden_count);
    mem_free(word);
    *e = (struct err){0};
    if (p->has_length)
        err_set(e, ERR_EMPTY, "no string of length %" PRIu64 " satisfies the options: %s",
                p->length, list);
    else
        err_set(e, ERR_EMPTY, "no string satisfies the options: %s", list);
}

/* Says what it is that no string satisfies. */
static void
explain_empty(const struct process_options *p, const struct motif_process *m, struct err *e)
{
    if (!p->has_mix) {
        name_conflict(p, m, e);
        return;
    }
    *e = (struct err){0};
    err_set(e, ERR_EMPTY, "--mix: no string contains the motif, or every string does");
}

struct pfsa *
process_options_build(const struct process_options *p, struct err *e)
{
    struct motif_process m = {.has_length = p->has_length,
                              .has_mix = p->has_mix,
                              .length = p->length,
                              .stop = p->stop,
                              .mix = p->mix,
                              .required = p->motifs.word,
                              .required_count = p->motifs.count,
                              .forbidden = p->excludes.word,
                              .forbidden_count = p->excludes.count};
    struct err why = {0};
    struct pfsa *built = NULL;
    if (check_options(p, &why) == 0 && set_alphabet(p, &m.alphabet, &why) == 0 &&
        symbol_probs(p, &m.alphabet, m.prob, &why) == 0 &&
        check_words(&p->motifs, "--motif", &m.alphabet, &why) == 0 &&
        check_words(&p->excludes, "--exclude", &m.alphabet, &why) == 0)
        built = motif_process_build(&m, &why);
    if (built == NULL) {
        if (why.code == ERR_EMPTY)
            explain_empty(p, &m, &why);
        err_pass(e, &why);
    }
    return built;
}

/* An option of the source that was given, or NULL. */
static const char *
given_option(const struct process_options *p)
{
    return p->has_length           ? "--length"
           : p->has_stop           ? "--stop"
           : p->motifs.count > 0   ? "--motif"
           : p->excludes.count > 0 ? "--exclude"
           : p->has_mix            ? "--mix"
           : p->has_p1             ? "--p1"
           : p->probs != NULL      ? "--probs"
           : p->alphabet != NULL   ? "--alphabet"
           : p->tokens             ? "--tokens"
                                   : NULL;
}

struct pfsa *
process_options_model(const struct process_options *p, const char *path, struct err *e)
{
    if (path == NULL)
        return process_options_build(p, e);
    const char *given = given_option(p);
    if (given == NULL)
        return pfsa_load(path, e);
    err_set(e, ERR_USAGE, "%s cannot be combined with the model '%s'", given, path);
    return NULL;
}

struct feature_set *
process_options_features(const struct process_options *o, const struct feature_options *features,
                         const struct pfsa *p, struct err *e)
{
    const struct text_list *motifs = &o->motifs;
    struct feature_set *f =
        feature_options_build(features, &p->model.alphabet, motifs->word, motifs->count, e);
    if (f == NULL || features->max_length > 0 || !feature_set_need_max_length(f))
        return f;
    if (p->model.max_length != MODEL_UNBOUNDED) {
        feature_set_set_max_length(f, p->model.max_length > 0 ? p->model.max_length : 1);
        return f;
    }
    err_set(e, ERR_USAGE,
            "strings have no maximum length; features of lengths and counts require --max-length");
    feature_set_free(f);
    return NULL;
}

/* --- a part of a sample --- */

int
cli_set_shard(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    struct shard_options s;
    char number[24];
    const char *slash = strchr(value, '/');
    size_t digits = slash != NULL ? (size_t)(slash - value) : 0;
    (void)o;
    if (slash == NULL || digits >= sizeof number)
        return err_set(e, ERR_USAGE, "'%s' is not of the form I/N, such as 2/10", value);
    memcpy(number, value, digits);
    number[digits] = '\0';
    if (num_parse_u64(slash + 1, 1, SHARDS_MAX, &s.of, e) != 0 ||
        num_parse_u64(number, 1, s.of, &s.number, e) != 0)
        return e->code;
    *(struct shard_options *)member = s;
    return 0;
}

uint64_t
shard_count(const struct shard_options *o, uint64_t total)
{
    return o->of == 0 ? total : total / o->of + (o->number <= total % o->of);
}

uint64_t
shard_first(const struct shard_options *o, uint64_t total)
{
    uint64_t before = shard_part(o), larger = o->of == 0 ? 0 : total % o->of;
    return o->of == 0 ? 0 : total / o->of * before + (before < larger ? before : larger);
}

uint64_t
shard_part(const struct shard_options *o)
{
    return o->of == 0 ? 0 : o->number - 1;
}
