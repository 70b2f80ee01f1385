/* SPDX-License-Identifier: MIT
 * pfsa_sample: chi-square against the exact probability of every string, the
 * same bytes for any number of threads, and rare paths. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/pool.h"
#include "io/output.h"
#include "pfsa/alias_sampler.h"
#include "pfsa/pfsa.h"
#include "support/chisq.h"
#include "support/ignore.h"
#include "support/source.h"
#include "support/tap.h"

static struct pfsa *
build(const char *const *option)
{
    struct source p = {0};
    for (; option[0] != NULL; option += 2)
        source_set(&p, option[0], option[1], IGNORE_ERR);
    struct pfsa *built = source_build(&p, IGNORE_ERR);
    source_clear(&p);
    return built;
}

/* `count` strings as text, freed by the caller with mem_free. */
static char *
sample(const struct pfsa *p, uint64_t seed, uint64_t count, int threads, size_t *size)
{
    struct output *out = output_to_memory(IGNORE_ERR);
    struct pool *pool = pool_new(threads, IGNORE_ERR);
    struct alias_sampler *s = alias_sampler_new(p, (struct alias_sampler_format){0}, IGNORE_ERR);
    struct alias_sampler_request r = {
        .seed = seed, .purpose = "pfsa-gen/strings", .count = count, .out = out};
    uint64_t characters = 0;
    int status = alias_sampler_write(s, pool, &r, &characters, IGNORE_ERR);
    const char *bytes = output_bytes(out, size);
    char *text = status == 0 && characters == *size ? mem_string(bytes, *size, IGNORE_ERR) : NULL;
    alias_sampler_free(s);
    pool_free(pool);
    output_abort(out);
    return text;
}

/* Strings of at most `longest` symbols have a cell each: the base-(A+1)
 * number of their symbols + 1; longer ones share cell 0. */
static size_t
cell_of(const struct alphabet *a, const char *line, size_t length, size_t longest)
{
    size_t cell = 0;
    for (size_t i = 0; length <= longest && i < length; i++)
        cell = cell * (a->size + 1) + a->symbol[(unsigned char)line[i]] + 1;
    return length <= longest ? cell + 1 : 0;
}

static void
fill_expected(const struct pfsa *p, uint8_t *code, size_t length, size_t longest, double *expected)
{
    char text[32];
    alphabet_decode(&p->model.alphabet, code, length, text);
    expected[cell_of(&p->model.alphabet, text, length, longest)] =
        exp(pfsa_log_prob(p, code, length));
    for (uint8_t c = 0; length < longest && c < p->model.alphabet.size; c++) {
        code[length] = c;
        fill_expected(p, code, length + 1, longest, expected);
    }
}

/* False alarm rate 1e-6 (chisq.h). */
static void
test_fit(const char *const *option, size_t longest, uint64_t count)
{
    struct pfsa *p = build(option);
    size_t cells = 2, size;
    uint8_t code[32];
    for (size_t i = 0; i < longest; i++)
        cells *= p->model.alphabet.size + 1;
    double *expected = mem_zero(cells, sizeof *expected, IGNORE_ERR), sum = 0;
    uint64_t *seen = mem_zero(cells, sizeof *seen, IGNORE_ERR), lines = 0;
    fill_expected(p, code, 0, longest, expected);
    for (size_t i = 1; i < cells; i++)
        sum += expected[i];
    expected[0] = p->acyclic ? 0 : 1 - sum;
    char *text = sample(p, 1, count, 2, &size);
    for (char *line = text, *end; line < text + size; line = end + 1, lines++) {
        end = strchr(line, '\n');
        seen[cell_of(&p->model.alphabet, line, (size_t)(end - line), longest)]++;
    }
    ok(lines == count, "%llu strings", (unsigned long long)lines);
    ok(chisq_passes(seen, expected, cells, (double)count), "'%s' %s: as likely as they should be",
       option[0], option[1]);
    mem_free(expected);
    mem_free(seen);
    mem_free(text);
    pfsa_free(p);
}

