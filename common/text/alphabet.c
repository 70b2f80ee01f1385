/* SPDX-License-Identifier: MIT */
#include "text/alphabet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/utf8.h"

enum { TOKEN_BYTES_MAX = 255 };

/* ---- building ---- */

void
alphabet_clear(struct alphabet *a, bool tokens)
{
    a->size = a->widest = 0;
    a->fold_case = false;
    a->text[0] = '\0';
    memset(a->symbol, ALPHABET_NONE, sizeof a->symbol);
    memset(a->slot, ALPHABET_NONE, sizeof a->slot);
    a->tokens = tokens;
    a->bytes = !tokens;
}

/* The slot of a text: its own, or the empty one where it belongs (FNV-1a). */
static unsigned
slot_of(const struct alphabet *a, const char *text, size_t n)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    for (unsigned at = (hash ^ hash >> 15) % ALPHABET_SLOTS;; at = (at + 1) % ALPHABET_SLOTS) {
        uint8_t s = a->slot[at];
        if (s == ALPHABET_NONE ||
            (a->length[s] == n && memcmp(a->text + a->start[s], text, n) == 0))
            return at;
    }
}

/* Whether n bytes are one character, or a word without blanks. */
static int
check_symbol(const struct alphabet *a, const char *text, size_t n, struct err *e)
{
    size_t at = 0, bytes;
    uint32_t code;
    while (at < n && (bytes = utf8_decode(text + at, n - at, &code)) > 0 &&
           (a->tokens ? code != ' ' : at == 0))
        at += bytes;
    if (n == 0 || at < n)
        return err_set(e, ERR_USAGE, "symbol %u of the alphabet is not a printable %s%s",
                       a->size + 1, a->tokens ? "word" : "character",
                       n > 0 && (unsigned char)text[at] >= 0x80 ? " in UTF-8" : "");
    if (n > TOKEN_BYTES_MAX)
        return err_set(e, ERR_USAGE, "token %u of the alphabet has %zu bytes, the maximum is %d",
                       a->size + 1, n, TOKEN_BYTES_MAX);
    return 0;
}

int
alphabet_add(struct alphabet *a, const char *text, size_t n, struct err *e)
{
    size_t end = strlen(a->text), blank = a->tokens && a->size > 0;
    int rc = check_symbol(a, text, n, e);
    if (rc != 0)
        return rc;
    unsigned slot = slot_of(a, text, n);
    if (a->slot[slot] != ALPHABET_NONE)
        return err_set(e, ERR_USAGE, "'%.*s' is repeated in the alphabet", (int)n, text);
    if (a->size == ALPHABET_MAX)
        return err_set(e, ERR_USAGE, "more than %d symbols; '%.*s' is number %d", ALPHABET_MAX,
                       (int)n, text, ALPHABET_MAX + 1);
    if (end + blank + n > ALPHABET_TEXT_MAX)
        return err_set(e, ERR_USAGE, "the symbols of the alphabet have more than %d bytes in all",
                       ALPHABET_TEXT_MAX);
    if (blank)
        a->text[end++] = ' ';
    memcpy(a->text + end, text, n);
    a->text[end + n] = '\0';
    a->start[a->size] = (uint16_t)end;
    a->length[a->size] = (uint8_t)n;
    if (!a->tokens && n == 1)
        a->symbol[(unsigned char)text[0]] = (uint8_t)a->size;
    a->bytes = a->bytes && n == 1;
    a->widest = n > a->widest ? (unsigned)n : a->widest;
    a->slot[slot] = (uint8_t)a->size++;
    return 0;
}

static int
check_size(const struct alphabet *a, struct err *e)
{
    return a->size > 0 ? 0 : err_set(e, ERR_USAGE, "the alphabet is empty");
}

/* The bytes of the character at the start of a text; 1 if it is not valid, which alphabet_add
 * reports. */
static size_t
character_bytes(const char *text)
{
    size_t n = utf8_printable(text);
    return n > 0 ? n : 1;
}

