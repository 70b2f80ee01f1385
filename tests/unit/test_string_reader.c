/* SPDX-License-Identifier: MIT
 *
 * string_reader, bad_symbol and string_writer: lines, FASTA, UTF-8 and tokens become strings, and
 * what is wrong with them is said.
 */
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "io/input.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "text/alphabet.h"
#include "text/string_reader.h"
#include "text/string_writer.h"
#include "text/strings.h"

#define TEXT(literal) literal, sizeof(literal) - 1

/* A text of n bytes as strings joined by '|', with their names, or the text of the error. */
static const char *
read_text(struct alphabet *a, const struct string_format *f, const char *text, size_t n,
          uint64_t *skipped)
{
    static char joined[2048];
    struct err e = {0};
    struct input *in = input_from_memory(text, n, "F", &e);
    struct string_reader *r = string_reader_new(in, a, f, &e);
    const uint8_t *symbols;
    size_t length;
    char *p = joined;
    string_reader_keep_names(r);
    while (string_reader_next(r, &symbols, &length, &e) > 0) {
        const char *name = string_reader_names(r);
        p += alphabet_decode(a, symbols, length, p);
        p += sprintf(p, "%s%s|", name != NULL ? "=" : "", name != NULL ? name : "");
        string_reader_keep_names(r);
    }
    *p = '\0';
    *skipped = string_reader_skipped(r);
    string_reader_free(r);
    input_close(in);
    return e.code != 0 ? strcpy(joined, e.text) : joined;
}

static void
gives(const char *chars, struct string_format f, const char *text, const char *expected)
{
    struct alphabet a;
    uint64_t skipped;
    alphabet_init(&a, chars, IGNORE_ERR);
    const char *got = read_text(&a, &f, text, strlen(text), &skipped);
    ok(strcmp(got, expected) == 0, "%s: %s", chars, got);
}

static const struct string_format plain = {0}, fasta = {.kind = STRINGS_FASTA},
                                  lines = {.kind = STRINGS_LINES}, fold = {.fold_case = true};

static void
test_fasta(void)
{
    gives("ACGT", plain, ">a first\nAC\nGT\nA\n>b\nC\n", "ACGTA=a|C=b|");
    gives("ACGT", plain, ">a\r\nAC\r\nGT\r\n\r\n>b\r\nC", "ACGT=a|C=b|");
    gives("ACGT", plain, ">a\nAC\n\n\n", "AC=a|");
    gives("ACGT", plain, ">\nAC\n", "AC=|");
    gives("ACGT>", plain, ">A\n", ">A|");
    gives("ACGT>", fasta, ">A\nC\n", "C=A|");
    gives("ACGT", fasta, "\n\n>A\nC\n", "C=A|");
    gives("ACGT", plain, ">a\n>b\nC\n", "F:1: record 'a' is empty");
    gives("ACGT", plain, ">a\nC\n>b\n", "F:3: record 'b' is empty");
    gives("ACGT", plain, ">a\nAC\nANT\n",
          "F:3: record 'a': 'N' in column 2 is not in the alphabet 'ACGT'");
    gives("ACGT", plain, ">a\nAC*\n",
          "F:2: record 'a': '*' in column 3 is not in the alphabet 'ACGT'");
    gives("ACGT", plain, "AC\n>a\nAC\n",
          "F:2: line begins with '>', as in FASTA, but the file does not");
    gives("ACGT", lines, "AC\n>a\nAC\n", "F:2: '>' in column 1 is not in the alphabet 'ACGT'");
    gives("ACGT", fasta, "AC\n>a\nAC\n",
          "F:1: line does not begin with '>', as a record of FASTA does");
    gives("ACGT", plain, ">a\nAC\n\nAC\n",
          "F:4: record 'a': a record continues after a blank line");
    gives(
        "ACGT", plain, ">a\nAC\nA\nAC\n",
        "F:4: record 'a': line of 2 characters after lines of 2 and 1: in a record, only the last "
        "line may be shorter");
    gives(
        "ACGT", plain, ">a\nAC\nACG\n",
        "F:3: record 'a': line of 3 characters after lines of 2 and 2: in a record, only the last "
        "line may be shorter");
}

static void
test_utf8(void)
{
    gives("\xc3\xa9t", plain, "\xc3\xa9t\xc3\xa9\n\nt\n", "\xc3\xa9t\xc3\xa9||t|");
    gives("\xc3\xa9t", plain, "\xc3\xa9tx\n",
          "F:1: 'x' in column 3 is not in the alphabet '\xc3\xa9t'");
    gives("\xc3\xa9t", plain, "t\n\xc3\xa9\xe9\n",
          "F:2: byte 0xe9 in column 2 is not a printable character in UTF-8");
    gives("01", plain, "0\xc3\xa9\n", "F:1: '\xc3\xa9' in column 2 is not in the alphabet '01'");
    gives("\xc3\xa9t", fold, "\xc3\x89T\n", "\xc3\xa9t|");
    gives("ACGT", fold, "acGt\n", "ACGT|");
    gives("ACGT", fold, "acn\n", "F:1: 'n' in column 3 is not in the alphabet 'ACGT'");
}

