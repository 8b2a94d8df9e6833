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
#include "engine/command-line.h"
#include "engine/loading.h"
#include "engine/run-store.h"
#include "studies/truth/study.h"

/* --- who can count a command here by executing it: the fastest first, and why others cannot --- */

/* By speed; what a catalogue has beyond these comes behind them. */
static const char *const by_speed[] = {"qemu", "valgrind", "step", NULL};

static size_t speed_of(const struct catalogue_counter *counter)
{
    size_t place = 0;
    while (by_speed[place] && strcmp(by_speed[place], counter->source) != 0)
        place++;
    return place;
}

static int compare_speed(const void *left, const void *right)
{
    const struct catalogue_counter *const *one = left, *const *other = right;
    const size_t first = speed_of(*one), second = speed_of(*other);
    return (first > second) - (first < second);
}

/* What cannot count commands here, from *at on, which moves on; NULL: there is no more. Who asked
 * for one does not miss the others. */
static const struct catalogue_absence *next_absence(const struct truth_run *run, size_t *at)
{
    const struct catalogue *catalogue = run->studying.catalogue;
    while (!truth_asked(run)->source && *at < catalogue->absence_count) {
        const struct catalogue_absence *absence = &catalogue->absences[(*at)++];
        if (strcmp(absence->kind, "counter") == 0 && strcmp(absence->name, "perf_event") != 0)
            return absence;
    }
    return NULL;
}

