/* SPDX-License-Identifier: MIT
 *
 * not:SPEC, for a SPEC that is 0 or 1: 0 where SPEC is 1, and 1 where SPEC is 0.  Its record is
 * that of SPEC. */
#include "core/err.h"
#include "feature/feature.h"
#include "feature/feature_internal.h"

static size_t
complement_words(const struct feature *f)
{
    return feature_words(f->inner);
}

static void
complement_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    f->inner->kind->step(f->inner, s, a);
}

static uint64_t
complement_whole(const struct feature *f, const uint32_t *s)
{
    return f->inner->kind->whole(f->inner, s) == 0;
}

static void
complement_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    double least, most;
    f->inner->kind->range(f->inner, s, rest, &least, &most);
    *lo = 1 - most;
    *hi = 1 - least;
}

static uint64_t
complement_of_length(const struct feature *f, uint64_t length)
{
    return f->inner->kind->of_length(f->inner, length) == 0;
}

static uint64_t
complement_steady(const struct feature *f)
{
    return f->inner->kind->steady(f->inner);
}

static const struct feature_kind complement_kind = {
    .type = FEATURE_NOT,
    .words = complement_words,
    .step = complement_step,
    .whole = complement_whole,
    .range = complement_range,
};

/* Of lengths. */
static const struct feature_kind timed_complement_kind = {
    .type = FEATURE_NOT,
    .words = complement_words,
    .step = complement_step,
    .whole = complement_whole,
    .range = complement_range,
    .of_length = complement_of_length,
    .steady = complement_steady,
};

int
feature_complement_compile(struct feature *f, struct err *e)
{
    if (!feature_is_test(f->inner))
        return err_set(e, ERR_USAGE,
                       "not: needs a feature that is 0 or 1; give a range SPEC@LO..HI");
    f->kind = f->inner->kind->of_length != NULL ? &timed_complement_kind : &complement_kind;
    return 0;
}
