/* SPDX-License-Identifier: MIT
 *
 * fuzz: shared by the targets.  A target is one file with one function that is called with any
 * bytes, by libFuzzer (`make fuzz`), or by replay.c with files.
 */
#ifndef GAMUT_FUZZ_H
#define GAMUT_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A condition that must hold for every input. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Otherwise the checksums of the container would reject all inputs. */
#define MUST_NOT_CHECK(e) MUST(strstr((e).text, "checksum mismatch (the file") == NULL)

/* The next line of *text, NUL-terminated in place; NULL at the end. */
static inline char *
fuzz_line(char **text)
{
    char *line = *text;
    if (line == NULL || *line == '\0')
        return NULL;
    char *end = strchr(line, '\n');
    *text = end != NULL ? end + 1 : NULL;
    if (end != NULL)
        *end = '\0';
    return line;
}

#endif
