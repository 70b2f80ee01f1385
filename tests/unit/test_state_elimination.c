/* SPDX-License-Identifier: MIT
 * loops and scc: closed forms, a dense solver, and graphs drawn at random. */
#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "pfsa/pfsa_graph.h"
#include "pfsa/state_elimination.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { N = 12 };

/* Solves (I - W) x = b for all b = unit vectors by Gauss-Jordan with pivoting:
 * inverse[i][j] = total weight of all paths from i to j. */
static void
invert(double w[N][N], double inverse[N][N])
{
    double a[N][2 * N] = {{0}};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i == j) - w[i][j];
            a[i][N + j] = i == j;
        }
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k; i < N; i++)
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        for (int j = 0; j < 2 * N; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        for (int i = 0; i < N; i++) {
            double factor = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = 0; j < 2 * N; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            inverse[i][j] = a[i][N + j] / a[i][i];
}

/* A random graph whose states leak at least a tenth. */
static void
random_graph(struct rng *r, double w[N][N], double *exit, double *leak)
{
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += w[i][j] = rng_below(r, 4) == 0 ? rng_double(r) : 0;
        for (int j = 0; j < N; j++)
            w[i][j] = sum > 0 ? 0.9 * w[i][j] / sum : 0;
        leak[i] = sum > 0 ? 0.1 : 1;
        exit[i] = rng_double(r);
    }
}

static void
test_random(bool leaks)
{
    double worst = 0;
    struct rng r;
    rng_init(&r, 1, "test_loops", leaks);
    for (int trial = 0; trial < 200; trial++) {
        double w[N][N], exit[N], leak[N], inverse[N][N], x[N], v[N], g[N];
        random_graph(&r, w, exit, leak);
        invert(w, inverse);
        struct elimination *l = elimination_new(N, IGNORE_ERR);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++)
                if (w[i][j] > 0) /* in two halves, which must add up */
                    elimination_arc(l, (uint32_t)i, (uint32_t)j, log(w[i][j] / 2), IGNORE_ERR),
                        elimination_arc(l, (uint32_t)i, (uint32_t)j, log(w[i][j] / 2), IGNORE_ERR);
            elimination_exit(l, (uint32_t)i, log(exit[i]));
            elimination_missing(l, (uint32_t)i, log(leak[i]));
            v[i] = g[i] = i == 3 || i == 7 ? log(i) : -INFINITY;
        }
        int status = elimination_run(l, leaks, UINT32_MAX, IGNORE_ERR);
        elimination_backward(l, x, IGNORE_ERR);
        elimination_visits(l, v, IGNORE_ERR);
        elimination_gather(l, g, IGNORE_ERR);
        for (int i = 0; i < N; i++) {
            double total = 0, visits = 3 * inverse[3][i] + 7 * inverse[7][i];
            worst = fmax(worst, fabs(exp(g[i]) - 3 * inverse[i][3] - 7 * inverse[i][7]));
            for (int j = 0; j < N; j++)
                total += inverse[i][j] * exit[j];
            worst = fmax(worst, fabs(exp(x[i]) - total) / total + fabs(exp(v[i]) - visits));
        }
        worst = fmax(worst, status != 0);
        elimination_free(l);
    }
    ok(worst < 1e-12, "agrees with a dense solver %s leaks: %.2g", leaks ? "by" : "without", worst);
}

/* A walk on 0 .. n-1 that steps up or down with equal weight, except for a
 * tiny leak at 0: visits of state i from 0 are 1 / leak for all i. */
static void
test_slow(double leak)
{
    enum { STATES = 50 };
    double v[STATES], worst = 0;
    struct elimination *l = elimination_new(STATES, IGNORE_ERR);
    for (uint32_t i = 0; i < STATES; i++) {
        double up = 0.5, down = 0.5;
        if (i == 0)
            down = leak, up = 1 - leak;
        if (i + 1 < STATES)
            elimination_arc(l, i, i + 1, log(up), IGNORE_ERR);
        if (i > 0)
            elimination_arc(l, i, i - 1, log(i + 1 < STATES ? down : 1), IGNORE_ERR);
        v[i] = i == 0 ? 0 : -INFINITY;
    }
    elimination_missing(l, 0, log(leak));
    elimination_run(l, true, UINT32_MAX, IGNORE_ERR);
    elimination_visits(l, v, IGNORE_ERR);
    for (uint32_t i = 0; i < STATES; i++) {
        double exact = i == 0 ? 1 / leak : 2 * (1 / leak - 1) / (i + 1 == STATES ? 2 : 1);
        worst = fmax(worst, fabs(exp(v[i]) / exact - 1));
    }
    ok(worst < 1e-12, "a leak of %g: visits exact to %.2g", leak, worst);
    elimination_free(l);
}

