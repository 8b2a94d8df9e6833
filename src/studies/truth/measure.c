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

#include "base/memory.h"
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

static size_t speed_of(const struct catalogue_counter *counter)
{
    size_t place = 0;
    while (place < SPEEDS && strcmp(by_speed[place], counter->source) != 0)
        place++;
    return place;
}

static int compare_speed(const void *left, const void *right)
{
    const struct catalogue_counter *const *one = left, *const *other = right;
    const size_t first = speed_of(*one), second = speed_of(*other);
    return (first > second) - (first < second);
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
    for (size_t i = 0; i < run->candidate_count; i++)
        text_printf(&names, "%s%s", i ? ", " : "", run->candidates[i]->source);
    return fail_with(failure, -EINVAL,
                     "--source %.100s: nothing here counts commands by executing them under that "
                     "name%s%.300s",
                     wanted, names.length ? "; there are " : "", text_string(&names));
}

int truth_find_sources(struct truth_run *run)
{
    struct failure failure = {0};
    const struct catalogue *catalogue = run->catalogue;
    run->candidates = memory_new(catalogue->counter_count + 1, sizeof(*run->candidates));
    for (size_t i = 0; i < catalogue->counter_count; i++) {
        const struct catalogue_counter *counter = &catalogue->counters[i];
        if (counter->classes && *counter->classes) /* what counts by executing has its own */
            run->candidates[run->candidate_count++] = counter;
    }
    qsort(run->candidates, run->candidate_count, sizeof(*run->candidates), compare_speed);
    if (run->options->source)
        return choose_one(run, &failure) < 0 ? truth_fail(&failure) : EXIT_DONE;
    for (size_t i = 0; i < catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        if (strcmp(absence->kind, "counter") == 0 && strcmp(absence->name, "perf_event") != 0)
            skips_add(&run->skips, absence->name, absence->reason, absence->error);
    }
    if (run->candidate_count)
        return EXIT_DONE;
    fail_with(&failure, -ENODEV, "nothing here can count a command by executing it%s%.700s",
              run->skips.count ? ": " : "", run->skips.count ? run->skips.list[0].reason : "");
    return truth_fail(&failure);
}

/* ----------------------------------------------------------------------------------------------
 * Executes the command by one source after the other, the fastest first, until one of them could
 * count all of it. Every try is a cell of the same store. */

/* --- what comes beside counts --- */

static int take_ran(void *context, const struct sent_ran *ran, struct failure *failure)
{
    struct truth_run *run = context;
    if (!run->executed)
        executed_new(&run->executed, run->catalogue->isa);
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
static void put_events(struct cell *cell, const struct catalogue_counter *counter)
{
    static const char *const columns[] = {RUN_STATUS, RUN_OUTPUT_BYTES, RUN_TASKS, RUN_PROCESSES,
                                          RUN_LEFT,   RUN_NANOSECONDS,  RUN_RIGHTS};
    const size_t column_count = sizeof(columns) / sizeof(*columns);
    for (const char *at = counter->classes;
         *at && cell->counters + column_count < CELL_MAX_COUNTERS; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");
        cell->events[cell->counters++] =
            memory_format("%s/%.*s/", counter->source, (int)length, at);
        at += length;
    }
    for (size_t i = 0; i < column_count; i++)
        cell->events[cell->counters++] = memory_copy(columns[i]);
}

static void make_cell(const struct truth_run *run, const struct catalogue_counter *counter,
                      uint32_t id, struct cell *cell)
{
    const bool tells = has_word(counter->details, "code") &&
                       (!truth_tells_late(counter) || run->by_opcode || run->by_function);
    *cell = (struct cell){
        .id = id,
        .path = memory_copy("command"),
        .pattern = PATTERN_RR,
        .specimen = memory_copy("null"),
        .opt = memory_copy("O2"),
        .link = memory_copy("static"),
        .runs = 1,
        .cpu = run->controls & CONTROL_BIT(CONTROL_CPU) ? run->cpu : -1,
        .command = {.words = run->line,
                    .name = run->name,
                    .input = run->input,
                    .keep = run->keep,
                    .directory = run->directory,
                    .controls = run->controls,
                    .timeout = run->options->timeout,
                    .detail = tells ? DETAIL_CODE : DETAIL_NONE,
                    .shown = run->options->show_output,
                    .lent = command_line_lent(run->options->common.via, false)},
    };
    put_events(cell, counter);
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

static int look_at(struct truth_run *run, const struct catalogue_counter *counter, uint32_t cell,
                   struct failure *failure)
{
    struct command_outcome outcome = {.cell = cell};
    int error = command_outcome_find(run->store, &outcome, failure);
    if (error < 0)
        return error;
    if (outcome.done) {
        run->counter = counter;
        return truth_load(run, cell, failure);
    }
    run->error = outcome.error;
    skips_add(&run->skips, counter->source, outcome.reason ? outcome.reason : "", outcome.error);
    return 0;
}

/* EXIT_DONE: run->counter says whether it was counted. */
static int try_one(struct truth_run *run, struct cell *cells, size_t index)
{
    struct failure failure = {0};
    const struct catalogue_counter *counter = run->candidates[index];
    make_cell(run, counter, (uint32_t)index + 1, &cells[index]);
    int error = put_plan(run, &cells[index], &failure);
    if (error == 0)
        error = put_note(run, &cells[index], counter, &failure);
    if (error < 0)
        return truth_fail(&failure);
    if (index) { /* who watches should know that it is executed once more, and why */
        const struct skip *last = &run->skips.list[run->skips.count - 1];
        deliver_remark(&run->options->common,
                       "%s could not count it: %s. Executing it again by %s%s", last->what,
                       last->reason, counter->source,
                       run->options->show_output ? "; what it writes comes again" : "");
    }
    int status = gather_one(run, cells, index + 1);
    if (status != EXIT_DONE)
        return status;
    error = look_at(run, counter, cells[index].id, &failure);
    return error < 0 ? truth_fail(&failure) : EXIT_DONE;
}

int truth_execute(struct truth_run *run)
{
    const uint64_t began = monotonic_ns();
    struct failure failure = {0};
    struct cell *cells = memory_new(run->candidate_count + 1, sizeof(*cells));
    int status = create_store(run, &failure) < 0 ? truth_fail(&failure) : EXIT_DONE;
    /* Until one counted it, or it is the command that cannot be executed, by anybody. */
    for (size_t i = 0; status == EXIT_DONE && i < run->candidate_count && !run->counter &&
                       command_exit_of_error(run->error) == EXIT_OURS;
         i++)
        status = try_one(run, cells, i);
    if (status == EXIT_DONE && store_finish(run->store, &failure) < 0 && failure.code != -EBUSY)
        status = truth_fail(&failure);
    run->seconds = (double)(monotonic_ns() - began) / 1e9;
    return status;
}
