/* SPDX-License-Identifier: MIT */
#include "automata/word_counter.h"

#include <stdlib.h>
#include <string.h>

#include "automata/aho_corasick.h"
#include "automata/bit_planes.h"
#include "core/err.h"
#include "core/mem.h"

enum {
    WIDTH = BIT_PLANES_WIDTH,
    LANES = 4,          /* words intersected at once */
    DEPTH = 64,         /* symbols matched by planes; the rest is compared */
    LEVELS = DEPTH + 1, /* of the trie: one more for an anchor */
    STEPS_MAX = 480     /* with more intersections (some 40 words) aho_corasick.h is faster */
};

struct counted_word {
    char *text;
    size_t length;
    bool anchored;
    size_t number; /* in the order of word_counter_add_word */
};

/* A plane shifted back by the place of a symbol in a word. */
struct shifted {
    unsigned plane, by;
};

/* The trie in depth-first order: the matches at `level` are intersected with some shifted
 * planes.  If none are left, `skip` is the next node, else the following one. */
struct trie_node {
    uint32_t level;
    uint32_t step, steps; /* the shifted planes: scan.step[step .. step+steps-1] */
    uint32_t skip;
    uint32_t first, last; /* words complete here (up to DEPTH): first .. last-1 */
};

struct word_counter {
    struct alphabet alphabet;
    struct counted_word *word; /* sorted by word_counter_compile */
    size_t words, word_capacity;
    struct trie_node *node;
    size_t nodes, node_capacity;
    uint32_t *step; /* indices of shifted planes in the order of the trie */
    size_t step_capacity;
    struct shifted shifted[ALPHABET_BYTES_MAX * DEPTH + 1]; /* by depth */
    uint32_t shifts;
    struct bit_planes planes;
    bool many; /* too many words for planes, or no characters of one byte: ac is used */
    struct aho_corasick ac; /* of the symbols and the newline, which begins anchored words */
    uint32_t home;          /* its state at the beginning of a line */
};

/* Two words of a plane; the compiler maps them to the vectors of the machine. */
typedef uint64_t pair __attribute__((vector_size(16)));

struct lanes {
    pair lo, hi;
};

/* The LANES words of a tile that are being matched. */
struct matcher {
    struct bit_planes_tile tile;
    struct lanes match[LEVELS + 1]; /* on the way down to the present node */
    struct lanes shifted[ALPHABET_BYTES_MAX * DEPTH + 1];
};

/* ---- building ------------------------------------------------------------------ */

struct word_counter *
word_counter_new(const struct alphabet *a, struct err *e)
{
    struct word_counter *s = mem_zero(1, sizeof *s, e);
    if (s != NULL)
        s->alphabet = *a;
    return s;
}

void
word_counter_free(struct word_counter *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->words; i++)
        mem_free(s->word[i].text);
    mem_free(s->word);
    mem_free(s->node);
    mem_free(s->step);
    aho_corasick_clear(&s->ac);
    mem_free(s);
}

int
word_counter_add_word(struct word_counter *s, const char *word, bool anchored, size_t *number,
                      struct err *e)
{
    for (*number = 0; *number < s->words; ++*number)
        if (s->word[*number].anchored == anchored && strcmp(s->word[*number].text, word) == 0)
            return 0;
    int rc = alphabet_check(&s->alphabet, word, e);
    if (rc < 0)
        return rc;
    if (mem_reserve(&s->word, &s->word_capacity, s->words + 1, sizeof *s->word, e) != 0)
        return ERR_NOMEM;
    char *text = mem_string(word, strlen(word), e);
    if (text == NULL)
        return ERR_NOMEM;
    s->word[s->words++] = (struct counted_word){text, strlen(word), anchored, *number};
    return 0;
}

size_t
word_counter_words(const struct word_counter *s)
{
    return s->words;
}

static int
compare_words(const void *a, const void *b)
{
    const struct counted_word *x = a, *y = b;
    return x->anchored != y->anchored ? x->anchored - y->anchored : strcmp(x->text, y->text);
}

/* Symbols within the first DEPTH places of words get planes. */
static void
choose_planes(struct word_counter *s)
{
    bool need[256] = {false};
    for (size_t i = 0; i < s->words; i++)
        for (size_t k = 0; k < s->word[i].length && k < DEPTH; k++)
            need[(unsigned char)s->word[i].text[k]] = true;
    bit_planes_init(&s->planes, &s->alphabet, need);
}

