/* SPDX-License-Identifier: MIT
 * JSON, and an automaton in it. */
#include "io/json.h"
#include "fuzz.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_formats.h"
#include "support/anymodel.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0}, e2 = {0};
    struct json *j = json_parse((const char *)data, size, &e);
    MUST((j != NULL) == (e.code == ERR_NONE));
    struct input *in = input_from_memory(data, size, "j", &e2);
    struct pfsa *p = pfsa_json_read(in, &e2);
    MUST((p != NULL) == (e2.code == ERR_NONE));
    MUST(p == NULL || (j != NULL && anymodel_steps(&p->model, NULL)));
    pfsa_free(p);
    input_close(in);
    json_free(j);
    return 0;
}