int
alphabet_init(struct alphabet *a, const char *text, struct err *e)
{
    int rc = 0;
    alphabet_clear(a, false);
    for (size_t n; rc == 0 && *text != '\0'; text += n) {
        n = character_bytes(text);
        rc = alphabet_add(a, text, n, e);
    }
    return rc == 0 ? check_size(a, e) : rc;
}

int
alphabet_init_tokens(struct alphabet *a, const char *text, struct err *e)
{
    int rc = 0;
    alphabet_clear(a, true);
    for (text += strspn(text, " "); rc == 0 && *text != '\0'; text += strspn(text, " ")) {
        size_t n = strcspn(text, " ");
        rc = alphabet_add(a, text, n, e);
        text += n;
    }
    return rc == 0 ? check_size(a, e) : rc;
}

/* ---- what a user writes ---- */

/* Reads a character, literal after a backslash: its code, or 0 after an error. */
static uint32_t
read_character(const char **text, struct err *e)
{
    uint32_t code = 0;
    *text += **text == '\\';
    if (**text == '\0') {
        err_set(e, ERR_USAGE, "backslash at the end; write two for a backslash");
        return 0;
    }
    size_t n = utf8_decode(*text, strlen(*text), &code);
    if (n == 0)
        err_set(e, ERR_USAGE, "byte 0x%02x is not a printable character in UTF-8",
                (unsigned char)**text);
    *text += n;
    return n > 0 ? code : 0;
}

static int
add_range(struct alphabet *a, uint32_t low, uint32_t high, struct err *e)
{
    char text[UTF8_BYTES_MAX];
    uint32_t code;
    int rc = 0;
    if (high < low)
        return err_set(e, ERR_USAGE, "a range ends before it begins; write '\\-' for a minus sign");
    for (uint32_t c = low; rc == 0 && c <= high; c++) {
        size_t n = utf8_encode(c, text);
        if (utf8_decode(text, n, &code) > 0)
            rc = alphabet_add(a, text, n, e);
    }
    return rc;
}

int
alphabet_parse(struct alphabet *a, const char *text, struct err *e)
{
    static const char *const named[][2] = {
        {"dna", "ACGT"},  {"rna", "ACGU"},  {"protein", "ACDEFGHIKLMNPQRSTVWY"},
        {"lower", "a-z"}, {"upper", "A-Z"}, {"digits", "0-9"},
        {"print", " -~"}};
    int rc = 0;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(text, named[i][0]) == 0)
            text = named[i][1];
    alphabet_clear(a, false);
    while (rc == 0 && *text != '\0') {
        uint32_t low = read_character(&text, e), high = low;
        if (e->code == ERR_NONE && text[0] == '-' && text[1] != '\0') {
            text++;
            high = read_character(&text, e);
        }
        rc = e->code == ERR_NONE ? add_range(a, low, high, e) : e->code;
    }
    return rc == 0 ? check_size(a, e) : rc;
}

/* ---- order ---- */

struct placed {
    const struct alphabet *alphabet;
    uint8_t symbol;
};

static int
compare(const void *x, const void *y)
{
    const struct placed *p = x, *q = y;
    size_t n, m;
    const char *a = alphabet_symbol(p->alphabet, p->symbol, &n);
    const char *b = alphabet_symbol(q->alphabet, q->symbol, &m);
    int order = memcmp(a, b, n < m ? n : m);
    return order != 0 ? order : (n > m) - (n < m);
}

void
alphabet_sort(struct alphabet *a, uint8_t map[ALPHABET_MAX])
{
    struct placed order[ALPHABET_MAX] = {{NULL, 0}};
    struct alphabet old = *a;
    struct err e = {0}; /* what fitted before fits again */
    for (unsigned i = 0; i < old.size; i++)
        order[i] = (struct placed){&old, (uint8_t)i};
    qsort(order, old.size, sizeof *order, compare);
    alphabet_clear(a, old.tokens);
    for (unsigned i = 0; i < old.size; i++) {
        size_t n;
        const char *text = alphabet_symbol(&old, order[i].symbol, &n);
        alphabet_add(a, text, n, &e);
        map[order[i].symbol] = (uint8_t)i;
    }
}

