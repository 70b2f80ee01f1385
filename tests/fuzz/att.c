/* SPDX-License-Identifier: MIT
 *
 * AT&T text: accepted input is a distribution, and is accepted again after it was written.
 */
#include "fuzz.h"
#include "io/output.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_formats.h"
#include "support/anymodel.h"

static struct pfsa *
parse(const void *data, size_t size, struct err *e)
{
    struct alphabet a;
    alphabet_init(&a, "01", e);
    struct input *in = input_from_memory(data, size, "a", e);
    struct pfsa *p = in != NULL ? pfsa_att_read(in, &a, e) : NULL;
    input_close(in);
    return p;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    struct pfsa *p = parse(data, size, &e);
    MUST((p != NULL) == (e.code == ERR_NONE));
    if (p == NULL)
        return 0;
    MUST(anymodel_steps(&p->model, NULL));
    struct output *out = output_to_memory(&e);
    size_t written;
    MUST(pfsa_att_write(p, out, &e) == 0);
    const void *bytes = output_bytes(out, &written);
    struct pfsa *again = parse(bytes, written, &e);
    MUST(again != NULL);
    pfsa_free(again);
    pfsa_free(p);
    output_abort(out);
    return 0;
}
