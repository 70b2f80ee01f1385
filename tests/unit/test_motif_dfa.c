/* SPDX-License-Identifier: MIT
 * motif against memmem on every string, and the number of states against the
 * number of distinguishable prefixes (Myhill-Nerode), counted by brute force. */
#include <stdio.h>
#include <string.h>

#include "automata/dfa.h"
#include "automata/motif_dfa.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { LENGTH = 8, WORD_MAX = 5, WORDS_MAX = 3 };

struct text_list {
    char text[WORDS_MAX][WORD_MAX + 1];
    const char *word[WORDS_MAX];
    size_t count;
};

static void
random_words(struct rng *r, const char *alphabet, size_t most, struct text_list *w)
{
    w->count = rng_below(r, most + 1);
    for (size_t i = 0; i < w->count; i++) {
        size_t n = 1 + rng_below(r, WORD_MAX);
        for (size_t k = 0; k < n; k++)
            w->text[i][k] = alphabet[rng_below(r, strlen(alphabet))];
        w->text[i][n] = '\0';
        w->word[i] = w->text[i];
    }
}

/* 0 unwanted word, 1 nothing yet, 2 all wanted words. */
static int
verdict(const char *text, const struct text_list *wanted, const struct text_list *unwanted)
{
    int all = 1;
    for (size_t i = 0; i < unwanted->count; i++)
        if (strstr(text, unwanted->word[i]) != NULL)
            return 0;
    for (size_t i = 0; i < wanted->count; i++)
        all &= strstr(text, wanted->word[i]) != NULL;
    return 1 + all;
}

static int
follow(const struct dfa *m, const struct alphabet *a, const char *text)
{
    uint32_t q = 0;
    for (; *text != '\0' && q != DFA_DEAD; text++)
        q = m->next[q * m->symbols + a->symbol[(unsigned char)*text]];
    return q == DFA_DEAD ? 0 : 1 + m->accept[q];
}

/* Calls for every string of the alphabet up to LENGTH; sums disagreements. */
static int
disagreements(const struct dfa *m, const struct alphabet *a, const struct text_list *wanted,
              const struct text_list *unwanted, char *text, size_t length)
{
    text[length] = '\0';
    int wrong = follow(m, a, text) != verdict(text, wanted, unwanted);
    for (unsigned c = 0; length < LENGTH && c < a->size; c++) {
        text[length] = a->text[c];
        wrong += disagreements(m, a, wanted, unwanted, text, length + 1);
    }
    return wrong;
}

/* States that differ within as many steps as there are states. */
static uint32_t
distinguishable(const struct dfa *m)
{
    uint32_t n = m->states, groups = 0, before;
    uint32_t *group = mem_array(n, sizeof *group, IGNORE_ERR),
             *next = mem_array(n, sizeof *next, IGNORE_ERR);
    for (uint32_t q = 0; q < n; q++)
        group[q] = m->accept[q];
    do {
        before = groups;
        groups = 0;
        for (uint32_t q = 0; q < n; q++) {
            uint32_t p = 0;
            for (; p < q; p++) {
                int same = group[p] == group[q];
                for (unsigned c = 0; same && c < m->symbols; c++) {
                    uint32_t a = m->next[p * m->symbols + c], b = m->next[q * m->symbols + c];
                    same = (a == DFA_DEAD) == (b == DFA_DEAD) &&
                           (a == DFA_DEAD || group[a] == group[b]);
                }
                if (same)
                    break;
            }
            next[q] = p < q ? next[p] : groups++;
        }
        memcpy(group, next, n * sizeof *group);
    } while (groups != before);
    mem_free(group);
    mem_free(next);
    return groups;
}

static void
test_random(const char *chars)
{
    struct rng r;
    struct alphabet a;
    int wrong = 0, larger = 0, failed = 0;
    alphabet_init(&a, chars, IGNORE_ERR);
    rng_init(&r, 1, "test_motif", a.size);
    for (int i = 0; i < (a.size < 3 ? 150 : 20); i++) {
        struct text_list wanted, unwanted;
        struct dfa m;
        char text[LENGTH + 1];
        random_words(&r, chars, 3, &wanted);
        random_words(&r, chars, 2, &unwanted);
        failed += motif_dfa_build(&m, &a, wanted.word, wanted.count, unwanted.word, unwanted.count,
                                  IGNORE_ERR) != 0;
        wrong += disagreements(&m, &a, &wanted, &unwanted, text, 0);
        larger += distinguishable(&m) != m.states;
        dfa_clear(&m);
    }
    ok(failed == 0 && wrong == 0, "'%s': agrees with a search in every string", chars);
    ok(larger == 0, "'%s': no two states are equivalent", chars);
}

static void
test_sizes(void)
{
    struct alphabet a;
    struct dfa m;
    alphabet_init(&a, "01", IGNORE_ERR);
    const char *word = "10001011111000";
    motif_dfa_build(&m, &a, &word, 1, NULL, 0, IGNORE_ERR);
    ok(m.states == 15, "one word of 14 symbols needs 15 states");
    dfa_clear(&m);
    motif_dfa_build(&m, &a, NULL, 0, NULL, 0, IGNORE_ERR);
    ok(m.states == 1 && m.accept[0], "no words need one state, which accepts");
    dfa_clear(&m);
    char text[1001];
    const char *many[2] = {text, word};
    for (int i = 0; i < 1000; i++)
        text[i] = '0' + (i * i % 7 < 3);
    text[1000] = '\0';
    int status = motif_dfa_build(&m, &a, many, 2, NULL, 0, IGNORE_ERR);
    ok(status == 0 && m.states <= 2 * (1001 + 14), "two words, 1000 and 14 symbols: %u states",
       m.states);
    dfa_clear(&m);
}

static void
test_errors(void)
{
    struct alphabet a;
    struct dfa m;
    struct err e = {0};
    alphabet_init(&a, "01", IGNORE_ERR);
    const char *bad = "0120", *empty = "";
    ok(motif_dfa_build(&m, &a, &bad, 1, NULL, 0, &e) == ERR_USAGE &&
           strstr(e.text, "'0120'") != NULL,
       "a motif outside the alphabet: %s", e.text);
    dfa_clear(&m);
    e = (struct err){0};
    ok(motif_dfa_build(&m, &a, NULL, 0, &empty, 1, &e) == ERR_USAGE &&
           strstr(e.text, "word is empty") != NULL,
       "an empty exclusion: %s", e.text);
    dfa_clear(&m);
    /* 24 unrelated words: the sets of those seen are too many. */
    char text[24][25];
    const char *word[24];
    struct rng r;
    rng_init(&r, 1, "test_motif", 99);
    for (int i = 0; i < 24; i++) {
        for (int k = 0; k < 24; k++)
            text[i][k] = (char)('0' + rng_below(&r, 2));
        text[i][24] = '\0';
        word[i] = text[i];
    }
    e = (struct err){0};
    ok(motif_dfa_build(&m, &a, word, 24, NULL, 0, &e) == ERR_LIMIT, "too many states: %s", e.text);
    dfa_clear(&m);
}

int
main(void)
{
    test_random("0");
    test_random("01");
    test_random("abc");
    test_random("ACGT");
    test_sizes();
    test_errors();
    return tap_done();
}
