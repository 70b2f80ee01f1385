/* SPDX-License-Identifier: MIT
 * Each type of option sets its member, and errors of values have a message. */
#include "cli/cli_option.h"

#include <string.h>

#include "core/err.h"
#include "support/tap.h"

static const char *const names[] = {"one", "two", "three", NULL};

struct options {
    bool flag, has_number;
    const char *text, *file;
    uint64_t number;
    double real;
    int name;
    struct text_list list;
};

static const struct cli_option table[] = {
    CLI_HEADING("All"),
    {'f', "flag", NULL, "a flag", CLI_FLAG(struct options, flag)},
    {0, "text", "S", "a text", CLI_TEXT(struct options, text)},
    {0, "file", "FILE", "a file", CLI_FILE(struct options, file, FILE_WRITE)},
    {0, "number", "N", "a number", CLI_U64(struct options, number, 2, UINT64_MAX),
     CLI_GIVEN(struct options, has_number)},
    {0, "real", "X", "a real number", CLI_F64(struct options, real, 0, 1)},
    {0, "name", "NAME", "a name", CLI_NAME(struct options, name, names)},
    {0, "second", NULL, "same as --name two", CLI_CHOICE(struct options, name, 1)},
    {0, "list", "S", "texts", CLI_LIST(struct options, list)},
    CLI_END};

static int
set(struct options *o, const char *name, const char *value, struct err *e)
{
    const struct cli_option *row = table + 1;
    while (strcmp(row->name, name) != 0)
        row++;
    *e = (struct err){0};
    return cli_option_set(row, o, value, e);
}

static void
test_values(void)
{
    struct options o = {.name = 2};
    struct err e;
    ok(set(&o, "flag", NULL, &e) == 0 && o.flag, "a flag");
    ok(set(&o, "text", "abc", &e) == 0 && strcmp(o.text, "abc") == 0, "a text");
    ok(cli_option_path(&table[3], &o) == NULL, "a file that is not given");
    ok(set(&o, "file", "-", &e) == 0 && strcmp(cli_option_path(&table[3], &o), "-") == 0, "a file");
    ok(!o.has_number && set(&o, "number", "18446744073709551615", &e) == 0 &&
           o.number == UINT64_MAX && o.has_number,
       "a whole number, and that it was given");
    ok(set(&o, "real", "0.25", &e) == 0 && o.real == 0.25, "a real number");
    ok(set(&o, "second", NULL, &e) == 0 && o.name == 1, "a choice");
    ok(set(&o, "name", "one", &e) == 0 && o.name == 0, "a name");
    ok(set(&o, "name", "on", &e) == ERR_USAGE && o.name == 0 &&
           strcmp(e.text, "'on' is not one of one, two, three") == 0,
       "%s", e.text);
    ok(set(&o, "number", "1", &e) == ERR_USAGE && o.number == UINT64_MAX, "%s", e.text);
    ok(set(&o, "real", "1.5", &e) == ERR_USAGE && o.real == 0.25, "%s", e.text);
}

static void
test_lists(void)
{
    struct options o = {0};
    struct err e;
    int rc = 0;
    for (int i = 0; i < 100; i++)
        rc |= set(&o, "list", names[i % 3], &e);
    ok(rc == 0 && o.list.count == 100 && o.list.word[0] == names[0] && o.list.word[98] == names[2],
       "texts are kept in order");
    cli_options_clear(table, &o);
    ok(o.list.count == 0 && o.list.word == NULL, "and freed");
}

int
main(void)
{
    test_values();
    test_lists();
    return tap_done();
}
