/* SPDX-License-Identifier: MIT
 *
 * pool: a fixed set of threads that run numbered tasks.
 *
 * pool_run runs tasks 0 .. count-1 and returns when all are done.  Each thread begins with an
 * equal share of neighboring tasks, so that data it wrote in one job are in its cache for the
 * next one.  A thread that has finished takes tasks of others.  So the assignment of tasks to
 * threads varies, and the result of a task must depend on its number alone; `worker` (0 ..
 * threads-1) only selects scratch space.  The calling thread works too: a pool of 1 starts no
 * thread.
 */
#ifndef GAMUT_POOL_H
#define GAMUT_POOL_H

#include <stddef.h>

struct err;
struct pool;

typedef void pool_task(void *arg, size_t task, int worker);

/* `threads` 0 means one per core this process may use.  NULL on failure. */
struct pool *pool_new(int threads, struct err *e);
void pool_free(struct pool *p);

int pool_threads(const struct pool *p);

/* Fewer than 2^32 tasks.  Must not be called from a task. */
void pool_run(struct pool *p, size_t count, pool_task *task, void *arg);

/* The same for tasks that copy or change `numbers` numbers in total: few are done before another
 * thread would wake up, so the calling thread does them alone. */
void pool_run_numbers(struct pool *p, size_t numbers, size_t count, pool_task *task, void *arg);

#endif
