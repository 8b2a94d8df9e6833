/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything a store tells, as text; and files as they are, for tests that damage them. Stands
 * after store-fixture.h. */
#pragma once

#include "base/cleanup.h"
#include "base/text.h"

UNUSED static const char *told(const char *text)
{
    return text ? text : "-";
}

UNUSED static int dump_cell(void *context, const struct stored_cell *stored)
{
    const struct cell *cell = &stored->cell;
    struct text *out = context;
    text_printf(out, "cell %u %u %s %d %s %" PRIu64 " %s %s %u %d %d", cell->id, cell->counters,
                cell->path, (int)cell->pattern, cell->specimen, cell->n, cell->opt, cell->link,
                cell->runs, cell->separate, cell->cpu);
    text_printf(out, " %d %" PRId64 " %d %" PRId64 " %u %u %u\n", stored->has_faults,
                stored->faults, stored->has_switches, stored->switches, stored->processes,
                stored->done, stored->failed);
    if (cell->tour.calls)
        text_printf(out, "%s %s %u %d\n", cell->tour.calls, cell->tour.counted, cell->tour.open,
                    cell->tour.cold);
    if (cell->watch.kind != WATCH_NONE)
        text_printf(out, "watch %d %s %" PRIu64 " %u %u %d %d %d\n", (int)cell->watch.kind,
                    cell->watch.workload ? cell->watch.workload : "-", (uint64_t)cell->watch.length,
                    cell->watch.threads, cell->watch.moves, cell->watch.handover, cell->watch.awake,
                    cell->watch.partner);
    if (cell->command.words)
        text_printf(out, "command %s %s %s %s %s %u %d %" PRIu64 " %" PRIu64 " %d %d\n",
                    cell->command.words, cell->command.name, told(cell->command.directory),
                    told(cell->command.input), told(cell->command.keep),
                    (unsigned)cell->command.controls, (int)cell->command.sweep,
                    (uint64_t)cell->command.swept, (uint64_t)cell->command.timeout,
                    (int)cell->command.detail, cell->command.shown);
    for (uint32_t i = 0; i < cell->counters; i++) {
        const struct stored_counter *counter = &stored->counters[i];
        text_printf(out, "%s %s %d %" PRId64 " %s\n", cell->events[i],
                    counter->class ? counter->class : "-", counter->has_truth, counter->truth,
                    counter->grade ? counter->grade : "-");
    }
    return 0;
}

UNUSED static int dump_sample(void *context, const struct sample *sample)
{
    text_printf(context,
                "%u %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " %" PRIu64 "\n",
                sample->cell, sample->process, sample->run, sample->counter, sample->value,
                sample->enabled, sample->running, sample->account.minor_faults,
                sample->account.major_faults, sample->account.voluntary,
                sample->account.involuntary);
    return 0;
}

UNUSED static int dump_event(void *context, const struct stored_event *event)
{
    text_printf(context, "event %s %s %s %d %s\n", event->name, event->kind,
                event->class ? event->class : "-", event->error,
                event->reason ? event->reason : "-");
    return 0;
}

UNUSED static int dump_truth(void *context, const struct stored_truth *truth)
{
    text_printf(context, "truth %s %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s %s %s\n",
                truth->specimen, truth->class, truth->base, truth->each, truth->high_base,
                truth->high_each, truth->grade, truth->why, truth->sources);
    return 0;
}

UNUSED static int dump_opcode(void *context, const struct stored_opcode *opcode)
{
    text_printf(context, "opcode %s %s %" PRId64 " %" PRId64 "\n", opcode->specimen, opcode->opcode,
                opcode->base, opcode->each);
    return 0;
}

UNUSED static int dump_operation(void *context, const struct stored_operation *operation)
{
    text_printf(context, "operation %s %s %s %s %s %s %d %d %s %s\n", operation->path,
                operation->kind, operation->instrument, operation->effect, operation->when,
                operation->links, operation->binds, operation->alone, operation->page,
                operation->note);
    return 0;
}

