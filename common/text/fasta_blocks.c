/* SPDX-License-Identifier: MIT */
#include "text/fasta_blocks.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "io/input.h"
#include "text/string_reader.h"

enum { TASK_BYTES = LINE_BLOCKS_SIZE };

struct run {
    struct input *in;
    const struct alphabet *alphabet;
    struct pool *pool;
    line_blocks_work *work;
    fasta_blocks_read *read;
    void *arg;
    char *text; /* [capacity] of the file; the first `whole` bytes are whole records */
    size_t size, whole, capacity;
    bool at_end, detected;
    struct fasta_shape shape; /* of the records before `text` */
    uint64_t lines;           /* of the file before `text` */
    char *joined;             /* the records as lines */
    size_t joined_size;       /* at most `whole` */
    size_t joined_capacity;
    bool *bad; /* [tasks] whether a block has something else than symbols */
    size_t bad_capacity;
};

/* Reads until there is a whole record, or the end. */
static int
fill(struct run *r, struct err *e)
{
    size_t want = LINE_BLOCKS_BUFFER;
    for (r->whole = 0; r->whole == 0 && !r->at_end; want *= 2) {
        if (mem_reserve(&r->text, &r->capacity, r->size + want, 1, e) != 0)
            return ERR_NOMEM;
        ssize_t n = input_read(r->in, r->text + r->size, want, e);
        if (n < 0)
            return (int)n;
        r->size += (size_t)n;
        r->at_end = (size_t)n < want;
        for (size_t i = r->size; i-- > 1 && r->whole == 0;)
            if (r->text[i] == '>' && r->text[i - 1] == '\n')
                r->whole = i;
    }
    if (r->at_end)
        r->whole = r->size;
    return mem_reserve(&r->joined, &r->joined_capacity, r->whole + 1, 1, e);
}

/* The record that is being joined, in symbols. */
struct record {
    size_t length, first, last;
    uint64_t lines;
};

/* Whether a line of n > 0 symbols can follow in the record; see string_reader.h. */
static bool
takes(struct record *c, size_t n)
{
    bool fits = c->first == 0 || (c->last == c->first && n <= c->first);
    c->first = c->first > 0 ? c->first : n;
    c->last = n;
    c->length += n;
    c->lines++;
    return fits && c->length <= LINE_SYMBOLS_MAX;
}

/* Joins the lines of each record.  False if a line is not as usual. */
static bool
join(struct run *r)
{
    const char *at = r->text, *end = at + r->whole;
    char *out = r->joined;
    struct record record = {.length = 1};
    struct fasta_shape shape = r->shape;
    if (*at != '>')
        return false;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((newline != NULL ? newline : end) - at);
        bool header = *at == '>';
        if (n == 0 || at[n - 1] == '\r' || (header && record.length == 0) ||
            (!header && !takes(&record, n)))
            return false;
        if (header && at > r->text) {
            *out++ = '\n';
            fasta_shape_add(&shape, record.lines, record.first);
        }
        if (header)
            record = (struct record){0};
        else
            out = (char *)memcpy(out, at, n) + n;
        at += n + (newline != NULL);
    }
    *out++ = '\n';
    r->joined_size = (size_t)(out - r->joined);
    if (record.length == 0 || (r->at_end && r->detected &&
                               fasta_shape_is_broken(&shape, record.lines, record.first, false)))
        return false;
    fasta_shape_add(&shape, record.lines, record.first);
    r->shape = shape;
    return true;
}

/* The offset after the line that has the byte at `at`. */
static size_t
line_after(const struct run *r, size_t at)
{
    if (at >= r->joined_size)
        return r->joined_size;
    return (size_t)((char *)memchr(r->joined + at, '\n', r->joined_size - at) - r->joined) + 1;
}

/* Task i has the lines that begin in its share of the bytes. */
static void
run_task(void *arg, size_t task, int worker)
{
    struct run *r = arg;
    size_t start = task > 0 ? line_after(r, task * TASK_BYTES - 1) : 0;
    size_t end = line_after(r, (task + 1) * TASK_BYTES - 1);
    uint64_t lines;
    r->bad[task] = end > start &&
                   r->work(r->arg, r->joined + start, end - start, &lines, worker) < end - start;
}

static int
count_joined(struct run *r, bool *bad, struct err *e)
{
    size_t tasks = (r->joined_size + TASK_BYTES - 1) / TASK_BYTES;
    if (mem_reserve(&r->bad, &r->bad_capacity, tasks, sizeof *r->bad, e) != 0)
        return ERR_NOMEM;
    pool_run(r->pool, tasks, run_task, r);
    for (size_t i = 0; i < tasks; i++)
        *bad |= r->bad[i];
    return 0;
}

static int
read_strings(struct run *r, struct err *e)
{
    bool detect = r->at_end && r->detected; /* only the end of the file is looked at */
    const struct string_format fasta = {.kind = detect ? STRINGS_DETECT : STRINGS_FASTA};
    struct input *in = input_from_memory(r->text, r->whole, input_name(r->in), e);
    struct string_reader *s = in != NULL ? string_reader_new(in, r->alphabet, &fasta, e) : NULL;
    int rc = s != NULL ? 0 : e->code;
    if (rc == 0) {
        string_reader_start_at(s, r->lines, &r->shape);
        rc = r->read(r->arg, s, e);
        r->shape = string_reader_shape(s);
    }
    string_reader_free(s);
    input_close(in);
    return rc;
}

/* Processes the whole records, and removes them. */
static int
run_piece(struct run *r, struct err *e)
{
    bool again = !join(r);
    int rc = again ? 0 : count_joined(r, &again, e);
    if (rc == 0 && again)
        rc = read_strings(r, e);
    for (const char *at = r->text, *end = at + r->whole;
         (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        r->lines++;
    memmove(r->text, r->text + r->whole, r->size - r->whole);
    r->size -= r->whole;
    return rc;
}

int
fasta_blocks_run(struct input *in, const struct alphabet *a, bool detected, struct pool *pool,
                 line_blocks_work *work, fasta_blocks_read *read, void *arg, struct err *e)
{
    struct run r = {.in = in,
                    .alphabet = a,
                    .detected = detected,
                    .pool = pool,
                    .work = work,
                    .read = read,
                    .arg = arg};
    int rc = 0;
    while (rc == 0 && (rc = fill(&r, e)) == 0 && r.whole > 0)
        rc = run_piece(&r, e);
    mem_free(r.text);
    mem_free(r.joined);
    mem_free(r.bad);
    return rc;
}
