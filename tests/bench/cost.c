/* SPDX-License-Identifier: MIT
 *
 * cost FILE COMMAND [ARGUMENT]...: runs the command and writes its cost to FILE:
 * "seconds<TAB>CPU seconds<TAB>peak megabytes".  Exits with the status of the command.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double
seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int
main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: cost FILE COMMAND [ARGUMENT]...\n", stderr);
        return 2;
    }
    double start = now();
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage use;
    if (child < 0 || wait4(child, &status, 0, &use) < 0) {
        perror("cost");
        return 1;
    }
    double end = now();
    FILE *file = fopen(argv[1], "w");
    if (file == NULL) {
        perror(argv[1]);
        return 1;
    }
    /* ru_maxrss is in kilobytes */
    fprintf(file, "%.6f\t%.6f\t%.3f\n", end - start, seconds(use.ru_utime) + seconds(use.ru_stime),
            (double)use.ru_maxrss / 1024);
    if (fclose(file) != 0) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
