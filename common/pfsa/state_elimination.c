/* SPDX-License-Identifier: MIT */
#include "pfsa/state_elimination.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/bucket_queue.h"
#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "pfsa/sparse_solver.h"

/* Maximum number of arcs that elimination adds, besides a few per given arc: 32 bytes each,
 * half a gigabyte with room to grow, and minutes of time if they join all of 2,900 states. */
enum { MADE_MAX = 1 << 23, MADE_EACH = 4 };

/* When all remaining states have more than this many arcs, further ones become dense. */
enum { CORE_ARCS = 16 };

/* Iteration is for logarithms of weights in this range: their products do not underflow. */
#define CORE_LOGW_MAX 200

struct entry {
    uint32_t at; /* the state at the other end */
    double logw;
};

struct list {
    struct entry *entry;
    size_t count, capacity;
};

/* After elimination out[s] holds the arcs of s to states that were eliminated later,
 * including the sum over the loop of s, and in[s] those from such states into s. */
struct elimination {
    uint32_t states;
    struct list *out, *in;
    uint32_t *order;    /* [states] in the order of elimination */
    uint32_t gone;      /* number of states eliminated so far */
    uint32_t *entering; /* [states] arcs into s from remaining states */
    bool *eliminated;   /* [states] */
    double *exit, *leak;
    double *loop;         /* before elimination the arc from s to s, then log 1/(1 - loop) */
    size_t *where;        /* [states] scratch: place + 1 of a state in the list at hand */
    uint64_t given, made; /* arcs, eliminated ones included */
    bool leaks;           /* are known */
    struct bucket_queue *degrees;         /* of the remaining states */
    struct sparse_matrix *rows, *columns; /* of the remaining states, the core, if there is one */
    uint32_t *core;                       /* [states - gone] its states */
    double *scratch;                      /* [states - gone] */
};

