/* SPDX-License-Identifier: MIT
 * report and progress: what people and awk get to see. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/progress.h"
#include "core/err.h"
#include "io/output.h"
#include "io/report.h"
#include "support/tap.h"

static const char *const columns[] = {"name", "n", "x", NULL};

/* The same report as rows or as JSON. */
static const char *
make(bool json)
{
    static char text[1024];
    struct err e = {0};
    struct output *o = output_to_memory(&e);
    struct report r;
    report_begin(&r, o, json, &e);
    report_u64(&r, "count", 3);
    report_f64(&r, "h", 13.9231444875);
    report_f64(&r, "log", -INFINITY);
    report_f64(&r, "rate", NAN);
    report_text(&r, "say", "a \"b\" \\");
    report_table(&r, "rows", columns);
    for (uint64_t i = 0; i < 2; i++) {
        report_cell_text(&r, i == 0 ? "one" : "two");
        report_cell_u64(&r, i);
        report_cell_f64(&r, i == 0 ? NAN : 0.5);
    }
    report_table_end(&r);
    report_end(&r);
    size_t n;
    const char *bytes = output_bytes(o, &n);
    memcpy(text, bytes, n);
    text[n] = '\0';
    output_abort(o);
    return text;
}

static double fake_time;

static double
fake_clock(void)
{
    return fake_time;
}

static void
test_progress(void)
{
    char *text;
    size_t n;
    struct progress p;
    progress_init(&p, 1, "strings", 1000);
    p.to = open_memstream(&text, &n);
    p.clock = fake_clock;
    p.start = p.drawn = fake_time = 100;
    progress_update(&p, 1);
    fflush(p.to);
    ok(n == 0, "nothing is drawn in the first tenth of a second");
    fake_time = 110;
    progress_update(&p, 250);
    fflush(p.to);
    ok(strcmp(text, "\r250 strings 25%, 25/s, 0:30 left\033[K") == 0, "rate and time left");
    fake_time = 110.05;
    progress_update(&p, 260);
    fflush(p.to);
    ok(n == strlen("\r250 strings 25%, 25/s, 0:30 left\033[K"),
       "not more than ten times per second");
    progress_skip(&p, 200);
    fake_time = 120;
    progress_update(&p, 300);
    fflush(p.to);
    ok(strstr(text, "\r300 strings 30%, 5/s, 2:20 left\033[K") != NULL,
       "what was done before does not count for the rate");
    progress_skip(&p, 0);
    progress_expect(&p, 0);
    fake_time = 3800;
    progress_note(&p, "ce %.2f", 0.45);
    progress_update(&p, 7400000);
    progress_end(&p);
    fflush(p.to);
    ok(strstr(text, "\r7.4M strings, 2k/s, 1:01:40, ce 0.45\033[K") != NULL,
       "an unknown total shows the time so far");
    ok(strcmp(text + n - 4, "\r\033[K") == 0, "the line is cleared at the end");
    fclose(p.to);
    free(text);
}

static uint64_t
always_seven(void *arg)
{
    (void)arg;
    return 7;
}

/* Whether what is drawn comes to a line that begins so. */
static bool
await(int from, const char *beginning)
{
    char text[256];
    for (int tries = 0; tries < 40; tries++) {
        ssize_t n = read(from, text, sizeof text - 1);
        if (n <= 0)
            return false;
        text[n] = '\0';
        if (strstr(text, beginning) != NULL)
            return true;
    }
    return false;
}

/* The thread redraws without any update, and asks how much is done. */
static void
test_ticker(void)
{
    int ends[2];
    struct progress p;
    if (pipe(ends) != 0)
        return;
    FILE *to = fdopen(ends[1], "w");
    progress_begin(&p, 1, "strings", 0);
    progress_note(&p, "log Z");
    pthread_mutex_lock(&p.lock);
    p.to = to;
    pthread_mutex_unlock(&p.lock);
    ok(await(ends[0], "\rlog Z, 0:"), "drawn before anything is done");
    progress_poll(&p, always_seven, NULL);
    ok(await(ends[0], "\r7 strings, "), "the thread polls the work done");
    progress_end(&p);
    fclose(to);
    ok(await(ends[0], "\r\033[K"), "and cleared at the end");
    close(ends[0]);
}

int
main(void)
{
    const char *rows = "count\t3\nh\t13.9231444875\nlog\t-inf\nrate\tnan\nsay\ta \"b\" \\\n\n"
                       "name\tn\tx\none\t0\tnan\ntwo\t1\t0.5\n";
    ok(strcmp(make(false), rows) == 0, "rows and a table");
    const char *json = "{\n  \"count\": 3,\n  \"h\": 13.9231444875,\n  \"log\": \"-inf\",\n"
                       "  \"rate\": null,\n  \"say\": \"a \\\"b\\\" \\\\\",\n  \"rows\": [\n"
                       "    {\"name\": \"one\", \"n\": 0, \"x\": null},\n"
                       "    {\"name\": \"two\", \"n\": 1, \"x\": 0.5}\n  ]\n}\n";
    ok(strcmp(make(true), json) == 0, "the same as JSON");
    test_progress();
    test_ticker();
    return tap_done();
}
