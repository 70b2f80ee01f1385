/* SPDX-License-Identifier: MIT
 *
 * walk AUTOMATON DATA: the log-likelihood of lines of 0 and 1 under an automaton in AT&T text, by
 * looking up one transition per symbol: what scoring with an automaton takes at least.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_MAX = 1 << 20 };

struct transition {
    double log_probability;
    uint32_t next;
};

static struct transition table[STATES_MAX][2];
static double final_log_probability[STATES_MAX];

/* "source target label weight" or "state weight"; state 0 is the start. */
static int
read_automaton(const char *path)
{
    char line[256];
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        uint32_t source, target;
        int label;
        double weight;
        if (sscanf(line, "%u %u %d %lf", &source, &target, &label, &weight) == 4 &&
            source < STATES_MAX && target < STATES_MAX && (label == 1 || label == 2))
            table[source][label - 1] = (struct transition){-weight, target};
        else if (sscanf(line, "%u %lf", &source, &weight) == 2 && source < STATES_MAX)
            final_log_probability[source] = -weight;
        else
            return -1;
    }
    return file != NULL ? fclose(file) : -1;
}

/* All of the file, with its size. */
static char *
read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        text = malloc(*size + 1);
        if (text != NULL && fread(text, 1, *size, file) != *size)
            *size = 0;
    }
    if (file != NULL)
        fclose(file);
    return text;
}

int
main(int argc, char **argv)
{
    size_t size = 0;
    char *text = argc == 3 && read_automaton(argv[1]) == 0 ? read_all(argv[2], &size) : NULL;
    if (text == NULL) {
        fputs("usage: walk AUTOMATON DATA\n", stderr);
        return 2;
    }
    double sum = 0;
    uint32_t state = 0;
    for (const char *c = text; c < text + size; c++)
        if (*c == '\n') {
            sum += final_log_probability[state];
            state = 0;
        } else {
            sum += table[state][*c & 1].log_probability;
            state = table[state][*c & 1].next;
        }
    printf("log_likelihood\t%.15g\n", sum);
    free(text);
    return 0;
}
