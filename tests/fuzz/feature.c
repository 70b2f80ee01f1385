/* SPDX-License-Identifier: MIT
 *
 * Feature specifications, one per line; all values of accepted features are in [0, 1], and
 * within the stated range.
 */
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "fuzz.h"
#include "support/ignore.h"
#include "text/alphabet.h"

enum { LENGTH = 12 };

static void
follow(const struct feature_set *f)
{
    size_t n = feature_set_count(f);
    void *state = mem_zero(1, feature_set_state_bytes(f), IGNORE_ERR);
    double *v = mem_zero(3 * n + 1, sizeof *v, IGNORE_ERR), *lo = v + n, *hi = lo + n;
    feature_set_start(f, state);
    feature_set_range(f, state, LENGTH, lo, hi);
    for (unsigned i = 0; i < LENGTH; i++)
        feature_set_step(f, state, (uint8_t)(i / 3 % 2));
    feature_set_values(f, state, v);
    for (size_t i = 0; i < n; i++)
        MUST(v[i] >= 0 && v[i] <= 1 && v[i] >= lo[i] && v[i] <= hi[i]);
    mem_free(state);
    mem_free(v);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    struct alphabet a;
    alphabet_init(&a, "01", &e);
    char *text = mem_string((const char *)data, size, &e), *rest = text;
    struct feature_set *f = feature_set_new(&a, &e);
    for (char *line; (line = fuzz_line(&rest)) != NULL;) {
        struct err why = {0};
        MUST((feature_set_add(f, line, &why) == 0) == (why.code == ERR_NONE));
    }
    feature_set_set_max_length(f, LENGTH);
    follow(f);
    feature_set_free(f);
    mem_free(text);
    return 0;
}
