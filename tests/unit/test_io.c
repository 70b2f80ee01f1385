/* SPDX-License-Identifier: MIT
 * in and out together: what is written comes back, plain or compressed. */
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#include "core/err.h"
#include "io/input.h"
#include "io/output.h"
#include "support/tap.h"

enum { SIZE = 300000 };
static unsigned char data[SIZE], back[SIZE + 1];

static ssize_t
read_file(const char *path, struct err *e)
{
    struct input *in = input_open(path, e);
    if (in == NULL)
        return -1;
    ssize_t n = input_read(in, back, sizeof back, e);
    ok(n < 0 || input_hash(in) == XXH3_64bits(back, (size_t)n), "the hash is that of the bytes");
    input_close(in);
    return n;
}

static int
write_file(const char *path, struct err *e)
{
    struct output *o = output_open(path, e);
    if (o == NULL)
        return e->code;
    for (size_t i = 0; i < SIZE; i += 1000)
        output_write(o, data + i, 1000, e);
    return output_commit(o, e);
}

static void
test_plain(void)
{
    struct err e = {0};
    struct stat st;
    ok(write_file("plain", &e) == 0, "write a file");
    ok(read_file("plain", &e) == SIZE && memcmp(back, data, SIZE) == 0, "read it back");
    mode_t mask = umask(077);
    ok(chmod("plain", 0666) == 0 && write_file("plain", &e) == 0, "replace it");
    ok(stat("plain", &st) == 0 && (st.st_mode & 0777) == 0666, "its permissions stay");
    ok(write_file("private", &e) == 0 && stat("private", &st) == 0 && (st.st_mode & 0777) == 0600,
       "those of a new file are for the umask to say");
    umask(mask);
    ok(symlink("plain", "link") == 0 && write_file("link", &e) == 0, "write through a link");
    ok(lstat("link", &st) == 0 && S_ISLNK(st.st_mode), "the link stays a link");
}

/* Every fsync of this program comes here: 'f' for a file, 'd' for a directory,
 * capital when the file "durable" has its name. */
static char syncs[16];

int
fsync(int fd)
{
    struct stat st;
    size_t n = strlen(syncs);
    if (fstat(fd, &st) == 0 && n + 1 < sizeof syncs) {
        int letter = S_ISREG(st.st_mode) ? 'f' : S_ISDIR(st.st_mode) ? 'd' : '?';
        syncs[n] = (char)(access("durable", F_OK) == 0 ? toupper(letter) : letter);
    }
    return 0;
}

static void
test_sync(void)
{
    struct err e = {0};
    memset(syncs, 0, sizeof syncs);
    ok(write_file("durable", &e) == 0, "write a file that is to survive a power cut");
    ok(strcmp(syncs, "fD") == 0, "its bytes are synced before it gets its name, which is then");
}

static volatile sig_atomic_t alarms;

static void
on_alarm(int number)
{
    (void)number;
    alarms++;
}

/* Interrupts system calls every few milliseconds, or no longer. */
static void
set_alarms(bool on)
{
    struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART */
    struct itimerval timer = {.it_interval = {.tv_usec = on ? 5000 : 0}};
    timer.it_value = timer.it_interval;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Another process at the end of a pipe, which is slow: it reads and compares, or writes.
 * Sets `path` to our end, which is not open in the other process. */
static pid_t
start_slow(bool reads, char path[static 32], int *end)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    pid_t pid = fork();
    int theirs = ends[reads ? 0 : 1], ours = ends[reads ? 1 : 0];
    snprintf(path, 32, "/dev/fd/%d", ours);
    *end = ours;
    close(pid != 0 ? theirs : ours);
    if (pid != 0)
        return pid;
    FILE *f = fdopen(theirs, reads ? "r" : "w");
    usleep(200000);
    size_t n = reads ? fread(back, 1, sizeof back, f) : fwrite(data, 1, SIZE, f);
    bool good = n == SIZE && (!reads || memcmp(back, data, SIZE) == 0);
    _exit(fclose(f) == 0 && good ? 0 : 1);
}

/* Waits for it; whether all that it read was right. */
static bool
ended_well(pid_t pid, int end)
{
    int status;
    close(end);
    return waitpid(pid, &status, 0) == pid && status == 0;
}

/* A write to a full pipe and a read from an empty one, interrupted by signals. */
static void
test_signals(void)
{
    struct err e = {0};
    char path[32];
    int end;
    if (access("/dev/fd/0", F_OK) != 0) {
        tap_skip("signals stop neither write nor read", "no names of descriptors: no /proc");
        return;
    }
    pid_t pid = start_slow(true, path, &end);
    set_alarms(true);
    int rc = write_file(path, &e);
    set_alarms(false);
    ok(rc == 0 && alarms > 0, "signals do not stop a write: %s", e.text);
    ok(ended_well(pid, end), "all of it arrives");
    alarms = 0;
    pid = start_slow(false, path, &end);
    set_alarms(true);
    ssize_t n = read_file(path, &e);
    set_alarms(false);
    ok(n == SIZE && memcmp(back, data, SIZE) == 0 && alarms > 0, "nor a read: %s", e.text);
    ok(ended_well(pid, end), "to its end");
}

