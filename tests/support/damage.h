/* SPDX-License-Identifier: MIT
 *
 * damage: golden files truncated at every byte and with bits flipped, read and, if they are
 * accepted, used.  Shared by test_corrupt and test_unchecked.
 */
#ifndef GAMUT_DAMAGE_H
#define GAMUT_DAMAGE_H

#include <string.h>
#include <sys/resource.h>

#include "support/anymodel.h"
#include "support/forge.h"
#include "support/tap.h"

static const char *const damage_names[] = {
    "mixture.pfsa", "dna.pfsa",     "dna.lstm", "epoch.lstm", "fixed.lstm",  "mixture.gam",
    "dna.gam",      "estimate.gam", "dna.mix",  "utf8.pfsa",  "tokens.lstm", "tokens.gam"};
enum { DAMAGE_FILES = sizeof damage_names / sizeof *damage_names };

struct damage_file {
    const char *name;
    unsigned char *bytes;
    size_t size;
};

struct damage_counts {
    unsigned long tried, accepted, unsound, unnamed;
};

static inline bool
damage_read(struct damage_file *f, const char *name)
{
    char path[64];
    struct err e = {0};
    snprintf(path, sizeof path, "tests/golden/%s", name);
    struct input *in = input_open(path, &e);
    f->name = name;
    f->bytes = in != NULL ? (unsigned char *)input_read_all(in, SIZE_MAX, &f->size, &e) : NULL;
    input_close(in);
    return f->bytes != NULL;
}

/* Every error names the file, the place and a reason; an automaton that is invalid as a
 * whole has no section to name. */
static inline bool
damage_names_place(const struct err *e, const char *name)
{
    size_t n = strlen(name);
    return strncmp(e->text, name, n) == 0 && e->text[n] == ':' &&
           (strstr(e->text, "section") != NULL || strstr(e->text, "file header") != NULL ||
            strstr(e->text, "end marker") != NULL || strstr(e->text, "automaton") != NULL ||
            strstr(e->text, "file is empty") != NULL ||
            strstr(e->text, "not a gamut model file") != NULL);
}

/* Reads `size` bytes as the model `name` and counts the outcome. */
static inline void
damage_try(struct damage_counts *c, const unsigned char *bytes, size_t size, const char *name,
           struct pool *pool)
{
    struct err e = {0};
    bool sound, accepted = anymodel_try(bytes, size, name, pool, &sound, &e);
    c->tried++;
    c->accepted += accepted;
    c->unsound += !sound;
    if (!accepted && !damage_names_place(&e, name) && c->unnamed++ == 0)
        printf("# does not name the place: %s\n", e.text);
}

/* Bytes of a section as stored, from its header. */
static inline size_t
damage_stored(const unsigned char *header)
{
    return memcmp(header, "DONE", 4) == 0 ? 0 : (size_t)forge_get64(header + 32);
}

/* Whether byte `at` belongs to a header. */
static inline bool
damage_in_header(const struct damage_file *f, size_t at)
{
    size_t start = FORGE_FILE_HEADER;
    while (at >= start && start < f->size) {
        if (at < start + FORGE_SECTION_HEADER)
            return true;
        start += FORGE_SECTION_HEADER + damage_stored(f->bytes + start) + 8;
    }
    return at < FORGE_FILE_HEADER;
}

static inline struct damage_counts
damage_truncate(const struct damage_file *f, struct pool *pool)
{
    struct damage_counts c = {0};
    for (size_t n = 0; n < f->size; n++)
        damage_try(&c, f->bytes, n, f->name, pool);
    return c;
}

/* All bits of headers, one of every other byte. */
static inline struct damage_counts
damage_flip(const struct damage_file *f, struct pool *pool)
{
    struct damage_counts c = {0};
    for (size_t i = 0; i < f->size; i++)
        for (unsigned bit = 0; bit < (damage_in_header(f, i) ? 8 : 1); bit++) {
            f->bytes[i] ^= (unsigned char)(1u << (bit + i) % 8);
            damage_try(&c, f->bytes, f->size, f->name, pool);
            f->bytes[i] ^= (unsigned char)(1u << (bit + i) % 8);
        }
    return c;
}

/* gcc and clang have different macros for sanitizers, which keep freed memory and have
 * memory of their own. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define DAMAGE_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DAMAGE_SANITIZED 1
#endif
#endif
#ifndef DAMAGE_SANITIZED
#define DAMAGE_SANITIZED 0
#endif

/* No file of a few kilobytes may need much memory.  Valgrind itself needs much. */
static inline void
damage_check_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (DAMAGE_SANITIZED || getenv("RUN") != NULL) /* see valgrind.sh */
        tap_skip("memory stays bounded", "under a sanitizer");
    else
        ok(usage.ru_maxrss < 64L << 10, "all of it in %ld MB of memory", usage.ru_maxrss >> 10);
}

#endif
