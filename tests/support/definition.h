/* SPDX-License-Identifier: MIT
 *
 * definition: features given by expressions, sites, positions, runs and ranges, by their
 * definitions, computed in the plainest way (and by the C library's regular expressions), for
 * unit tests.
 */
#ifndef GAMUT_DEFINITION_H
#define GAMUT_DEFINITION_H

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFINITION_LENGTH_MAX = 20 };

/* The last expression stays compiled. */
static regex_t definition_compiled; /* all zero is free */
static char definition_from[64];

static inline bool
definition_matches(const char *expression, const char *x)
{
    if (strcmp(expression, definition_from) != 0) {
        regfree(&definition_compiled);
        snprintf(definition_from, sizeof definition_from, "%s", expression);
        if (regcomp(&definition_compiled, expression, REG_EXTENDED | REG_NOSUB) != 0)
            return false;
    }
    return regexec(&definition_compiled, x, 0, NULL, 0) == 0;
}

/* Positions where a match of an expression without anchors ends. */
static inline int
definition_match_ends(const char *expression, const char *x)
{
    char whole[64], part[DEFINITION_LENGTH_MAX + 1];
    int n = 0;
    snprintf(whole, sizeof whole, "^(%s)$", expression);
    for (size_t i = 1; i <= strlen(x); i++) {
        bool found = false;
        for (size_t j = 0; j < i && !found; j++) {
            snprintf(part, sizeof part, "%.*s", (int)(i - j), x + j);
            found = definition_matches(whole, part);
        }
        n += found;
    }
    return n;
}

static inline int
definition_longest_run(const char *x, char symbol)
{
    int best = 0;
    for (size_t i = 0; x[i] != '\0'; i++) {
        int n = 0;
        while (x[i] == x[i + (size_t)n] && (symbol == '\0' || x[i] == symbol))
            n++;
        best = n > best ? n : best;
    }
    return best;
}

static inline int
definition_occurrences(const char *x, const char *s)
{
    int n = 0;
    for (size_t i = 0; i + strlen(s) <= strlen(x); i++)
        n += strncmp(x + i, s, strlen(s)) == 0;
    return n;
}

static inline const char *
definition_letters_of(char c)
{
    static const char *const codes[] = {"AA",  "CC",  "GG",   "TT",   "RAG",  "YCT",  "SCG",  "WAT",
                                        "KGT", "MAC", "BCGT", "DAGT", "HACT", "VACG", "NACGT"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i][0] == c)
            return codes[i] + 1;
    return "";
}

/* Whether the site is at x[i]; with `other` on the other strand, read backward. */
static inline bool
definition_site_at(const char *x, size_t i, const char *word, bool other)
{
    size_t m = strlen(word);
    for (size_t k = 0; k < m; k++) {
        static const char bases[] = "ACGT", paired[] = "TGCA";
        char c = x[other ? i + m - 1 - k : i + k];
        if (other)
            c = paired[strchr(bases, c) - bases];
        if (strchr(definition_letters_of(word[k]), c) == NULL)
            return false;
    }
    return true;
}

static inline bool
definition_has_site(const char *x, const char *word, bool both)
{
    for (size_t i = 0; i + strlen(word) <= strlen(x); i++)
        if (definition_site_at(x, i, word, false) || (both && definition_site_at(x, i, word, true)))
            return true;
    return false;
}

/* A word inside positions first to last, which count from the end if negative. */
static inline bool
definition_is_within(const char *x, int first, int last, const char *word)
{
    int n = (int)strlen(x), m = (int)strlen(word);
    first = first < 0 ? n + first + 1 : first;
    last = last < 0 ? n + last + 1 : last;
    for (int i = 0; i + m <= n; i++)
        if (strncmp(x + i, word, (size_t)m) == 0 && i + 1 >= first && i + m <= last)
            return true;
    return false;
}

