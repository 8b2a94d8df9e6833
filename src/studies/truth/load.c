/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store has of one execution of a command: counts, how it ended, and what it executed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engine/command-line.h"
#include "engine/loading.h"
#include "studies/truth/study.h"

struct loading {
    struct truth_run *run;
    uint32_t cell; /* that counted it; 0: none did */
    struct cell counted;
};

/* --- who tried to count it, and who did --- */

/* Every try is a cell: the first column is SOURCE/CLASS/. */
static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    struct loading *loading = context;
    struct truth_run *run = loading->run;
    const struct cell_command *command = &stored->cell.command;
    char source[sizeof(run->counted.source)] = "";
    if (!command->words || !stored->cell.counters)
        return 0;
    snprintf(source, sizeof(source), "%.*s", (int)strcspn(stored->cell.events[0], "/"),
             stored->cell.events[0]);
    run->controls = command->controls;
    run->timeout = command->timeout;
    run->shown = command->shown;
    run->line = memory_copy(command->words);
    run->name = memory_copy(command->name ? command->name : "");
    if (!stored->done && !stored->failed) /* it was interrupted then */
        return 0;
    if (!stored->done) {
        run->error = stored->error;
        skips_add(&run->studying.skips, source, stored->reason ? stored->reason : "",
                  stored->error);
        return 0;
    }
    /* A path that is not the program's own counts where nobody had that one. */
    if (loading->cell && stored->remark) {
        skips_add(&run->studying.skips, source, stored->remark, 0);
        return 0;
    }
    if (loading->cell)
        skips_add(&run->studying.skips, run->counted.source, run->counted.other_path, 0);
    *place = stored->cell.id;
    loading->cell = stored->cell.id;
    loading->counted = plan_copy(&stored->cell);
    run->counted = (struct truth_counted){.other_path = memory_copy(stored->remark)};
    memcpy(run->counted.source, source, sizeof(source));
    /* Which details it could have given then is not told: as today's. */
    run->known_counter =
        (struct catalogue_counter){.source = memory_copy(source), .details = memory_copy("code")};
    run->counter = &run->known_counter;
    return 0;
}

/* Sources that were not there have no event, only their name. */
static int take_absent(void *context, const struct stored_event *event)
{
    struct truth_run *run = context;
    if (!strchr(event->name, '/'))
        skips_add(&run->studying.skips, event->name, event->reason ? event->reason : "",
                  event->error);
    return 0;
}

static int take_note(void *context, const struct stored_event *event)
{
    struct truth_run *run = context;
    const size_t length = strlen(run->counted.source);
    if (length && strncmp(event->name, run->counted.source, length) == 0 &&
        event->name[length] == '/')
        run->known_counter.note = memory_copy(event->reason ? event->reason : "");
    return 0;
}

static int take_subject(void *context, const struct stored_subject *stored)
{
    struct catalogue *known = context;
    *memory_add(known->subjects, known->subject_count) =
        (struct catalogue_subject){.name = memory_copy(stored->name),
                                   .has_truth = stored->has_truth,
                                   .base = stored->base,
                                   .each = stored->each};
    return 0;
}

/* --- counts --- */

