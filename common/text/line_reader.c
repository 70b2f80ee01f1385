/* SPDX-License-Identifier: MIT */
#include "text/line_reader.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "io/input.h"
#include "text/bad_symbol.h"

enum { FIRST_SIZE = 1 << 16, LINE_END = 2 /* bytes of CR and LF */ };

struct line_reader {
    struct input *in;
    size_t most; /* bytes of a line */
    char *text;  /* a window on the input, [capacity] */
    size_t capacity;
    size_t start, end; /* unread bytes of the window */
    bool at_end;       /* end of input */
    uint64_t number;   /* number of the current line */
};

struct line_reader *
line_reader_new(struct input *in, struct err *e)
{
    struct line_reader *l = mem_zero(1, sizeof *l, e);
    if (l == NULL)
        return NULL;
    l->in = in;
    l->most = LINE_SYMBOLS_MAX;
    l->capacity = FIRST_SIZE;
    l->text = mem_array(l->capacity, 1, e);
    if (l->text == NULL) {
        line_reader_free(l);
        return NULL;
    }
    return l;
}

void
line_reader_free(struct line_reader *l)
{
    if (l == NULL)
        return;
    mem_free(l->text);
    mem_free(l);
}

void
line_reader_allow(struct line_reader *l, size_t most)
{
    l->most = most;
}

void
line_reader_start_at(struct line_reader *l, uint64_t lines)
{
    l->number = lines;
}

static int
refuse_long(const struct line_reader *l, struct err *e)
{
    const struct text_place at = {.file = input_name(l->in), .line = l->number};
    return bad_symbol_too_long(&at, l->most, e);
}

/* Doubles the window, up to the maximum length of a line. */
static int
widen(struct line_reader *l, struct err *e)
{
    size_t most = l->most + LINE_END;
    size_t wider = l->capacity * 2 < most ? l->capacity * 2 : most;
    char *text = mem_array(wider, 1, e);
    if (text == NULL)
        return ERR_NOMEM;
    memcpy(text, l->text, l->end);
    mem_free(l->text);
    l->text = text;
    l->capacity = wider;
    return 0;
}

/* Moves the unread bytes to the front and reads more after them. */
static int
read_more(struct line_reader *l, struct err *e)
{
    memmove(l->text, l->text + l->start, l->end - l->start);
    l->end -= l->start;
    l->start = 0;
    if (l->end == l->most + LINE_END)
        return refuse_long(l, e);
    int rc = l->end == l->capacity ? widen(l, e) : 0;
    if (rc != 0)
        return rc;
    ssize_t n = input_read(l->in, l->text + l->end, l->capacity - l->end, e);
    if (n < 0)
        return (int)n;
    l->end += (size_t)n;
    l->at_end = n == 0;
    return 0;
}

/* Finds the end of the line at `start`: *length without its newline, and whether there was a
 * newline. */
static int
find_line(struct line_reader *l, size_t *length, bool *newline, struct err *e)
{
    size_t seen = 0;
    for (;;) {
        char *lf = memchr(l->text + l->start + seen, '\n', l->end - l->start - seen);
        *newline = lf != NULL;
        *length = lf != NULL ? (size_t)(lf - l->text) - l->start : l->end - l->start;
        if (lf != NULL || l->at_end)
            return 0;
        seen = *length;
        int rc = read_more(l, e);
        if (rc != 0)
            return rc;
    }
}

int
line_reader_next(struct line_reader *l, const char **text, size_t *length, struct err *e)
{
    bool newline;
    size_t n;
    l->number++;
    int rc = find_line(l, &n, &newline, e);
    if (rc != 0)
        return rc;
    if (n == 0 && !newline)
        return 0;
    *text = l->text + l->start;
    l->start += n + newline;
    if (n > 0 && (*text)[n - 1] == '\r')
        n--;
    *length = n;
    return n > l->most ? refuse_long(l, e) : 1;
}

uint64_t
line_reader_number(const struct line_reader *l)
{
    return l->number;
}

enum { LINE_BLOCKS_MOST = LINE_BLOCKS_BUFFER / LINE_BLOCKS_SIZE + 1 };

/* `size` bytes of text, of which the first `whole` are complete lines, divided into blocks:
 * block i begins at cut[i] and ends at cut[i+1]. */
struct buffer {
    char *text; /* [LINE_BLOCKS_BUFFER + 1], with room for a final newline */
    size_t size, whole;
    size_t blocks, cut[LINE_BLOCKS_MOST + 1];
    size_t bad[LINE_BLOCKS_MOST]; /* result of each block, as an offset in text */
    uint64_t lines[LINE_BLOCKS_MOST];
    bool last; /* end of input */
};

struct blocks_run {
    struct input *in;
    bool detected;
    line_blocks_work *work;
    void *arg;
    struct buffer buffer[2];
    struct buffer *now, *next; /* the buffer being processed, the buffer being read */
    struct err read_error;
};

/* Divides the complete lines into blocks of about LINE_BLOCKS_SIZE bytes. */
static void
cut_blocks(struct buffer *b)
{
    size_t at = 0;
    for (b->blocks = 0; at < b->whole; b->blocks++) {
        b->cut[b->blocks] = at;
        at += LINE_BLOCKS_SIZE;
        if (at < b->whole)
            at = (size_t)((char *)memchr(b->text + at - 1, '\n', b->whole - at + 1) - b->text) + 1;
        else
            at = b->whole;
    }
    b->cut[b->blocks] = at;
}

