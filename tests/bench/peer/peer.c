/* SPDX-License-Identifier: MIT */
#include "peer.h"

static size_t
lay_out(struct net *n)
{
    float *at = n->w;
    const size_t H = (size_t)n->H;
    for (int k = 0; k < n->layers; k++) {
        n->wx[k] = at, at += 4 * H * peer_inputs(n, k);
        n->wh[k] = at, at += 4 * H * H;
        n->bx[k] = at, at += 4 * H;
        n->bh[k] = at, at += 4 * H;
    }
    n->wd = at, at += V * H;
    n->bd = at, at += V;
    return (size_t)(at - n->w);
}

static void
start(struct net *n, int layers, int hidden)
{
    size_t H = (size_t)hidden;
    *n = (struct net){.layers = layers, .H = hidden, .random = {1, 2}};
    n->count = V * H + V;
    for (int k = 0; k < layers; k++)
        n->count += 4 * H * (peer_inputs(n, k) + H + 2);
    n->w = TAKE(n->count);
    n->grad = TAKE(n->count);
    n->m = TAKE(n->count);
    n->v = TAKE(n->count);
    lay_out(n);
    for (size_t i = 0; i < n->count; i++)
        n->w[i] = ((float)(peer_random(n) >> 40) * 0x1p-23f - 1) / sqrtf((float)hidden);
}

static void
reserve(struct net *n, int T, int B, int train)
{
    size_t nodes = (size_t)T * (size_t)B;
    for (int k = 0; k < n->layers; k++) {
        n->y[k] = TAKE(nodes * (size_t)n->H);
        n->mask[k] = train ? TAKE(nodes * (size_t)n->H + 256) : NULL;
    }
    n->logits = TAKE(nodes * V);
    n->dy = TAKE(nodes * (size_t)n->H);
    n->given = peer_take(nodes, 1);
    n->next = peer_take(nodes, 1);
    peer_reserve(n, T, B, train);
}

/* ---- strings */

struct data {
    char *text;
    int length, count;
};

static struct data
read_data(const char *path)
{
    struct data d = {0};
    FILE *f = fopen(path, "r");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)ftell(f);
    rewind(f);
    d.text = peer_take(size + 1, 1);
    if (fread(d.text, 1, size, f) != size)
        exit(1);
    fclose(f);
    d.length = (int)strcspn(d.text, "\n");
    d.count = (int)(size / ((size_t)d.length + 1));
    return d;
}

static void
read_model(struct net *n, const char *path)
{
    uint64_t header;
    FILE *f = fopen(path, "rb");
    if (f == NULL || fread(&header, 8, 1, f) != 1 || fseek(f, (long)header, SEEK_CUR) != 0 ||
        fread(n->w, sizeof *n->w, n->count, f) != n->count) {
        fprintf(stderr, "peer: cannot read '%s'\n", path);
        exit(1);
    }
    fclose(f);
    peer_weights_changed(n);
}

/* Strings number at[0 .. B-1] into given and next, which have T = length + 1 rows. */
static void
put_batch(struct net *n, const struct data *d, const int *at, int B)
{
    for (int t = 0; t <= d->length; t++)
        for (int b = 0; b < B; b++) {
            const char *x = d->text + (size_t)at[b] * ((size_t)d->length + 1);
            n->given[t * B + b] = t == 0 ? V : (unsigned char)(x[t - 1] - '0');
            n->next[t * B + b] = t == d->length ? END : (unsigned char)(x[t] - '0');
        }
}

/* ---- output layer and loss */

static void
decode(struct net *n, int rows)
{
    for (int i = 0; i < rows; i++)
        memcpy(n->logits + i * V, n->bd, V * sizeof(float));
    peer_product(rows, V, n->H, n->y[n->layers - 1], 0, n->wd, 1, 1, n->logits);
}

/* Log-likelihood; logits become their gradients. */
static double
loss(struct net *n, int rows, float scale)
{
    double sum = 0;
    for (int i = 0; i < rows; i++) {
        float *x = n->logits + i * V, p[V], total = 0, top = fmaxf(fmaxf(x[0], x[1]), x[2]);
        for (int s = 0; s < V; s++)
            total += p[s] = expf(x[s] - top);
        sum += (double)(x[n->next[i]] - top - logf(total));
        for (int s = 0; s < V; s++)
            x[s] = scale * (p[s] / total - (float)(n->next[i] == s));
    }
    return sum;
}

static void
decode_back(struct net *n, int rows)
{
    float *bias = peer_grad(n, n->bd);
    peer_product(V, n->H, rows, n->logits, 1, n->y[n->layers - 1], 0, 0, peer_grad(n, n->wd));
    peer_product(rows, n->H, V, n->logits, 0, n->wd, 0, 0, n->dy);
    memset(bias, 0, V * sizeof *bias);
    for (int i = 0; i < rows; i++)
        for (int s = 0; s < V; s++)
            bias[s] += n->logits[i * V + s];
}