struct elimination *
elimination_new(uint32_t n, struct err *e)
{
    struct elimination *l = mem_zero(1, sizeof *l, e);
    if (l == NULL)
        return NULL;
    l->states = n;
    l->out = mem_zero(n, sizeof *l->out, e);
    l->in = mem_zero(n, sizeof *l->in, e);
    l->order = mem_array(n, sizeof *l->order, e);
    l->entering = mem_zero(n, sizeof *l->entering, e);
    l->eliminated = mem_zero(n, sizeof *l->eliminated, e);
    l->exit = mem_array(n, sizeof *l->exit, e);
    l->leak = mem_array(n, sizeof *l->leak, e);
    l->loop = mem_array(n, sizeof *l->loop, e);
    l->where = mem_zero(n, sizeof *l->where, e);
    if (l->out == NULL || l->in == NULL || l->order == NULL || l->entering == NULL ||
        l->eliminated == NULL || l->exit == NULL || l->leak == NULL || l->loop == NULL ||
        l->where == NULL) {
        elimination_free(l);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        l->exit[i] = l->leak[i] = l->loop[i] = -INFINITY;
    return l;
}

static void
free_core(struct elimination *l)
{
    sparse_matrix_free(l->rows);
    sparse_matrix_free(l->columns);
    mem_free(l->core);
    mem_free(l->scratch);
    l->rows = l->columns = NULL;
    l->core = NULL;
    l->scratch = NULL;
}

static void
free_lists(struct list *list, uint32_t n)
{
    for (uint32_t i = 0; list != NULL && i < n; i++)
        mem_free(list[i].entry);
    mem_free(list);
}

void
elimination_free(struct elimination *l)
{
    if (l == NULL)
        return;
    free_core(l);
    bucket_queue_free(l->degrees);
    free_lists(l->out, l->states);
    free_lists(l->in, l->states);
    mem_free(l->order);
    mem_free(l->entering);
    mem_free(l->eliminated);
    mem_free(l->exit);
    mem_free(l->leak);
    mem_free(l->loop);
    mem_free(l->where);
    mem_free(l);
}

static int
append(struct list *list, uint32_t at, double logw, struct err *e)
{
    if (mem_reserve(&list->entry, &list->capacity, list->count + 1, sizeof *list->entry, e) != 0)
        return ERR_NOMEM;
    list->entry[list->count++] = (struct entry){at, logw};
    return 0;
}

/* Adds an arc to both lists; its weight is stored in `out`. */
static int
append_arc(struct elimination *l, uint32_t from, uint32_t to, double logw, struct err *e)
{
    l->entering[to]++;
    int rc = append(&l->out[from], to, logw, e);
    return rc != 0 ? rc : append(&l->in[to], from, -INFINITY, e);
}

int
elimination_arc(struct elimination *l, uint32_t from, uint32_t to, double logw, struct err *e)
{
    if (from == to) {
        l->loop[from] = dm_log_add_exp(l->loop[from], logw);
        return 0;
    }
    struct list *list = &l->out[from];
    for (size_t i = 0; i < list->count; i++)
        if (list->entry[i].at == to) {
            list->entry[i].logw = dm_log_add_exp(list->entry[i].logw, logw);
            return 0;
        }
    l->given++;
    return append_arc(l, from, to, logw, e);
}

void
elimination_exit(struct elimination *l, uint32_t from, double logw)
{
    l->exit[from] = dm_log_add_exp(l->exit[from], logw);
}

void
elimination_missing(struct elimination *l, uint32_t from, double logw)
{
    l->leak[from] = dm_log_add_exp(l->leak[from], logw);
}

/* log(1 - exp(x)) for x < 0, accurate near 0. */
static double
log_complement(double x)
{
    return x > -1e-9 ? dm_log(-x) + x / 2 : dm_log1p(-dm_exp(x));
}

/* log(1 - loop of s), or NaN if the sum over the loop diverges. */
static double
log_leaving(const struct elimination *l, uint32_t s)
{
    if (!l->leaks)
        return l->loop[s] < 0 ? log_complement(l->loop[s]) : NAN;
    double sum = l->leak[s];
    for (size_t i = 0; i < l->out[s].count; i++)
        sum = dm_log_add_exp(sum, l->out[s].entry[i].logw);
    return sum > -INFINITY ? sum : NAN;
}

/* Removes the arc from `from` to `to` from the list and returns its weight. */
static double
take_arc(struct list *list, uint32_t to)
{
    size_t i = 0;
    while (list->entry[i].at != to)
        i++;
    double logw = list->entry[i].logw;
    list->entry[i] = list->entry[--list->count];
    return logw;
}

static int
make_arc(struct elimination *l, uint32_t from, uint32_t to, double logw, struct err *e)
{
    if (++l->made > MADE_MAX + MADE_EACH * l->given)
        return err_set(e, ERR_LIMIT,
                       "%" PRIu32
                       " states on cycles have too many arcs; reduce the number of states or arcs",
                       l->states);
    return append_arc(l, from, to, logw, e);
}

/* Replaces the arc of `from` into s, of weight logw, by arcs to the targets of s. */
static int
bypass(struct elimination *l, uint32_t from, uint32_t s, double logw, struct err *e)
{
    struct list *list = &l->out[from];
    int rc = 0;
    size_t before = list->count;
    for (size_t i = 0; i < before; i++)
        l->where[list->entry[i].at] = i + 1;
    for (size_t i = 0; rc == 0 && i < l->out[s].count; i++) {
        struct entry to = l->out[s].entry[i];
        size_t place = l->where[to.at];
        if (to.at == from)
            l->loop[from] = dm_log_add_exp(l->loop[from], logw + to.logw);
        else if (place != 0)
            list->entry[place - 1].logw =
                dm_log_add_exp(list->entry[place - 1].logw, logw + to.logw);
        else
            rc = make_arc(l, from, to.at, logw + to.logw, e);
    }
    for (size_t i = 0; i < before; i++)
        l->where[list->entry[i].at] = 0;
    l->exit[from] = dm_log_add_exp(l->exit[from], logw + l->exit[s]);
    l->leak[from] = dm_log_add_exp(l->leak[from], logw + l->leak[s]);
    return rc;
}

static int
eliminate(struct elimination *l, uint32_t s, struct err *e)
{
    double leaving = log_leaving(l, s);
    if (isnan(leaving))
        return err_set(e, ERR_NUMERIC, "total weight of the automaton is infinite");
    l->loop[s] = -leaving;
    l->exit[s] -= leaving;
    l->leak[s] -= leaving;
    for (size_t i = 0; i < l->out[s].count; i++)
        l->out[s].entry[i].logw -= leaving;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < l->in[s].count; i++) {
        struct entry *from = &l->in[s].entry[i];
        from->logw = take_arc(&l->out[from->at], s);
        rc = bypass(l, from->at, s, from->logw, e);
    }
    return rc;
}

