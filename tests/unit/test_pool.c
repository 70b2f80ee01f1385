/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdint.h>

#include "core/err.h"
#include "core/pool.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { TASKS = 1000 };

struct job {
    atomic_int runs[TASKS];
    atomic_int stranger; /* a worker number out of range */
    int threads;
};

static void
count(void *arg, size_t task, int worker)
{
    struct job *j = arg;
    atomic_fetch_add(&j->runs[task], 1);
    if (worker < 0 || worker >= j->threads)
        atomic_store(&j->stranger, 1);
}

static void
test_threads(int threads)
{
    static struct job j;
    struct err e = {0};
    struct pool *p = pool_new(threads, &e);
    j = (struct job){.threads = pool_threads(p)};
    int wrong = 0;
    for (int round = 0; round < 200; round++)
        pool_run(p, TASKS, count, &j);
    for (int i = 0; i < TASKS; i++)
        wrong += atomic_load(&j.runs[i]) != 200;
    ok(wrong == 0, "%d threads: every task runs once a round", threads);
    ok(!atomic_load(&j.stranger), "%d threads: workers are numbered from 0", threads);
    pool_run(p, 0, count, &j);
    pool_run(p, 1, count, &j);
    ok(atomic_load(&j.runs[0]) == 201, "%d threads: no task, one task", threads);
    pool_free(p);
}

/* Task 0 waits for all others, so the job ends only if the other thread takes
 * over the share that begins with it. */
struct uneven {
    atomic_int done;
    atomic_int blocked; /* the worker that holds task 0, + 1 */
    atomic_int helped;  /* tasks of the first half, done by others meanwhile */
};

static void
block_first(void *arg, size_t task, int worker)
{
    struct uneven *u = arg;
    if (task == 0) {
        atomic_store(&u->blocked, worker + 1);
        while (atomic_load(&u->done) < TASKS - 1)
            ;
    } else if (task < TASKS / 2 && atomic_load(&u->blocked) != worker + 1) {
        atomic_fetch_add(&u->helped, 1);
    }
    atomic_fetch_add(&u->done, 1);
}

static void
test_helping(void)
{
    struct uneven u = {0};
    struct pool *p = pool_new(2, IGNORE_ERR);
    pool_run(p, TASKS, block_first, &u);
    ok(atomic_load(&u.done) == TASKS, "a job ends although one task waits for all others");
    ok(atomic_load(&u.helped) == TASKS / 2 - 1, "the other thread takes over the share behind it");
    pool_free(p);
}

int
main(void)
{
    test_threads(1);
    test_threads(2);
    test_threads(8);
    test_helping();
    struct pool *p = pool_new(0, IGNORE_ERR);
    ok(pool_threads(p) >= 1, "0 threads means one per core: %d", pool_threads(p));
    pool_free(p);
    pool_free(NULL);
    return tap_done();
}
