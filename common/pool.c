/* SPDX-License-Identifier: MIT */
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "err.h"
#include "mem.h"

struct pool {
    int threads;   /* the caller included */
    int started;   /* threads really running, for pool_free after a failure */
    pthread_t *id; /* [threads - 1] */
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    unsigned round; /* number of pool_run calls; a change wakes the workers */
    int working;    /* workers that have not finished this round */
    bool quit;
    atomic_size_t next; /* first task nobody has taken */
    size_t count;
    pool_task *task;
    void *arg;
};

struct worker {
    struct pool *pool;
    int number;
};

static void
take_tasks(struct pool *p, int worker)
{
    size_t i;
    while ((i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->count)
        p->task(p->arg, i, worker);
}

static void *
worker_main(void *arg)
{
    struct worker *w = arg;
    struct pool *p = w->pool;
    int number = w->number;
    unsigned seen = 0;
    mem_free(w);
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->round == seen && !p->quit)
            pthread_cond_wait(&p->wake, &p->lock);
        if (p->quit)
            break;
        seen = p->round;
        pthread_mutex_unlock(&p->lock);
        take_tasks(p, number);
        pthread_mutex_lock(&p->lock);
        if (--p->working == 0)
            pthread_cond_signal(&p->idle);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Cores this process may run on. */
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
start_worker(struct pool *p, struct err *e)
{
    struct worker *w = mem_array(1, sizeof *w, e);
    if (w == NULL)
        return ERR_NOMEM;
    w->pool = p;
    w->number = p->started + 1;
    if (pthread_create(&p->id[p->started], NULL, worker_main, w) != 0) {
        mem_free(w);
        return err_set(e, ERR_NOMEM, "cannot start thread %d of %d", p->started + 2, p->threads);
    }
    p->started++;
    return 0;
}

/* Signals go to the thread that called: the workers block them all. */
static int
start_workers(struct pool *p, struct err *e)
{
    sigset_t all, old;
    int status = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (status == 0 && p->started < p->threads - 1)
        status = start_worker(p, e);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return status;
}

struct pool *
pool_new(int threads, struct err *e)
{
    struct pool *p = mem_zero(1, sizeof *p, e);
    if (p == NULL)
        return NULL;
    p->threads = threads > 0 ? threads : core_count();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->id = mem_array((size_t)p->threads, sizeof *p->id, e);
    if (p->id == NULL || start_workers(p, e) != 0) {
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
    p->count = count;
    p->task = task;
    p->arg = arg;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    if (p->started == 0 || count <= 1) {
        take_tasks(p, 0);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->working = p->started;
    p->round++;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    take_tasks(p, 0);
    pthread_mutex_lock(&p->lock);
    while (p->working != 0)
        pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
}