/* `in` of s still contains states that were eliminated before. */
static void
drop_eliminated(struct elimination *l, uint32_t s)
{
    struct list *in = &l->in[s];
    size_t kept = 0;
    for (size_t i = 0; i < in->count; i++)
        if (!l->eliminated[in->entry[i].at])
            in->entry[kept++] = in->entry[i];
    in->count = kept;
}

static uint64_t
degree(const struct elimination *l, uint32_t s)
{
    return (uint64_t)l->entering[s] + l->out[s].count;
}

static void
set_degree(const struct elimination *l, uint32_t s)
{
    bucket_queue_put(l->degrees, s, degree(l, s));
}

/* Eliminates s and updates the degrees of its neighbors. */
static int
take_state(struct elimination *l, uint32_t s, struct err *e)
{
    drop_eliminated(l, s);
    int rc = eliminate(l, s, e);
    l->eliminated[s] = true;
    l->order[l->gone++] = s;
    for (size_t i = 0; i < l->out[s].count; i++)
        l->entering[l->out[s].entry[i].at]--;
    for (size_t i = 0; i < l->in[s].count; i++)
        set_degree(l, l->in[s].entry[i].at);
    for (size_t i = 0; i < l->out[s].count; i++)
        set_degree(l, l->out[s].entry[i].at);
    return rc;
}

/* Eliminates states, and stops if the next one has many arcs and more than `core` are left. */
static int
take_states(struct elimination *l, uint32_t core, struct err *e)
{
    int rc = 0;
    while (rc == 0 && l->gone < l->states) {
        uint32_t s = bucket_queue_pop(l->degrees);
        if (l->states - l->gone > core && degree(l, s) > CORE_ARCS) {
            set_degree(l, s);
            break;
        }
        rc = take_state(l, s, e);
    }
    return rc;
}

/* --- the core --- */

/* The states that are left, and in where[] their places; returns the number of their arcs. */
static uint64_t
number_core(struct elimination *l)
{
    uint64_t arcs = 0;
    size_t n = 0;
    for (uint32_t s = 0; s < l->states; s++)
        if (!l->eliminated[s]) {
            arcs += l->out[s].count;
            l->where[s] = n;
            l->core[n++] = s;
        }
    return arcs;
}

/* Row i of the matrix; false if a weight is out of range. */
static bool
fill_row(const struct elimination *l, struct sparse_matrix *m, uint32_t i)
{
    uint32_t s = l->core[i];
    double leaving = l->leaks ? l->leak[s] : log_leaving(l, s);
    bool good = leaving <= CORE_LOGW_MAX; /* not NaN; a leak can be 0 */
    compensated_sum_add(&m->diagonal[i], dm_exp(leaving));
    m->first[i + 1] = m->first[i] + l->out[s].count;
    for (size_t k = 0; k < l->out[s].count; k++) {
        struct entry to = l->out[s].entry[k];
        double weight = dm_exp(to.logw);
        good = good && fabs(to.logw) <= CORE_LOGW_MAX;
        m->column[m->first[i] + k] = (uint32_t)l->where[to.at];
        m->weight[m->first[i] + k] = weight;
        if (l->leaks)
            compensated_sum_add(&m->diagonal[i], weight);
    }
    return good && m->diagonal[i].high > 0;
}

/* Sets the matrices, unless a weight is out of range. */
static int
make_core(struct elimination *l, struct err *e)
{
    uint32_t n = l->states - l->gone;
    bool good = true;
    l->core = mem_array(n, sizeof *l->core, e);
    l->scratch = mem_array(n, sizeof *l->scratch, e);
    if (l->core == NULL || l->scratch == NULL)
        return ERR_NOMEM;
    struct sparse_matrix *rows = l->rows = sparse_matrix_new(n, number_core(l), e);
    for (uint32_t i = 0; rows != NULL && i < n; i++)
        good = fill_row(l, rows, i) && good;
    memset(l->where, 0, l->states * sizeof *l->where);
    if (rows != NULL && good)
        l->columns = sparse_matrix_transpose(rows, e);
    if (rows != NULL && !good)
        free_core(l);
    return e->code;
}

/* Eliminates the core. */
static int
give_up_core(struct elimination *l, struct err *e)
{
    free_core(l);
    return take_states(l, UINT32_MAX, e);
}

/* The solution for the states of the core, by `rows` or `columns`.  Without a proof, the core is
 * eliminated instead, and *solved is false. */