static inline int
definition_common_substring(const char *x, const char *s)
{
    int best = 0;
    for (size_t i = 0; i < strlen(s); i++)
        for (size_t n = 1; i + n <= strlen(s); n++) {
            char part[16];
            snprintf(part, sizeof part, "%.*s", (int)n, s + i);
            best = strstr(x, part) != NULL && (int)n > best ? (int)n : best;
        }
    return best;
}

static inline int
definition_edit_distance(const char *x, size_t n, const char *s, size_t m)
{
    if (n == 0 || m == 0)
        return (int)(n + m);
    int a = definition_edit_distance(x + 1, n - 1, s + 1, m - 1) + (*x != *s);
    int b = definition_edit_distance(x + 1, n - 1, s, m) + 1,
        c = definition_edit_distance(x, n, s + 1, m - 1) + 1;
    return a < b ? (a < c ? a : c) : b < c ? b : c;
}

static inline int
definition_least_edits(const char *x, const char *s)
{
    size_t m = strlen(s);
    int best = (int)m;
    for (size_t i = 0; i < strlen(x); i++)
        for (size_t n = 1; i + n <= strlen(x) && n <= m + 1; n++) {
            int d = definition_edit_distance(x + i, n, s, m);
            best = d < best ? d : best;
        }
    return best;
}

/* The number of a spec without its range, for ranges and values alike. */
static inline double
definition_number(const char *kind, const char *argument, const char *x)
{
    if (strcmp(kind, "length") == 0)
        return (double)strlen(x);
    if (strcmp(kind, "run") == 0)
        return definition_longest_run(x, argument == NULL ? '\0' : argument[0]);
    if (strcmp(kind, "count") == 0 && argument[0] != '[')
        return definition_occurrences(x, argument);
    if (strcmp(kind, "lcs") == 0)
        return definition_common_substring(x, argument);
    if (strcmp(kind, "edit") == 0)
        return definition_least_edits(x, argument);
    if (strcmp(argument, "10$") == 0 || strcmp(argument, "(1|10$)") == 0) {
        size_t n = strlen(x);
        bool ends = n > 1 && strcmp(x + n - 2, "10") == 0;
        return ends + (argument[0] == '(' ? definition_occurrences(x, "1") : 0);
    }
    return definition_match_ends(argument, x);
}

static inline bool
definition_in_range(double value, const char *range, double length)
{
    const char *dots = strstr(range, "..");
    double scale = strchr(range, '%') != NULL ? length / 100 : 1;
    bool low = dots == range || value >= atof(range) * scale - 1e-9;
    bool high = dots[2] == '\0' || value <= atof(dots + 2) * scale + 1e-9;
    return low && high;
}

static inline double
definition_value(const char *spec, const char *x, double max_length)
{
    char text[64], *argument, *range;
    if (strncmp(spec, "not:", 4) == 0)
        return 1 - definition_value(spec + 4, x, max_length);
    snprintf(text, sizeof text, "%s", spec);
    if ((range = strrchr(text, '@')) != NULL)
        *range++ = '\0';
    if ((argument = strchr(text, ':')) != NULL)
        *argument++ = '\0';
    if (range != NULL)
        return !definition_in_range(definition_number(text, argument, x), range, (double)strlen(x));
    if (strcmp(text, "regex") == 0)
        return !definition_matches(argument, x);
    if (strcmp(text, "site") == 0 || strcmp(text, "site+") == 0)
        return !definition_has_site(x, argument, text[4] == '\0');
    if (strcmp(text, "at") == 0) {
        const char *word = strchr(argument, ':') + 1;
        int first = atoi(argument);
        return !definition_is_within(x, first, first + (int)strlen(word) - 1, word);
    }
    if (strcmp(text, "within") == 0)
        return !definition_is_within(x, atoi(argument), atoi(strstr(argument, "..") + 2),
                                     strchr(argument, ':') + 1);
    return definition_number(text, argument, x) / max_length;
}

#endif
