/* SPDX-License-Identifier: MIT */
#include "core/utf8.h"

/* The number of bytes after the first one, or -1 if no character begins with `first`. */
static int
tail_bytes(unsigned char first)
{
    if (first < 0x80)
        return 0;
    if (first < 0xc0 || first >= 0xf8)
        return -1;
    return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

/* Whether the character ends the line, or changes the direction of the text after it. */
static bool
turns(unsigned code)
{
    return (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

size_t
utf8_decode(const char *text, size_t n, uint32_t *code)
{
    static const unsigned least[] = {' ', 0xa0, 0x800,
                                     0x10000}; /* no control character, no overlong encoding */
    const unsigned char *p = (const unsigned char *)text;
    int tail = n > 0 ? tail_bytes(*p) : -1;
    if (tail < 0 || *p == 0x7f || n <= (size_t)tail)
        return 0;
    uint32_t c = tail == 0 ? *p : *p & (0x3fu >> tail);
    for (int i = 1; i <= tail; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    bool surrogate = c >= 0xd800 && c < 0xe000;
    if (c < least[tail] || c > 0x10ffff || surrogate || turns(c))
        return 0;
    *code = c;
    return (size_t)tail + 1;
}

size_t
utf8_encode(uint32_t code, char text[UTF8_BYTES_MAX])
{
    int tail = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    for (int i = tail; i > 0; i--, code >>= 6)
        text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)(tail == 0 ? code : (0xf0u << (3 - tail) & 0xff) | code);
    return (size_t)tail + 1;
}

/* Upper-case letters from `first` to `last`, each `apart` after the previous one; the lower-case
 * letter comes `shift` after it. */
static const struct cases {
    uint16_t first, last, apart, shift;
} cases[] = {
    {'A', 'Z', 1, 32},     {0xc0, 0xd6, 1, 32},   {0xd8, 0xde, 1, 32},    {0x100, 0x12e, 2, 1},
    {0x132, 0x136, 2, 1},  {0x139, 0x147, 2, 1},  {0x14a, 0x176, 2, 1},   {0x179, 0x17d, 2, 1},
    {0x386, 0x386, 1, 38}, {0x388, 0x38a, 1, 37}, {0x38c, 0x38c, 1, 64},  {0x38e, 0x38f, 1, 63},
    {0x391, 0x3a1, 1, 32}, {0x3a3, 0x3ab, 1, 32}, {0x400, 0x40f, 1, 80},  {0x410, 0x42f, 1, 32},
    {0x460, 0x480, 2, 1},  {0x48a, 0x4be, 2, 1},  {0x1e00, 0x1e94, 2, 1}, {0x1ea0, 0x1efe, 2, 1},
};

uint32_t
utf8_other_case(uint32_t code)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct cases *c = &cases[i];
        uint32_t upper = code - c->first, lower = upper - c->shift;
        uint32_t span = (uint32_t)(c->last - c->first);
        if (upper <= span && upper % c->apart == 0)
            return code + c->shift;
        if (lower <= span && lower % c->apart == 0)
            return code - c->shift;
    }
    return code;
}

size_t
utf8_printable(const char *text)
{
    uint32_t code;
    size_t n = 0;
    while (n < UTF8_BYTES_MAX && text[n] != '\0')
        n++;
    return utf8_decode(text, n, &code);
}

size_t
utf8_count(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

bool
utf8_is_printable(const char *text)
{
    size_t n;
    while ((n = utf8_printable(text)) > 0)
        text += n;
    return *text == '\0';
}

void
utf8_flatten(char *text)
{
    while (*text != '\0') {
        size_t n = utf8_printable(text);
        if (n == 0)
            *text = ' ';
        text += n > 0 ? n : 1;
    }
}
