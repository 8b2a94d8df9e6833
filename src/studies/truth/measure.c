/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executes the command by one source after the other, the fastest first, until one of them could
 * count all of it. Every try is a cell of the same store. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "engine/command-line.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/run-store.h"
#include "engine/skips.h"
#include "studies/truth/study.h"

/* ----------------------------------------------------------------------------------------------
 * Who can count a command here by executing it: the fastest first, and why others cannot. */

/* By speed; what a catalogue has beyond these comes behind them. */
static const char *const by_speed[] = {"qemu", "valgrind", "step"};
#define SPEEDS (sizeof(by_speed) / sizeof(*by_speed))

static size_t speed_of(const char *source)
{
    size_t place = 0;
    while (place < SPEEDS && strcmp(by_speed[place], source) != 0)
        place++;
    return place;
}

/* Something that counts by executing has classes of its own. */
static bool counts_by_executing(const struct catalogue_counter *counter)
{
    return counter->classes && *counter->classes;
}

static int compare_speed(const void *left, const void *right)
{
    const struct catalogue_counter *const *one = left, *const *other = right;
    const size_t first = speed_of((*one)->source), second = speed_of((*other)->source);
    return (first > second) - (first < second);
}

static void put_names(const struct truth_run *run, struct text *out)
{
    for (size_t i = 0; i < run->candidate_count; i++)
        text_printf(out, "%s%s", i ? ", " : "", run->candidates[i]->source);
}

/* The one that was asked for; -EINVAL, -ENODEV say why it is none. */
static int choose_one(struct truth_run *run, struct failure *failure)
{
    const char *wanted = run->options->source;
    for (size_t i = 0; i < run->candidate_count; i++)
        if (strcmp(run->candidates[i]->source, wanted) == 0) {
            run->candidates[0] = run->candidates[i];
            run->candidate_count = 1;
            return 0;
        }
    const struct catalogue_absence *absence = absences_find(run->catalogue, "counter", wanted);
    if (absence)
        return fail_with(failure, -ENODEV, "%.100s cannot count commands here: %.600s", wanted,
                         absence->reason);
    AUTO_TEXT struct text names = {0};
    put_names(run, &names);
    return fail_with(failure, -EINVAL,
                     "--source %.100s: nothing here counts commands by executing them under that "
                     "name%s%.300s",
                     wanted, names.length ? "; there are " : "", text_string(&names));
}

static int skip_absent(struct truth_run *run)
{
    int error = 0;
    for (size_t i = 0; i < run->catalogue->absence_count && error == 0; i++) {
        const struct catalogue_absence *absence = &run->catalogue->absences[i];
        if (strcmp(absence->kind, "counter") == 0 && strcmp(absence->name, "perf_event") != 0)
            error = skips_add(&run->skips, absence->name, absence->reason, absence->error);
    }
    return error;
}

