/* SPDX-License-Identifier: MIT */
#include "core/pool.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "core/err.h"
#include "core/fault.h"
#include "core/mem.h"

/* Number of checks for the next job, or for the end of the last task, before a thread
 * sleeps: about 20 microseconds.  Updates of a small network follow each other faster than a
 * thread wakes up. */
enum { SPINS = 1000 };

/* Stack of a worker in bytes.  System defaults start at 128 kB. */
enum { POOL_STACK = 1 << 20 };

/* The tasks of a thread that are not taken yet: begin .. end-1, stored as begin << 32 | end.
 * Each share has its own cache line. */
struct share {
    _Alignas(MEM_ALIGN) _Atomic uint64_t range;
};

/* A job is over when all its tasks are done, not when all threads have noticed it: a thread
 * that wakes late finds no tasks.  Only a thread with an unfinished task reads `count`,
 * `task` and `arg`, so they cannot change under it. */
struct pool {
    int threads;   /* including the caller */
    int started;   /* threads that were started, for pool_free after a failure */
    int spins;     /* SPINS, or 0 if there are more threads than cores */
    pthread_t *id; /* [threads - 1] */
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    int sleeping; /* workers that wait for `wake` */
    bool quit;
    struct share *share; /* [threads] */
    atomic_size_t done;  /* tasks of this job that are finished */
    size_t count;
    pool_task *task;
    void *arg;
};

struct pool_thread {
    struct pool *pool;
    int number;
};

static void
spin_once(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

/* Takes the first task of a share, or the last one; false if the share is empty. */
static bool
take_from(struct share *s, bool last, size_t *task)
{
    uint64_t range = atomic_load_explicit(&s->range, memory_order_acquire);
    for (;;) {
        uint64_t begin = range >> 32, end = range & UINT32_MAX;
        if (begin == end)
            return false;
        *task = (size_t)(last ? end - 1 : begin);
        uint64_t rest = last ? range - 1 : range + (UINT64_C(1) << 32);
        if (atomic_compare_exchange_weak_explicit(&s->range, &range, rest, memory_order_acq_rel,
                                                  memory_order_acquire))
            return true;
    }
}

/* The next task of the worker's own share.  When that is empty, the last task of another
 * share. */
static bool
take(struct pool *p, int worker, size_t *task)
{
    if (take_from(&p->share[worker], false, task))
        return true;
    for (int i = 1; i < p->threads; i++)
        if (take_from(&p->share[(worker + i) % p->threads], true, task))
            return true;
    return false;
}

static void
take_tasks(struct pool *p, int worker)
{
    size_t task, mine = 0;
    for (; take(p, worker, &task); mine++)
        p->task(p->arg, task, worker);
    if (mine == 0)
        return;
    size_t count = p->count;
    if (atomic_fetch_add_explicit(&p->done, mine, memory_order_acq_rel) + mine < count)
        return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_signal(&p->idle);
    pthread_mutex_unlock(&p->lock);
}

static bool
tasks_left(const struct pool *p)
{
    for (int i = 0; i < p->threads; i++) {
        uint64_t range = atomic_load_explicit(&p->share[i].range, memory_order_acquire);
        if (range >> 32 != (range & UINT32_MAX))
            return true;
    }
    return false;
}

/* Waits for tasks; false when the pool is being freed. */
static bool
wait_for_tasks(struct pool *p)
{
    for (int i = 0; i < p->spins; i++, spin_once())
        if (tasks_left(p))
            return true;
    pthread_mutex_lock(&p->lock);
    p->sleeping++;
    while (!tasks_left(p) && !p->quit)
        pthread_cond_wait(&p->wake, &p->lock);
    p->sleeping--;
    bool quit = p->quit;
    pthread_mutex_unlock(&p->lock);
    return !quit;
}

static void
wait_for_end(struct pool *p)
{
    for (int i = 0; i < p->spins; i++, spin_once())
        if (atomic_load_explicit(&p->done, memory_order_acquire) == p->count)
            return;
    pthread_mutex_lock(&p->lock);
    while (atomic_load_explicit(&p->done, memory_order_acquire) != p->count)
        pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void *
worker_main(void *arg)
{
    struct pool_thread *w = arg;
    struct pool *p = w->pool;
    int number = w->number;
    mem_free(w);
    while (wait_for_tasks(p))
        take_tasks(p, number);
    return NULL;
}

/* The number of cores this process may run on. */
static int
core_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

static int
start_worker(struct pool *p, const pthread_attr_t *attr, struct err *e)
{
    struct pool_thread *w = mem_array(1, sizeof *w, e);
    if (w == NULL)
        return ERR_NOMEM;
    w->pool = p;
    w->number = p->started + 1;
    if (fault_due(FAULT_THREAD) || pthread_create(&p->id[p->started], attr, worker_main, w) != 0) {
        mem_free(w);
        return err_set(e, ERR_NOMEM, "cannot start thread %d of %d", p->started + 2, p->threads);
    }
    p->started++;
    return 0;
}

/* Workers block all signals, so that signals go to the calling thread. */
static int
start_workers(struct pool *p, struct err *e)
{
    sigset_t all, old;
    pthread_attr_t attr;
    int rc = 0;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, POOL_STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (rc == 0 && p->started < p->threads - 1)
        rc = start_worker(p, &attr, e);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return rc;
}

struct pool *
pool_new(int threads, struct err *e)
{
    struct pool *p = mem_zero(1, sizeof *p, e);
    if (p == NULL)
        return NULL;
    int cores = core_count();
    p->threads = threads > 0 ? threads : cores;
    p->spins = p->threads <= cores ? SPINS : 0;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->id = mem_array((size_t)p->threads, sizeof *p->id, e);
    p->share = mem_zero((size_t)p->threads, sizeof *p->share, e);
    if (p->id == NULL || p->share == NULL || start_workers(p, e) != 0) {
        pool_free(p);
        return NULL;
    }
    return p;
}

void
pool_free(struct pool *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->started; i++)
        pthread_join(p->id[i], NULL);
    pthread_cond_destroy(&p->idle);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    mem_free(p->share);
    mem_free(p->id);
    mem_free(p);
}

int
pool_threads(const struct pool *p)
{
    return p->threads;
}

void
pool_run(struct pool *p, size_t count, pool_task *task, void *arg)
{
    if (p->started == 0 || count <= 1) {
        for (size_t i = 0; i < count; i++)
            task(arg, i, 0);
        return;
    }
    assert(count < UINT32_MAX);
    p->count = count;
    p->task = task;
    p->arg = arg;
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    for (size_t i = 0, n = (size_t)p->threads; i < n; i++)
        atomic_store_explicit(&p->share[i].range,
                              (uint64_t)(count * i / n) << 32 | count * (i + 1) / n,
                              memory_order_release);
    pthread_mutex_lock(&p->lock);
    if (p->sleeping > 0)
        pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    take_tasks(p, 0);
    wait_for_end(p);
}

enum { NUMBERS_ALONE = 1 << 15 };

void
pool_run_numbers(struct pool *p, size_t numbers, size_t count, pool_task *task, void *arg)
{
    if (numbers > NUMBERS_ALONE) {
        pool_run(p, count, task, arg);
        return;
    }
    for (size_t i = 0; i < count; i++)
        task(arg, i, 0);
}
