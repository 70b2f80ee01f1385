/* SPDX-License-Identifier: MIT */
#include "core/words.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"

int
words_add(struct words *w, const char *word, struct err *e)
{
    if (mem_reserve(&w->word, &w->capacity, w->count + 1, sizeof *w->word, e) != 0)
        return ERR_NOMEM;
    w->word[w->count++] = word;
    return 0;
}

void
words_clear(struct words *w)
{
    mem_free(w->word);
    *w = (struct words){0};
}

static void
append(char *text, size_t room, const char *more)
{
    strncat(text, more, room - strlen(text) - 1);
}

int
words_choose(const char *const *list, const char *word, int *place, struct err *e)
{
    char all[128] = "";
    for (int i = 0; list[i] != NULL; i++) {
        if (strcmp(list[i], word) == 0) {
            *place = i;
            return 0;
        }
        append(all, sizeof all, i > 0 ? ", " : "");
        append(all, sizeof all, list[i]);
    }
    return err_set(e, ERR_USAGE, "'%s' is not one of %s", word, all);
}
