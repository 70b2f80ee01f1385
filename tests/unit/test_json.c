/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "io/json.h"
#include "io/output.h"
#include "support/ignore.h"
#include "support/tap.h"

static struct json *
parse(const char *text, struct err *e)
{
    *e = (struct err){0};
    return json_parse(text, strlen(text), e);
}

static void
refuses(const char *text)
{
    struct err e;
    struct json *j = parse(text, &e);
    ok(j == NULL && e.code == ERR_DATA, "refused: %s", e.text);
    json_free(j);
}

static void
test_tree(void)
{
    struct err e;
    struct json *j =
        parse(" {\"a\": [1, -2.5e1, true, null, {}], \"b\": \"x\\\"\\u00e9\\n\"}\n", &e);
    const struct json_value *root = json_root(j);
    ok(root->type == JSON_OBJECT && root->count == 2, "an object");
    const struct json_value *a = json_member(root, "a", JSON_ARRAY, &e);
    ok(a != NULL && a->count == 5 && a->first->number == 1, "with an array");
    ok(a->first->next->number == -25, "of numbers");
    ok(a->first->next->next->type == JSON_TRUE, "and words");
    ok(a->first->next->next->next->next->first == NULL, "and something empty");
    const struct json_value *b = json_member(root, "b", JSON_STRING, &e);
    ok(strcmp(b->string, "x\"\xc3\xa9\n") == 0, "escapes are resolved");
    ok(json_member(root, "b", JSON_NUMBER, &e) == NULL && e.code == ERR_DATA, "%s", e.text);
    uint64_t n;
    struct err e2 = {0};
    ok(json_whole(a->first, 10, &n, &e2) == 0 && n == 1, "a whole number");
    ok(json_whole(a->first->next, 10, &n, &e2) == ERR_DATA, "%s", e2.text);
    json_free(j);
    j = parse("\"\\ud83d\\ude00\"", &e);
    ok(strcmp(json_root(j)->string, "\xf0\x9f\x98\x80") == 0, "a surrogate pair is one character");
    json_free(j);
}

static void
test_bad(void)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "[1,]",
                                      "{\"a\":1,}",
                                      "{\"a\" 1}",
                                      "[1 2]",
                                      "01",
                                      "1.",
                                      ".5",
                                      "+1",
                                      "1e",
                                      "nul",
                                      "truex",
                                      "\"a",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\n\"",
                                      "[1] 2",
                                      "{a:1}",
                                      "nan",
                                      "Infinity",
                                      "{\"a\":1,\"a\":2}",
                                      "'a'",
                                      "\"\\ud800\"",
                                      "\"\\ud800\\u0041\"",
                                      "\"\\u0000\""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses(bad[i]);
    char deep[2 * 100 + 1];
    memset(deep, '[', sizeof deep / 2);
    memset(deep + sizeof deep / 2, ']', sizeof deep / 2);
    deep[sizeof deep - 1] = '\0';
    refuses(deep);
}

/* An object of `members`, or NULL. */
static struct json *
wide(unsigned members, struct err *e)
{
    struct output *out = output_to_memory(e);
    size_t size;
    for (unsigned i = 0; i < members; i++)
        output_printf(out, e, "%s\"k%u\":0", i == 0 ? "{" : ",", i);
    output_printf(out, e, "}");
    const char *text = output_bytes(out, &size);
    struct json *j = json_parse(text, size, e);
    output_abort(out);
    return j;
}

static void
test_wide(void)
{
    struct err e = {0};
    struct json *j = wide(10000, &e);
    ok(j != NULL && json_root(j)->count == 10000, "an object of ten thousand members");
    json_free(j);
    ok(wide(10001, &e) == NULL && strstr(e.text, "too many members") != NULL, "one more: %s",
       e.text);
}

/* Every prefix of a good text is refused, and no byte of it crashes. */
static void
test_damage(void)
{
    static const char good[] = "{\"k\": [1, \"two\", {\"three\": -3e0}], \"u\": \"\\u0041\"}";
    int accepted = 0;
    for (size_t n = 0; n < sizeof good - 1; n++) {
        struct json *j = json_parse(good, n, IGNORE_ERR);
        accepted += j != NULL;
        json_free(j);
    }
    ok(accepted == 0, "no truncation is taken for the whole");
    char copy[sizeof good];
    for (size_t i = 0; i < 256 * (sizeof good - 1); i++) {
        memcpy(copy, good, sizeof good);
        copy[i / 256] = (char)(i % 256);
        json_free(json_parse(copy, sizeof good - 1, IGNORE_ERR));
    }
    ok(1, "any byte anywhere is survived");
}

static void
test_write(void)
{
    static const char text[] = "a\"b\\c\n\x01\xc3\xa9";
    static const char quoted[] = "\"a\\\"b\\\\c\\u000a\\u0001\xc3\xa9\"";
    struct err e = {0};
    struct output *out = output_to_memory(&e);
    ok(json_write_string(out, text, &e) == 0, "a string is written");
    size_t size;
    const char *bytes = output_bytes(out, &size);
    ok(size == strlen(quoted) && memcmp(bytes, quoted, size) == 0, "what must be is escaped");
    struct json *j = json_parse(bytes, size, &e);
    ok(j != NULL && strcmp(json_root(j)->string, text) == 0, "and it is read as it was");
    json_free(j);
    output_abort(out);
}

int
main(void)
{
    test_write();
    test_tree();
    test_bad();
    test_wide();
    test_damage();
    return tap_done();
}