/* The symbols that occur at each place of some word, in the order of the places. */
static void
choose_shifts(struct word_counter *s, uint32_t index[ALPHABET_BYTES_MAX][DEPTH])
{
    s->shifts = 1;
    s->shifted[0] = (struct shifted){BIT_PLANES_LINE_START, 0};
    for (size_t k = 0; k < DEPTH; k++)
        for (size_t i = 0; i < s->words; i++) {
            if (k >= s->word[i].length)
                continue;
            unsigned a = s->alphabet.symbol[(unsigned char)s->word[i].text[k]];
            if (index[a][k] != 0)
                continue;
            index[a][k] = s->shifts;
            s->shifted[s->shifts++] = (struct shifted){a, (unsigned)k};
        }
}

/* The number of levels that two adjacent words share: the anchor, then symbol by symbol. */
static size_t
shared_levels(const struct counted_word *x, const struct counted_word *y)
{
    if (x->anchored != y->anchored)
        return 0;
    size_t k = 0;
    while (k < DEPTH && x->text[k] != '\0' && x->text[k] == y->text[k])
        k++;
    return k + x->anchored;
}

/* Adds one node per level for the part of word i that its neighbor does not have. */
static int
add_nodes(struct word_counter *s, size_t i, uint32_t index[ALPHABET_BYTES_MAX][DEPTH],
          struct err *e)
{
    const struct counted_word *w = &s->word[i];
    size_t depth = w->length < DEPTH ? w->length : DEPTH;
    size_t need = s->nodes + LEVELS;
    if (mem_reserve(&s->node, &s->node_capacity, need, sizeof *s->node, e) != 0 ||
        mem_reserve(&s->step, &s->step_capacity, need, sizeof *s->step, e) != 0)
        return ERR_NOMEM;
    for (size_t level = i > 0 ? shared_levels(w - 1, w) : 0; level < depth + w->anchored; level++) {
        bool anchor = w->anchored && level == 0;
        size_t k = anchor ? 0 : level - w->anchored;
        s->step[s->nodes] = anchor ? 0 : index[s->alphabet.symbol[(unsigned char)w->text[k]]][k];
        s->node[s->nodes] = (struct trie_node){.level = (uint32_t)level,
                                               .step = (uint32_t)s->nodes,
                                               .steps = 1,
                                               .first = (uint32_t)i,
                                               .last = (uint32_t)i};
        s->nodes++;
    }
    s->node[s->nodes - 1].last = (uint32_t)i + 1;
    return 0;
}

/* A node without matches is followed by the next one that is not deeper. */
static void
link_nodes(struct word_counter *s)
{
    uint32_t next[LEVELS];
    for (size_t l = 0; l < LEVELS; l++)
        next[l] = (uint32_t)s->nodes;
    for (size_t i = s->nodes; i-- > 0;) {
        s->node[i].skip = next[s->node[i].level];
        for (size_t l = s->node[i].level; l < LEVELS; l++)
            next[l] = (uint32_t)i;
    }
}

/* Whether testing for remaining matches after `level` symbols pays off: first when one in
 * four of LANES * WIDTH random places is expected to continue, then after every further
 * factor of about sixteen. */
static bool
worth_a_look(const struct word_counter *s, size_t level)
{
    size_t bits = 1;
    while (bits < 6 && 1u << bits < s->planes.used_count)
        bits++;
    return level * bits >= 10 && level * bits % 4 < bits;
}

/* Merges a node with its only child if there is no test between them.  Nodes that are the
 * target of a skip have earlier siblings, so they remain first in their merged node. */
static int
join_nodes(struct word_counter *s, struct err *e)
{
    uint32_t *moved = mem_array(s->nodes + 1, sizeof *moved, e); /* new numbers of nodes */
    if (moved == NULL)
        return ERR_NOMEM;
    size_t count = 0;
    for (size_t i = 0; i < s->nodes; i++) {
        struct trie_node *last = count > 0 ? &s->node[count - 1] : NULL, *n = &s->node[i];
        if (last != NULL && last->first == last->last && last->skip == n->skip &&
            n->level == last->level + last->steps && !worth_a_look(s, n->level)) {
            last->steps++;
            last->first = n->first;
            last->last = n->last;
        } else
            s->node[count++] = *n;
        moved[i] = (uint32_t)count - 1;
    }
    moved[s->nodes] = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        s->node[i].skip = moved[s->node[i].skip];
    s->nodes = count;
    mem_free(moved);
    return 0;
}