/* ---- questions ---- */

bool
alphabet_equal(const struct alphabet *a, const struct alphabet *b)
{
    return a->tokens == b->tokens && strcmp(a->text, b->text) == 0;
}

bool
alphabet_is_simple(const struct alphabet *a)
{
    return a->bytes && a->size <= ALPHABET_SIMPLE_MAX && a->symbol[' '] == ALPHABET_NONE;
}

const char *
alphabet_symbol(const struct alphabet *a, unsigned symbol, size_t *n)
{
    *n = a->length[symbol];
    return a->text + a->start[symbol];
}

/* The symbol whose letters are those of the text, all of them made upper or lower case. */
static uint8_t
find_folded(const struct alphabet *a, const char *text, size_t n, bool upper)
{
    char folded[TOKEN_BYTES_MAX + UTF8_BYTES_MAX];
    size_t at = 0, end = 0, bytes;
    uint32_t code;
    for (; at < n && (bytes = utf8_decode(text + at, n - at, &code)) > 0; at += bytes) {
        if (end > TOKEN_BYTES_MAX)
            return ALPHABET_NONE;
        uint32_t other = utf8_other_case(code);
        end += utf8_encode((other > code) == upper ? code : other, folded + end);
    }
    return at == n ? a->slot[slot_of(a, folded, end)] : ALPHABET_NONE;
}

uint8_t
alphabet_find(const struct alphabet *a, const char *text, size_t n)
{
    uint8_t s = a->slot[slot_of(a, text, n)];
    if (s == ALPHABET_NONE && a->fold_case)
        s = find_folded(a, text, n, false);
    if (s == ALPHABET_NONE && a->fold_case)
        s = find_folded(a, text, n, true);
    return s;
}

void
alphabet_fold_case(struct alphabet *a)
{
    a->fold_case = true;
    for (int c = 'a'; c <= 'z' && !a->tokens; c++) {
        uint8_t *lower = &a->symbol[c], *upper = &a->symbol[c - 'a' + 'A'], was = *lower;
        *lower = *lower == ALPHABET_NONE ? *upper : *lower;
        *upper = *upper == ALPHABET_NONE ? was : *upper;
    }
}

/* ---- text and symbols ---- */

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static uint8_t
first_token(const struct alphabet *a, const char *text, size_t n, size_t *used)
{
    size_t end = 0, valid = 0, bytes;
    uint32_t code;
    while (end < n && !is_blank(text[end]))
        end++;
    while (valid < end && (bytes = utf8_decode(text + valid, end - valid, &code)) > 0)
        valid += bytes;
    *used = valid < end ? 0 : end;
    return valid < end ? ALPHABET_NONE : alphabet_find(a, text, end);
}

uint8_t
alphabet_first(const struct alphabet *a, const char *text, size_t n, size_t *used)
{
    uint32_t code;
    if (a->tokens)
        return first_token(a, text, n, used);
    *used = utf8_decode(text, n, &code);
    if (*used <= 1)
        return *used == 0 ? ALPHABET_NONE : a->symbol[(unsigned char)text[0]];
    return alphabet_find(a, text, *used);
}

/* Translates all bytes, four at a time, and then looks for one that has no symbol: this takes
 * half of the instructions of a test for each byte. */
static size_t
encode_bytes(const struct alphabet *a, const char *text, size_t n, uint8_t *restrict symbols)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        symbols[i] = a->symbol[byte[i]];
        symbols[i + 1] = a->symbol[byte[i + 1]];
        symbols[i + 2] = a->symbol[byte[i + 2]];
        symbols[i + 3] = a->symbol[byte[i + 3]];
    }
    for (; i < n; i++)
        symbols[i] = a->symbol[byte[i]];
    const uint8_t *bad = n > 0 ? memchr(symbols, ALPHABET_NONE, n) : NULL;
    return bad == NULL ? n : (size_t)(bad - symbols);
}

