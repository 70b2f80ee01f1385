/* SPDX-License-Identifier: MIT
 *
 * Scanning against a naive count with memmem, line by line, on random texts of
 * every alignment; blocks against the same, through files and gzip.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "automata/word_counter.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "core/rng.h"
#include "io/input.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "support/tempfile.h"
#include "text/line_reader.h"
#include "text/string_reader.h"

enum { WORDS = 120, THREADS = 2 }; /* 120 words are too many for planes */

struct text {
    char *bytes;
    size_t size, capacity;
};

static void
append(struct text *t, const char *bytes, size_t n)
{
    if (mem_reserve(&t->bytes, &t->capacity, t->size + n + 1, 1, IGNORE_ERR) != 0)
        abort();
    memcpy(t->bytes + t->size, bytes, n);
    t->size += n;
    t->bytes[t->size] = '\0';
}

/* Random lines; low letters of the alphabet are more frequent, so that long
 * matches happen. */
static void
random_lines(struct text *t, struct rng *r, const char *alphabet, size_t lines, size_t longest,
             const char *newline)
{
    for (size_t i = 0; i < lines; i++) {
        for (size_t n = rng_below(r, longest + 1); n > 0; n--) {
            uint64_t most = rng_below(r, 3) > 0 ? 2 : strlen(alphabet);
            append(t, &alphabet[rng_below(r, most)], 1);
        }
        append(t, newline, strlen(newline));
    }
}

/* ---- the naive count ---------------------------------------------------------- */

struct naive {
    uint64_t lines, with[WORDS], occurrences[WORDS];
};

static void
naive_line(struct naive *n, const char *line, char word[][160], const bool *anchored, size_t words)
{
    n->lines++;
    for (size_t i = 0; i < words; i++) {
        uint64_t found = 0;
        if (anchored[i])
            found = strncmp(line, word[i], strlen(word[i])) == 0;
        else
            for (const char *p = line, *end = line + strlen(line);
                 (p = memmem(p, (size_t)(end - p), word[i], strlen(word[i]))) != NULL; p++)
                found++;
        n->with[i] += found > 0;
        n->occurrences[i] += found;
    }
}

static struct naive
naive_count(const struct text *t, char word[][160], const bool *anchored, size_t words)
{
    struct naive n = {0};
    size_t at = 0;
    while (at < t->size) {
        char *lf = memchr(t->bytes + at, '\n', t->size - at);
        size_t length = lf == NULL ? t->size - at : (size_t)(lf - t->bytes) - at;
        char *line = mem_string(t->bytes + at, length, IGNORE_ERR);
        if (length > 0 && line[length - 1] == '\r')
            line[length - 1] = '\0';
        naive_line(&n, line, word, anchored, words);
        mem_free(line);
        at += length + 1;
    }
    return n;
}

/* ---- scanning ------------------------------------------------------------------- */

struct worker {
    uint64_t lines;
    struct word_counter_count count[256];
};

struct job {
    struct word_counter *scan;
    struct worker worker[THREADS];
};

static size_t
work(void *arg, const char *text, size_t size, uint64_t *lines, int worker)
{
    struct job *j = arg;
    struct worker *w = &j->worker[worker];
    uint64_t before = w->lines;
    size_t done = word_counter_scan(j->scan, text, size, w->count, &w->lines);
    *lines = w->lines - before;
    return done;
}

static bool
agrees(const struct job *j, const struct naive *n, size_t words)
{
    uint64_t lines = 0, with[WORDS] = {0}, occurrences[WORDS] = {0};
    for (size_t k = 0; k < THREADS; k++) {
        lines += j->worker[k].lines;
        for (size_t i = 0; i < words; i++) {
            with[i] += j->worker[k].count[i].lines;
            occurrences[i] += j->worker[k].count[i].occurrences;
        }
    }
    return lines == n->lines && memcmp(with, n->with, words * sizeof *with) == 0 &&
           memcmp(occurrences, n->occurrences, words * sizeof *with) == 0;
}

static size_t
rest_of_line(const struct text *t, size_t at)
{
    size_t n = 0;
    while (at + n < t->size && t->bytes[at + n] != '\r' && t->bytes[at + n] != '\n')
        n++;
    return n;
}

/* Words: some random, some cut from the text, some long, some anchored. */
static size_t
make_words(struct word_counter *s, struct rng *r, const struct text *t, const char *alphabet,
           char word[][160], bool *anchored, size_t most)
{
    size_t words = 0;
    struct err e = {0};
    while (words < most) {
        size_t n = 1 + rng_below(r, rng_below(r, 4) == 0 ? 150 : 12);
        size_t at = rng_below(r, t->size), number;
        if (rng_below(r, 3) > 0)
            n = rest_of_line(t, at) < n ? rest_of_line(t, at) : n;
        for (size_t i = 0; i < n; i++)
            word[words][i] = rng_below(r, 3) == 0 ? alphabet[rng_below(r, strlen(alphabet))]
                                                  : t->bytes[at + i < t->size ? at + i : at];
        if (rng_below(r, 2) == 0)
            memcpy(word[words], t->bytes + at, n < t->size - at ? n : 0);
        word[words][n] = '\0';
        anchored[words] = rng_below(r, 4) == 0;
        if (n > 0 && strspn(word[words], alphabet) == n &&
            word_counter_add_word(s, word[words], anchored[words], &number, &e) == 0 &&
            number == words)
            words++;
    }
    word_counter_compile(s, &e);
    return words;
}

