/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fake probe's visits: samples that tests can predict, and what may go wrong around them. */
#include <poll.h>
#include <signal.h>

#include "fake-probe.h"

void take_visits(struct fake *fake, const char *list)
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
    wire_begin(&fake->writer, type);
    wire_put_u64(&fake->writer, "cell", cell);
    wire_put_u64(&fake->writer, "process", process);
    put_altered(fake, type, fields);
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

void run_queue(struct fake *fake)
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
