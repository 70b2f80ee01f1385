/* SPDX-License-Identifier: MIT */
#include "text/line_reader.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "io/input.h"

enum { FIRST_SIZE = 1 << 16, MOST = LINES_MAX + 2 /* CR and LF */ };

struct lines {
    struct in *in;
    struct alphabet alphabet;
    char *text;     /* a window on the input, [capacity] */
    uint8_t *codes; /* the present line translated, [capacity] */
    size_t capacity;
    size_t start, end; /* unread bytes of the window */
    bool at_end;       /* the input has no more */
    uint64_t number;   /* of the present line */
};

struct lines *
lines_new(struct in *in, const struct alphabet *a, struct err *e)
{
    struct lines *l = mem_zero(1, sizeof *l, e);
    if (l == NULL)
        return NULL;
    l->in = in;
    if (a != NULL)
        l->alphabet = *a;
    l->capacity = FIRST_SIZE;
    l->text = mem_array(l->capacity, 1, e);
    l->codes = mem_array(l->capacity, 1, e);
    if (l->text == NULL || l->codes == NULL) {
        lines_free(l);
        return NULL;
    }
    return l;
}

void
lines_free(struct lines *l)
{
    if (l == NULL)
        return;
    mem_free(l->text);
    mem_free(l->codes);
    mem_free(l);
}

/* Doubles the window, up to the longest line there may be. */
static int
widen(struct lines *l, struct err *e)
{
    size_t wider = l->capacity * 2 < MOST ? l->capacity * 2 : MOST;
    char *text = mem_array(wider, 1, e);
    uint8_t *codes = mem_array(wider, 1, e);
    if (text == NULL || codes == NULL) {
        mem_free(text);
        mem_free(codes);
        return ERR_NOMEM;
    }
    memcpy(text, l->text, l->end);
    mem_free(l->text);
    mem_free(l->codes);
    l->text = text;
    l->codes = codes;
    l->capacity = wider;
    return 0;
}

/* Moves the unread bytes to the front and reads behind them. */
static int
read_more(struct lines *l, struct err *e)
{
    memmove(l->text, l->text + l->start, l->end - l->start);
    l->end -= l->start;
    l->start = 0;
    if (l->end == MOST)
        return lines_refuse(&l->alphabet, in_name(l->in), l->number, l->text, l->end, e);
    int status = l->end == l->capacity ? widen(l, e) : 0;
    if (status != 0)
        return status;
    ssize_t n = in_read(l->in, l->text + l->end, l->capacity - l->end, e);
    if (n < 0)
        return (int)n;
    l->end += (size_t)n;
    l->at_end = n == 0;
    return 0;
}

/* Finds the end of the line at `start`: *length without its newline, and
 * whether there was one. */
static int
find_line(struct lines *l, size_t *length, bool *newline, struct err *e)
{
    size_t seen = 0;
    for (;;) {
        char *lf = memchr(l->text + l->start + seen, '\n', l->end - l->start - seen);
        *newline = lf != NULL;
        *length = lf != NULL ? (size_t)(lf - l->text) - l->start : l->end - l->start;
        if (lf != NULL || l->at_end)
            return 0;
        seen = *length;
        int status = read_more(l, e);
        if (status != 0)
            return status;
    }
}

int
lines_refuse(const struct alphabet *a, const char *file, uint64_t number, const char *line,
             size_t n, struct err *e)
{
    if (n > LINES_MAX)
        return err_set(e, ERR_DATA, "%s:%" PRIu64 ": line is longer than %d characters", file,
                       number, LINES_MAX);
    size_t at = 0;
    while (at < n && a->code[(unsigned char)line[at]] != ALPHABET_NONE)
        at++;
    unsigned char c = at < n ? (unsigned char)line[at] : '\0';
    char shown[16];
    snprintf(shown, sizeof shown, c > ' ' && c <= '~' ? "'%c'" : "byte 0x%02x", c);
    return err_set(e, ERR_DATA, "%s:%" PRIu64 ": %s in column %zu is not in the alphabet '%s'",
                   file, number, shown, at + 1, a->chars);
}

int
lines_text(struct lines *l, const char **text, size_t *length, struct err *e)
{
    bool newline;
    size_t n;
    l->number++;
    int status = find_line(l, &n, &newline, e);
    if (status != 0)
        return status;
    if (n == 0 && !newline)
        return 0;
    *text = l->text + l->start;
    l->start += n + newline;
    if (n > 0 && (*text)[n - 1] == '\r')
        n--;
    *length = n;
    if (n > LINES_MAX)
        return lines_refuse(&l->alphabet, in_name(l->in), l->number, *text, n, e);
    return 1;
}

int
lines_next(struct lines *l, const uint8_t **codes, size_t *length, struct err *e)
{
    const char *line;
    int status = lines_text(l, &line, length, e);
    if (status <= 0)
        return status;
    if (alphabet_encode(&l->alphabet, line, *length, l->codes) < *length)
        return lines_refuse(&l->alphabet, in_name(l->in), l->number, line, *length, e);
    *codes = l->codes;
    return 1;
}

uint64_t
lines_number(const struct lines *l)
{
    return l->number;
}