/* The one that was asked for; -EINVAL, -ENODEV say why it is none. */
static int choose_one(struct truth_run *run, struct failure *failure)
{
    const char *wanted = truth_asked(run)->source;
    for (size_t i = 0; i < run->candidate_count; i++)
        if (strcmp(run->candidates[i]->source, wanted) == 0) {
            run->candidates[0] = run->candidates[i];
            run->candidate_count = 1;
            return 0;
        }
    const struct catalogue_absence *absence =
        absences_find(run->studying.catalogue, "counter", wanted);
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

int truth_find_sources(struct truth_run *run, struct failure *failure)
{
    const struct catalogue *catalogue = run->studying.catalogue;
    run->candidates = memory_new(catalogue->counter_count + 1, sizeof(*run->candidates));
    for (size_t i = 0; i < catalogue->counter_count; i++) {
        const struct catalogue_counter *counter = &catalogue->counters[i];
        if (counter->classes && *counter->classes) /* what counts by executing has its own */
            run->candidates[run->candidate_count++] = counter;
    }
    qsort(run->candidates, run->candidate_count, sizeof(*run->candidates), compare_speed);
    if (truth_asked(run)->source)
        return choose_one(run, failure);
    if (run->candidate_count)
        return 0;
    const struct catalogue_absence *absence = next_absence(run, &(size_t){0});
    return fail_with(failure, -ENODEV, "nothing here can count a command by executing it%s%.700s",
                     absence ? ": " : "", absence ? absence->reason : "");
}

/* --- what comes beside counts --- */

static int take_ran(void *context, const struct sent_ran *ran, struct failure *failure)
{
    struct truth_run *run = context;
    if (!run->executed)
        executed_new(&run->executed, run->studying.catalogue->isa);
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
        return executed_store(run->executed, run->studying.store, run->by_opcode, true, failure);
    executed_free(run->executed);
    run->executed = NULL;
    return 0;
}

/* What the command writes goes where it would have gone; a reader that left is the reader's. */
static void pass_on(void *context, int stream, const char *bytes, size_t length)
{
    const struct truth_run *run = context;
    const int fd = stream == 2 ? STDERR_FILENO : STDOUT_FILENO;
    while (truth_asked(run)->show_output && length) {
        const ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR)
            return;
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

/* --- cells --- */

/* Valgrind counts in nanoseconds and tells which instructions they were in microseconds. */
bool truth_tells_late(const struct catalogue_counter *counter)
{
    return strcmp(counter->source, "valgrind") == 0 && word_list_has(counter->details, "code");
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

static struct cell make_cell(const struct truth_run *run, const struct catalogue_counter *counter)
{
    const bool tells = word_list_has(counter->details, "code") &&
                       (!truth_tells_late(counter) || run->by_opcode || run->by_function);
    struct cell cell = {
        .path = (char[]){"command"},
        .pattern = PATTERN_RR,
        .specimen = (char[]){"null"},
        .opt = (char[]){"O2"},
        .link = (char[]){"static"},
        .runs = 1,
        .cpu = run->controls & CONTROL_BIT(CONTROL_CPU) ? run->cpu : -1,
        .command = {.words = run->words,
                    .name = run->called,
                    .input = run->input,
                    .keep = run->keep,
                    .directory = run->directory,
                    .controls = run->controls,
                    .timeout = truth_asked(run)->timeout,
                    .detail = tells ? DETAIL_CODE : DETAIL_NONE,
                    .shown = truth_asked(run)->show_output,
                    .lent = command_line_lent(run->studying.given->common.via, false)},
    };
    put_events(&cell, counter);
    return plan_copy(&cell);
}

/* --- what the store gets beside counts --- */

/* A program of the kit: how long it is. */
static int put_subject(struct truth_run *run, struct failure *failure)
{
    const size_t prefix = strlen(SUBJECT_WORD);
    char name[128];
    if (strncmp(run->words, SUBJECT_WORD, prefix) != 0)
        return 0;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(run->words + prefix, " "),
             run->words + prefix);
    const struct catalogue_subject *known = catalogue_subject(run->studying.catalogue, name);
    return known ? run_store_put_subject(run->studying.store, known, failure) : 0;
}

/* Sources that are not there, by their names; those that are have cells. */
int truth_put(void *kept, struct failure *failure)
{
    struct truth_run *run = kept;
    const struct catalogue_absence *absence;
    size_t at = 0;
    int error = 0;
    while (error == 0 && (absence = next_absence(run, &at))) {
        const struct stored_event event = {.name = absence->name,
                                           .kind = "source",
                                           .error = absence->error,
                                           .reason = absence->reason};
        error = store_put_event(run->studying.store, &event, failure);
    }
    return error < 0 ? error : put_subject(run, failure);
}

/* The classes of its columns, SOURCE/CLASS/, and what to know when reading its counts. */
static int put_beside(void *context, const struct cell *cell, struct failure *failure)
{
    struct truth_run *run = context;
    const char *note = run->candidates[cell->id - 1]->note;
    int error = 0;
    for (uint32_t i = 0; i < cell->counters && error == 0; i++) {
        const char *slash = strchr(cell->events[i], '/');
        char class[64] = "";
        if (slash && strncmp(cell->events[i], "run/", 4) != 0)
            snprintf(class, sizeof(class), "%.*s", (int)strcspn(slash + 1, "/"), slash + 1);
        error = store_put_truth(run->studying.store, cell->id, i, *class ? class : NULL, 0, NULL,
                                failure);
    }
    const struct stored_event event = {.name = cell->events[0],
                                       .kind = "source",
                                       .class = "instructions",
                                       .reason = note ? note : ""};
    return error < 0 ? error : store_put_event(run->studying.store, &event, failure);
}

/* --- one try after the other --- */

static int look(void *kept)
{
    struct truth_run *run = kept;
    struct command_outcome outcome = {.cell = (uint32_t)run->tried};
    struct failure failure = {0};
    if (command_outcome_find(run->studying.store, &outcome, &failure) < 0)
        return deliver_failure("truth", &failure, EXIT_OURS);
    run->found = outcome.done && (!outcome.remark || run->tried == run->candidate_count);
    run->error = outcome.error;
    run->reason = outcome.remark ? outcome.remark : outcome.reason;
    return EXIT_DONE;
}

/* Until one counted it, or it is the command that cannot be executed, by anybody. */
static bool try_next(void *kept)
{
    struct truth_run *run = kept;
    const struct wish wish = {.processes = 1, .least = 1, .after = NO_WISH, .at_once = true};
    if (run->found || run->tried == run->candidate_count ||
        command_exit_of_error(run->error) != EXIT_OURS)
        return false;
    const struct catalogue_counter *counter = run->candidates[run->tried];
    if (run->tried) /* who watches should know that it is executed once more, and why */
        deliver_remark(&run->studying.given->common,
                       "%s could not count it: %s. Executing it again by %s%s",
                       run->candidates[run->tried - 1]->source, run->reason, counter->source,
                       truth_asked(run)->show_output ? "; what it writes comes again" : "");
    struct cell cell = make_cell(run, counter);
    wishes_add(&run->studying.wishes, &wish, &cell);
    run->tried++;
    return true;
}

int truth_measure(void *kept)
{
    struct truth_run *run = kept;
    const struct gather_beside beside = {
        .context = run, .ran = take_ran, .ending = end_visit, .output = pass_on};
    const struct pacing pacing = {.all = "the command",
                                  .portions = 1,
                                  .quiet = truth_asked(run)->show_output,
                                  .beside = &beside,
                                  .between = look,
                                  .further = try_next,
                                  .put = put_beside};
    return study_measure(kept, &pacing);
}