static bool
try_text(const char *alphabet, const char *newline, size_t lines, size_t longest, bool cut_end,
         uint64_t seed)
{
    static char word[WORDS][160];
    bool anchored[WORDS];
    struct alphabet a;
    struct err e = {0};
    struct rng r;
    struct text t = {0};
    struct job j = {0};
    rng_init(&r, seed, "test_scan", 0);
    alphabet_init(&a, alphabet, &e);
    random_lines(&t, &r, alphabet, lines, longest, newline);
    append(&t, alphabet, 2);
    append(&t, newline, cut_end ? 0 : strlen(newline));
    j.scan = word_counter_new(&a, &e);
    size_t words =
        make_words(j.scan, &r, &t, alphabet, word, anchored, seed < 50 ? 1 + seed % 24 : WORDS);
    struct naive n = naive_count(&t, word, anchored, words);
    struct pool *pool = pool_new(THREADS, &e);
    struct input *in = input_from_memory(t.bytes, t.size, "text", &e);
    int rc = line_blocks_run(in, &a, false, pool, work, &j, &e);
    bool good = rc == 0 && agrees(&j, &n, words);
    input_close(in);
    pool_free(pool);
    word_counter_free(j.scan);
    mem_free(t.bytes);
    return good;
}

static void
test_random_texts(void)
{
    static const char *const alphabets[] = {"01", "ACGT", "ACDEFGHIKLMNPQRSTVWY",
                                            ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789+-")};
    for (size_t i = 0; i < sizeof alphabets / sizeof *alphabets; i++) {
        int wrong = 0;
        for (uint64_t seed = 0; seed < 60; seed++) {
            size_t longest = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 40 : 400;
            wrong += !try_text(alphabets[i], seed % 5 == 0 ? "\r\n" : "\n", seed, longest,
                               seed % 2 == 0, seed);
        }
        ok(wrong == 0, "alphabet of %zu: %d of 60 random texts wrong", strlen(alphabets[i]), wrong);
    }
    ok(try_text("01", "\n", 200000, 60, true, 1), "many blocks, several buffers");
    ok(try_text("ACGT", "\r\n", 300, 60000, false, 2), "lines of tens of thousands");
    ok(try_text("01", "\r\n", 20000, 60, true, 99), "many blocks, many words");
}

/* One match at every place of a text of every length around the tile size. */
static void
test_alignment(void)
{
    enum { SIZE = 64 * 64 + 140 };
    static char text[SIZE + 1];
    struct alphabet a;
    struct err e = {0};
    size_t number, wrong = 0;
    alphabet_init(&a, "01", &e);
    struct word_counter *s = word_counter_new(&a, &e);
    word_counter_add_word(s, "1101", false, &number, &e);
    word_counter_compile(s, &e);
    for (size_t at = 0; at + 4 < SIZE; at++) {
        struct word_counter_count c = {0};
        uint64_t lines = 0;
        memset(text, '0', SIZE);
        memcpy(text + at, "1101", 4);
        size_t size = at + 5 + at % 67 < SIZE ? at + 5 + at % 67 : SIZE;
        text[size - 1] = '\n';
        wrong += word_counter_scan(s, text, size, &c, &lines) != size || lines != 1 ||
                 c.lines != 1 || c.occurrences != 1;
        if (at > 0 && at + 5 < size) { /* a newline inside the match hides it */
            struct word_counter_count none = {0};
            text[at + 2] = '\n';
            word_counter_scan(s, text, size, &none, &lines);
            wrong += none.lines != 0 || none.occurrences != 0;
        }
    }
    ok(wrong == 0, "a match at every place: %zu wrong", wrong);
    word_counter_free(s);
}

/* ---- bad bytes --------------------------------------------------------------- */

/* Enough words of ten bits for the automaton. */
static void
add_many_words(struct word_counter *s, struct err *e)
{
    for (int x = 0; x < 200; x++) {
        char word[11] = "";
        size_t number;
        for (int i = 0; i < 10; i++)
            word[i] = (char)('0' + (x * 5 >> i & 1));
        word_counter_add_word(s, word, false, &number, e);
    }
}

static void
expect_from(bool many, const char *bytes, size_t size, const char *want, const char *name)
{
    struct alphabet a;
    struct err e = {0}, same = {0};
    struct job j = {0};
    size_t number;
    alphabet_init(&a, "01", &e);
    j.scan = word_counter_new(&a, &e);
    word_counter_add_word(j.scan, "0", false, &number, &e);
    if (many)
        add_many_words(j.scan, &e);
    word_counter_compile(j.scan, &e);
    struct pool *pool = pool_new(THREADS, &e);
    struct input *in = input_from_memory(bytes, size, "F", &e);
    int rc = line_blocks_run(in, &a, false, pool, work, &j, &e);
    input_close(in);
    in = input_from_memory(bytes, size, "F", &same);
    const struct string_format lines = {.kind = STRINGS_LINES};
    struct string_reader *l = string_reader_new(in, &a, &lines, &same);
    const uint8_t *symbols;
    size_t n;
    int next;
    while ((next = string_reader_next(l, &symbols, &n, &same)) > 0)
        continue;
    ok(rc == next && strcmp(e.text, want) == 0 && strcmp(same.text, want) == 0, "%s: '%s'", name,
       e.text);
    string_reader_free(l);
    input_close(in);
    pool_free(pool);
    word_counter_free(j.scan);
}

static void
expect(const char *bytes, size_t size, const char *want, const char *name)
{
    expect_from(false, bytes, size, want, name);
    expect_from(true, bytes, size, want, name);
}

static void
test_bad_bytes(void)
{
    expect("01\n0x\n", 6, "F:2: 'x' in column 2 is not in the alphabet '01'", "a letter");
    expect("01\n0\0\n", 6, "F:2: byte 0x00 in column 2 is not in the alphabet '01'", "NUL");
    expect("01\r\n0\r1\n", 8, "F:2: byte 0x0d in column 2 is not in the alphabet '01'", "stray CR");
    expect("01\n0\r\r\n", 7, "F:2: byte 0x0d in column 2 is not in the alphabet '01'", "two CRs");
    expect("\n\n\n0 ", 5, "F:4: ' ' in column 2 is not in the alphabet '01'", "no newline");
    expect("01\r", 3, "", "a last line that ends with CR");
    expect("\r\n\r\n", 4, "", "blank lines");
    expect("", 0, "", "nothing");
    struct text t = {0};
    char want[80];
    for (int i = 0; i < 400000; i++)
        append(&t, "0101010101010101\n", 17);
    t.bytes[17 * 345678 + 5] = 'Z';
    t.bytes[17 * 345679 + 5] = 'Y';
    snprintf(want, sizeof want, "F:345679: 'Z' in column 6 is not in the alphabet '01'");
    expect(t.bytes, t.size, want, "the first bad line, far into the text");
    t.size = 17 * 100000;
    for (size_t i = 0; i <= LINE_SYMBOLS_MAX; i++)
        append(&t, "1", 1);
    size_t longest = t.size;
    snprintf(want, sizeof want, "F:100001: line has more than %d characters", LINE_SYMBOLS_MAX);
    append(&t, "\n", 1);
    expect(t.bytes, t.size, want, "one character too many");
    t.size = longest - 1;
    append(&t, "\r\n01\n", 5);
    expect(t.bytes, t.size, "", "the longest line, with CRLF");
    t.size = longest;
    for (int i = 0; i < 6 << 20; i++)
        append(&t, "0", 1);
    expect(t.bytes, t.size, want, "a line that fills more than a buffer");
    mem_free(t.bytes);
}

/* ---- files --------------------------------------------------------------------- */

static void
test_gzip(void)
{
    char path[TEMPFILE_MAX];
    struct alphabet a;
    struct err e = {0};
    struct job j = {0};
    size_t number;
    tempfile_new(path);
    gzFile z = gzopen(path, "wb");
    for (int i = 0; i < 500000; i++)
        gzputs(z, i % 7 == 0 ? "00110\n" : "000\n");
    gzclose(z);
    alphabet_init(&a, "01", &e);
    j.scan = word_counter_new(&a, &e);
    word_counter_add_word(j.scan, "11", false, &number, &e);
    word_counter_compile(j.scan, &e);
    struct pool *pool = pool_new(THREADS, &e);
    struct input *in = input_open(path, &e);
    int rc = line_blocks_run(in, &a, false, pool, work, &j, &e);
    ok(rc == 0 && j.worker[0].lines + j.worker[1].lines == 500000 &&
           j.worker[0].count[0].lines + j.worker[1].count[0].lines == 71429,
       "gzip: %s", e.text);
    input_close(in);
    pool_free(pool);
    word_counter_free(j.scan);
    unlink(path);
}

static void
test_words(void)
{
    struct alphabet a;
    struct err e = {0};
    size_t x, y, z;
    alphabet_init(&a, "01", &e);
    struct word_counter *s = word_counter_new(&a, &e);
    ok(word_counter_add_word(s, "", false, &x, IGNORE_ERR) == ERR_USAGE, "empty word");
    ok(word_counter_add_word(s, "012", false, &x, IGNORE_ERR) == ERR_USAGE,
       "word outside the alphabet");
    word_counter_add_word(s, "01", false, &x, &e);
    word_counter_add_word(s, "01", true, &y, &e);
    word_counter_add_word(s, "01", false, &z, &e);
    ok(x == 0 && y == 1 && z == 0 && word_counter_words(s) == 2, "the same word twice is one");
    word_counter_free(s);
}

int
main(void)
{
    test_random_texts();
    test_alignment();
    test_bad_bytes();
    test_gzip();
    test_words();
    return tap_done();
}
