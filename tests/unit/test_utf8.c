/* SPDX-License-Identifier: MIT
 * Printable texts: what is, what is not, and what becomes of it. */
#include <string.h>

#include "core/utf8.h"
#include "support/tap.h"

static void
test_printable(void)
{
    static const struct {
        const char *text;
        size_t bytes;
        const char *name;
    } c[] = {
        {"a", 1, "a letter"},
        {" ", 1, "a blank"},
        {"~", 1, "the last of ASCII"},
        {"", 0, "nothing"},
        {"\n", 0, "a newline"},
        {"\033", 0, "escape"},
        {"\x7f", 0, "delete"},
        {"\xc2\x80", 0, "a control beyond ASCII"},
        {"\xc2\x9b", 0, "the short form of ESC ["},
        {"\xc2\xa0", 2, "the first that is none"},
        {"\xdf\xbf", 2, "the last of two bytes"},
        {"\xe0\xa0\x80", 3, "the first of three"},
        {"\xed\x9f\xbf", 3, "the last before the surrogates"},
        {"\xed\xa0\x80", 0, "a surrogate"},
        {"\xee\x80\x80", 3, "the first behind them"},
        {"\xf0\x90\x80\x80", 4, "the first of four"},
        {"\xf4\x8f\xbf\xbf", 4, "the last of all"},
        {"\xf4\x90\x80\x80", 0, "one beyond"},
        {"\xf8\x88\x80\x80\x80", 0, "five bytes"},
        {"\xc1\xa1", 0, "a letter in two bytes"},
        {"\xe0\x9f\xbf", 0, "two bytes in three"},
        {"\xf0\x8f\xbf\xbf", 0, "three bytes in four"},
        {"\x80", 0, "a byte from the middle"},
        {"\xff", 0, "a byte that is never there"},
        {"\xe2\x80\xa7", 3, "a point in the middle"},
        {"\xe2\x80\xa8", 0, "Unicode's end of a line"},
        {"\xe2\x80\xae", 0, "from right to left"},
        {"\xe2\x81\xa6", 0, "an isolate"},
        {"\xe2\x81\xaa", 3, "what follows them"},
        {"\xe2\x82", 0, "a character that breaks off"},
        {"\xe2\x82z", 0, "another in its middle"},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        ok(utf8_printable(c[i].text) == c[i].bytes, "%s: %zu", c[i].name, c[i].bytes);
}

static void
flattens(const char *from, const char *to)
{
    char text[32];
    snprintf(text, sizeof text, "%s", from);
    utf8_flatten(text);
    ok(strcmp(text, to) == 0 && utf8_is_printable(text), "flat: '%s'", text);
    ok(utf8_is_printable(from) == (strcmp(from, to) == 0), "as it was, or else not printable");
}

int
main(void)
{
    test_printable();
    flattens("", "");
    flattens("plain", "plain");
    flattens("\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac");
    flattens("a\tb\nc", "a b c");
    flattens("\033]0;title\007", " ]0;title ");
    flattens("a\xff\xfe\xc3\xa9\xc3", "a  \xc3\xa9 ");
    return tap_done();
}