static void
adam(struct net *n, float rate, float clip)
{
    float norm = 0, *restrict w = n->w, *restrict m = n->m, *restrict v = n->v;
    const float *restrict grad = n->grad;
    for (size_t i = 0; i < n->count; i++)
        norm += grad[i] * grad[i];
    norm = sqrtf(norm);
    const float factor = norm > clip ? clip / norm : 1;
    const double t = (double)++n->step;
    const float a = rate / (float)(1 - pow(.9, t)), c = 1 / (float)sqrt(1 - pow(.999, t));
    for (size_t i = 0; i < n->count; i++) {
        float g = factor * grad[i];
        m[i] = .9f * m[i] + .1f * g;
        v[i] = .999f * v[i] + .001f * g * g;
        w[i] -= a * m[i] / (sqrtf(v[i]) * c + 1e-8f);
    }
}

/* ---- commands */

/* CPU seconds of one thread, or seconds of the clock of more. */
static double
cpu(void)
{
    struct timespec t;
    clock_gettime(peer_threads() > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int *
shuffled(struct net *n, int count)
{
    int *order = peer_take((size_t)count, sizeof *order);
    for (int i = 0; i < count; i++) {
        int j = (int)(peer_random(n) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static int
train(char **argv)
{
    struct net n;
    struct data d = read_data(argv[0]);
    start(&n, atoi(argv[1]), atoi(argv[2]));
    const int B = atoi(argv[3]), T = d.length + 1, updates = atoi(argv[5]), warm = updates / 5;
    const float p = (float)atof(argv[4]);
    int *order = shuffled(&n, d.count);
    double begin = 0, sum = 0;
    reserve(&n, T, B, 1);
    for (int i = -warm, at = 0; i < updates; i++, at = at + 2 * B <= d.count ? at + B : 0) {
        if (i == 0)
            begin = cpu();
        put_batch(&n, &d, order + at, B);
        for (int k = 0; k < n.layers; k++)
            peer_mask(&n, n.mask[k], (size_t)(T * B * n.H), p);
        peer_weights_changed(&n);
        peer_forward(&n, T, B, 1);
        decode(&n, T * B);
        sum = .99 * sum + .01 * loss(&n, T * B, 1 / (float)(T * B)) / (T * B);
        decode_back(&n, T * B);
        peer_backward(&n, T, B);
        adam(&n, .004f, 1);
    }
    printf("%.9f\n", (cpu() - begin) / updates);
    fprintf(stderr, "peer: CE %.4f\n", -sum / (1 - pow(.99, updates + warm)));
    return 0;
}

static int
score(char **argv)
{
    struct net n;
    start(&n, atoi(argv[1]), atoi(argv[2]));
    read_model(&n, argv[0]);
    struct data d = read_data(argv[3]);
    const int B = atoi(argv[4]), T = d.length + 1;
    int *order = peer_take((size_t)d.count, sizeof *order);
    for (int i = 0; i < d.count; i++)
        order[i] = i;
    reserve(&n, T, B, 0);
    double begin = cpu(), sum = 0;
    for (int at = 0; at < d.count; at += B) {
        int b = d.count - at < B ? d.count - at : B;
        put_batch(&n, &d, order + at, b);
        peer_forward(&n, T, b, 0);
        decode(&n, T * b);
        sum += loss(&n, T * b, 0);
    }
    printf("%.6f\t%.6f\n", cpu() - begin, sum);
    return 0;
}

static int
sample(char **argv)
{
    struct net n;
    start(&n, atoi(argv[1]), atoi(argv[2]));
    read_model(&n, argv[0]);
    const int count = atoi(argv[3]), T = atoi(argv[4]) + 1, B = atoi(argv[5]);
    unsigned ones = 0;
    reserve(&n, 1, B, 0);
    double begin = cpu();
    for (int at = 0; at < count; at += B) {
        memset(n.given, V, (size_t)B);
        for (int t = 0; t < T; t++) {
            peer_step(&n, B, t == 0);
            decode(&n, B);
            loss(&n, B, 1); /* next is 0: p, less 1 for symbol 0 */
            for (int b = 0; b < B; b++) {
                const float *p = n.logits + b * V;
                float u = (float)(peer_random(&n) >> 40) * 0x1p-24f * (2 - (1 + p[2]));
                n.given[b] = u >= p[0] + 1;
                ones += n.given[b];
            }
        }
    }
    printf("%.6f\t%u\n", cpu() - begin, ones);
    return 0;
}

int
main(int argc, char **argv)
{
    if (argc == 8 && strcmp(argv[1], "train") == 0)
        return train(argv + 2);
    if (argc == 7 && strcmp(argv[1], "score") == 0)
        return score(argv + 2);
    if (argc == 8 && strcmp(argv[1], "sample") == 0)
        return sample(argv + 2);
    fprintf(stderr, "usage: %s train DATA LAYERS HIDDEN BATCH DROPOUT UPDATES\n", argv[0]);
    return 2;
}
