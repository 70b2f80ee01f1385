/* SPDX-License-Identifier: MIT */
#include "cli/cli_option.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"

int
text_list_add(struct text_list *w, const char *word, struct err *e)
{
    if (mem_reserve(&w->word, &w->capacity, w->count + 1, sizeof *w->word, e) != 0)
        return ERR_NOMEM;
    w->word[w->count++] = word;
    return 0;
}

void
text_list_clear(struct text_list *w)
{
    mem_free(w->word);
    *w = (struct text_list){0};
}

static void
append(char *text, size_t capacity, const char *more)
{
    strncat(text, more, capacity - strlen(text) - 1);
}

int
choose_name(const char *const *list, const char *word, int *place, struct err *e)
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

/* ---- setters ------------------------------------------------------------------------ */

int
cli_set_flag(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    (void)o, (void)value, (void)e;
    *(bool *)member = true;
    return 0;
}

int
cli_set_text(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    (void)o, (void)e;
    *(const char **)member = value;
    return 0;
}

int
cli_set_list(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    (void)o;
    return text_list_add(member, value, e);
}

int
cli_set_u64(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    return num_parse_u64(value, o->min, o->max, member, e);
}

int
cli_set_f64(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    return num_parse_f64(value, o->low, o->high, member, e);
}

int
cli_set_name(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    return choose_name(o->names, value, member, e);
}

int
cli_set_choice(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    (void)value, (void)e;
    *(int *)member = o->number;
    return 0;
}

int
cli_option_set(const struct cli_option *o, void *options, const char *value, struct err *e)
{
    char *base = options;
    if (o->given > 0)
        *(bool *)(base + o->given - 1) = true;
    return o->set(o, base + o->member, value, e);
}

const char *
cli_option_path(const struct cli_option *o, const void *options)
{
    return *(const char *const *)((const char *)options + o->member);
}

void
cli_options_clear(const struct cli_option *o, void *options)
{
    for (; o->help != NULL; o++)
        if (o->set == cli_set_list)
            text_list_clear((struct text_list *)((char *)options + o->member));
}