static void
test_threads(const char *const *option, uint64_t count)
{
    struct pfsa *p = build(option);
    size_t size, other;
    char *text = sample(p, 7, count, 1, &size);
    int differ = 0;
    for (int threads = 2; threads <= 8; threads = threads == 3 ? 8 : threads + 1) {
        char *again = sample(p, 7, count, threads, &other);
        differ += other != size || memcmp(text, again, size) != 0;
        mem_free(again);
    }
    ok(differ == 0, "'%s' %s: the same for 1, 2, 3 and 8 threads", option[0], option[1]);
    char *fewer = sample(p, 7, count / 3, 2, &other);
    ok(other < size && memcmp(text, fewer, other) == 0, "fewer strings are the first of them");
    char *seeded = sample(p, 8, count, 2, &other);
    ok(other != size || memcmp(text, seeded, size) != 0, "another seed, other strings");
    mem_free(text);
    mem_free(fewer);
    mem_free(seeded);
    pfsa_free(p);
}

/* I.i.d. bits: the frequency at each position within 5 standard deviations (false alarm 30 *
 * 6e-7). */
static void
test_positions(void)
{
    const char *o[] = {"l", "30", "probs", "0.25,0.75", NULL};
    enum { COUNT = 200000 };
    struct pfsa *p = build(o);
    size_t size;
    char *text = sample(p, 3, COUNT, 2, &size);
    double worst = 0;
    for (size_t k = 0; k < 30; k++) {
        double ones = 0;
        for (size_t i = 0; i < COUNT; i++)
            ones += text[i * 31 + k] == '1';
        worst = fmax(worst, fabs(ones - 0.75 * COUNT) / sqrt(0.25 * 0.75 * COUNT));
    }
    ok(size == (size_t)COUNT * 31 && worst < 5, "each position has its frequency: z = %.2f", worst);
    mem_free(text);
    pfsa_free(p);
}

static void
test_edges(void)
{
    const char *empty[] = {"l", "0", NULL}, *single[] = {"l", "20", "x", "1", NULL};
    struct pfsa *p = build(empty);
    size_t size;
    char *text = sample(p, 1, 3, 2, &size);
    ok(strcmp(text, "\n\n\n") == 0, "the empty string is an empty line");
    mem_free(text);
    text = sample(p, 1, 0, 2, &size);
    ok(size == 0, "no strings");
    mem_free(text);
    pfsa_free(p);
    p = build(single);
    text = sample(p, 1, 2, 1, &size);
    ok(strcmp(text, "00000000000000000000\n00000000000000000000\n") == 0, "only one string");
    mem_free(text);
    pfsa_free(p);
}

int
main(void)
{
    const char *motif[] = {"l", "9", "m", "101", NULL};
    const char *mixture[] = {"l", "10", "m", "1101", "mix", "0.7", NULL};
    const char *dna[] = {"a", "ACGT", "l", "5", "x", "CA", "probs", "0.1,0.2,0.3,0.4", NULL};
    const char *geometric[] = {"stop", "0.3", "m", "1", NULL};
    const char *skewed[] = {"l", "12", "probs", "0.999,0.001", NULL};
    const char *one[] = {"a", "x", "stop", "0.1", NULL};
    const char *paper[] = {"l", "30", "m", "10001011111000", NULL};
    const char *tall[] = {"l", "300", "m", "1100110011001100110011001100", NULL};
    test_fit(motif, 9, 300000);
    test_fit(mixture, 10, 300000);
    test_fit(dna, 5, 300000);
    test_fit(geometric, 10, 300000);
    test_fit(skewed, 12, 300000);
    test_fit(one, 14, 300000);
    test_threads(paper, 50000);
    test_threads(geometric, 50000);
    test_threads(tall, 3000);
    test_positions();
    test_edges();
    return tap_done();
}
