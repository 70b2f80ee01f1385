/* SPDX-License-Identifier: MIT */
#include "train/training_record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/err.h"
#include "core/fault.h"
#include "core/mem.h"
#include "core/num.h"
#include "io/file_path.h"
#include "train/training.h"

struct train_log {
    FILE *file;
    char *path; /* for messages */
};

/* To a copy of a descriptor, since train_log_close closes it. */
static FILE *
open_descriptor(int original)
{
    int fd = fcntl(original, F_DUPFD_CLOEXEC, 0);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL && fd >= 0) {
        close(fd);
        errno = EBADF; /* as write(2) has it for a descriptor to read from */
    }
    return file;
}

static FILE *
open_file(const char *path)
{
    int original = strcmp(path, "-") == 0 ? STDOUT_FILENO : place_descriptor(path);
    if (fault_due(FAULT_OPEN))
        return NULL;
    return original >= 0 ? open_descriptor(original) : fopen(path, "we");
}

struct train_log *
train_log_open(const char *path, const struct train *t, struct err *e)
{
    const struct train_row *rows;
    struct train_log *l = mem_zero(1, sizeof *l, e);
    if (l == NULL)
        return NULL;
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    l->path = mem_string(name, strlen(name), e);
    if (l->path != NULL)
        l->file = open_file(path);
    if (l->file == NULL) {
        if (l->path != NULL)
            err_errno(e, "cannot write '%s'", name);
        train_log_close(l);
        return NULL;
    }
    fputs("epoch\tsteps\ttrain_ce\tvalid_ce\tstrings_per_s\tseconds\n", l->file);
    size_t count = train_rows(t, &rows);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = train_log_row(l, &rows[i], e);
    if (rc == 0)
        return l;
    train_log_close(l);
    return NULL;
}

void
train_log_close(struct train_log *l)
{
    if (l == NULL)
        return;
    if (l->file != NULL)
        fclose(l->file);
    mem_free(l->path);
    mem_free(l);
}

int
train_log_row(struct train_log *l, const struct train_row *row, struct err *e)
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