/* Reads more bytes after the first `size`. */
static int
fill(struct buffer *b, struct input *in, struct err *e)
{
    ssize_t n = input_read(in, b->text + b->size, LINE_BLOCKS_BUFFER - b->size, e);
    if (n < 0)
        return (int)n;
    b->size += (size_t)n;
    b->last = b->size < LINE_BLOCKS_BUFFER;
    if (b->last && b->size > 0 && b->text[b->size - 1] != '\n')
        b->text[b->size++] = '\n';
    const char *lf = b->size > 0 ? memrchr(b->text, '\n', b->size) : NULL;
    b->whole = lf == NULL ? 0 : (size_t)(lf - b->text) + 1;
    cut_blocks(b);
    return 0;
}

/* Only a block longer than the maximum line length can contain a line that is too long.
 * Returns the offset of the first excess byte of the first such line, or `bad`. */
static size_t
find_long_line(const char *text, size_t size, size_t bad)
{
    for (size_t at = 0; size > LINE_SYMBOLS_MAX && at < bad;) {
        size_t n = (size_t)((char *)memchr(text + at, '\n', size - at) - (text + at));
        if (n > LINE_SYMBOLS_MAX && !(n == LINE_SYMBOLS_MAX + 1 && text[at + n - 1] == '\r'))
            return at + LINE_SYMBOLS_MAX;
        at += n + 1;
    }
    return bad;
}

/* Task 0 reads the next buffer; task i > 0 processes block i - 1 of this one. */
static void
run_task(void *arg, size_t task, int worker)
{
    struct blocks_run *r = arg;
    if (task == 0) {
        if (!r->now->last)
            fill(r->next, r->in, &r->read_error);
        return;
    }
    size_t start = r->now->cut[task - 1], size = r->now->cut[task] - start;
    const char *text = r->now->text + start;
    size_t bad = r->work(r->arg, text, size, &r->now->lines[task - 1], worker);
    r->now->bad[task - 1] = start + find_long_line(text, size, bad);
}

static uint64_t
count_lines(const char *text, size_t size)
{
    uint64_t n = 0;
    for (const char *end = text + size; (text = memchr(text, '\n', (size_t)(end - text))) != NULL;
         text++)
        n++;
    return n;
}

/* The error at offset `bad`; `before` lines precede the buffer. */
static int
refuse(const struct blocks_run *r, const struct alphabet *a, uint64_t before, size_t bad,
       struct err *e)
{
    const struct buffer *b = r->now;
    const char *lf = bad > 0 ? memrchr(b->text, '\n', bad) : NULL;
    const char *line = lf == NULL ? b->text : lf + 1, *end = b->text + b->size;
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    size_t n = (size_t)((newline == NULL ? end : newline) - line);
    if (newline != NULL && n > 0 && line[n - 1] == '\r')
        n--;
    uint64_t number = before + count_lines(b->text, (size_t)(line - b->text)) + 1;
    const struct text_place at = {.file = input_name(r->in), .line = number};
    if (n > LINE_SYMBOLS_MAX)
        return bad_symbol_too_long(&at, LINE_SYMBOLS_MAX, e);
    if (r->detected && n > 0 && line[0] == '>')
        return bad_symbol_header(&at, e);
    return bad_symbol_refuse(a, &at, line, n, e);
}

/* Copies the incomplete last line to the front of the next buffer.  False if it is too long
 * for a line: then reading stops. */
static bool
carry_over(struct blocks_run *r)
{
    size_t left = r->now->size - r->now->whole;
    if (left > LINE_SYMBOLS_MAX + 1) {
        r->now->last = true;
        return false;
    }
    memcpy(r->next->text, r->now->text + r->now->whole, left);
    r->next->size = left;
    return true;
}

/* Processes one buffer while the next one is read. */
static int
run_buffer(struct blocks_run *r, const struct alphabet *a, struct pool *pool, uint64_t *lines,
           struct err *e)
{
    const uint64_t before = *lines;
    bool fits = carry_over(r);
    pool_run(pool, r->now->blocks + 1, run_task, r);
    for (size_t i = 0; i < r->now->blocks; i++) {
        if (r->now->bad[i] < r->now->cut[i + 1])
            return refuse(r, a, before, r->now->bad[i], e);
        *lines += r->now->lines[i];
    }
    if (!fits)
        return refuse(r, a, before, r->now->whole, e);
    if (r->read_error.code != ERR_NONE)
        return err_pass(e, &r->read_error);
    return 0;
}

int
line_blocks_run(struct input *in, const struct alphabet *a, bool detected, struct pool *pool,
                line_blocks_work *work, void *arg, struct err *e)
{
    int rc = ERR_NOMEM;
    uint64_t lines = 0;
    struct blocks_run *r = mem_zero(1, sizeof *r, e);
    if (r == NULL)
        return ERR_NOMEM;
    r->in = in;
    r->detected = detected;
    r->work = work;
    r->arg = arg;
    r->now = &r->buffer[0];
    r->next = &r->buffer[1];
    r->now->text = mem_array(LINE_BLOCKS_BUFFER + 1, 1, e);
    r->next->text = mem_array(LINE_BLOCKS_BUFFER + 1, 1, e);
    if (r->now->text == NULL || r->next->text == NULL)
        goto done;
    rc = fill(r->now, in, e);
    while (rc == 0) {
        rc = run_buffer(r, a, pool, &lines, e);
        if (rc < 0 || r->now->last)
            break;
        struct buffer *done = r->now;
        r->now = r->next;
        r->next = done;
    }
done:
    mem_free(r->buffer[0].text);
    mem_free(r->buffer[1].text);
    mem_free(r);
    return rc;
}