/* Links to a file that is not there yet, from another directory, in a chain and
 * in a circle. */
static void
test_links(void)
{
    struct err e = {0}, e2 = {0};
    struct stat st;
    ok(mkdir("sub", 0777) == 0 && symlink("later", "sub/inner") == 0 &&
           symlink("sub/inner", "outer") == 0 && write_file("outer", &e) == 0,
       "write through links to nothing");
    ok(stat("sub/later", &st) == 0 && S_ISREG(st.st_mode), "the file appears behind them");
    ok(lstat("outer", &st) == 0 && S_ISLNK(st.st_mode) && lstat("sub/inner", &st) == 0 &&
           S_ISLNK(st.st_mode),
       "and the links stay links");
    ok(symlink("b", "a") == 0 && symlink("a", "b") == 0 && write_file("a", &e2) == ERR_IO, "%s",
       e2.text);
}

static void
test_abort(void)
{
    struct err e = {0};
    struct output *o = output_open("never", &e);
    output_printf(o, &e, "half");
    output_abort(o);
    ok(access("never", F_OK) != 0, "what is aborted does not appear");
    o = output_open("plain", &e);
    output_printf(o, &e, "half");
    output_flush(o, &e);
    output_abort(o);
    ok(read_file("plain", &e) == SIZE, "and the old file stays");
    ok(system("test -z \"$(ls -A | grep tmp)\"") == 0, "no temporary file is left");
}

/* Marks are found at any distance from the ends of reads. */
static void
test_marks(void)
{
    struct err e = {0};
    struct input_mark mark[] = {
        {.bytes = SIZE}, {.bytes = 1}, {.bytes = 70001}, {.bytes = 70001}, {.bytes = SIZE + 1}};
    for (size_t i = 0; i < 4; i++)
        mark[i].hash = XXH3_64bits(data, mark[i].bytes) + (i == 3);
    struct input *in = input_open("plain", &e);
    input_watch(in, mark, 5);
    for (size_t n = 1; n > 0;)
        n = (size_t)input_read(in, back, 1000, &e);
    ok(mark[0].found && mark[1].found && mark[2].found, "beginnings with these hashes are found");
    ok(!mark[3].found && !mark[4].found, "another hash is not, nor a longer beginning");
    ok(input_bytes(in) == SIZE && input_hash(in) == XXH3_64bits(data, SIZE),
       "hash and size of all");
    input_close(in);
}

/* Writes the data in pieces of `piece` bytes. */
static int
write_pieces(const char *path, size_t piece, struct err *e)
{
    struct output *o = output_open(path, e);
    for (size_t i = 0; o != NULL && i < SIZE; i += piece)
        output_write(o, data + i, piece < SIZE - i ? piece : SIZE - i, e);
    return o != NULL ? output_commit(o, e) : e->code;
}

static void
test_gzip_output(void)
{
    static const unsigned char header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    struct err e = {0};
    struct stat plain, packed;
    ok(write_pieces("a.gz", 7, &e) == 0 && stat("a.gz", &packed) == 0 &&
           stat("plain", &plain) == 0 && packed.st_size < plain.st_size,
       "a name that ends in .gz: the file is smaller");
    ok(read_file("a.gz", &e) == SIZE && memcmp(back, data, SIZE) == 0, "and has the same data");
    unsigned char start[sizeof header];
    FILE *f = fopen("a.gz", "rb");
    ok(fread(start, 1, sizeof start, f) == sizeof start && memcmp(start, header, sizeof start) == 0,
       "the header has no time, no name and no system");
    fclose(f);
    ok(write_pieces("b.gz", SIZE, &e) == 0 && system("cmp -s a.gz b.gz") == 0,
       "the bytes do not depend on the sizes of the writes");
    ok(system("gzip -t a.gz") == 0, "gzip(1) reads it");
    struct output *o = output_open("a.gz", &e);
    output_write(o, data, SIZE, &e);
    output_abort(o);
    ok(system("cmp -s a.gz b.gz") == 0, "what is aborted changes nothing");
    ok(write_pieces("gz", 1000, &e) == 0 && system("cmp -s gz plain") == 0,
       "another name: not compressed");
}

