/* SPDX-License-Identifier: MIT
 *
 * A feature file over the alphabet 01.  An error names the line and the column, which is inside
 * the line; features that were accepted have distinct names.
 */
#include <stdlib.h>

#include "cli/feature_file.h"
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "fuzz.h"
#include "io/input.h"
#include "text/alphabet.h"

static void
check_error(const struct err *e, size_t size)
{
    char *end;
    MUST(strncmp(e->text, "features:", 9) == 0);
    unsigned long line = strtoul(e->text + 9, &end, 10);
    MUST(line >= 1 && line <= size + 1 && *end == ':');
    if (strstr(e->text, "line has more than") != NULL || strstr(e->text, "line is longer") != NULL)
        return;
    unsigned long column = strtoul(end + 1, &end, 10);
    MUST(column >= 1 && column <= size + 1 && *end == ':');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    struct alphabet a;
    char *text = mem_string((const char *)data, size, &e);
    bool names_file = false; /* no other files are read here */
    for (size_t i = 0; i + 4 <= size; i++)
        names_file |= memcmp(data + i, "fsa:", 4) == 0;
    if (!names_file) {
        alphabet_init(&a, "01", &e);
        struct feature_set *f = feature_set_new(&a, &e);
        struct input *in = input_from_memory(data, size, "features", &e);
        int rc = feature_file_read(f, in, &e);
        MUST(rc == e.code && (rc == 0 || rc == ERR_DATA || rc == ERR_LIMIT));
        if (rc != 0)
            check_error(&e, size);
        for (size_t i = 1; i < feature_set_count(f); i++)
            MUST(strcmp(feature_set_name(f, i), feature_set_name(f, i - 1)) != 0);
        input_close(in);
        feature_set_free(f);
    }
    mem_free(text);
    return 0;
}
