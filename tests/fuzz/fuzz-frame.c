/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frames from a hostile peer: the input is a stream of lines, read as the controller and the probe
 * read theirs. So that the fuzzer gets past the checksum, a line whose last word is "seal" gets the
 * right one, and '#' as its sequence number the one that is due. */
#include "fuzz.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/words.h"
#include "wire/cell.h"

#define SEAL     " seal"
#define NUMBERED WIRE_SENTINEL " #"

/* Copies one line, sealing it where it asks for that. Returns its length. */
static size_t prepare_line(const char *line, size_t length, uint64_t sequence, char *out)
{
    const size_t numbered = strlen(NUMBERED);
    size_t used = 0;
    if (length >= numbered && memcmp(line, NUMBERED, numbered) == 0) {
        used = (size_t)sprintf(out, WIRE_SENTINEL " %llu", (unsigned long long)sequence);
        line += numbered;
        length -= numbered;
    }
    memcpy(out + used, line, length);
    used += length;
    const size_t seal = strlen(SEAL);
    if (used >= seal && memcmp(out + used - seal, SEAL, seal) == 0) {
        used -= seal;
        used += (size_t)sprintf(out + used, " %08x", wire_crc32(out, used));
    }
    return used;
}

/* What was understood can be said again, and is understood as the same. */
static void check_cell(const struct cell *cell)
{
    struct wire_writer writer = {.fd = -1};
    struct wire_frame frame;
    struct cell again;
    struct cell copy;
    assert(cell_copy(&copy, cell) == 0);
    if (cell_put(&writer, &copy) == 0) {
        writer.pending.bytes[writer.pending.length - 1] = '\0';
        assert(wire_parse(writer.pending.bytes, writer.pending.length - 1, &frame, NULL) == 0);
        assert(cell_get(&frame, &again, NULL) == 0);
        assert(again.id == cell->id && again.n == cell->n && again.cpu == cell->cpu);
        assert(strcmp(again.events[cell->counters - 1], cell->events[cell->counters - 1]) == 0);
        assert(cell_same_tour(&again, cell) && cell_same_tour(&copy, cell));
        assert(cell_same_watch(&again, cell) && cell_same_watch(&copy, cell));
        assert(cell_same_command(&again, cell) && cell_same_command(&copy, cell));
        cell_release(&again);
    }
    wire_writer_free(&writer);
    cell_release(&copy);
}

/* A tour that was taken is whole: its calls can be walked, and its runs are whole passes. */
static void check_tour(const struct cell *cell)
{
    AUTO_FREE struct tour_call *calls = NULL;
    size_t count = 0;
    if (!cell->tour.calls)
        return;
    assert(tour_parse(cell->tour.calls, &calls, &count, NULL) == 0);
    assert(count >= 1 && count <= TOUR_MOST_CALLS && cell->runs % count == 0);
    assert(count == cell_tour_length(&cell->tour));
    for (size_t i = 0; i < count; i++) {
        assert(calls[i].times >= 1 && calls[i].times <= TOUR_MOST_TIMES);
        assert(strlen(calls[i].operation) < TOUR_NAME && strchr(calls[i].operation, '.'));
    }
}

/* A command that was taken is one: it has a program, and what it asks for exists. */
static void check_command(const struct cell *cell)
{
    const struct cell_command *command = &cell->command;
    AUTO_WORDS char **words = NULL;
    if (!command->words)
        return;
    assert(words_split(command->words, &words, NULL) >= 1 && words[0][0]);
    assert(command->name && command->name[0] && !(command->controls & ~CONTROLS_ALL));
    assert(command->sweep < SWEEP_COUNT && command->detail < DETAIL_COUNT);
    assert(command->swept <= SWEEP_MOST && command->timeout <= COMMAND_MOST_MS);
    assert(cell->runs == 1 && !cell->tour.calls && cell->watch.kind == WATCH_NONE);
}

