/* SPDX-License-Identifier: MIT */
#include "cli/file_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/err.h"
#include "support/tap.h"

/* What file_check says of two entries, given in both orders. */
static const char *
clash(const char *a, enum file_use use_a, const char *b, enum file_use use_b, struct err *e)
{
    const struct file_entry pair[] = {{"A", a, use_a}, {"B", b, use_b}, {"A", a, use_a}};
    struct err back = {0};
    *e = (struct err){0};
    int rc = file_check(pair, 2, e);
    ok(file_check(pair + 1, 2, &back) == rc && e->code == rc, "the same in both orders");
    return rc == 0 ? "" : e->text;
}

static void
test_inputs(void)
{
    struct err e;
    ok(strcmp(clash("-", FILE_READ, "-", FILE_READ_MODEL, &e),
              "A and B cannot both be stdin; name a file") == 0,
       "standard input is read once");
    ok(e.code == ERR_USAGE, "a usage error");
    ok(*clash("-", FILE_READ, NULL, FILE_READ, &e) == '\0', "what is not given is no reader");
    ok(*clash("d", FILE_READ, "d", FILE_READ, &e) == '\0', "a file may be read twice");
}

static void
test_outputs(void)
{
    struct err e;
    ok(strcmp(clash("-", FILE_WRITE, "-", FILE_WRITE_MODEL, &e),
              "A and B cannot both be written to '-'; name another file") == 0,
       "two outputs need two places");
    ok(*clash(NULL, FILE_WRITE, NULL, FILE_WRITE, &e) == '\0', "unless they are not given");
    ok(*clash("-", FILE_WRITE, "-", FILE_READ, &e) == '\0', "stdin and stdout are two places");
    ok(strcmp(clash("d", FILE_WRITE_MODEL, "d", FILE_READ, &e),
              "A: 'd' is also an input; name another file") == 0,
       "data are not written over");
    ok(*clash("m", FILE_WRITE, "m", FILE_READ_MODEL, &e) != '\0', "nor is a model");
    ok(*clash("m", FILE_WRITE_MODEL, "m", FILE_READ_MODEL, &e) == '\0', "but by a model");
}

static void
test_names(void)
{
    struct err e;
    char dir[] = "/tmp/gamut-files.XXXXXX", file[64], alias[64];
    if (mkdtemp(dir) == NULL)
        return;
    snprintf(file, sizeof file, "%s/f", dir);
    snprintf(alias, sizeof alias, "%s/l", dir);
    FILE *f = fopen(file, "w");
    ok(f != NULL && fclose(f) == 0 && symlink(file, alias) == 0, "a file and a link to it");
    ok(*clash(file, FILE_READ, alias, FILE_WRITE, &e) != '\0', "two names of one file");
    unlink(alias);
    unlink(file);
    snprintf(alias, sizeof alias, "%s/../%s/f", dir, strrchr(dir, '/') + 1);
    ok(*clash(file, FILE_WRITE, alias, FILE_WRITE, &e) != '\0', ".. also before it is there");
    snprintf(alias, sizeof alias, "%s/g", dir);
    ok(*clash(file, FILE_WRITE, alias, FILE_WRITE, &e) == '\0', "two files of one directory");
    ok(*clash("/tmp/f", FILE_WRITE, file, FILE_WRITE, &e) == '\0', "one name, two directories");
    rmdir(dir);
}

/* What file_check says of A, read from standard input, and B, written to standard
 * output, when both are the descriptor. */
static const char *
clash_of_streams(int fd, struct err *e)
{
    const struct file_entry pair[] = {{"A", "-", FILE_READ_MODEL}, {"B", "-", FILE_WRITE_MODEL}};
    int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);
    *e = (struct err){0};
    bool set = dup2(fd, STDIN_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0;
    int rc = file_check(pair, 2, e);
    set = dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && set;
    close(in);
    close(out);
    ok(set, "standard input and output are redirected and put back");
    return rc == 0 ? "" : e->text;
}

static void
test_redirections(void)
{
    struct err e;
    char file[] = "/tmp/gamut-stdin.XXXXXX";
    int pair[2], fd = mkstemp(file), in = dup(STDIN_FILENO);
    ok(fd >= 0 && dup2(fd, STDIN_FILENO) >= 0, "standard input is a file");
    ok(*clash("-", FILE_READ_MODEL, file, FILE_WRITE, &e) != '\0', "which is not written over");
    ok(*clash("-", FILE_READ_MODEL, file, FILE_WRITE_MODEL, &e) == '\0', "but by a model");
    dup2(in, STDIN_FILENO);
    close(in);
    ok(strcmp(clash_of_streams(fd, &e), "B: stdout is the input file of A; name another file") == 0,
       "nor is it appended to");
    ok(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && *clash_of_streams(pair[0], &e) == '\0',
       "one socket may be both: what is sent does not come back");
    close(fd);
    unlink(file);
}

static void
test_devices(void)
{
    struct err e;
    ok(*clash("/dev/null", FILE_WRITE, "/dev/null", FILE_WRITE, &e) == '\0',
       "any number of outputs to /dev/null");
    ok(*clash("/dev/null", FILE_WRITE, "/dev/null", FILE_READ, &e) == '\0', "and inputs");
    if (access("/dev/stdout", F_OK) != 0)
        tap_skip("two names of standard output", "no names of descriptors: no /proc");
    else
        ok(strcmp(clash("-", FILE_WRITE, "/dev/stdout", FILE_WRITE, &e),
                  "A and B cannot both be written to '/dev/stdout'; name another file") == 0,
           "two names of standard output, whatever that is");
}

static void
test_stdin(void)
{
    const struct file_entry files[] = {{"A", "-", FILE_WRITE}, {"B", "-", FILE_READ}};
    ok(!file_check_reads_stdin(files, 1), "an output is not standard input");
    ok(file_check_reads_stdin(files, 2), "an input is");
}

int
main(void)
{
    test_inputs();
    test_outputs();
    test_names();
    test_redirections();
    test_devices();
    test_stdin();
    return tap_done();
}