static void take_value(struct truth_counted *counted, const char *event, uint64_t value)
{
    char instructions[64], raw[64];
    snprintf(instructions, sizeof(instructions), "%s/instructions/", counted->source);
    snprintf(raw, sizeof(raw), "%s/instructions-raw/", counted->source);
    const struct {
        const char *event;
        uint64_t *value;
    } places[] = {
        {instructions, &counted->instructions},
        {raw, &counted->raw},
        {RUN_STATUS, &counted->status},
        {RUN_OUTPUT_BYTES, &counted->output_bytes},
        {RUN_TASKS, &counted->tasks},
        {RUN_PROCESSES, &counted->processes},
        {RUN_LEFT, &counted->left},
        {RUN_NANOSECONDS, &counted->nanoseconds},
        {RUN_RIGHTS, &counted->rights},
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
        if (strcmp(places[i].event, event) == 0)
            *places[i].value = value;
    counted->has_raw |= strcmp(raw, event) == 0;
}

static int take_run(void *context, const struct read_run *read)
{
    struct loading *loading = context;
    struct truth_counted *counted = &loading->run->counted;
    if (read->place != loading->cell)
        return 0;
    counted->account = read->account;
    for (uint32_t i = 0; i < read->counters; i++) {
        const char *event = loading->counted.events[i];
        /* What could not be known was not running: the counts of a source (its first columns) that
         * was killed. */
        if (strncmp(event, "run/", 4) != 0 && read->enabled[i] && !read->running[i])
            counted->lost = true;
        else
            take_value(counted, event, read->values[i]);
        if (strcmp(event, RUN_OUTPUT_BYTES) == 0)
            counted->output_known = read->running[i] > 0;
    }
    return 0;
}

/* --- what was executed --- */

static int take_executed(void *context, const struct stored_executed *executed)
{
    struct loading *loading = context;
    struct truth_counted *counted = &loading->run->counted;
    if (executed->cell != loading->cell)
        return 0;
    struct truth_sums *sums = strcmp(executed->kind, "function") == 0 ? &counted->functions
                              : strcmp(executed->kind, "opcode") == 0 ? &counted->opcodes
                                                                      : &counted->classes;
    const bool function = sums == &counted->functions, class = sums == &counted->classes;
    if (class && strcmp(executed->name, EXECUTED_UNKNOWN) == 0) {
        counted->unknown = executed->count;
        return 0;
    }
    *memory_add(sums->list, sums->count) = (struct truth_sum){
        .object = memory_copy(executed->object),
        .name = memory_copy(executed->name),
        .count = executed->count,
        .repetitions = class ? 0 : executed->repetitions,
        .unsure = class ? executed->repetitions : 0,
    };
    counted->has_code |= function;
    counted->told += function ? executed->count : 0;
    counted->repetitions += function ? executed->repetitions : 0;
    return 0;
}

/* What no decoder knows may be of each class and opcode, what was not told of everything. */
static void take_unsure(struct truth_counted *counted)
{
    struct truth_sums *const all[] = {&counted->functions, &counted->opcodes, &counted->classes};
    const uint64_t untold =
        counted->told < counted->instructions ? counted->instructions - counted->told : 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        for (size_t j = 0; j < all[i]->count; j++) {
            struct truth_sum *sum = &all[i]->list[j];
            const bool whole = all[i] == &counted->functions ||
                               strcmp(sum->name, EXECUTED_UNKNOWN) == 0 ||
                               strcmp(sum->name, "instructions") == 0;
            if (!whole && sum->unsure < counted->unknown) /* stores of before told no more */
                sum->unsure = counted->unknown;
            sum->unsure += untold;
        }
}

int truth_load(void *kept, struct store *store, struct failure *failure)
{
    struct truth_run *run = kept;
    struct loading loading = {.run = run};
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = &loading,
                            .cell = take_cell,
                            .run = take_run};
    run->catalogue = run->studying.catalogue ? run->studying.catalogue : &run->known;
    int error = store_each_event(store, take_absent, run, failure);
    if (error == 0)
        error = reader_read(&reader);
    if (error == 0)
        error = store_each_event(store, take_note, run, failure);
    if (error == 0)
        error = store_each_subject(store, take_subject, &run->known, failure);
    if (error == 0 && loading.cell)
        error = store_each_executed(store, take_executed, &loading, failure);
    take_unsure(&run->counted);
    if (error == 0 && !run->line && run->studying.given->from)
        error = fail_with(failure, -EINVAL, "the run in %.300s ended before the command was tried",
                          run->studying.given->from);
    for (size_t i = 0; run->counter && i < run->candidate_count; i++)
        if (strcmp(run->candidates[i]->source, run->counted.source) == 0)
            run->counter = run->candidates[i];
    return error;
}
