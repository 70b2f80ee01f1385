/* SPDX-License-Identifier: MIT
 * Process options, one a line: a letter for the option, then its value. */
#include "cli/option_groups.h"
#include "fuzz.h"
#include "pfsa/pfsa.h"
#include "support/anymodel.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char letters[] = "almxMPRS";
    static const int keys[] = {'a',
                               'l',
                               'm',
                               'x',
                               PROCESS_OPTION_MIX,
                               PROCESS_OPTION_P1,
                               PROCESS_OPTION_PROBS,
                               PROCESS_OPTION_STOP};
    struct err e = {0};
    struct process_options o = {0};
    char *text = mem_string((const char *)data, size, &e), *rest = text;
    for (char *line; (line = fuzz_line(&rest)) != NULL;) {
        struct err why = {0};
        const char *letter = line[0] != '\0' ? strchr(letters, line[0]) : NULL;
        bool slow = line[0] == 'l' && strlen(line) > 3; /* long strings, and no news */
        if (letter != NULL && !slow)
            process_options_set(&o, keys[letter - letters], line + 1, &why);
    }
    struct pfsa *p = process_options_build(&o, &e);
    MUST((p != NULL) == (e.code == ERR_NONE));
    MUST(p == NULL || anymodel_steps(&p->model, NULL));
    pfsa_free(p);
    process_options_clear(&o);
    mem_free(text);
    return 0;
}
