/* SPDX-License-Identifier: MIT */
#include "pfsa/dot.h"

#include <inttypes.h>
#include <math.h>

#include "core/dmath.h"
#include "core/err.h"
#include "io/json.h"
#include "io/output.h"
#include "pfsa/pfsa.h"

/* In dot's strings, too, quotes and backslashes are escaped. */
static int
write_state(const struct pfsa *p, uint32_t q, struct out *out, struct err *e)
{
    int status = 0;
    char c[JSON_ESCAPE_MAX];
    if (p->final_logp[q] > -INFINITY)
        status = out_printf(out, e,
                            "  %" PRIu32 " [shape=doublecircle, label=\"%" PRIu32 "\\n%.4g\"];\n",
                            q, q, dm_exp(p->final_logp[q]));
    for (uint64_t a = p->first[q]; status == 0 && a < p->first[q + 1]; a++) {
        json_escape(p->model.alphabet.chars[p->symbol[a]], c);
        status = out_printf(out, e, "  %" PRIu32 " -> %" PRIu32 " [label=\"%s / %.4g\"];\n", q,
                            p->target[a], c, dm_exp(p->logp[a]));
    }
    return status;
}

int
dot_write(const struct pfsa *p, struct out *out, struct err *e)
{
    int status = out_printf(out, e,
                            "digraph pfsa {\n  rankdir=LR;\n  node [shape=circle];\n"
                            "  start [shape=point];\n  start -> 0;\n");
    for (uint32_t q = 0; status == 0 && q < p->states; q++)
        status = write_state(p, q, out, e);
    return status == 0 ? out_printf(out, e, "}\n") : status;
}