size_t
alphabet_encode(const struct alphabet *a, const char *text, size_t n, uint8_t *symbols,
                size_t *length)
{
    size_t at = 0, used;
    if (a->bytes)
        return *length = encode_bytes(a, text, n, symbols);
    for (*length = 0; at < n; at += used) {
        uint8_t s = a->tokens ? ALPHABET_NONE : a->symbol[(unsigned char)text[at]];
        used = 1;
        if (a->tokens && is_blank(text[at]))
            continue;
        if (s == ALPHABET_NONE)
            s = alphabet_first(a, text + at, n - at, &used);
        if (s == ALPHABET_NONE)
            return at;
        symbols[(*length)++] = s;
    }
    return at;
}

size_t
alphabet_text_max(const struct alphabet *a, size_t n)
{
    return n * (a->widest + a->tokens);
}

static size_t
decode_bytes(const struct alphabet *a, const uint8_t *symbols, size_t n, char *restrict text)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        text[i] = a->text[symbols[i]];
        text[i + 1] = a->text[symbols[i + 1]];
        text[i + 2] = a->text[symbols[i + 2]];
        text[i + 3] = a->text[symbols[i + 3]];
    }
    for (; i < n; i++)
        text[i] = a->text[symbols[i]];
    return n;
}

size_t
alphabet_decode(const struct alphabet *a, const uint8_t *symbols, size_t n, char *text)
{
    char *out = text;
    if (a->bytes)
        return decode_bytes(a, symbols, n, text);
    for (size_t i = 0; i < n; i++) {
        if (a->tokens && i > 0)
            *out++ = ' ';
        memcpy(out, a->text + a->start[symbols[i]], a->length[symbols[i]]);
        out += a->length[symbols[i]];
    }
    return (size_t)(out - text);
}

const char *
alphabet_show(const struct alphabet *a, char text[ALPHABET_SHOW_MAX])
{
    enum { ALL = 100, SOME = 80 };
    unsigned shown = 0;
    if (strlen(a->text) <= ALL)
        return strcpy(text, a->text);
    while (shown + 1 < a->size && a->start[shown + 1] < SOME)
        shown++;
    size_t bytes = shown > 0 ? (size_t)a->start[shown - 1] + a->length[shown - 1] : 0;
    snprintf(text, ALPHABET_SHOW_MAX, "%.*s%s... (%u symbols)", (int)bytes, a->text,
             a->tokens ? " " : "", a->size);
    return text;
}

/* ---- words ---- */

/* The error of a word whose symbol at word[at] is not in the alphabet. */
static int
refuse_word(const struct alphabet *a, const char *word, size_t at, struct err *e)
{
    char alphabet[ALPHABET_SHOW_MAX];
    unsigned long number = 1;
    size_t used;
    for (size_t i = 0; i < at; i += used) {
        used = 1;
        if (a->tokens && is_blank(word[i]))
            continue;
        alphabet_first(a, word + i, at - i, &used);
        number++;
    }
    return err_advise(e, ERR_USAGE, REMEDY_SET_ALPHABET, "'%s': %s %lu is not in the alphabet '%s'",
                      word, a->tokens ? "token" : "character", number, alphabet_show(a, alphabet));
}

int
alphabet_word(const struct alphabet *a, const char *word, uint8_t **symbols, size_t *length,
              struct err *e)
{
    size_t n = strlen(word);
    *symbols = mem_array(n, 1, e);
    if (*symbols == NULL)
        return ERR_NOMEM;
    size_t done = alphabet_encode(a, word, n, *symbols, length);
    if (done == n && *length > 0)
        return 0;
    mem_free(*symbols);
    *symbols = NULL;
    return done == n ? err_set(e, ERR_USAGE, "word is empty") : refuse_word(a, word, done, e);
}

int
alphabet_check(const struct alphabet *a, const char *word, struct err *e)
{
    uint8_t *symbols = NULL;
    size_t length;
    int rc = alphabet_word(a, word, &symbols, &length, e);
    mem_free(symbols);
    return rc;
}
