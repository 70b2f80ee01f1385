/* SPDX-License-Identifier: MIT
 * Process options, one per line: a letter for the option, then its value. */
#include "fuzz.h"
#include "pfsa/pfsa.h"
#include "support/anymodel.h"
#include "support/source.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char letters[] = "almxMPRS";
    static const char *const names[] = {"a", "l", "m", "x", "mix", "p1", "probs", "stop"};
    struct err e = {0};
    struct source o = {0};
    char *text = mem_string((const char *)data, size, &e), *rest = text;
    for (char *line; (line = fuzz_line(&rest)) != NULL;) {
        struct err why = {0};
        const char *letter = line[0] != '\0' ? strchr(letters, line[0]) : NULL;
        bool slow = line[0] == 'l' && strlen(line) > 3; /* long strings, and no news */
        if (letter != NULL && !slow)
            source_set(&o, names[letter - letters], line + 1, &why);
    }
    struct pfsa *p = source_build(&o, &e);
    MUST((p != NULL) == (e.code == ERR_NONE));
    MUST(p == NULL || anymodel_steps(&p->model, NULL));
    pfsa_free(p);
    source_clear(&o);
    mem_free(text);
    return 0;
}
