/* SPDX-License-Identifier: MIT
 *
 * peak THREADS: the peak rate of matrix products on this machine, in floating-point operations
 * per second, and the instructions used: "flops/s<TAB>name".
 *
 * Each thread multiplies two panels that stay in its first-level cache, a tile of the product
 * at a time in registers: nothing but multiply-adds and their loads.  The best of many short
 * turns counts.  (This file is compiled with -ffp-contract=fast, so that a product and a sum
 * become one instruction if the processor has it.)
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    INNER = 256,   /* depth of a panel: 16 wide and 6 high, 22 kB in all */
    ROUNDS = 2000, /* products in a turn: some milliseconds */
    TURNS = 100,
    MOST_ROWS = 12,
    MOST_COLUMNS = 32,
    MOST_THREADS = 64
};

struct panels {
    float a[INNER * MOST_ROWS];
    float b[INNER * MOST_COLUMNS];
    float sum; /* of the product, so that it is not optimized away */
} __attribute__((aligned(64)));

struct probe {
    const char *name;
    size_t rows, columns; /* of the tile */
    void (*product)(struct panels *);
};

#if defined __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* A tile of `rows_` by two vectors of `lanes_` floats; the sums stay in registers. */
#define PROBE(name_, isa_, lanes_, rows_)                                                          \
    typedef float vector_##name_ __attribute__((vector_size(4 * (lanes_))));                       \
    isa_ static void product_##name_(struct panels *p)                                             \
    {                                                                                              \
        vector_##name_ sum[rows_][2] = {0};                                                        \
        const vector_##name_ *b = (const void *)p->b;                                              \
        for (size_t k = 0; k < INNER; k++) {                                                       \
            UNROLL                                                                                 \
            for (int r = 0; r < (rows_); r++) {                                                    \
                vector_##name_ a = p->a[k * (rows_) + (size_t)r] - (vector_##name_){0};            \
                sum[r][0] += a * b[2 * k];                                                         \
                sum[r][1] += a * b[2 * k + 1];                                                     \
            }                                                                                      \
        }                                                                                          \
        vector_##name_ all = {0};                                                                  \
        UNROLL                                                                                     \
        for (int r = 0; r < (rows_); r++)                                                          \
            all += sum[r][0] + sum[r][1];                                                          \
        p->sum += all[0];                                                                          \
    }

PROBE(baseline, , 4, 6)
#if defined __x86_64__
PROBE(avx2, __attribute__((target("avx2,fma"))), 8, 6)
PROBE(avx512, __attribute__((target("avx512f"))), 16, 12)
#endif

static struct probe
select_probe(void)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        return (struct probe){"avx512", 12, 32, product_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (struct probe){"avx2", 6, 16, product_avx2};
#endif
    return (struct probe){"baseline", 6, 8, product_baseline};
}

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct race {
    struct probe probe;
    pthread_barrier_t line;
    double least; /* seconds of the fastest turn; set by the first thread */
};

struct runner {
    pthread_t thread;
    struct race *race;
    struct panels panels;
    int number;
};

/* One thread: TURNS turns that all threads begin and end together. */
static void *
run(void *arg)
{
    struct runner *self = arg;
    struct race *race = self->race;
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_barrier_wait(&race->line);
        double start = now();
        for (int i = 0; i < ROUNDS; i++)
            race->probe.product(&self->panels);
        pthread_barrier_wait(&race->line);
        double took = now() - start;
        if (self->number == 0 && (turn == 0 || took < race->least))
            race->least = took;
    }
    return NULL;
}

int
main(int argc, char **argv)
{
    static struct runner runners[MOST_THREADS];
    struct race race = {.probe = select_probe()};
    int threads = argc == 2 ? atoi(argv[1]) : 0;
    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: peak THREADS, at most %d\n", MOST_THREADS);
        return 2;
    }
    pthread_barrier_init(&race.line, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        runners[i].race = &race;
        runners[i].number = i;
        if (i > 0 && pthread_create(&runners[i].thread, NULL, run, &runners[i]) != 0) {
            perror("peak");
            return 1;
        }
    }
    run(&runners[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(runners[i].thread, NULL);
    double flops = 2.0 * INNER * (double)(race.probe.rows * race.probe.columns) * ROUNDS * threads;
    printf("%.4g\t%s\n", flops / race.least, race.probe.name);
    return 0;
}
