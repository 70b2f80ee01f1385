/* SPDX-License-Identifier: MIT */
#include "feature/feature_paper.h"

#include <stdbool.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature.h"

/* Each is a word cut from a source: the first `half ? floor(|S|/2) : |S|` +
 * `extra` symbols of the motif followed by 0, or of `repeat` again and again. */
static const struct paper_feature {
    const char *name, *kind, *repeat;
    bool half;
    size_t extra;
} paper[FEATURE_PAPER_BITS] = {
    {"m", "motif", NULL, false, 0},       {"m+0", "motif", NULL, false, 1},
    {"m/2", "motif", NULL, true, 0},      {"d0", "prefix", "0", false, 0},
    {"d1", "motif", "10101", false, 0},   {"d2", "motif", "1001001", false, 2},
    {"d3", "motif", "00110011", true, 0},
};

static int
add_paper_feature(struct features *f, const struct paper_feature *p, const char *motif,
                  struct err *e)
{
    size_t m = strlen(motif), kind = strlen(p->kind);
    size_t n = strcmp(p->kind, "prefix") == 0 ? 1 : (p->half ? m / 2 : m) + p->extra;
    if (n == 0)
        return err_set(e, ERR_USAGE, "the motif '%s' is too short for the feature '%s'", motif,
                       p->name);
    char *spec = mem_array(kind + n + 2, 1, e);
    if (spec == NULL)
        return ERR_NOMEM;
    memcpy(spec, p->kind, kind);
    spec[kind] = ':';
    for (size_t i = 0; i < n; i++) {
        char c = i < m ? motif[i] : '0';
        spec[kind + 1 + i] = p->repeat == NULL ? c : p->repeat[i % strlen(p->repeat)];
    }
    spec[kind + 1 + n] = '\0';
    int rc = features_add_named(f, p->name, spec, e);
    mem_free(spec);
    return rc;
}

int
feature_paper_add(struct features *f, const char *motif, const char *bits, struct err *e)
{
    const struct alphabet *a = features_alphabet(f);
    if (strcmp(a->chars, "01") != 0)
        return err_set(e, ERR_USAGE, "the features m .. d3 are for the alphabet '01', not '%s'",
                       a->chars);
    if (strlen(bits) != FEATURE_PAPER_BITS || strspn(bits, "01") != FEATURE_PAPER_BITS)
        return err_set(e, ERR_USAGE,
                       "'%s' is not %d bits, one each for m, m+0, m/2, d0, d1, d2, d3", bits,
                       FEATURE_PAPER_BITS);
    if (strchr(bits, '1') == NULL)
        return err_set(e, ERR_USAGE, "'%s' selects no feature", bits);
    int rc = alphabet_check(a, motif, e);
    for (size_t i = 0; rc == 0 && i < FEATURE_PAPER_BITS; i++)
        if (bits[i] == '1')
            rc = add_paper_feature(f, &paper[i], motif, e);
    return rc;
}
