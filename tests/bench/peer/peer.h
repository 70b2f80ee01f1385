/* SPDX-License-Identifier: MIT
 *
 * What the programs that `make bench` compares with share: strings, parameters, softmax, dropout,
 * clipping, Adam, and the command line.  The LSTM itself differs.
 *
 *     PROGRAM train DATA LAYERS HIDDEN BATCH DROPOUT UPDATES    seconds per update
 *     PROGRAM score MODEL LAYERS HIDDEN DATA BATCH      seconds, log-likelihood
 *     PROGRAM sample MODEL LAYERS HIDDEN COUNT LENGTH BATCH     seconds
 *
 * OMP_NUM_THREADS is the number of threads [1].  Seconds are CPU seconds of one thread, or seconds
 * of the clock if there are more, without reading files.  DATA has strings of 0 and 1, all
 * of one length; MODEL is a safetensors file of such a network, written by model-convert.  These
 * programs are compiled with -O3 -march=native -ffast-math: they owe the same bytes to nobody.
 */
#ifndef GAMUT_PEER_H
#define GAMUT_PEER_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { V = 3, END = 2, LAYERS_MAX = 4 }; /* symbols 0, 1 and the end */

/* A network and the state of a batch; all arrays are [time][string][...]. */
struct net {
    int layers, H;
    size_t count;                           /* of parameters */
    float *w, *grad, *m, *v;                /* [count] */
    float *wx[LAYERS_MAX], *wh[LAYERS_MAX]; /* [4H][inputs], [4H][H]: i, f, g, o */
    float *bx[LAYERS_MAX], *bh[LAYERS_MAX]; /* [4H] */
    float *wd, *bd;                         /* [V][H], [V] */
    float *mask[LAYERS_MAX];                /* [T][B][H] */
    float *y[LAYERS_MAX];                   /* [T][B][H] output with dropout */
    float *logits, *dy;                     /* [T][B][V], [T][B][H] */
    unsigned char *given, *next;            /* [T][B] symbols; V: none */
    uint64_t random[2];
    long step;
};

/* What a program implements.  `forward` sets y from given, `backward` grad from dy; `step`
 * advances all strings by one symbol, for sampling. */
void peer_reserve(struct net *n, int T, int B, int train);
void peer_weights_changed(struct net *n);
void peer_forward(struct net *n, int T, int B, int train);
void peer_backward(struct net *n, int T, int B);
void peer_step(struct net *n, int B, int first);
void peer_product(int rows, int columns, int inner, const float *a, int trans_a, const float *b,
                  int trans_b, float beta, float *c);

static inline void *
peer_take(size_t count, size_t size)
{
    void *p = aligned_alloc(64, (count * size + 64) / 64 * 64);
    if (p == NULL) {
        fputs("peer: no memory\n", stderr);
        exit(1);
    }
    return memset(p, 0, count * size);
}

static inline int
peer_threads(void)
{
    const char *threads = getenv("OMP_NUM_THREADS");
    return threads != NULL && atoi(threads) > 1 ? atoi(threads) : 1;
}

#define TAKE(count) peer_take((count), sizeof(float))

static inline size_t
peer_inputs(const struct net *n, int k)
{
    return k == 0 ? V : (size_t)n->H;
}

/* The place of gradients that belongs to a parameter. */
static inline float *
peer_grad(const struct net *n, const float *w)
{
    return n->grad + (w - n->w);
}

static inline uint64_t
peer_random(struct net *n)
{
    uint64_t a = n->random[0], b = n->random[1];
    n->random[0] = b;
    a ^= a << 23;
    n->random[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
    return n->random[1] + b;
}

/* 0 with probability p, else 1 / (1 - p); 16 bits decide. */
static inline void
peer_mask(struct net *n, float *mask, size_t count, float p)
{
    const float keep = 1 / (1 - p);
    const uint16_t threshold = (uint16_t)(p * 65536);
    uint64_t random[64];
    uint16_t bits[256];
    for (size_t i = 0; i < count; i += 256) {
        for (size_t j = 0; j < 64; j++)
            random[j] = peer_random(n);
        memcpy(bits, random, sizeof bits);
        for (size_t j = 0; j < 256; j++)
            mask[i + j] = bits[j] < threshold ? 0 : keep;
    }
}

/* Sigmoid, as the vector form of tanh is not everywhere. */
static inline float
peer_sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

static inline float
peer_tanh(float x)
{
    return 2 / (1 + expf(-2 * x)) - 1;
}

#endif