static void
test_skip(void)
{
    struct alphabet a;
    uint64_t skipped;
    struct string_format f = {.skip_bad = true};
    alphabet_init(&a, "ACGT", IGNORE_ERR);
    const char *got = read_text(&a, &f, TEXT("AC\nAN\n\xff\nG\n"), &skipped);
    ok(strcmp(got, "AC|G|") == 0 && skipped == 2, "lines: %s", got);
    got = read_text(&a, &f, TEXT(">a\nAC\nAN\nCC\n>b\nG\n>c\nN\n"), &skipped);
    ok(strcmp(got, "G=b|") == 0 && skipped == 2, "records: %s", got);
    got = read_text(&a, &f, TEXT("AC\n>a\nA\n"), &skipped);
    ok(strstr(got, "F:2: line begins with '>'") != NULL, "%s", got);
    got = read_text(&a, &f, TEXT("A\0C\nC\n"), &skipped);
    ok(strcmp(got, "C|") == 0 && skipped == 1, "NUL: %s", got);
}

static const char *
grow(const char *text, size_t n, struct string_format f, bool tokens, struct alphabet *a)
{
    uint64_t skipped;
    alphabet_clear(a, tokens);
    f.grow = a;
    return read_text(a, &f, text, n, &skipped);
}

static void
test_growth(void)
{
    struct alphabet a;
    const char *got = grow(TEXT("zb\n\xc3\xa9z\n"), plain, false, &a);
    ok(strcmp(got, "zb|\xc3\xa9z|") == 0 && strcmp(a.text, "zb\xc3\xa9") == 0, "%s", got);
    got = grow(TEXT("b  a\nc\tb\n"), plain, true, &a);
    ok(strcmp(got, "b a|c b|") == 0 && strcmp(a.text, "b a c") == 0, "%s", got);
    got = grow(TEXT("Ab\nB\n"), fold, false, &a);
    ok(strcmp(got, "ab|b|") == 0 && strcmp(a.text, "ab") == 0, "lower case: %s", got);
    got = grow(TEXT(">x\nAc\n"), fold, false, &a);
    ok(strcmp(got, "AC=x|") == 0 && strcmp(a.text, "AC") == 0, "upper case in FASTA: %s", got);
    got = grow(TEXT("ab\na\xff\n"), plain, false, &a);
    ok(strstr(got, "F:2: byte 0xff in column 2") != NULL, "%s", got);
    got = grow(TEXT("a\n>b\n"), plain, false, &a);
    ok(strstr(got, "F:2: line begins with '>'") != NULL, "%s", got);
    struct string_format skip = {.skip_bad = true};
    got = grow(TEXT("ab\nx\xff\n"), skip, false, &a);
    ok(strcmp(got, "ab|") == 0 && strcmp(a.text, "ab") == 0, "nothing of a bad string: %s", a.text);
    char many[1024];
    int n = 0;
    for (int i = 0; i < 256; i++)
        n += sprintf(many + n, "%02x%c", (unsigned)i, i % 16 == 15 ? '\n' : ' ');
    got = grow(many, (size_t)n, plain, true, &a);
    ok(strcmp(got, "F:16: more than 255 symbols; 'ff' is number 256") == 0, "%s", got);
}

static void
test_tokens(void)
{
    struct alphabet a;
    uint64_t skipped;
    alphabet_init_tokens(&a, "atg gcc", IGNORE_ERR);
    const char *got = read_text(&a, &plain, TEXT("atg  gcc\n\natg\n"), &skipped);
    ok(strcmp(got, "atg gcc||atg|") == 0, "%s", got);
    got = read_text(&a, &plain, TEXT("atg xyz\n"), &skipped);
    ok(strcmp(got, "F:1: 'xyz' as token 2 is not in the alphabet 'atg gcc'") == 0, "%s", got);
    got = read_text(&a, &plain, TEXT("atg x\xff\n"), &skipped);
    ok(strcmp(got, "F:1: byte 0xff as token 2 is not a printable character in UTF-8") == 0, "%s",
       got);
    got = read_text(&a, &plain, TEXT(">g\natg\ngcc atg\natg gcc gcc\n"), &skipped);
    ok(strcmp(got, "atg gcc atg atg gcc gcc=g|") == 0, "lines of tokens vary: %s", got);
}

static void
test_writer(void)
{
    struct alphabet a;
    struct err e = {0};
    alphabet_init_tokens(&a, "atg >x", IGNORE_ERR);
    struct string_writer w = {.alphabet = &a, .fasta = true, .number = 9};
    string_writer_add(&w, (const uint8_t *)"\0\1", 2, &e);
    ok(w.used == 11 && memcmp(w.text, ">10\natg >x\n", 11) == 0, "a record");
    ok(string_writer_add(&w, NULL, 0, &e) == ERR_DATA && w.used == 11, "%s", e.text);
    struct err marked = {0};
    ok(string_writer_add(&w, (const uint8_t *)"\1", 1, &marked) == ERR_DATA, "%s", marked.text);
    string_writer_clear(&w);
}

int
main(void)
{
    test_fasta();
    test_utf8();
    test_skip();
    test_growth();
    test_tokens();
    test_writer();
    return tap_done();
}
