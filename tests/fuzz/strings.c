/* SPDX-License-Identifier: MIT
 * Strings in lines or FASTA, of bytes, UTF-8 or tokens; the first byte chooses the alphabet and
 * how they are read.  What was read is written, read again, and is the same. */
#include "text/strings.h"
#include "core/err.h"
#include "fuzz.h"
#include "io/input.h"
#include "text/alphabet.h"
#include "text/string_reader.h"
#include "text/string_writer.h"

static const char *const alphabets[] = {"01", "ACGT", "a", "\"'", "0\xc3\xa9>", "Aa \xce\xb1"};

/* Bits 0 to 2 choose the alphabet, 3 to 6 what is done with letters, strings and formats. */
static void
choose(uint8_t how, struct alphabet *a, struct string_format *f)
{
    struct err e = {0};
    f->fold_case = how & 8;
    f->skip_bad = how & 16;
    f->kind = (enum string_kind)((how >> 5) % 3);
    if (how % 8 < 6)
        alphabet_init(a, alphabets[how % 8], &e);
    else if (how & 128)
        alphabet_init_tokens(a, "a b 01 \xc3\xa9", &e);
    else {
        alphabet_clear(a, how % 8 == 7);
        f->grow = a;
    }
}

static int
read_text(const void *text, size_t size, const struct alphabet *a, const struct string_format *f,
          struct strings *s, struct err *e)
{
    struct input *in = input_from_memory(text, size, "s", e);
    struct string_reader *r = string_reader_new(in, a, f, e);
    string_reader_keep_names(r);
    int rc = strings_read(s, r, SIZE_MAX, UINT64_MAX, e);
    MUST(rc == e->code && string_reader_skipped(r) <= size);
    MUST(f->skip_bad || string_reader_skipped(r) == 0);
    string_reader_free(r);
    input_close(in);
    return rc;
}

static void
check_order(const struct strings *s, const struct alphabet *a, size_t size)
{
    struct string_order order = {0};
    struct err e = {0};
    uint64_t symbols = 0;
    string_order_add_range(&order, 0, s->count, &e);
    string_order_sort(&order, s, &e);
    for (size_t i = 0; i < s->count; i++) {
        size_t n, last;
        const uint8_t *x = string_order_get(&order, s, i, &n);
        for (size_t k = 0; k < n; k++)
            MUST(x[k] < a->size);
        MUST(n <= s->longest && n >= s->shortest);
        const uint8_t *y = i > 0 ? string_order_get(&order, s, i - 1, &last) : NULL;
        MUST(i == 0 || strings_compare(y, last, x, n) <= 0);
        symbols += n;
    }
    MUST(symbols == s->symbols && symbols < size);
    string_order_clear(&order);
}

static void
write_and_read(const struct strings *s, const struct alphabet *a, bool fasta)
{
    struct string_writer w = {.alphabet = a, .fasta = fasta};
    const struct string_format f = {.kind = fasta ? STRINGS_FASTA : STRINGS_LINES};
    struct strings again = {0};
    struct err e = {0};
    for (size_t i = 0; i < s->count; i++) {
        size_t n;
        const uint8_t *x = strings_get(s, i, &n);
        int rc = string_writer_add(&w, x, n, &e);
        bool marked = n > 0 && a->text[a->start[x[0]]] == '>';
        MUST(rc == (fasta && (n == 0 || marked) ? ERR_DATA : 0));
        if (rc != 0)
            break;
    }
    MUST(e.code != 0 || read_text(w.text, w.used, a, &f, &again, &e) == 0);
    MUST(e.code != 0 || (again.count == s->count && again.symbols == s->symbols));
    for (size_t i = 0; e.code == 0 && i < s->count; i++) {
        size_t n, m;
        const uint8_t *x = strings_get(s, i, &n), *y = strings_get(&again, i, &m);
        MUST(strings_compare(x, n, y, m) == 0);
    }
    strings_clear(&again);
    string_writer_clear(&w);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct alphabet a;
    struct string_format f = {0};
    struct strings s = {0};
    struct err e = {0};
    if (size == 0)
        return 0;
    choose(data[0], &a, &f);
    int rc = read_text(data + 1, size - 1, &a, &f, &s, &e);
    check_order(&s, &a, size);
    if (rc == 0 && f.grow != NULL && a.size > 0)
        MUST(strings_settle_alphabet(&s, &a, &e) == 0);
    if (rc == 0 && a.size > 0) {
        write_and_read(&s, &a, false);
        write_and_read(&s, &a, true);
    }
    strings_clear(&s);
    return 0;
}