/* A flush makes all bytes so far available to a reader. */
static void
test_gzip_flush(void)
{
    struct err e = {0};
    ok(mkfifo("pipe.gz", 0600) == 0, "a FIFO");
    int end = open("pipe.gz", O_RDONLY | O_NONBLOCK);
    struct output *o = output_open("pipe.gz", &e);
    output_printf(o, &e, "one line\n");
    output_flush(o, &e);
    unsigned char bytes[200], text[20] = "";
    ssize_t n = read(end, bytes, sizeof bytes);
    z_stream z = {.next_in = bytes, .avail_in = n > 0 ? (unsigned)n : 0};
    z.next_out = text;
    z.avail_out = sizeof text;
    inflateInit2(&z, MAX_WBITS + 16);
    inflate(&z, Z_SYNC_FLUSH);
    inflateEnd(&z);
    ok(strcmp((const char *)text, "one line\n") == 0, "what was flushed can be read");
    ok(output_commit(o, &e) == 0, "and it ends well");
    close(end);
}

static void
test_gzip(void)
{
    struct err e = {0};
    gzFile z = gzopen("packed", "wb");
    gzwrite(z, data, SIZE / 2);
    gzclose(z);
    z = gzopen("packed", "ab"); /* a second member, as cat a.gz b.gz makes */
    gzwrite(z, data + SIZE / 2, SIZE / 2);
    gzclose(z);
    ok(read_file("packed", &e) == SIZE && memcmp(back, data, SIZE) == 0,
       "gzip with two members is read through");
    struct stat st;
    ok(stat("packed", &st) == 0 && truncate("packed", st.st_size - 9) == 0, "cut it");
    ok(read_file("packed", &e) == ERR_DATA && strstr(e.text, "truncated gzip") != NULL, "%s",
       e.text);
    struct err e2 = {0};
    int fd = open("packed", O_WRONLY);
    ok(pwrite(fd, "\xff\xff\xff\xff", 4, 100) == 4 && close(fd) == 0, "damage it");
    ok(read_file("packed", &e2) == ERR_DATA && strstr(e2.text, "damaged gzip") != NULL, "%s",
       e2.text);
}

/* Zero bytes behind gzip data, as many as three buffers hold. */
static void
test_gzip_padding(void)
{
    struct err e = {0}, e2 = {0};
    struct stat st;
    gzFile z = gzopen("padded", "wb");
    gzwrite(z, data, SIZE);
    gzclose(z);
    ok(stat("padded", &st) == 0 && truncate("padded", st.st_size + 200000) == 0, "pad with zeros");
    ok(read_file("padded", &e) == SIZE && memcmp(back, data, SIZE) == 0,
       "zeros behind gzip data are ignored");
    ok(truncate("padded", st.st_size + 1) == 0 && read_file("padded", &e) == SIZE, "one is");
    int fd = open("padded", O_WRONLY | O_APPEND);
    ok(write(fd, "\x1f", 1) == 1 && close(fd) == 0, "something follows");
    ok(read_file("padded", &e2) == ERR_DATA && strstr(e2.text, "damaged gzip") != NULL, "%s",
       e2.text);
}

static void
test_errors(void)
{
    struct err e = {0}, e2 = {0}, e3 = {0}, e4 = {0};
    ok(input_open("absent", &e) == NULL && strstr(e.text, "cannot open 'absent'") != NULL, "%s",
       e.text);
    ok(input_open(".", &e2) == NULL && strstr(e2.text, "directory") != NULL, "%s", e2.text);
    ok(output_open("no/such/dir", &e3) == NULL && e3.code == ERR_IO, "%s", e3.text);
    ok(output_open(".", &e4) == NULL && strstr(e4.text, "directory") != NULL, "%s", e4.text);
    struct err e5 = {0};
    ok(write_file("/dev/full", &e5) == ERR_IO && strstr(e5.text, "No space") != NULL, "%s",
       e5.text);
    struct err e6 = {0};
    ok(write_file("/dev/null", &e6) == 0, "a device is written as it is");
}

static void
test_memory(void)
{
    struct err e = {0};
    size_t size;
    struct output *o = output_to_memory(&e);
    for (int i = 0; i < 3; i++)
        output_write(o, data, SIZE, &e);
    output_printf(o, &e, "%d", 42);
    const char *bytes = output_bytes(o, &size);
    ok(size == 3 * SIZE + 2 && memcmp(bytes + 3 * SIZE, "42", 2) == 0, "memory grows");
    struct input *in = input_from_memory(bytes, size, "memory", &e);
    ok(input_read(in, back, SIZE, &e) == SIZE && memcmp(back, data, SIZE) == 0, "and is read");
    input_close(in);
    output_abort(o);
}

int
main(void)
{
    char dir[] = "/tmp/gamut-test.XXXXXX";
    if (mkdtemp(dir) == NULL || chdir(dir) != 0)
        return 1;
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (unsigned char)(i * i >> 7);
    test_plain();
    test_sync();
    test_signals();
    test_links();
    test_abort();
    test_marks();
    test_gzip_output();
    test_gzip_flush();
    test_gzip();
    test_gzip_padding();
    test_errors();
    test_memory();
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    int left = chdir("/") != 0 || system(command) != 0;
    return tap_done() != 0 || left;
}
