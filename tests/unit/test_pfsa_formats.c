/* SPDX-License-Identifier: MIT
 * att: how much is read.  What it means is in model-convert.t. */
#include <string.h>

#include "core/err.h"
#include "io/input.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_formats.h"
#include "support/tap.h"
#include "text/alphabet.h"

/* Blank lines are no rows. */
static const char text[] = "0 1 1 0.5\n\n0 1 2 1\n1 0\n";

static struct pfsa *
parse(size_t most, struct err *e)
{
    struct alphabet a;
    *e = (struct err){0};
    alphabet_init(&a, "01", e);
    struct input *in = input_from_memory(text, strlen(text), "small.att", e);
    struct pfsa *p = in != NULL ? pfsa_att_read_most(in, &a, most, e) : NULL;
    input_close(in);
    return p;
}

int
main(void)
{
    struct err e;
    struct pfsa *p = parse(3, &e);
    ok(p != NULL && p->states == 2, "as many rows as may be");
    pfsa_free(p);
    p = parse(2, &e);
    ok(p == NULL && e.code == ERR_LIMIT, "one more is too many");
    ok(strcmp(e.text, "small.att:4: more than 2 arcs and final states") == 0, "%s", e.text);
    pfsa_free(p);
    ok(PFSA_ATT_ROWS_MAX == 33554432, "as many as model-convert.1 says");
    return tap_done();
}