/* Builds the trie, and estimates the work with planes. */
static int
compile_trie(struct word_counter *s, struct err *e)
{
    uint32_t(*index)[DEPTH] = mem_zero(ALPHABET_BYTES_MAX, sizeof *index, e);
    if (index == NULL)
        return ERR_NOMEM;
    choose_planes(s);
    choose_shifts(s, index);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->words; i++)
        rc = add_nodes(s, i, index, e);
    mem_free(index);
    if (rc < 0)
        return rc;
    s->many = s->nodes > STEPS_MAX;
    link_nodes(s);
    return join_nodes(s, e);
}

static int
compile_ac(struct word_counter *s, struct err *e)
{
    size_t total = 1, longest = 0;
    for (size_t i = 0; i < s->words; i++) {
        total += s->word[i].length + 1;
        longest = s->word[i].length > longest ? s->word[i].length : longest;
    }
    uint8_t *symbols = mem_array(longest + 1, 1, e);
    int rc =
        symbols == NULL ? ERR_NOMEM : aho_corasick_init(&s->ac, s->alphabet.size + 1, total, e);
    for (size_t i = 0; rc == 0 && i < s->words; i++) {
        const struct counted_word *w = &s->word[i];
        symbols[0] = (uint8_t)s->alphabet.size;
        size_t length;
        alphabet_encode(&s->alphabet, w->text, w->length, symbols + w->anchored, &length);
        aho_corasick_add(&s->ac, symbols, length + w->anchored, (uint32_t)w->number);
    }
    if (rc == 0)
        rc = aho_corasick_compile(&s->ac, e);
    if (rc == 0)
        s->home = s->ac.next[s->alphabet.size];
    mem_free(symbols);
    return rc;
}

int
word_counter_compile(struct word_counter *s, struct err *e)
{
    if (s->words > 0)
        qsort(s->word, s->words, sizeof *s->word, compare_words);
    s->many = !s->alphabet.bytes;
    int rc = s->many ? 0 : compile_trie(s, e);
    return rc == 0 && s->many ? compile_ac(s, e) : rc;
}

/* ---- matching -------------------------------------------------------------------- */

/* Adds the matches that begin at the places `hits` of word w.
 *
 * One addition counts the lines with a match: in ~newline a line is a run of ones.  If a
 * match is added to it, the sum carries into the place of the newline, or out of the word if
 * the line continues in the next word.
 */
static void
add_hits(const struct bit_planes_tile *t, size_t w, uint64_t hits, struct word_counter_count *count)
{
    uint64_t newline = t->newline[w], sum;
    bool goes_on = __builtin_add_overflow(~newline, hits, &sum);
    uint64_t lines = bit_planes_popcount(sum & newline) + goes_on;
    uint64_t low = hits & -hits, high = UINT64_C(1) << (63 - __builtin_clzll(hits));
    uint64_t first = 1 + t->lines[w] + bit_planes_popcount(newline & (low - 1));
    count->occurrences += bit_planes_popcount(hits);
    count->lines += lines - (first == count->last);
    count->last = 1 + t->lines[w] + bit_planes_popcount(newline & (high - 1));
}

/* Removes the hits where the rest of a word longer than DEPTH does not follow. */
static uint64_t
compare_rest(const struct bit_planes_tile *t, size_t w, uint64_t hits,
             const struct counted_word *word)
{
    uint64_t good = 0;
    for (; hits != 0; hits &= hits - 1) {
        size_t at = w * WIDTH + (size_t)__builtin_ctzll(hits);
        if (word->length <= t->size - at &&
            memcmp(t->text + at + DEPTH, word->text + DEPTH, word->length - DEPTH) == 0)
            good |= hits & -hits;
    }
    return good;
}

static void
add_matches(const struct word_counter *s, const struct trie_node *n,
            const struct bit_planes_tile *t, size_t w, struct lanes match,
            struct word_counter_count *count)
{
    const uint64_t lane[LANES] = {match.lo[0], match.lo[1], match.hi[0], match.hi[1]};
    for (size_t k = 0; k < LANES; k++)
        for (size_t i = n->first; i < n->last && lane[k] != 0; i++) {
            const struct counted_word *word = &s->word[i];
            uint64_t hits = lane[k];
            if (word->length > DEPTH)
                hits = compare_rest(t, w + k, hits, word);
            if (hits != 0)
                add_hits(t, w + k, hits, &count[word->number]);
        }
}

static inline pair
shift_pair(const uint64_t *plane, unsigned by)
{
    pair here, ahead;
    memcpy(&here, plane, sizeof here);
    memcpy(&ahead, plane + 1, sizeof ahead);
    return here >> by | ahead << 1 << (WIDTH - 1 - by); /* never a shift by 64 */
}