UNUSED static int dump_clock(void *context, const struct stored_clock *clock)
{
    text_printf(context, "clock %s %s %s %s %s %s %" PRIu64 " %" PRIu64 " %d %d\n", clock->name,
                clock->kind, clock->way, clock->hardware, clock->claim, clock->note, clock->hz,
                clock->resolution_ps, clock->slow, clock->steered);
    return 0;
}

UNUSED static int dump_subject(void *context, const struct stored_subject *subject)
{
    text_printf(context, "subject %s %s %s %" PRIu64 " %d %" PRId64 " %" PRId64 " %d %d\n",
                subject->name, subject->summary, subject->shows, subject->n, subject->has_truth,
                subject->base, subject->each, subject->bits, subject->libc);
    return 0;
}

UNUSED static int dump_executed(void *context, const struct stored_executed *executed)
{
    text_printf(context, "executed %u %u %s %s %s %" PRIu64 " %" PRIu64 "\n", executed->cell,
                executed->process, executed->kind, executed->object, executed->name,
                executed->count, executed->repetitions);
    return 0;
}

UNUSED static int dump_call(void *context, const struct stored_call *call)
{
    text_printf(context, "call %u %u %" PRIu64 " %u %s %s %" PRId64 " %" PRIu64 " %" PRIu64 "\n",
                call->cell, call->process, call->position, call->task, call->name, call->what,
                call->result, call->asked, call->sum);
    return 0;
}

UNUSED static int dump_knowledge(struct store *store, struct text *out, struct failure *failure)
{
    int error = store_each_event(store, dump_event, out, failure);
    if (!error)
        error = store_each_specimen_truth(store, dump_truth, out, failure);
    if (!error)
        error = store_each_opcode(store, dump_opcode, out, failure);
    if (!error)
        error = store_each_operation(store, dump_operation, out, failure);
    if (!error)
        error = store_each_clock(store, dump_clock, out, failure);
    if (!error)
        error = store_each_subject(store, dump_subject, out, failure);
    if (!error)
        error = store_each_executed(store, dump_executed, out, failure);
    if (!error)
        error = store_each_call(store, dump_call, out, failure);
    return error;
}

UNUSED static int dump_head(struct store *store, struct text *out, struct failure *failure)
{
    struct store_info info;
    int error = store_info(store, &info, failure);
    if (error)
        return error;
    text_printf(
        out, "%d %s %s %s %s %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
        info.schema, info.command, info.argv, info.version, info.fingerprint, info.started,
        info.finished ? info.finished : "-", info.seed, info.cells, info.visits, info.visits_done,
        info.samples);
    store_info_release(&info);
    struct facts facts = {0};
    error = store_facts(store, &facts, failure);
    for (size_t i = 0; i < facts.count; i++)
        text_printf(out, "%s=%s %d\n", facts.list[i].key,
                    facts.list[i].value ? facts.list[i].value : "-", facts.list[i].error);
    facts_free(&facts);
    return error;
}

UNUSED static int dump(const char *path, struct text *out, struct failure *failure)
{
    struct store *store = NULL;
    text_clear(out);
    int error = store_open(&store, path, false, failure);
    if (!error)
        error = dump_head(store, out, failure);
    if (!error)
        error = store_each_cell(store, dump_cell, out, failure);
    if (!error)
        error = store_each_sample(store, 0, dump_sample, out, failure);
    if (!error)
        error = dump_knowledge(store, out, failure);
    struct visit *visits = NULL;
    size_t count = 0;
    if (!error)
        error = store_visits(store, false, &visits, &count, failure);
    for (size_t i = 0; i < count; i++)
        text_printf(out, "visit %u %u\n", visits[i].cell, visits[i].process);
    free(visits);
    store_close(store);
    return error;
}

UNUSED static void write_file(const char *path, const char *content, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, size, file), size);
    fclose(file);
}

UNUSED static char *read_file(const char *path, size_t *size)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY);
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    *size = (size_t)status.st_size;
    char *bytes = malloc(*size);
    assert_int_equal(read(fd, bytes, *size), *size);
    return bytes;
}

UNUSED static void change(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}