static int
solve_core(struct elimination *l, const struct sparse_matrix *m, double *x, bool *solved,
           struct err *e)
{
    struct err why = {0};
    *solved = m != NULL;
    if (m == NULL)
        return 0;
    for (uint32_t i = 0; i < m->n; i++)
        l->scratch[i] = x[l->core[i]];
    int rc = sparse_solve(m, l->scratch, &why);
    for (uint32_t i = 0; rc == 0 && i < m->n; i++)
        x[l->core[i]] = l->scratch[i];
    if (rc != ERR_NUMERIC)
        return rc == 0 ? 0 : err_pass(e, &why);
    *solved = false;
    return give_up_core(l, e);
}

/* Whether iteration works: with a gain of 1 in each state.  The proof includes that the total is
 * finite. */
static int
try_core(struct elimination *l, struct err *e)
{
    double *x = mem_zero(l->states, sizeof *x, e);
    bool solved;
    int rc = x == NULL ? ERR_NOMEM : solve_core(l, l->rows, x, &solved, e);
    mem_free(x);
    return rc;
}

int
elimination_run(struct elimination *l, bool leaks, uint32_t core, struct err *e)
{
    l->leaks = leaks;
    l->degrees = bucket_queue_new(l->states, l->states, e);
    if (l->degrees == NULL)
        return ERR_NOMEM;
    for (uint32_t s = 0; s < l->states; s++)
        set_degree(l, s);
    int rc = take_states(l, core, e);
    if (rc != 0 || l->gone == l->states)
        return rc;
    rc = make_core(l, e);
    if (rc != 0)
        return rc;
    return l->rows != NULL ? try_core(l, e) : give_up_core(l, e);
}

/* --- totals --- */

static void
collect_from_later(const struct elimination *l, double *x)
{
    for (uint32_t k = l->gone; k-- > 0;) {
        uint32_t s = l->order[k];
        for (size_t i = 0; i < l->out[s].count; i++)
            x[s] = dm_log_add_exp(x[s], l->out[s].entry[i].logw + x[l->out[s].entry[i].at]);
    }
}

int
elimination_backward(struct elimination *l, double *x, struct err *e)
{
    bool solved;
    memcpy(x, l->exit, l->states * sizeof *x);
    int rc = solve_core(l, l->rows, x, &solved, e);
    if (!solved)
        memcpy(x, l->exit, l->states * sizeof *x);
    collect_from_later(l, x);
    return rc;
}

/* The states eliminated from number `from` on. */
static void
pass_to_later(const struct elimination *l, uint32_t from, double *v)
{
    for (uint32_t k = from; k < l->gone; k++) {
        uint32_t s = l->order[k];
        for (size_t i = 0; i < l->out[s].count; i++) {
            struct entry to = l->out[s].entry[i];
            v[to.at] = dm_log_add_exp(v[to.at], v[s] + to.logw);
        }
    }
}

int
elimination_visits(struct elimination *l, double *v, struct err *e)
{
    bool solved;
    uint32_t gone = l->gone;
    pass_to_later(l, 0, v);
    int rc = solve_core(l, l->columns, v, &solved, e);
    pass_to_later(l, gone, v);
    for (uint32_t k = l->gone; k-- > 0;) {
        uint32_t s = l->order[k];
        for (size_t i = 0; i < l->in[s].count; i++)
            v[s] = dm_log_add_exp(v[s], v[l->in[s].entry[i].at] + l->in[s].entry[i].logw);
        v[s] += l->loop[s];
    }
    return rc;
}

static void
gather_later(const struct elimination *l, uint32_t from, double *x)
{
    for (uint32_t k = from; k < l->gone; k++) {
        uint32_t s = l->order[k];
        x[s] += l->loop[s];
        for (size_t i = 0; i < l->in[s].count; i++) {
            struct entry to = l->in[s].entry[i];
            x[to.at] = dm_log_add_exp(x[to.at], to.logw + x[s]);
        }
    }
}

/* The transpose of elimination_visits: in[s] holds what was added to the gain of states that
 * were eliminated later, out[s] what they contribute. */
int
elimination_gather(struct elimination *l, double *x, struct err *e)
{
    bool solved;
    uint32_t gone = l->gone;
    gather_later(l, 0, x);
    int rc = solve_core(l, l->rows, x, &solved, e);
    gather_later(l, gone, x);
    collect_from_later(l, x);
    return rc;
}