/* A watch that was taken makes sense: its runs are whole groups of looks, its columns clocks. */
static void check_watch(const struct cell *cell)
{
    struct external_clock clock;
    if (cell->watch.kind == WATCH_NONE)
        return;
    assert(cell->watch.kind < WATCH_OUTSIDE && cell->watch.threads >= 1);
    assert(cell->watch.threads <= WATCH_MOST_THREADS && cell->watch.moves <= WATCH_MOST_MOVES);
    assert(cell->runs % watch_group(cell->watch.kind, cell->watch.threads) == 0);
    assert(cell->watch.length <= WATCH_MOST_MICROS);
    assert((cell->watch.kind == WATCH_INTERVAL) == (cell->watch.workload != NULL));
    assert(!cell->watch.workload || strlen(cell->watch.workload) < WATCH_WORKLOAD);
    for (uint32_t i = 0; i < cell->counters; i++)
        assert(external_clock_parse(cell->events[i], &clock, NULL) >= 0);
}

/* Any text may come as a clock; it is a name, a person's own, or refused with a sentence. */
static void check_clock(const char *text)
{
    struct external_clock clock;
    struct failure failure = {0};
    int status = external_clock_parse(text, &clock, &failure);
    assert(status >= 0 || (status == -EINVAL && *failure.text));
    assert(status < 0 || (*clock.name && strlen(clock.name) < CLOCK_NAME));
    assert(status != 1 || (*clock.what && clock.hz <= EXTERNAL_MOST_HZ && clock.what > text &&
                           clock.what < text + strlen(text)));
}

/* Any text may come as calls; it is taken or refused with a sentence. */
static void check_calls(const char *text)
{
    AUTO_FREE struct tour_call *calls = NULL;
    size_t count = 0;
    struct failure failure = {0};
    int status = tour_parse(text, &calls, &count, &failure);
    assert(status == 0 ? count > 0 : status == -EINVAL && *failure.text && !calls);
}

static void check_batch(const struct batch *batch)
{
    uint64_t sum = 0; /* touches every row */
    for (size_t i = 0; i < (size_t)batch->runs * batch->counters; i++)
        sum += batch->values[i] + batch->enabled[i] + batch->running[i];
    for (uint32_t i = 0; i < batch->runs; i++)
        sum += batch->accounts[i].minor_faults + batch->accounts[i].involuntary;
    __asm__ volatile("" : : "r"(sum));
}

static void understand(const struct wire_frame *frame, struct batch_storage *storage)
{
    struct failure failure = {0};
    struct cell cell;
    struct batch batch;
    uint64_t number;
    int64_t integer;
    for (size_t i = 0; i < frame->field_count; i++) {
        assert(strlen(frame->fields[i].value) <= frame->fields[i].length);
        (void)wire_get_u64(frame, frame->fields[i].key, &number);
        (void)wire_get_i64(frame, frame->fields[i].key, &integer);
        check_calls(frame->fields[i].value);
        check_clock(frame->fields[i].value);
    }
    if (cell_get(frame, &cell, &failure) == 0) {
        check_cell(&cell);
        check_tour(&cell);
        check_watch(&cell);
        check_command(&cell);
        cell_release(&cell);
    }
    if (batch_get(frame, &batch, storage, &failure) == 0)
        check_batch(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct batch_storage storage = {0};
    struct wire_frame frame;
    uint64_t expected = 0;
    for (const char *line = (const char *)bytes, *end = line + size; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        struct failure failure = {0};
        AUTO_FREE char *prepared = malloc(length + 64);
        assert(prepared);
        size_t prepared_length = prepare_line(line, length, expected, prepared);
        prepared[prepared_length] = '\0';
        int status = wire_parse(prepared, prepared_length, &frame, &failure);
        assert(status == 0 || status == -ENOMSG || (status == -EBADMSG && *failure.text));
        if (status == 0) {
            understand(&frame, &storage);
            expected++;
        }
        line += length + 1;
    }
    batch_storage_free(&storage);
    return 0;
}
