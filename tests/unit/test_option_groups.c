/* SPDX-License-Identifier: MIT */
#include "cli/option_groups.h"

#include <string.h>

#include "core/err.h"
#include "support/tap.h"

int
main(void)
{
    static const char *const list[] = {"one", "two", "three", NULL};
    struct err e = {0};
    struct text_list w = {0};
    int place = -1;
    for (int i = 0; i < 100; i++)
        text_list_add(&w, list[i % 3], &e);
    ok(w.count == 100 && w.word[0] == list[0] && w.word[98] == list[2], "words are kept in order");
    text_list_clear(&w);
    ok(w.count == 0 && w.word == NULL, "and cleared");
    ok(choose_name(list, "three", &place, &e) == 0 && place == 2, "a word's place");
    ok(choose_name(list, "thre", &place, &e) == ERR_USAGE && place == 2 &&
           strcmp(e.text, "'thre' is not one of one, two, three") == 0,
       "%s", e.text);
    return tap_done();
}