static int find(struct truth_run *run, struct failure *failure)
{
    const struct catalogue *catalogue = run->catalogue;
    run->candidates = calloc(catalogue->counter_count + 1, sizeof(*run->candidates));
    if (!run->candidates)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (size_t i = 0; i < catalogue->counter_count; i++)
        if (counts_by_executing(&catalogue->counters[i]))
            run->candidates[run->candidate_count++] = &catalogue->counters[i];
    if (run->candidate_count)
        qsort(run->candidates, run->candidate_count, sizeof(*run->candidates), compare_speed);
    if (run->options->source)
        return choose_one(run, failure);
    if (skip_absent(run) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    if (run->candidate_count)
        return 0;
    return fail_with(failure, -ENODEV, "nothing here can count a command by executing it%s%.700s",
                     run->skips.count ? ": " : "",
                     run->skips.count ? run->skips.list[0].reason : "");
}

int truth_find_sources(struct truth_run *run)
{
    struct failure failure = {0};
    return find(run, &failure) < 0 ? truth_fail(&failure) : EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * Executes the command by one source after the other, the fastest first, until one of them could
 * count all of it. Every try is a cell of the same store. */

/* --- what comes beside counts --- */

static int take_ran(void *context, const struct sent_ran *ran, struct failure *failure)
{
    struct truth_run *run = context;
    if (!run->executed && executed_new(&run->executed, run->catalogue->isa) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    run->ran = true;
    return executed_add(run->executed, ran, failure);
}

/* What a visit that failed had executed says nothing: its sums are forgotten with it. */
static int end_visit(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                     struct failure *failure)
{
    struct truth_run *run = context;
    (void)cell, (void)process;
    const bool ran = run->ran;
    run->ran = false;
    if (ran && state == VISIT_DONE)
        return executed_store(run->executed, run->store, run->by_opcode, true, failure);
    executed_free(run->executed);
    run->executed = NULL;
    return 0;
}

/* What the command writes goes where it would have gone; a reader that left is the reader's. */
static void pass_on(void *context, int stream, const char *bytes, size_t length)
{
    const struct truth_run *run = context;
    const int fd = stream == 2 ? STDERR_FILENO : STDOUT_FILENO;
    while (run->options->show_output && length) {
        const ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR)
            return;
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

/* --- cells --- */

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; at && *at; at += strspn(at, ",")) {
        const size_t this = strcspn(at, ",");
        if (this == length && strncmp(at, word, length) == 0)
            return true;
        at += this;
    }
    return false;
}

/* Valgrind counts in nanoseconds and tells which instructions they were in microseconds. */
bool truth_tells_late(const struct catalogue_counter *counter)
{
    return strcmp(counter->source, "valgrind") == 0 && has_word(counter->details, "code");
}

/* What it counts: all classes of the source, and what became of the command. */
static int put_events(struct cell *cell, const struct catalogue_counter *counter)
{
    static const char *const columns[] = {RUN_STATUS, RUN_OUTPUT_BYTES, RUN_TASKS, RUN_PROCESSES,
                                          RUN_LEFT,   RUN_NANOSECONDS,  RUN_RIGHTS};
    const size_t column_count = sizeof(columns) / sizeof(*columns);
    for (const char *at = counter->classes;
         *at && cell->counters + column_count < CELL_MAX_COUNTERS; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");
        if (asprintf(&cell->events[cell->counters], "%s/%.*s/", counter->source, (int)length, at) <
            0)
            return -ENOMEM;
        cell->counters++;
        at += length;
    }
    for (size_t i = 0; i < column_count; i++) {
        cell->events[cell->counters] = strdup(columns[i]);
        if (!cell->events[cell->counters])
            return -ENOMEM;
        cell->counters++;
    }
    return 0;
}

static bool copy(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

static int make_cell(const struct truth_run *run, const struct catalogue_counter *counter,
                     uint32_t id, struct cell *cell)
{
    *cell = (struct cell){.id = id,
                          .path = strdup("command"),
                          .pattern = PATTERN_RR,
                          .specimen = strdup("null"),
                          .opt = strdup("O2"),
                          .link = strdup("static"),
                          .runs = 1,
                          .cpu = run->controls & CONTROL_BIT(CONTROL_CPU) ? run->cpu : -1};
    struct cell_command *command = &cell->command;
    command->controls = run->controls;
    command->timeout = run->options->timeout;
    command->shown = run->options->show_output;
    command->lent = command_line_lent(run->options->common.via, false);
    const bool tells = has_word(counter->details, "code") &&
                       (!truth_tells_late(counter) || run->by_opcode || run->by_function);
    command->detail = tells ? DETAIL_CODE : DETAIL_NONE;
    const bool whole = cell->path && cell->specimen && cell->opt && cell->link &&
                       copy(&command->words, run->line) && copy(&command->name, run->name) &&
                       copy(&command->input, run->input) && copy(&command->keep, run->keep) &&
                       copy(&command->directory, run->directory);
    return whole ? put_events(cell, counter) : -ENOMEM;
}

/* --- one try --- */

/* A program of the kit: how long it is. */
static int put_subject(struct truth_run *run, struct failure *failure)
{
    const size_t prefix = strlen(SUBJECT_WORD);
    char name[128];
    if (strncmp(run->line, SUBJECT_WORD, prefix) != 0)
        return 0;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(run->line + prefix, " "), run->line + prefix);
    const struct catalogue_subject *known = catalogue_subject(run->catalogue, name);
    return known ? run_store_put_subject(run->store, known, failure) : 0;
}

/* Sources that are not there, by their names; those that are have cells. */
static int put_absent(struct truth_run *run, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < run->skips.count && error == 0; i++) {
        const struct skip *skip = &run->skips.list[i];
        const struct stored_event event = {
            .name = skip->what, .kind = "source", .error = skip->error, .reason = skip->reason};
        error = store_put_event(run->store, &event, failure);
    }
    return error;
}

static int create_store(struct truth_run *run, struct failure *failure)
{
    const struct run_store whose = {.command = "truth",
                                    .common = &run->options->common,
                                    .catalogue = run->catalogue,
                                    .path = run->options->store};
    int error = run_store_create(&whose, &run->store, failure);
    if (error == 0)
        error = put_absent(run, failure);
    return error < 0 ? error : put_subject(run, failure);
}

/* What to know when reading its counts goes with them. */
static int put_note(struct truth_run *run, const struct cell *cell,
                    const struct catalogue_counter *counter, struct failure *failure)
{
    const struct stored_event event = {.name = cell->events[0],
                                       .kind = "source",
                                       .class = "instructions",
                                       .reason = counter->note ? counter->note : ""};
    return store_put_event(run->store, &event, failure);
}

static int put_plan(struct truth_run *run, const struct cell *cell, struct failure *failure)
{
    const struct visit visit = {.cell = cell->id, .process = 1};
    int error = store_put_plan(run->store, cell, 1, &visit, 1, failure);
    for (uint32_t i = 0; i < cell->counters && error == 0; i++) {
        /* SOURCE/CLASS/ */
        const char *slash = strchr(cell->events[i], '/');
        char class[64] = "";
        if (slash && strncmp(cell->events[i], "run/", 4) != 0)
            snprintf(class, sizeof(class), "%.*s", (int)strcspn(slash + 1, "/"), slash + 1);
        error = store_put_truth(run->store, cell->id, i, *class ? class : NULL, 0, NULL, failure);
    }
    return error < 0 ? error : store_commit(run->store, failure);
}

static int gather_one(struct truth_run *run, const struct cell *cells, size_t count)
{
    const struct gather_beside beside = {
        .context = run, .ran = take_ran, .ending = end_visit, .output = pass_on};
    struct common_options common = run->options->common;
    /* A line of progress would stand in the command's own. */
    common.quiet |= run->options->show_output;
    const struct gathering gathering = {.command = "truth",
                                        .common = &common,
                                        .session = run->session,
                                        .store = run->store,
                                        .cells = cells,
                                        .cell_count = count,
                                        .once = true,
                                        .more = true,
                                        .beside = &beside};
    struct failure refusal = {0};
    bool complete = false;
    int status = gather(&gathering, &complete, &refusal);
    if (refusal.text[0])
        return truth_fail(&refusal);
    return status == EXIT_DONE || status == EXIT_INTERRUPTED ? status : EXIT_OURS;
}

/* Did the source refuse, or is it the command that cannot be executed, by anybody? */
static bool is_commands_own(int error)
{
    return command_exit_of_error(error) != EXIT_OURS;
}

static int look_at(struct truth_run *run, const struct catalogue_counter *counter, uint32_t cell,
                   struct failure *failure)
{
    struct command_outcome outcome = {.cell = cell};
    int error = command_outcome_find(run->store, &outcome, failure);
    if (error == 0 && outcome.done) {
        run->counter = counter;
        error = truth_load(run, cell, failure);
    } else if (error == 0) {
        run->error = outcome.error;
        error = skips_add(&run->skips, counter->source, outcome.reason ? outcome.reason : "",
                          outcome.error);
    }
    free(outcome.reason);
    return error < 0 && !failure->code ? fail_with(failure, error, "out of memory") : error;
}

/* Who watches should know that it is executed once more, and why. */
static void say_again(const struct truth_run *run, const char *source)
{
    const struct skip *last = &run->skips.list[run->skips.count - 1];
    deliver_remark(&run->options->common, "%s could not count it: %s. Executing it again by %s%s",
                   last->what, last->reason, source,
                   run->options->show_output ? "; what it writes comes again" : "");
}

/* EXIT_DONE: run->counter says whether it was counted. */
static int try_one(struct truth_run *run, struct cell *cells, size_t index)
{
    struct failure failure = {0};
    const struct catalogue_counter *counter = run->candidates[index];
    int error = make_cell(run, counter, (uint32_t)index + 1, &cells[index]);
    if (error < 0)
        fail_with(&failure, error, "out of memory");
    if (error == 0)
        error = put_plan(run, &cells[index], &failure);
    if (error == 0)
        error = put_note(run, &cells[index], counter, &failure);
    if (error < 0)
        return truth_fail(&failure);
    if (index)
        say_again(run, counter->source);
    int status = gather_one(run, cells, index + 1);
    if (status != EXIT_DONE)
        return status;
    error = look_at(run, counter, cells[index].id, &failure);
    return error < 0 ? truth_fail(&failure) : EXIT_DONE;
}

static int try_all(struct truth_run *run, struct cell *cells)
{
    struct failure failure = {0};
    int status = create_store(run, &failure) < 0 ? truth_fail(&failure) : EXIT_DONE;
    for (size_t i = 0; status == EXIT_DONE && i < run->candidate_count && !run->counter &&
                       !is_commands_own(run->error);
         i++)
        status = try_one(run, cells, i);
    if (status == EXIT_DONE && store_finish(run->store, &failure) < 0 && failure.code != -EBUSY)
        status = truth_fail(&failure);
    return status;
}

int truth_execute(struct truth_run *run)
{
    const uint64_t began = monotonic_ns();
    struct cell *cells = calloc(run->candidate_count + 1, sizeof(*cells));
    if (!cells) {
        deliver_out_of_memory("truth");
        return EXIT_OURS;
    }
    const int status = try_all(run, cells);
    run->seconds = (double)(monotonic_ns() - began) / 1e9;
    for (size_t i = 0; i < run->candidate_count; i++)
        cell_release(&cells[i]);
    free(cells);
    return status;
}
