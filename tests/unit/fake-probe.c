/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A probe that measures nothing and, on demand, misbehaves: the environment variable FAKE_MODE says
 * how. Used by the tests of transports and of the controller's end of a session. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "wire/cell.h"

enum { MAX_CELLS = 4096, MAX_VISITS = 200000 };

struct fake {
    const char *mode;
    struct wire_writer writer;
    struct wire_reader reader;
    struct cell cells[MAX_CELLS];
    size_t cell_count;
    struct {
        uint32_t cell, process;
    } visits[MAX_VISITS];
    size_t visit_count;
    size_t next;    /* visit */
    size_t batches; /* sent so far */
};

static bool is(const struct fake *fake, const char *mode)
{
    return strcmp(fake->mode, mode) == 0;
}

static void send_end(struct fake *fake)
{
    if (wire_end(&fake->writer) < 0 || wire_flush(&fake->writer) < 0)
        exit(9);
}

static void send_word(struct fake *fake, const char *type)
{
    wire_begin(&fake->writer, type);
    send_end(fake);
}

static void print(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        exit(9);
}

static void __attribute__((noreturn)) sleep_for_ever(void)
{
    for (;;)
        pause();
}

/* A good frame in the writer, damaged before it leaves. */
static void send_damaged(struct fake *fake, void (*damage)(char *line, size_t length))
{
    wire_begin(&fake->writer, "hello");
    wire_put_u64(&fake->writer, "version", WIRE_VERSION);
    wire_end(&fake->writer);
    damage(fake->writer.pending.bytes, fake->writer.pending.length);
    print(fake->writer.pending.bytes);
}

static void alter_byte(char *line, size_t length)
{
    line[length / 2] ^= 1;
}

static void cut_line(char *line, size_t length)
{
    line[length / 2] = '\0';
}

static void send_hello(struct fake *fake)
{
    uint64_t version = is(fake, "older") ? 0 : is(fake, "newer") ? WIRE_VERSION + 1 : WIRE_VERSION;
    wire_begin(&fake->writer, "hello");
    wire_put_u64(&fake->writer, "version", version);
    wire_put_string(&fake->writer, "assay", "0.0-fake");
    wire_put_string(&fake->writer, "build", "fake");
    wire_put_string(&fake->writer, "isa", "fake64");
    send_end(fake);
}

static void send_fields(struct fake *fake, const char *type, const char *const (*fields)[2])
{
    wire_begin(&fake->writer, type);
    for (; (*fields)[0]; fields++)
        wire_put_string(&fake->writer, (*fields)[0], (*fields)[1]);
    send_end(fake);
}