static inline void
shift_plane(const struct bit_planes_tile *t, size_t w, struct shifted s, struct lanes *out)
{
    const uint64_t *plane = &t->plane[s.plane][w];
    out->lo = shift_pair(plane, s.by);
    out->hi = shift_pair(plane + 2, s.by);
}

static inline bool
is_empty(struct lanes x)
{
    pair both = x.lo | x.hi;
    return (both[0] | both[1]) == 0;
}

/* Walks the trie for the words w .. w+LANES-1 of the tile. */
static void
match_words(const struct word_counter *s, struct matcher *m, size_t w,
            struct word_counter_count *count)
{
    uint32_t ready = 0; /* shifted planes computed so far: only as needed */
    memset(&m->match[0], 0xff, sizeof m->match[0]);
    for (size_t i = 0; i < s->nodes;) {
        const struct trie_node *n = &s->node[i];
        const uint32_t *step = &s->step[n->step];
        struct lanes here = m->match[n->level];
        for (; ready <= step[n->steps - 1]; ready++)
            shift_plane(&m->tile, w, s->shifted[ready], &m->shifted[ready]);
        for (uint32_t k = 0; k < n->steps; k++) {
            here.lo &= m->shifted[step[k]].lo;
            here.hi &= m->shifted[step[k]].hi;
        }
        if (is_empty(here)) {
            i = n->skip;
            continue;
        }
        m->match[n->level + n->steps] = here;
        if (n->first < n->last)
            add_matches(s, n, &m->tile, w, here, count);
        i++;
    }
}

static size_t
word_counter_planes(const struct word_counter *s, const char *text, size_t size,
                    struct word_counter_count *count, uint64_t *lines)
{
    struct matcher m;
    struct bit_planes_tile *t = &m.tile;
    bool line_start = true;
    for (size_t at = 0; at < size; at += BIT_PLANES_TILE * WIDTH) {
        size_t bad;
        t->text = text + at;
        t->size = size - at;
        size_t words = bit_planes_build(&s->planes, t, *lines, line_start, LANES, &bad);
        if (bad != SIZE_MAX)
            return at + bad;
        for (size_t w = 0; w < words; w += LANES)
            match_words(s, &m, w, count);
        *lines = t->lines[words];
        line_start = t->newline[words - 1] >> (WIDTH - 1);
    }
    return size;
}

/* ---- many words ------------------------------------------------------------------ */

/* Counts all words that end at `row` of the automaton, in line `line`. */
static void
add_words(const struct aho_corasick *ac, uint32_t row, uint64_t line,
          struct word_counter_count *count)
{
    for (; row != 0; row = ac->output_link[row])
        if (ac->word[row] != AHO_CORASICK_NONE) {
            struct word_counter_count *c = &count[ac->word[row]];
            c->occurrences++;
            c->lines += c->last != line;
            c->last = line;
        }
}

static size_t
word_counter_automaton(const struct word_counter *s, const char *text, size_t size,
                       struct word_counter_count *count, uint64_t *lines)
{
    const uint32_t *next = s->ac.next;
    uint8_t symbol[256], newline = (uint8_t)s->alphabet.size;
    uint32_t state = s->home;
    memcpy(symbol, s->alphabet.symbol, sizeof symbol);
    symbol['\n'] = newline;
    for (size_t i = 0; i < size; i++) {
        uint8_t a = symbol[(unsigned char)text[i]];
        if (a == ALPHABET_NONE) {
            if (text[i] != '\r' || text[i + 1] != '\n')
                return i;
            continue;
        }
        uint32_t to = next[state + a];
        state = to & ~AHO_CORASICK_HIT;
        if ((to & AHO_CORASICK_HIT) != 0)
            add_words(&s->ac, state / s->ac.symbols, *lines + 1, count);
        *lines += a == newline;
    }
    return size;
}

size_t
word_counter_scan(const struct word_counter *s, const char *text, size_t size,
                  struct word_counter_count *count, uint64_t *lines)
{
    return s->many ? word_counter_automaton(s, text, size, count, lines)
                   : word_counter_planes(s, text, size, count, lines);
}

void
word_counter_string(const struct word_counter *s, const uint8_t *symbols, size_t length,
                    struct word_counter_count *count, uint64_t *lines)
{
    uint32_t state = s->home;
    ++*lines;
    for (size_t i = 0; i < length; i++) {
        uint32_t to = s->ac.next[state + symbols[i]];
        state = to & ~AHO_CORASICK_HIT;
        if ((to & AHO_CORASICK_HIT) != 0)
            add_words(&s->ac, state / s->ac.symbols, *lines, count);
    }
}
