/* SPDX-License-Identifier: MIT */
#include "train/training_record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/err.h"
#include "core/fault.h"
#include "core/mem.h"
#include "core/num.h"
#include "io/file_path.h"
#include "lstm/lstm.h"
#include "model/meta.h"
#include "train/recipe.h"
#include "train/training.h"
#include "train/training_data.h"

struct training_log {
    FILE *file;
    char *path; /* for messages */
};

/* Writes to a copy of a descriptor, since training_log_close closes it. */
static FILE *
open_descriptor(int original)
{
    int fd = fcntl(original, F_DUPFD_CLOEXEC, 0);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL && fd >= 0) {
        close(fd);
        errno = EBADF; /* the error of write(2) for a descriptor to read from */
    }
    return file;
}

static FILE *
open_file(const char *path)
{
    int original = strcmp(path, "-") == 0 ? STDOUT_FILENO : file_path_descriptor(path);
    if (fault_due(FAULT_OPEN))
        return NULL;
    return original >= 0 ? open_descriptor(original) : fopen(path, "we");
}

struct training_log *
training_log_open(const char *path, const struct training *t, struct err *e)
{
    const struct epoch_row *rows;
    struct training_log *l = mem_zero(1, sizeof *l, e);
    if (l == NULL)
        return NULL;
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    l->path = mem_string(name, strlen(name), e);
    if (l->path != NULL)
        l->file = open_file(path);
    if (l->file == NULL) {
        if (l->path != NULL)
            err_errno(e, "cannot write '%s'", name);
        training_log_close(l);
        return NULL;
    }
    fputs("epoch\tsteps\ttrain_ce\tvalid_ce\tstrings_per_s\tseconds\n", l->file);
    size_t count = training_rows(t, &rows);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = training_log_row(l, &rows[i], e);
    if (rc == 0)
        return l;
    training_log_close(l);
    return NULL;
}

void
training_log_close(struct training_log *l)
{
    if (l == NULL)
        return;
    if (l->file != NULL)
        fclose(l->file);
    mem_free(l->path);
    mem_free(l);
}

int
training_log_row(struct training_log *l, const struct epoch_row *row, struct err *e)
{
    const double number[4] = {row->train_ce, row->valid_ce, row->rate, row->seconds};
    char text[NUM_TEXT_MAX];
    fprintf(l->file, "%" PRIu64 "\t%" PRIu64, row->epoch, row->steps);
    for (int i = 0; i < 4; i++)
        fprintf(l->file, "\t%s", num_text(number[i], text));
    fputc('\n', l->file);
    if (fault_due(FAULT_WRITE) || fflush(l->file) != 0 || ferror(l->file))
        return err_errno(e, "cannot write '%s'", l->path);
    return 0;
}

int
training_meta_settings(struct meta *m, const struct recipe_choice *r, uint64_t steps,
                       const struct training_data *d, struct err *e)
{
    int rc = meta_set(m, "recipe", e, "%s", r->recipe->name);
    for (enum recipe_setting i = 0; rc == 0 && i < RECIPE_SETTINGS; i++) {
        bool shape = i == RECIPE_HIDDEN || i == RECIPE_LAYERS; /* the model shows it */
        bool unused = steps > 0 && recipe_without_steps(i);
        if (!shape && !unused)
            rc = meta_set_number(m, recipe_name(i), recipe_value(r, i), e);
    }
    if (rc == 0 && steps > 0)
        rc = meta_set_number(m, "steps", (double)steps, e);
    if (rc == 0)
        rc = meta_set_number(m, "strings", (double)d->train.count, e);
    if (rc == 0 && d->valid.count > 0)
        rc = meta_set_number(m, "valid_strings", (double)d->valid.count, e);
    return rc;
}

static void
mix(uint64_t *hash, const void *data, size_t size)
{
    *hash = XXH3_64bits_withSeed(data, size, *hash);
}

uint64_t
training_meta_identity(const struct meta *m, const struct lstm *model)
{
    const struct alphabet *a = &model->model.alphabet;
    const uint64_t shape[] = {model->layout.hidden, model->layout.layers, model->model.max_length};
    uint64_t hash = 0;
    mix(&hash, shape, sizeof shape);
    mix(&hash, a->text, strlen(a->text));
    if (a->tokens)
        mix(&hash, "tokens", 6);
    if (model->fixed_length)
        mix(&hash, "fixed", 5);
    for (size_t i = 0; i < meta_count(m); i++) {
        const char *key = meta_key(m, i), *text = meta_value(m, i);
        if (strcmp(key, "command") != 0 && !recipe_is_limit(key)) {
            mix(&hash, key, strlen(key));
            mix(&hash, text, strlen(text));
        }
    }
    return hash;
}

int
training_meta_outcome(struct meta *m, const struct training_outcome *r, struct err *e)
{
    int rc = meta_set(m, "end", e, "%s", training_end_name(r->end));
    if (rc == 0)
        rc = meta_set_number(m, "epochs_run", (double)r->epochs, e);
    if (rc == 0)
        rc = meta_set_number(m, "steps_run", (double)r->steps, e);
    if (rc == 0 && !isnan(r->valid_ce))
        rc = meta_set_number(m, "best_epoch", (double)r->best_epoch, e);
    if (rc == 0 && !isnan(r->train_ce))
        rc = meta_set_number(m, "train_ce", r->train_ce, e);
    if (rc == 0 && !isnan(r->valid_ce))
        rc = meta_set_number(m, "valid_ce", r->valid_ce, e);
    return rc;
}
