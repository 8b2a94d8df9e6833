/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file from anywhere, opened as a store and read to its end: it is refused with a sentence, or
 * everything in it makes sense. Nothing of it is taken on trust, nothing lasts forever. */
#include "fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/store.h"

/* One file for all inputs, in memory where there is such a file system; gone with the process. */
static const char *file_name(void)
{
    static char name[64];
    if (!name[0]) {
        snprintf(name, sizeof(name), "%s/assay-fuzz-store-%d",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
    }
    return name;
}

static void remove_file(void)
{
    static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char name[96];
        snprintf(name, sizeof(name), "%s%s", file_name(), suffixes[i]);
        unlink(name);
    }
}

static void write_file(const uint8_t *bytes, size_t size)
{
    AUTO_CLOSE int fd = open(file_name(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
}

static int see_cell(void *context, const struct stored_cell *stored)
{
    const struct cell *cell = &stored->cell;
    size_t *cells = context;
    assert(cell->id >= 1 && cell->counters >= 1 && cell->counters <= CELL_MAX_COUNTERS);
    assert(cell->path && cell->specimen && cell->opt && cell->link);
    assert((unsigned)cell->pattern < PATTERN_COUNT);
    for (uint32_t i = 0; i < cell->counters; i++)
        assert(cell->events[i]);
    assert(stored->done + stored->failed <= stored->processes);
    assert(cell_check_tour(cell, NULL) == 0);
    assert(cell_check_watch(cell, NULL) == 0);
    assert(cell_check_command(cell, NULL) == 0);
    ++*cells;
    return 0;
}

static int see_sample(void *context, const struct sample *sample)
{
    uint64_t *samples = context;
    assert(sample->cell >= 1 && sample->run < 1u << 20 && sample->counter < CELL_MAX_COUNTERS);
    ++*samples;
    return 0;
}

static int see_event(void *context, const struct stored_event *event)
{
    (void)context;
    assert(event->name[0] && event->kind && event->error >= 0);
    return 0;
}

static int see_truth(void *context, const struct stored_truth *truth)
{
    (void)context;
    assert(truth->specimen[0] && truth->class[0] && truth->grade && truth->why && truth->sources);
    return 0;
}

static int see_opcode(void *context, const struct stored_opcode *opcode)
{
    (void)context;
    assert(opcode->specimen[0] && opcode->opcode);
    return 0;
}

static int see_operation(void *context, const struct stored_operation *operation)
{
    (void)context;
    assert(operation->path[0] && operation->kind[0] && operation->instrument[0]);
    assert(operation->effect && operation->when && operation->links && operation->page);
    return 0;
}

static int see_clock(void *context, const struct stored_clock *clock)
{
    (void)context;
    assert(clock->name[0] && clock->kind[0] && clock->way && clock->hardware);
    assert(clock->claim && clock->note);
    return 0;
}

static int see_subject(void *context, const struct stored_subject *subject)
{
    (void)context;
    assert(subject->name[0] && subject->summary && subject->shows);
    assert(subject->bits == 32 || subject->bits == 64);
    return 0;
}

static int see_executed(void *context, const struct stored_executed *executed)
{
    (void)context;
    assert(executed->kind[0] && executed->object && executed->name);
    assert(executed->name[0] || strcmp(executed->kind, "function") == 0);
    return 0;
}

/* Positions have no gaps: who counts first has the room. */
static int see_call(void *context, const struct stored_call *call)
{
    uint64_t *next = context;
    *next = call->position == 0 ? 0 : *next;
    assert(call->name[0] && call->what && call->position == (*next)++);
    return 0;
}

static int read_details(struct store *store, struct failure *failure)
{
    uint64_t next = 0;
    int error = store_each_subject(store, see_subject, NULL, failure);
    if (!error)
        error = store_each_executed(store, see_executed, NULL, failure);
    return error ? error : store_each_call(store, see_call, &next, failure);
}

static int read_knowledge(struct store *store, struct failure *failure)
{
    int error = store_each_event(store, see_event, NULL, failure);
    if (!error)
        error = store_each_specimen_truth(store, see_truth, NULL, failure);
    if (!error)
        error = store_each_opcode(store, see_opcode, NULL, failure);
    if (!error)
        error = store_each_operation(store, see_operation, NULL, failure);
    if (!error)
        error = store_each_clock(store, see_clock, NULL, failure);
    return error;
}

static int read_store(struct store *store, struct failure *failure)
{
    struct store_info info;
    size_t cells = 0;
    uint64_t samples = 0;
    int error = store_info(store, &info, failure);
    if (error)
        return error;
    struct facts facts = {0};
    struct visit *visits = NULL;
    size_t visit_count = 0;
    error = store_facts(store, &facts, failure);
    if (!error)
        error = store_each_cell(store, see_cell, &cells, failure);
    if (!error)
        error = store_visits(store, false, &visits, &visit_count, failure);
    if (!error)
        error = store_each_sample(store, 0, see_sample, &samples, failure);
    if (!error)
        error = read_knowledge(store, failure);
    if (!error)
        error = read_details(store, failure);
    if (!error)
        assert(cells == info.cells && visit_count == info.visits && samples == info.samples);
    free(visits);
    facts_free(&facts);
    store_info_release(&info);
    return error;
}

/* What is left of it can be nothing, or something that is read like any other. */
static void salvage(void)
{
    char rest[96];
    const char *const from[] = {file_name()};
    const struct salvage nobody = {0};
    struct store *store = NULL;
    struct failure failure = {0};
    snprintf(rest, sizeof(rest), "%s.rest", file_name());
    int error = collection_salvage(rest, from, 1, &nobody, NULL, &failure);
    if (!error)
        error = store_open(&store, rest, false, &failure);
    if (!error)
        error = read_store(store, &failure);
    assert(!error || (error < 0 && failure.text[0]));
    store_close(store);
    unlink(rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (int writable = 0; writable < 2; writable++) {
        struct store *store = NULL;
        struct failure failure = {0};
        write_file(bytes, size);
        int error = store_open(&store, file_name(), writable, &failure);
        if (!error)
            error = read_store(store, &failure);
        assert(!error || (error < 0 && failure.text[0]));
        store_close(store);
        remove_file();
    }
    write_file(bytes, size);
    salvage();
    remove_file();
    return 0;
}