static void
test_divergence(void)
{
    for (int over = 0; over < 2; over++) {
        struct err e = {0};
        struct elimination *l = elimination_new(2, IGNORE_ERR);
        elimination_arc(l, 0, 1, log(over ? 2.0 : 1.9), IGNORE_ERR);
        elimination_arc(l, 1, 0, log(0.5), IGNORE_ERR);
        elimination_exit(l, 1, 0);
        int status = elimination_run(l, false, UINT32_MAX, &e);
        double x[2] = {0, 0};
        if (status == 0)
            elimination_backward(l, x, IGNORE_ERR);
        if (over)
            ok(status == ERR_NUMERIC, "a loop of weight 1 or more: %s", e.text);
        else
            ok(status == 0 && fabs(exp(x[1]) - 20) < 1e-12, "a loop of weight 0.95");
        elimination_free(l);
    }
}

/* State n-1 and each of the others lead to each other: eliminated first, it would
 * join all of them. */
static void
test_star(void)
{
    enum { LEAVES = 20000 };
    struct err e = {0};
    struct elimination *l = elimination_new(LEAVES + 1, IGNORE_ERR);
    static double v[LEAVES + 1], worst = 0;
    for (uint32_t i = 0; i < LEAVES; i++) {
        elimination_arc(l, i, LEAVES, 0, IGNORE_ERR);
        elimination_arc(l, LEAVES, i, log(0.75 / LEAVES), IGNORE_ERR);
        v[i] = -INFINITY;
    }
    elimination_missing(l, LEAVES, log(0.25));
    v[LEAVES] = 0;
    int status = elimination_run(l, true, UINT32_MAX, &e);
    if (status == 0)
        elimination_visits(l, v, IGNORE_ERR);
    for (uint32_t i = 0; i <= LEAVES; i++)
        worst = fmax(worst, fabs(exp(v[i]) / (i < LEAVES ? 3.0 / LEAVES : 4) - 1));
    ok(status == 0 && worst < 1e-10, "a star of %d states stays one: %.2g%s", LEAVES, worst,
       e.text);
    elimination_free(l);
}

/* Arcs of `states` states to random others, of weight 1 - leak in total.  Unless `core` prevents
 * it, the sums are found by iteration. */
static struct elimination *
random_arcs(uint32_t states, double leak, double length, bool leaks, uint32_t core, struct err *e)
{
    enum { ARCS = 3 };
    struct rng r;
    rng_init(&r, 1, "random_arcs", states);
    struct elimination *l = elimination_new(states, e);
    for (uint32_t i = 0; i < states; i++) {
        double sum = 0, weight[ARCS], scale = exp(-length * i / states);
        for (int k = 0; k < ARCS; k++)
            sum += weight[k] = 0.05 + rng_double(&r);
        for (int k = 0; k < ARCS; k++)
            elimination_arc(l, i, (uint32_t)rng_below(&r, states),
                            log(weight[k] / sum * (1 - leak) * scale), e);
        elimination_exit(l, i, log(leak * scale));
        elimination_missing(l, i, log(leak * scale + (1 - scale)));
    }
    elimination_run(l, leaks, core, e);
    return l;
}

static double
worst_difference(const double *a, const double *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, a[i] == b[i] ? 0 : fabs(a[i] - b[i]));
    return worst;
}

static void
test_iteration(double leak, double length, bool leaks, double most)
{
    enum { STATES = 400 };
    static double x[2][3][STATES];
    struct err e = {0};
    for (int way = 0; way < 2; way++) {
        struct elimination *l =
            random_arcs(STATES, leak, length, leaks, way == 0 ? UINT32_MAX : 50, &e);
        for (int i = 0; i < STATES; i++) {
            x[way][1][i] = i == 3 || i == 500 ? log(i) : -INFINITY;
            x[way][2][i] = i == 13 ? -100 : -INFINITY;
        }
        if (e.code == ERR_NONE && elimination_backward(l, x[way][0], &e) == 0 &&
            elimination_visits(l, x[way][1], &e) == 0)
            elimination_gather(l, x[way][2], &e);
        elimination_free(l);
    }
    double worst = worst_difference(x[0][0], x[1][0], (size_t)3 * STATES);
    ok(e.code == ERR_NONE && worst <= most && x[1][0][9] < 0.1,
       "iteration and elimination, a leak of %g: %.2g%s", leak, worst, e.text);
}

/* A step up or down from each of many states, or to its double: iteration takes long, if it works
 * at all. */
