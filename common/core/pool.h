/* SPDX-License-Identifier: MIT
 *
 * pool: a fixed set of threads that run numbered tasks.
 *
 * pool_run hands out tasks 0 .. count-1 and returns when all are done.  Each
 * thread begins with an equal share of neighbouring tasks, so that what it
 * wrote in one job lies in its cache for the next; whoever is through helps the
 * others.  Which thread takes which task is thus left to chance, and a task must
 * depend on its number alone; `worker` (0 .. threads-1) only names scratch
 * space.  The calling thread works too: a pool of 1 starts no thread at all.
 */
#ifndef GAMUT_POOL_H
#define GAMUT_POOL_H

#include <stddef.h>

struct err;
struct pool;

typedef void pool_task(void *arg, size_t task, int worker);

/* `threads` 0 means one for each core this process may use.  NULL on failure. */
struct pool *pool_new(int threads, struct err *e);
void pool_free(struct pool *p);

int pool_threads(const struct pool *p);

/* Less than 2^32 tasks.  Not to be called from inside a task. */
void pool_run(struct pool *p, size_t count, pool_task *task, void *arg);

#endif