#define SEND(fake, type, ...)                                                                      \
    send_fields(fake, type, (const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

/* A good frame, but for the field that the mode names: "TYPE:KEY=VALUE", or without a value for a
 * field that is missing. */
static void send_altered(struct fake *fake, const char *type, const char *const (*fields)[2])
{
    const char *altered = fake->mode + strlen(type) + 1;
    const size_t length = strcspn(altered, "=");
    wire_begin(&fake->writer, type);
    for (; (*fields)[0]; fields++) {
        if (strlen((*fields)[0]) != length || strncmp((*fields)[0], altered, length) != 0)
            wire_put_string(&fake->writer, (*fields)[0], (*fields)[1]);
        else if (altered[length])
            wire_put_string(&fake->writer, (*fields)[0], altered + length + 1);
    }
    send_end(fake);
}

static const char *const good_operation[][2] = {
    {"path", "perf-read"}, {"kind", "stop"},    {"instrument", "perf"},
    {"effect", "stops"},   {"when", "running"}, {"links", "lazy"},
    {"binds", "1"},        {"alone", "0"},      {"page", ""},
    {"note", ""},          {NULL, NULL}};

static const char *const good_clock[][2] = {
    {"name", "hpet"},  {"kind", "wall"},
    {"way", "device"}, {"hardware", "hpet"},
    {"claim", ""},     {"note", ""},
    {"hz", "1"},       {"resolution_ps", "18446744073709551615"},
    {"slow", "1"},     {"steered", "0"},
    {NULL, NULL}};

static void send_operations(struct fake *fake)
{
    SEND(fake, "operation", {"path", "timer"}, {"kind", "nothing"}, {"instrument", "timer"},
         {"effect", "keeps"}, {"when", "any"}, {"links", "static,lazy"}, {"binds", "0"},
         {"alone", "0"}, {"page", ""}, {"note", ""});
    SEND(fake, "operation", {"path", "perf-user-cold"}, {"kind", "read"}, {"instrument", "perf"},
         {"effect", "keeps"}, {"when", "running"}, {"links", "lazy"}, {"binds", "1"},
         {"alone", "1"}, {"page", "cold"}, {"note", "a note"});
    if (strncmp(fake->mode, "operation:", strlen("operation:")) == 0)
        send_altered(fake, "operation", good_operation);
    if (is(fake, "operation-twice"))
        SEND(fake, "operation", {"path", "timer"}, {"kind", "nothing"}, {"instrument", "other"},
             {"effect", "stops"}, {"when", "any"}, {"links", "lazy"}, {"binds", "0"},
             {"alone", "0"}, {"page", ""}, {"note", ""});
    for (unsigned i = 0; is(fake, "endless-operations"); i++) {
        char kind[16];
        snprintf(kind, sizeof(kind), "k%u", i);
        SEND(fake, "operation", {"path", "p"}, {"kind", kind}, {"instrument", "i"},
             {"effect", "keeps"}, {"when", "any"}, {"links", "lazy"}, {"binds", "0"},
             {"alone", "0"}, {"page", ""}, {"note", ""});
    }
}

/* In modes about clocks alone. */
static void send_clocks(struct fake *fake)
{
    if (strncmp(fake->mode, "clock", 5) != 0)
        return;
    SEND(fake, "clock", {"name", "tsc"}, {"kind", "wall"}, {"way", "instruction"},
         {"hardware", "tsc"}, {"claim", "a page of perf"}, {"note", "a note"},
         {"hz", "18446744073709551615"}, {"resolution_ps", "0"}, {"slow", "0"}, {"steered", "1"});
    SEND(fake, "clock", {"name", "cpu"}, {"kind", "place"}, {"way", "syscall"}, {"hardware", ""},
         {"claim", ""}, {"note", ""}, {"hz", "0"}, {"resolution_ps", "7"}, {"slow", "1"},
         {"steered", "0"});
    if (strncmp(fake->mode, "clock:", strlen("clock:")) == 0)
        send_altered(fake, "clock", good_clock);
    for (unsigned i = 0; is(fake, "clocks-endless"); i++) {
        char name[16];
        snprintf(name, sizeof(name), "c%u", i);
        SEND(fake, "clock", {"name", name}, {"kind", "wall"}, {"way", "vdso"}, {"hardware", ""},
             {"claim", ""}, {"note", ""}, {"hz", "0"}, {"resolution_ps", "0"}, {"slow", "0"},
             {"steered", "0"});
    }
}

static const char *const good_counter[][2] = {{"source", "qemu"},
                                              {"classes", "instructions,instructions-raw"},
                                              {"details", "code"},
                                              {"note", "its own CPUID"},
                                              {NULL, NULL}};

static const char *const good_subject[][2] = {
    {"name", "stack32"}, {"summary", "places"}, {"shows", "M9"}, {"n", "18446744073709551615"},
    {"truth", "1"},      {"base", "-5"},        {"each", "7"},   {"bits", "32"},
    {"libc", "1"},       {NULL, NULL}};

/* In modes about commands alone. */
static void send_commands(struct fake *fake)
{
    const bool counter = strncmp(fake->mode, "counter:", 8) == 0;
    const bool subject = strncmp(fake->mode, "subject:", 8) == 0;
    if (!counter && !subject && strncmp(fake->mode, "commands", 8) != 0)
        return;
    SEND(fake, "counter", {"source", "perf_event"}, {"classes", ""}, {"details", ""}, {"note", ""});
    SEND(fake, "counter", {"source", "step"}, {"classes", "instructions"},
         {"details", "code,calls"}, {"note", "slow"});
    SEND(fake, "subject", {"name", "loop"}, {"summary", "a loop"}, {"shows", "M8 M10"}, {"n", "9"},
         {"truth", "0"}, {"base", "0"}, {"each", "0"}, {"bits", "64"}, {"libc", "0"});
    if (counter)
        send_altered(fake, "counter", good_counter);
    if (subject)
        send_altered(fake, "subject", good_subject);
    for (unsigned i = 0; is(fake, "commands-endless-counters"); i++) {
        char name[16];
        snprintf(name, sizeof(name), "c%u", i);
        SEND(fake, "counter", {"source", name}, {"classes", ""}, {"details", ""}, {"note", ""});
    }
    for (unsigned i = 0; is(fake, "commands-endless-subjects"); i++) {
        char name[16];
        snprintf(name, sizeof(name), "s%u", i);
        SEND(fake, "subject", {"name", name}, {"summary", ""}, {"shows", ""}, {"n", "0"},
             {"truth", "0"}, {"base", "0"}, {"each", "0"}, {"bits", "64"}, {"libc", "0"});
    }
}

static void send_catalogue(struct fake *fake)
{
    SEND(fake, "fact", {"key", "cpu.model"}, {"value", "Fake CPU"});
    SEND(fake, "fact", {"key", "sys.hidden"}, {"error", "13"});
    if (is(fake, "endless-catalogue"))
        for (unsigned i = 0;; i++) {
            wire_begin(&fake->writer, "absent");
            wire_put_string(&fake->writer, "kind", "path");
            wire_put_u64(&fake->writer, "name", i);
            wire_put_u64(&fake->writer, "error", 1);
            wire_put_string(&fake->writer, "reason", "never ends");
            send_end(fake);
        }
    SEND(fake, "specimen", {"name", "null"}, {"summary", "nothing"}, {"stresses", "nothing"},
         {"min_n", "0"}, {"max_n", "18446744073709551615"}, {"needs", ""}, {"parameters", ""});
    SEND(fake, "truth", {"specimen", "null"}, {"class", "instructions"}, {"base", "-1"},
         {"each", "2"}, {"grade", "proven"}, {"why", ""}, {"sources", "step,qemu"});
    SEND(fake, "truth", {"specimen", "null"}, {"class", "branch-misses"}, {"base", "0"},
         {"each", "1"}, {"grade", "bounded"}, {"why", "predictors learn"}, {"sources", ""},
         {"high_base", "7"}, {"high_each", "3"});
    if (is(fake, "bound-without-top"))
        SEND(fake, "truth", {"specimen", "null"}, {"class", "cycles"}, {"base", "0"}, {"each", "1"},
             {"grade", "bounded"}, {"why", ""}, {"sources", ""});
    if (is(fake, "truth-of-nothing"))
        SEND(fake, "truth", {"specimen", "ghost"}, {"class", "instructions"}, {"base", "0"},
             {"each", "2"}, {"grade", "proven"}, {"why", ""}, {"sources", "step,qemu"});
    if (is(fake, "specimen-twice"))
        SEND(fake, "specimen", {"name", "null"}, {"summary", ""}, {"stresses", ""}, {"min_n", "0"},
             {"max_n", "1"}, {"needs", ""}, {"parameters", ""});
    SEND(fake, "path", {"name", "perf-read"}, {"patterns", "ar,ao"}, {"opts", "O0,O2"},
         {"links", "static"}, {"note", ""});
    SEND(fake, "path", {"name", "bare"}, {"patterns", "rr"}, {"opts", "O2"}, {"links", "static"},
         {"sources", "step,qemu"}, {"note", ""});
    SEND(fake, "source", {"name", "step"}, {"summary", "steps"},
         {"classes", "instructions,syscalls"},
         {"runs", is(fake, "source-without-runs") ? "0" : "5"});
    if (is(fake, "source-twice"))
        SEND(fake, "source", {"name", "step"}, {"summary", ""}, {"classes", ""}, {"runs", "1"});
    send_operations(fake);
    send_clocks(fake);
    send_commands(fake);
    SEND(fake, "absent", {"kind", "path"}, {"name", "papi-low"}, {"error", "2"},
         {"reason", "not built"});
    if (is(fake, "stray-frame"))
        SEND(fake, "confetti", {"colour", "blue"});
    if (is(fake, "last-word"))
        SEND(fake, "error", {"reason", "the moon is full"});
    if (is(fake, "skips")) /* a frame is lost on the way */
        fake->writer.sequence++;
    if (is(fake, "look-early")) { /* both by one write */
        wire_begin(&fake->writer, "ready");
        wire_end(&fake->writer);
        SEND(fake, "looked", {"readings", "5,6"});
        return;
    }
    send_word(fake, "ready");
}

static void take_visits(struct fake *fake, const char *list)
{
    for (char *cursor = (char *)(uintptr_t)list; *cursor && fake->visit_count < MAX_VISITS;) {
        fake->visits[fake->visit_count].cell = (uint32_t)strtoul(cursor, &cursor, 10);
        cursor += *cursor == ':';
        fake->visits[fake->visit_count++].process = (uint32_t)strtoul(cursor, &cursor, 10);
        cursor += *cursor == ',';
    }
}

static const struct cell *find_cell(const struct fake *fake, uint32_t id)
{
    for (size_t i = 0; i < fake->cell_count; i++)
        if (fake->cells[i].id == id)
            return &fake->cells[i];
    exit(8);
}

static void send_visit_frame(struct fake *fake, const char *type, uint32_t cell, uint32_t process)
{
    wire_begin(&fake->writer, type);
    wire_put_u64(&fake->writer, "cell", cell);
    wire_put_u64(&fake->writer, "process", process);
    if (strcmp(type, "end") == 0) {
        bool failed = is(fake, "visits-fail");
        wire_put_string(&fake->writer, "state", failed ? "failed" : "done");
        wire_put_u64(&fake->writer, "error", failed ? 5 : 0);
        wire_put_string(&fake->writer, "reason", failed ? "the specimen broke" : "");
    }
    send_end(fake);
}

/* Values are the run's number plus a thousand times the counter's. */
static void send_samples(struct fake *fake, const struct cell *cell, uint32_t id, uint32_t process,
                         uint32_t first, uint32_t runs, uint32_t counters)
{
    size_t rows = (size_t)runs * counters;
    uint64_t *values = calloc(rows + 1, sizeof(*values));
    uint64_t *times = calloc(rows + 1, sizeof(*times));
    struct account *accounts = calloc(runs + 1, sizeof(*accounts));
    if (!values || !times || !accounts || !cell)
        exit(7);
    for (uint32_t run = 0; run < runs; run++)
        for (uint32_t counter = 0; counter < counters; counter++) {
            values[run * counters + counter] = first + run + 1000u * counter;
            times[run * counters + counter] = 5000;
        }
    batch_put(&fake->writer, &(struct batch){.cell = id,
                                             .process = process,
                                             .first_run = first,
                                             .runs = runs,
                                             .counters = counters,
                                             .values = values,
                                             .enabled = times,
                                             .running = times,
                                             .accounts = accounts});
    if (wire_flush(&fake->writer) < 0)
        exit(9);
    fake->batches++;
    free(values);
    free(times);
    free(accounts);
}

/* Half of the modes misbehave here, around the samples of a visit. */
static void send_visit_samples(struct fake *fake, const struct cell *cell, uint32_t process)
{
    uint32_t id = cell->id;
    if (is(fake, "dies") && fake->batches >= 3) {
        fprintf(stderr, "fake: out of luck\n");
        raise(SIGKILL);
    }
    if (is(fake, "closes-output") && fake->batches >= 3) {
        close(STDOUT_FILENO);
        sleep_for_ever();
    }
    if (is(fake, "hangs") && fake->batches >= 3)
        sleep_for_ever();
    if (is(fake, "hangs-hard") && fake->batches >= 3) {
        signal(SIGTERM, SIG_IGN);
        sleep_for_ever();
    }
    if (is(fake, "unknown-cell"))
        for (uint32_t i = 0;; i++)
            send_samples(fake, cell, 4000000u + i, 0, 0, 1, cell->counters);
    if (is(fake, "other-process"))
        process += 1;
    uint32_t half = cell->runs / 2;
    uint32_t counters = cell->counters + (is(fake, "more-counters") ? 1 : 0);
    if (half)
        send_samples(fake, cell, id, process, 0, half, counters);
    if (is(fake, "mid-chatter"))
        print("a stray line from a library\n");
    if (!is(fake, "too-few"))
        send_samples(fake, cell, id, process, is(fake, "overlaps") ? 0 : half, cell->runs - half,
                     counters);
    if (is(fake, "too-many"))
        send_samples(fake, cell, id, process, cell->runs, 1, counters);
}

/* A detail of the visit under way, with the field altered that the mode names. */
static void send_detail(struct fake *fake, const char *type, const char *const (*fields)[2],
                        uint32_t cell, uint32_t process)
{
    const bool meant =
        strncmp(fake->mode, type, strlen(type)) == 0 && fake->mode[strlen(type)] == ':';
    const char *altered = meant ? fake->mode + strlen(type) + 1 : "";
    const size_t length = strcspn(altered, "=");
    wire_begin(&fake->writer, type);
    wire_put_u64(&fake->writer, "cell", cell);
    wire_put_u64(&fake->writer, "process", process);
    for (; (*fields)[0]; fields++) {
        if (!meant || strlen((*fields)[0]) != length || strncmp((*fields)[0], altered, length) != 0)
            wire_put_string(&fake->writer, (*fields)[0], (*fields)[1]);
        else if (altered[length])
            wire_put_string(&fake->writer, (*fields)[0], altered + length + 1);
    }
    send_end(fake);
}

static void send_details(struct fake *fake, const struct cell *cell, uint32_t process)
{
    const bool code = cell->command.words && cell->command.detail == DETAIL_CODE;
    const bool calls = cell->command.words && cell->command.detail == DETAIL_CALLS;
    if (is(fake, "details-of-another"))
        process++;
    if (is(fake, "details-swapped") ? calls : code || is(fake, "details-unasked")) {
        send_detail(fake, "ran",
                    (const char *const[][2]){{"object", "/bin/x"},
                                             {"function", "main"},
                                             {"address", "18446744073709551615"},
                                             {"bytes", "\x48\x01%\n\xff"},
                                             {"instructions", "2"},
                                             {"executions", "18446744073709551614"},
                                             {"repetitions", "0"},
                                             {NULL, NULL}},
                    cell->id, process);
        send_detail(fake, "ran",
                    (const char *const[][2]){{"object", ""},
                                             {"function", ""},
                                             {"address", "0"},
                                             {"bytes", "x"},
                                             {"instructions", "1"},
                                             {"executions", "3"},
                                             {"repetitions", "60"},
                                             {NULL, NULL}},
                    cell->id, process);
    }
    for (uint64_t position = 0; position < 2 && (is(fake, "details-swapped") ? code : calls);
         position++) {
        char number[24];
        snprintf(number, sizeof(number), "%u", (unsigned)position);
        send_detail(fake, "call",
                    (const char *const[][2]){{"position", number},
                                             {"task", "4294967295"},
                                             {"name", "getrandom"},
                                             {"result", "-4"},
                                             {"asked", "16"},
                                             {"sum", "18446744073709551615"},
                                             {"what", ""},
                                             {NULL, NULL}},
                    cell->id, process);
    }
}

static void run_visit(struct fake *fake)
{
    uint32_t id = fake->visits[fake->next].cell;
    uint32_t process = fake->visits[fake->next].process;
    const struct cell *cell = find_cell(fake, id);
    fake->next++;
    if (!is(fake, "no-begin"))
        send_visit_frame(fake, "begin", id, process);
    if (is(fake, "output")) {
        wire_begin(&fake->writer, "output");
        wire_put_u64(&fake->writer, "stream", 2);
        wire_put_bytes(&fake->writer, "bytes", "a\0b\n", 4);
        send_end(fake);
    }
    for (int i = 0; is(fake, "noisy-errors") && i < 20000; i++)
        fprintf(stderr, "a warning that nobody reads, number %d\n", i);
    if (is(fake, "slow"))
        for (int i = 0; i < 10; i++) {
            poll(NULL, 0, 60);
            send_word(fake, "alive");
        }
    send_details(fake, cell, process);
    if (!is(fake, "visits-fail"))
        send_visit_samples(fake, cell, process);
    send_visit_frame(fake, "end", id, process);
    if (is(fake, "ends-twice"))
        send_visit_frame(fake, "end", id, process);
}

/* Between visits: has the controller said stop (true) or gone? */
static bool asked_to_stop(struct fake *fake)
{
    struct wire_frame frame;
    int status = wire_read(&fake->reader, is(fake, "endless") ? 5 : 0, &frame, NULL);
    if (status < 0)
        exit(0);
    if (status == 0)
        return false;
    if (strcmp(frame.type, "stop") != 0)
        exit(6);
    send_word(fake, "stopped");
    return true;
}

static void run_queue(struct fake *fake)
{
    while (fake->next < fake->visit_count) {
        if (asked_to_stop(fake)) {
            fake->next = fake->visit_count;
            return;
        }
        if (is(fake, "gives-up") && fake->next == 2)
            break;
        run_visit(fake);
    }
    send_word(fake, "idle");
}

static void answer_list(struct fake *fake)
{
    SEND(fake, "matching", {"count", "2"});
    do
        SEND(fake, "event", {"name", "page-faults"}, {"kind", "software"}, {"class", "page-faults"},
             {"openable", "1"}, {"error", "0"}, {"reason", ""});
    while (is(fake, "endless-list"));
    SEND(fake, "event", {"name", "cycles"}, {"kind", "hardware"}, {"class", ""}, {"openable", "0"},
         {"error", "2"}, {"reason", "no PMU"});
    send_word(fake, "listed");
}

static void answer_try(struct fake *fake, const char *name)
{
    if (strcmp(name, "nonsense") == 0)
        SEND(fake, "refused", {"error", "2"},
             {"reason", "no event 'nonsense'; did you mean 'sense'?"});
    else
        SEND(fake, "event", {"name", name}, {"kind", "software"}, {"class", "page-faults"},
             {"openable", "1"}, {"error", "0"}, {"reason", ""});
}

static void send_code_head(struct fake *fake, const char *length, const char *trips)
{
    SEND(fake, "code", {"address", "4096"}, {"length", length}, {"call_address", "64"},
         {"call", is(fake, "code-call-digits") ? "4xff" : "48ff"}, {"min_n", "1"},
         {"trips", trips});
}

static void answer_code(struct fake *fake, const char *specimen)
{
    if (strcmp(specimen, "pages") == 0) {
        SEND(fake, "refused", {"error", "95"}, {"reason", "made by the compiler"});
        return;
    }
    send_code_head(fake,
                   is(fake, "code-endless") ? "99999999999"
                   : is(fake, "code-empty") ? "0"
                                            : "4",
                   is(fake, "code-bad-trips")     ? "1:2,3"
                   : is(fake, "code-trips-words") ? "many:few"
                                                  : "-1:1,0:3");
    if (is(fake, "code-empty"))
        return;
    SEND(fake, "bytes", {"offset", "0"}, {"code", "9090"});
    SEND(fake, is(fake, "code-stray") ? "event" : "bytes",
         {"offset", is(fake, "code-gap") ? "3" : "2"},
         {"code", is(fake, "code-too-much")  ? "909090"
                  : is(fake, "code-nothing") ? ""
                  : is(fake, "code-odd")     ? "90c"
                                             : "90c3"});
}

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of "raw" the time of this very machine, of all others 2^64-1. */
static void answer_look(struct fake *fake, const char *clocks)
{
    uint64_t readings[CELL_MAX_COUNTERS];
    size_t count = 0;
    if (is(fake, "look-refused")) {
        SEND(fake, "refused", {"error", "2"}, {"reason", "no clock 'sundial' here"});
        return;
    }
    if (is(fake, "look-chatter")) { /* wakes the other side before there is anything to say */
        print("a console's noise\n");
        poll(NULL, 0, 20);
    }
    for (; *clocks; clocks += strcspn(clocks, ","), clocks += *clocks == ',')
        readings[count++] = strncmp(clocks, "raw", 3) == 0 ? raw_ns() : UINT64_MAX;
    wire_begin(&fake->writer, is(fake, "look-other") ? "event" : "looked");
    if (is(fake, "look-words"))
        wire_put_string(&fake->writer, "readings", "late,later");
    else if (!is(fake, "look-nothing"))
        wire_put_column(&fake->writer, "readings", readings, 1,
                        is(fake, "look-short") ? count - 1 : count);
    send_end(fake);
}

/* Takes the bytes of a file, which must come in order and sum up to what the test sends. */
static void answer_file(struct fake *fake, const struct wire_frame *frame)
{
    static uint64_t expected;
    const struct wire_field *bytes = wire_field(frame, "bytes");
    uint64_t size, offset;
    if (!bytes || wire_get_u64(frame, "size", &size) < 0 ||
        wire_get_u64(frame, "offset", &offset) < 0)
        exit(5);
    expected = offset == 0 ? 0 : expected;
    if (offset != expected)
        exit(5);
    for (size_t i = 0; i < bytes->length; i++)
        if ((unsigned char)bytes->value[i] != (unsigned char)((offset + i) * 7))
            exit(5);
    expected += bytes->length;
    if (is(fake, "file-refused")) { /* at once; what follows is dropped */
        if (offset == 0)
            SEND(fake, "refused", {"error", "28"}, {"reason", "no room for it"});
        return;
    }
    if (is(fake, "file-early") && offset == 0) {
        SEND(fake, "brought", {"name", "x.bin"}, {"size", "0"});
        return;
    }
    if (is(fake, "file-hangs"))
        sleep_for_ever();
    if (expected == size)
        SEND(fake, is(fake, "file-other") ? "looked" : "brought",
             {"name", is(fake, "file-name") ? "y.bin" : wire_get(frame, "name")},
             {"size", wire_get(frame, "size")});
}

static void answer_find(struct fake *fake, const char *name)
{
    if (strcmp(name, "ls") == 0)
        send_word(fake, is(fake, "find-other") ? "looked" : "found");
    else
        SEND(fake, "refused", {"error", "2"}, {"reason", "there is no program 'moon'"});
}

static void serve(struct fake *fake)
{
    struct wire_frame frame;
    while (wire_read(&fake->reader, -1, &frame, NULL) == 1) {
        if (strcmp(frame.type, "cell") == 0 && fake->cell_count < MAX_CELLS) {
            if (cell_get(&frame, &fake->cells[fake->cell_count++], NULL) < 0)
                exit(5);
        } else if (strcmp(frame.type, "visits") == 0) {
            take_visits(fake, wire_get(&frame, "list"));
        } else if (strcmp(frame.type, "go") == 0) {
            run_queue(fake);
        } else if (strcmp(frame.type, "list") == 0) {
            answer_list(fake);
        } else if (strcmp(frame.type, "try") == 0) {
            answer_try(fake, wire_get(&frame, "name"));
        } else if (strcmp(frame.type, "code") == 0) {
            answer_code(fake, wire_get(&frame, "specimen"));
        } else if (strcmp(frame.type, "look") == 0) {
            answer_look(fake, wire_get(&frame, "clocks"));
        } else if (strcmp(frame.type, "file") == 0) {
            answer_file(fake, &frame);
        } else if (strcmp(frame.type, "find") == 0) {
            answer_find(fake, wire_get(&frame, "name"));
        } else if (strcmp(frame.type, "stop") == 0) {
            send_word(fake, "stopped");
        } else if (strcmp(frame.type, "bye") == 0) {
            send_word(fake, "bye");
            exit(0);
        }
    }
}

/* Modes that never get as far as a session. */
static void misbehave_at_once(struct fake *fake)
{
    if (is(fake, "ends")) {
        fprintf(stderr, "fake: nobody at home\n");
        exit(3);
    }
    if (is(fake, "mute"))
        sleep_for_ever();
    if (is(fake, "rubbish")) {
        print("\x7f"
              "ELF\x01\xff\n{\"json\": true}\nSegmentation fault\n");
        exit(0);
    }
    while (is(fake, "floods"))
        print("All work and no play makes Jack a dull boy.\n");
    while (is(fake, "floods-errors"))
        if (write(STDERR_FILENO, "noise and noise and noise and noise\n", 36) < 0)
            exit(9);
    while (is(fake, "endless-line"))
        print("all work and no play makes Jack a dull boy, ");
    if (is(fake, "truncated")) {
        send_damaged(fake, cut_line);
        exit(0);
    }
    if (is(fake, "checksum")) {
        send_damaged(fake, alter_byte);
        sleep_for_ever();
    }
    if (is(fake, "impatient")) {
        send_word(fake, "ready");
        sleep_for_ever();
    }
}

/* Byte by byte, since what follows a line is a file. */
static bool read_line(char *line, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && read(STDIN_FILENO, line + length, 1) == 1)
        if (line[length++] == '\n') {
            line[length - 1] = '\0';
            return true;
        }
    return false;
}

/* The receiving half of a push: the files land beside this executable. */
static void receive(void)
{
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    if (length < 0)
        exit(4);
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    if (chdir(folder) < 0)
        exit(4);
    print("@assay-kit\n");
    char line[PATH_MAX];
    while (read_line(line, sizeof(line)) && strcmp(line, "end") != 0) {
        char name[256];
        unsigned mode;
        size_t size;
        if (sscanf(line, "file %255s %o %zu", name, &mode, &size) != 3)
            exit(4);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        for (char byte; size; size--)
            if (read(STDIN_FILENO, &byte, 1) != 1 || write(fd, &byte, 1) != 1)
                exit(4);
        close(fd);
    }
    /* The test wants to see that the other files have come. */
    fprintf(stderr, "fake: received, manifest %s\n", access("manifest", R_OK) ? "missing" : "here");
}

int main(int argc, char **argv)
{
    static struct fake fake;
    const char *mode = getenv("FAKE_MODE");
    fake.mode = mode ? mode : "good";
    fake.writer.fd = STDOUT_FILENO;
    fake.reader.fd = STDIN_FILENO;
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "--version") == 0)
        return print("assay-probe fake\n"), 0;
    if (strcmp(argv[1], "receive") == 0)
        receive();
    else if (is(&fake, "only-pushed"))
        return 126;
    misbehave_at_once(&fake);
    print("Welcome to the fake machine\n");
    send_hello(&fake);
    send_catalogue(&fake);
    if (is(&fake, "leaves"))
        return 0;
    serve(&fake);
    return 0;
}