static void
test_iteration_fails(void)
{
    enum { STATES = 1000 };
    struct err e = {0};
    double x[2] = {0};
    for (int way = 0; way < 2; way++) {
        struct elimination *l = elimination_new(STATES, &e);
        struct rng r;
        rng_init(&r, 1, "test_iteration_fails", 0);
        static double v[STATES];
        for (uint32_t i = 0; i < STATES; i++) {
            for (uint64_t k = 0, near = 1 + rng_below(&r, 12); k < 3; k++)
                elimination_arc(l, i, (uint32_t)((i + STATES - 6 + near * k) % STATES),
                                log(1.0 / 3), &e);
            v[i] = i == 0 ? 0 : -INFINITY;
        }
        elimination_missing(l, 0, log(1e-13));
        elimination_run(l, true, way == 0 ? UINT32_MAX : 5, &e);
        elimination_visits(l, v, &e);
        x[way] = v[STATES / 2];
        elimination_free(l);
    }
    ok(e.code == ERR_NONE && x[0] > 20 && fabs(x[0] - x[1]) < 1e-10, "slow mixing: %.2g of %.3g %s",
       x[0] - x[1], x[0], e.text);
}

/* 90,000 arcs: dense elimination would refuse it. */
static void
test_large(void)
{
    enum { STATES = 30000 };
    struct err e = {0};
    double *x = mem_array(STATES, sizeof *x, &e), worst = 0;
    struct elimination *l = random_arcs(STATES, 0.01, 0, true, ELIMINATION_CORE, &e);
    if (e.code == ERR_NONE)
        elimination_backward(l, x, &e);
    for (int i = 0; i < STATES && e.code == ERR_NONE; i++)
        worst = fmax(worst, fabs(x[i]));
    ok(e.code == ERR_NONE && worst < 1e-13, "%d states: %.2g%s", STATES, worst, e.text);
    elimination_free(l);
    mem_free(x);
}

static void
test_large_divergence(void)
{
    struct err e = {0};
    elimination_free(random_arcs(400, -1e-9, 0, false, 50, &e));
    ok(e.code == ERR_NUMERIC, "400 states of too much weight: %s", e.text);
}

static void
test_dense(void)
{
    enum { STATES = 6000, ARCS = 64 };
    struct err e = {0};
    struct rng r;
    rng_init(&r, 1, "test_dense", 0);
    struct elimination *l = elimination_new(STATES, IGNORE_ERR);
    for (uint32_t i = 0; i < STATES; i++)
        for (int k = 0; k < ARCS; k++)
            elimination_arc(l, i, (uint32_t)rng_below(&r, STATES), log(0.9 / ARCS), IGNORE_ERR);
    int status = elimination_run(l, false, UINT32_MAX, &e);
    ok(status == ERR_LIMIT, "64 arcs of 6000 states to anywhere: %s", e.text);
    elimination_free(l);
}

/* Two states are in one component iff each reaches the other. */
static void
test_scc(void)
{
    int wrong = 0;
    struct rng r;
    rng_init(&r, 1, "test_scc", 0);
    for (int trial = 0; trial < 500; trial++) {
        uint64_t first[N + 1] = {0};
        uint32_t target[3 * N], arcs = 0, most = 1 + (uint32_t)rng_below(&r, 3);
        int reach[N][N] = {{0}};
        for (uint32_t i = 0; i < N; i++) {
            reach[i][i] = 1;
            for (uint64_t k = rng_below(&r, most + 1); k > 0; k--)
                reach[i][target[arcs++] = (uint32_t)rng_below(&r, N)] = 1;
            first[i + 1] = arcs;
        }
        for (int k = 0; k < N; k++)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    reach[i][j] |= reach[i][k] && reach[k][j];
        struct scc s;
        wrong += scc_find(&s, N, first, target, 0, IGNORE_ERR) != 0;
        for (int i = 0; i < N; i++) {
            wrong += (s.of[i] != SCC_NONE) != reach[0][i];
            if (s.of[i] == SCC_NONE)
                continue;
            wrong += s.member[s.begin[s.of[i]] + s.place[i]] != (uint32_t)i;
            for (int j = 0; j < N; j++) {
                if (s.of[j] != SCC_NONE)
                    wrong += (s.of[i] == s.of[j]) != (reach[i][j] && reach[j][i]);
                if (reach[i][j])
                    wrong += s.of[j] > s.of[i];
            }
        }
        scc_clear(&s);
    }
    ok(wrong == 0, "components are what reaches each other, in reverse topological order");
}

int
main(void)
{
    test_scc();
    test_random(false);
    test_random(true);
    test_slow(0.5);
    test_slow(1e-9);
    test_slow(1e-15);
    test_divergence();
    test_star();
    test_iteration(0.1, 0, true, 1e-13);
    test_iteration(0.1, 0, false, 1e-13);
    test_iteration(1e-10, 0, true, 1e-13);
    test_iteration(1e-5, 0, false, 1e-9);
    test_iteration(0.1, 20, false, 1e-13);
    test_iteration_fails();
    test_large();
    test_large_divergence();
    test_dense();
    return tap_done();
}
