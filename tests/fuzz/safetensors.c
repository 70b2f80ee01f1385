/* SPDX-License-Identifier: MIT
 * An LSTM's tensors. */
#include "lstm/safetensors.h"
#include "fuzz.h"
#include "lstm/lstm.h"
#include "support/anymodel.h"
#include "support/ignore.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pool *pool;
    struct err e = {0};
    if (pool == NULL)
        pool = pool_new(1, IGNORE_ERR);
    struct input *in = input_from_memory(data, size, "s", &e);
    struct lstm *m = safetensors_read(in, NULL, 5, &e);
    MUST((m != NULL) == (e.code == ERR_NONE));
    MUST(m == NULL || anymodel_steps(&m->model, pool));
    lstm_free(m);
    input_close(in);
    return 0;
}
