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
utf8_printable(const char *text)
{
    static const unsigned least[] = {' ', 0xa0, 0x800,
                                     0x10000}; /* no control character, no overlong encoding */
    const unsigned char *p = (const unsigned char *)text;
    int tail = tail_bytes(*p);
    if (tail < 0 || *p == 0x7f)
        return 0;
    unsigned code = tail == 0 ? *p : *p & (0x3fu >> tail);
    for (int i = 1; i <= tail; i++) {
        if ((p[i] & 0xc0) != 0x80) /* also at the end of the text */
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code < least[tail] || code > 0x10ffff || surrogate || turns(code))
        return 0;
    return (size_t)tail + 1;
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
