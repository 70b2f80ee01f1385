/* SPDX-License-Identifier: MIT
 * replay FILE...: calls a fuzz target with each file, as libFuzzer would. */
#include <stdio.h>

#include "core/err.h"
#include "core/mem.h"
#include "fuzz.h"
#include "io/input.h"

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct err e = {0};
        size_t size;
        struct input *in = input_open(argv[i], &e);
        char *data = in != NULL ? input_read_all(in, SIZE_MAX, &size, &e) : NULL;
        input_close(in);
        if (data == NULL) {
            fprintf(stderr, "%s\n", e.text);
            return 1;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)data, size);
        mem_free(data);
    }
    return 0;
}
