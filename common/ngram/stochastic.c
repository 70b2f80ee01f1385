/* SPDX-License-Identifier: MIT */
#include "ngram/stochastic.h"

#include <math.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "pfsa/pfsa_graph.h"

static void
take_logarithms(struct pfsa *p)
{
    for (uint32_t q = 0; q < p->states; q++) {
        struct compensated_sum sum = {0};
        compensated_sum_add(&sum, p->final_logp[q]);
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            compensated_sum_add(&sum, p->logp[a]);
        double total = compensated_sum_total(&sum);
        p->final_logp[q] = dm_log(p->final_logp[q] / total);
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            p->logp[a] = dm_log(p->logp[a] / total);
    }
}

struct pfsa *
stochastic_finish(struct pfsa *p, uint32_t start, struct err *e)
{
    uint32_t *old = NULL;
    take_logarithms(p);
    struct pfsa *done = pfsa_trim(p, start, &old, e);
    mem_free(old);
    pfsa_free(p);
    if (done == NULL)
        return NULL;
    done->log_partition = 0;
    if (pfsa_graph_lengths(done, e) == 0 && pfsa_check_result(done, e) == 0)
        return done;
    pfsa_free(done);
    return NULL;
}
