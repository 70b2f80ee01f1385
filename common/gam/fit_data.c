/* SPDX-License-Identifier: MIT */
#include "gam/fit_data.h"

#include <inttypes.h>
#include <math.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature.h"
#include "feature/histogram.h"
#include "gam/gam.h"
#include "io/input.h"
#include "text/line_reader.h"

struct reader {
    struct fit_data *data;
    const struct gam *gam;
    struct in *in;
    struct lines *lines;
    void *scratch;   /* of gam_log_weight */
    void *record;    /* of the features */
    uint64_t *whole; /* [features] */
};

static int
add_string(struct reader *r, const uint8_t *codes, size_t length, struct err *e)
{
    const struct gam *g = r->gam;
    if (length > g->max_length)
        return err_set(e, ERR_DATA,
                       "%s:%" PRIu64 ": a string of %zu symbols where the maximum is %" PRIu64
                       "; see --max-length",
                       in_name(r->in), lines_number(r->lines), length, g->max_length);
    features_follow(g->features, r->record, codes, length);
    features_whole(g->features, r->record, r->whole);
    r->data->forbidden += gam_log_weight(g, codes, length, r->scratch) == -INFINITY;
    return hist_add(r->data->seen, r->whole, 1, e);
}

static int
read_lines(struct reader *r, struct err *e)
{
    const uint8_t *codes;
    size_t length;
    int status;
    while ((status = lines_next(r->lines, &codes, &length, e)) == 1)
        if ((status = add_string(r, codes, length, e)) != 0)
            return status;
    if (status == 0 && hist_count(r->data->seen) == 0)
        return err_set(e, ERR_DATA, "'%s' holds no strings", in_name(r->in));
    return status;
}

int
fit_data_read(struct fit_data *d, const struct gam *g, const char *path, struct err *e)
{
    const struct features *f = g->features;
    struct reader r = {.data = d, .gam = g, .in = in_open(path, e)};
    r.lines = r.in != NULL ? lines_new(r.in, features_alphabet(f), e) : NULL;
    r.scratch = mem_array(1, gam_scratch_bytes(g), e);
    r.record = mem_array(1, features_state_bytes(f), e);
    r.whole = mem_array(features_count(f), sizeof *r.whole, e);
    d->seen = hist_new(f, e);
    if (e->code == ERR_NONE && read_lines(&r, e) == 0)
        d->hash = in_hash(r.in);
    mem_free(r.scratch);
    mem_free(r.record);
    mem_free(r.whole);
    lines_free(r.lines);
    in_close(r.in);
    return e->code;
}

void
fit_data_clear(struct fit_data *d)
{
    hist_free(d->seen);
    *d = (struct fit_data){0};
}
