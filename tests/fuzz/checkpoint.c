/* SPDX-License-Identifier: MIT
 *
 * A checkpoint, of a run with the strings and the shape of the golden one; checksums are
 * ignored in this build.
 */
#include "fuzz.h"
#include "lstm/lstm.h"
#include "support/anymodel.h"
#include "support/ignore.h"
#include "train/training.h"
#include "train/training_checkpoint.h"
#include "train/training_data.h"

static void
restore(struct container *mdl, uint64_t identity, struct pool *pool)
{
    static const uint8_t strings[3][4] = {{0, 1, 0, 1}, {1, 1, 0, 1}, {0, 0, 1, 1}};
    struct training_options o = {
        .seed = 1, .batch = 2, .rate = 0.01, .average = 0.9, .epochs = 4, .patience = 2};
    struct err e = {0};
    struct alphabet a;
    alphabet_init(&a, "01", &e);
    struct training_data data = {0};
    for (int i = 0; i < 3; i++)
        strings_add(&data.strings, strings[i], 4, &e);
    string_order_add_range(&data.train, 0, 3, &e);
    string_order_add_range(&data.valid, 0, 3, &e);
    struct lstm *m = lstm_new(&a, 2, 1, 4, &e);
    struct training *t = training_new(m, &data, &o, pool, &e);
    MUST(e.code == ERR_NONE);
    if (checkpoint_get(t, identity, mdl, &e) == 0) {
        struct training_outcome outcome;
        training_get_outcome(t, &outcome);
        MUST(training_end_name(outcome.end) != NULL);
    }
    training_free(t);
    lstm_free(m);
    training_data_clear(&data);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pool *pool;
    struct err e = {0};
    if (pool == NULL)
        pool = pool_new(1, IGNORE_ERR);
    struct input *in = input_from_memory(data, size, "c", &e);
    struct container *mdl = container_read(in, &e);
    const uint64_t *identity =
        mdl != NULL ? container_get(mdl, "train.identity", SECTION_U64, 1, &e) : NULL;
    if (identity != NULL)
        restore(mdl, *identity, pool);
    MUST_NOT_CHECK(e);
    container_free(mdl);
    input_close(in);
    return 0;
}
