/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executes for `assay stat`: first a program of known truth several times, which tells what
 * starting and counting adds, and whether all events can be counted together; then the command.
 * Every plan is a cell of the same store. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "engine/command-line.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "studies/stat/study.h"

/* Programs of the kit: the one whose truth is known, and the one that writes. */
#define STAT_NULL_NAME  "loop"
#define STAT_NULL_N     1u
#define STAT_RELAY_NAME "output"

/* ----------------------------------------------------------------------------------------------
 * What `assay stat` counts: the events of -e, or those of perf stat, as far as this machine has
 * them; and what of each the program of known truth does by its own code. */

/* Columns of what became of the command need places in the cell as well. */
#define COLUMNS     9
#define MOST_EVENTS (CELL_MAX_COUNTERS - COLUMNS)

static const char *const usual[] = {"task-clock",  "context-switches", "cpu-migrations",
                                    "page-faults", "cycles",           "instructions",
                                    "branches",    "branch-misses"};

/* --- names --- */

struct stat_event *stat_find_counted(const struct stat_run *run, const char *name)
{
    for (size_t i = 0; i < run->event_count; i++)
        if (run->events[i].is_counted && strcmp(run->events[i].name, name) == 0)
            return &run->events[i];
    return NULL;
}

static int check_names(const struct string_list *names, struct failure *failure)
{
    if (names->count > MOST_EVENTS)
        return fail_with(failure, -EINVAL,
                         "at most %d events can be counted at once: run it again "
                         "for the others",
                         MOST_EVENTS);
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i], *wrong = NULL;
        if (strspn(name, " \t\n"))
            wrong = ": a blank stands before the name; commas alone separate events";
        else if (strpbrk(name, "{}"))
            wrong = ": events are counted one by one, not in groups; the report says which of them "
                    "shared a counter. Leave the braces out";
        else if (strcmp(command_source(name), "perf_event") != 0)
            wrong = ": that is none of perf_event. What counts by executing is asked by `assay "
                    "truth`";
        for (size_t j = 0; j < i && !wrong; j++)
            wrong = strcmp(name, names->items[j]) == 0 ? " is named twice" : NULL;
        if (wrong)
            return fail_with(failure, -EINVAL, "--event '%.100s'%s", name, wrong);
    }
    return 0;
}

/* --- what the machine says of them --- */

static void take_class(struct stat_event *event, const struct listed_event *listed)
{
    event->class = listed->class && *listed->class ? memory_copy(listed->class) : NULL;
    event->kind = memory_copy(listed->kind);
    event->is_counted = true;
}

static void refuse(struct stat_event *event, int error, const char *reason)
{
    event->error = error;
    event->reason = memory_copy(reason);
    event->figure.state = STAT_UNSUPPORTED;
}

static int try_event(struct stat_run *run, struct stat_event *event, struct failure *failure)
{
    struct session *session = run->studying.session;
    struct listed_event listed;
    struct failure unknown = {0};
    int error = session_try_event(session, event->name, &listed, &unknown);
    if (error < 0 && (event->asked || (error != -ENOENT && error != -EINVAL))) {
        *failure = unknown;
        return error;
    }
    if (error < 0)
        refuse(event, -error, unknown.text);
    else if (listed.openable)
        take_class(event, &listed);
    else
        refuse(event, listed.error, listed.reason);
    /* Who may not count the operating system's part counts the program's own, as perf stat does.
     * What happens in the operating system alone is not: in user mode a 0 would stand for "not
     * seen". */
    if ((event->error != EACCES && event->error != EPERM) || event->asked ||
        strcmp(event->name, "context-switches") == 0 || strcmp(event->name, "cpu-migrations") == 0)
        return 0;
    char *name = memory_format("%s:u", event->name);
    error = session_try_event(session, name, &listed, failure);
    if (error == 0 && listed.openable) {
        *event = (struct stat_event){.name = name};
        take_class(event, &listed);
    }
    return error == -ENOENT || error == -EINVAL ? 0 : error;
}

/* --- the truth of the program that is executed to learn what starting adds --- */

/* Of these its code makes none: all that are seen come from starting it and counting. */
static const char *const never_made[] = {"page-faults",      "minor-faults",   "major-faults",
                                         "context-switches", "cpu-migrations", "alignment-faults",
                                         "emulation-faults"};

static void take_truth(const struct stat_run *run, struct stat_event *event)
{
    const struct catalogue_subject *subject =
        catalogue_subject(run->studying.catalogue, STAT_NULL_NAME);
    const char *class = event->class ? event->class : "", *mode = event_mode(event->name);
    for (size_t i = 0; subject && i < sizeof(never_made) / sizeof(*never_made); i++)
        event->has_truth |= strcmp(never_made[i], class) == 0;
    if (!subject || !subject->has_truth || strcmp(class, "instructions") != 0)
        return;
    const bool counts_user = !mode || strchr(mode, 'u') || !strpbrk(mode, "kh");
    event->has_truth = true;
    event->truth = counts_user ? subject->base + subject->each * (int64_t)STAT_NULL_N : 0;
}

/* --- all of it --- */

static int take_asked(struct stat_run *run, struct failure *failure)
{
    const struct string_list *asked = &stat_asked(run)->events;
    const size_t count = asked->count ? asked->count : sizeof(usual) / sizeof(*usual);
    for (size_t i = 0; i < count; i++) {
        struct stat_event *event = memory_add(run->events, run->event_count);
        event->asked = asked->count > 0;
        event->name = memory_copy(event->asked ? asked->items[i] : usual[i]);
        if (run->refused) {
            refuse(event, EPERM, run->refused);
            continue;
        }
        const int error = try_event(run, event, failure);
        if (error < 0)
            return error;
        take_truth(run, event);
    }
    return 0;
}

int stat_find_events(void *kept, struct failure *failure)
{
    struct stat_run *run = kept;
    const struct catalogue *catalogue = run->studying.catalogue;
    const struct catalogue_absence *absence = absences_find(catalogue, "counter", STAT_COUNTER);
    run->refused = absence ? absence->reason
                   : !catalogue_counter(catalogue, STAT_COUNTER)
                       ? "the kit does not count commands by perf_event"
                       : NULL;
    int error = check_names(&stat_asked(run)->events, failure);
    return error == 0 && (run->asked || !run->refused) ? take_asked(run, failure) : error;
}

/* ----------------------------------------------------------------------------------------------
 * What the command writes. */

static bool is_aside(const struct stat_run *run)
{
    return stat_is_for_programs(run) && !run->studying.given->common.output;
}

/* On another machine what it writes is relayed, and goes where it would have gone. A reader that
 * left ends the command, as a broken pipe would. */
static void pass_on(void *context, int stream, const char *bytes, size_t length)
{
    struct stat_run *run = context;
    if (run->relays)
        return;
    run->relayed_bytes += length;
    const int fd = stream == 2 || is_aside(run) ? STDERR_FILENO : STDOUT_FILENO;
    while (length && !run->reader_left) {
        const ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR) {
            run->reader_left = errno == EPIPE && fd == STDOUT_FILENO;
            run->reader_ended = run->reader_left && !interrupted;
            interrupted += run->reader_ended;
            /* Somebody made the terminal or pipe that we share one that does not wait. */
            struct pollfd end = {.fd = fd, .events = POLLOUT};
            if (errno == EAGAIN && (poll(&end, 1, -1) > 0 || errno == EINTR))
                continue;
            if (!run->reader_left && fd == STDOUT_FILENO)
                run->unwritten = errno;
            return;
        }
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

/* A signal came while this one was under way, however it ends then: nothing follows it. One that is
 * given up has no end. */
static int note_ending(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                       struct failure *failure)
{
    struct stat_run *run = context;
    (void)process, (void)failure;
    if (!run->relays)
        run->cut_off = interrupted && !run->reader_ended && state == VISIT_DONE &&
                       run->cells[cell - 1].command.shown;
    return 0;
}

/* --- cells --- */

/* words NULL: the command itself. only: the one event that is tried; NULL: all that are counted. */
static struct cell *add_cell(struct stat_run *run, const char *words, const struct stat_event *only)
{
    static const char *const columns[] = {RUN_STATUS,      RUN_OUTPUT_BYTES, RUN_TASKS,
                                          RUN_PROCESSES,   RUN_LEFT,         RUN_INTERRUPTS,
                                          RUN_NANOSECONDS, RUN_CPU,          RUN_RIGHTS};
    struct cell *cell = memory_add(run->cells, run->cell_count);
    *cell = (struct cell){
        .id = (uint32_t)run->cell_count,
        .path = memory_copy("command"),
        .pattern = PATTERN_RR,
        .specimen = memory_copy("null"),
        .opt = memory_copy("O2"),
        .link = memory_copy("static"),
        .runs = 1,
        .cpu = run->controls & CONTROL_BIT(CONTROL_CPU) ? run->cpu : -1,
        .command = {.words = memory_copy(words ? words : run->line),
                    .name = memory_copy(!words        ? run->name
                                        : run->relays ? STAT_RELAY_NAME
                                                      : STAT_NULL_NAME),
                    .input = words ? NULL : run->input,
                    .keep = run->keep,
                    .directory = run->directory,
                    .controls = run->controls,
                    .timeout = words ? 0 : run->timeout,
                    .shown = !words || run->relays,
                    .lent = command_line_lent(run->studying.given->common.via, is_aside(run))},
    };
    for (size_t i = 0; i < run->event_count; i++)
        if (run->events[i].is_counted && (!only || only == &run->events[i]))
            cell->events[cell->counters++] = run->events[i].name;
    for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
        cell->events[cell->counters++] = memory_copy(columns[i]);
    return cell;
}

/* --- plans --- */

static int put_truths(struct stat_run *run, const struct cell *cell, bool known,
                      struct failure *failure)
{
    int error = 0;
    for (uint32_t counter = 0; counter < cell->counters && error == 0; counter++) {
        const struct stat_event *event = stat_find_counted(run, cell->events[counter]);
        const bool has_truth = event && known && event->has_truth;
        error = store_put_truth(run->studying.store, cell->id, counter, event ? event->class : NULL,
                                has_truth ? event->truth : 0, has_truth ? "model" : NULL, failure);
    }
    return error;
}

/* One cell, so many times; *outcome: was one of them counted? EXIT_DONE, EXIT_INTERRUPTED, or 125
 * after saying why. */
static int execute_cell(struct stat_run *run, const struct cell *cell, uint32_t times, bool known,
                        struct command_outcome *outcome)
{
    struct store *store = run->studying.store;
    const struct gather_beside beside = {.context = run, .ending = note_ending, .output = pass_on};
    struct common_options common = run->studying.given->common;
    common.quiet = true; /* a line of progress would stand in the command's own */
    AUTO_MEMORY struct visit *visits = memory_new(times, sizeof(*visits));
    bool complete = false;
    struct planned planned = {.gathering = {.command = "stat",
                                            .common = &common,
                                            .session = run->studying.session,
                                            .store = store,
                                            .rest = visits,
                                            .rest_count = times,
                                            .once = true,
                                            .tells = true,
                                            .beside = &beside},
                              .complete = &complete};
    for (uint32_t i = 0; i < times; i++)
        visits[i] = (struct visit){.cell = cell->id, .process = i + 1};
    *outcome = (struct command_outcome){.cell = cell->id};
    int error = store_put_plan(store, cell, 1, NULL, 0, &planned.failure);
    if (error == 0)
        error = put_truths(run, cell, known, &planned.failure);
    int status = error < 0 ? planned_failed(&planned)
                           : planned_run(&planned, run->cells, run->cell_count, 0, true);
    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        return EXIT_OURS;
    return command_outcome_find(store, outcome, &planned.failure) < 0
               ? deliver_failure("stat", &planned.failure, EXIT_OURS)
               : status;
}

/* --- the program of known truth --- */

#define NULL_WORDS SUBJECT_WORD STAT_NULL_NAME " 1"

/* Something cannot be counted beside the rest: which one cannot even alone? */
static int try_each(struct stat_run *run, bool *at_fault)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < run->event_count && status == EXIT_DONE; i++) {
        struct stat_event *event = &run->events[i];
        struct command_outcome outcome;
        if (!event->is_counted)
            continue;
        status = execute_cell(run, add_cell(run, NULL_WORDS, event), 1, true, &outcome);
        if (status == EXIT_DONE && !outcome.done) {
            *at_fault = true;
            event->is_counted = false;
            refuse(event, outcome.error, outcome.reason);
        }
    }
    return status;
}

static int calibrate(struct stat_run *run)
{
    struct command_outcome outcome;
    bool at_fault = false;
    if (!catalogue_subject(run->studying.catalogue, STAT_NULL_NAME))
        return EXIT_DONE;
    int status = execute_cell(run, add_cell(run, NULL_WORDS, NULL), STAT_NULLS, true, &outcome);
    if (status == EXIT_DONE && !outcome.done)
        status = try_each(run, &at_fault);
    return status == EXIT_DONE && at_fault
               ? execute_cell(run, add_cell(run, NULL_WORDS, NULL), STAT_NULLS, true, &outcome)
               : status;
}

/* --- what relaying adds --- */

/* A program of the kit that writes as much, relayed in the same way, and one that writes a page:
 * what the first counts beyond the other is what relaying added, together with the writing. Where
 * that cannot be learnt, nothing is known of it, which is said. */
static void measure_relaying(struct stat_run *run)
{
    const uint64_t bytes = run->relayed_bytes / run->repeat;
    const uint64_t pages = (bytes + STAT_PAGE - 1) / STAT_PAGE;
    const uint64_t counts[2] = {1, 1 + (pages < STAT_MOST_PAGES ? pages : STAT_MOST_PAGES)};
    int status = EXIT_DONE;
    run->relays = true;
    for (size_t i = 0; i < 2 && status == EXIT_DONE; i++) {
        struct command_outcome outcome;
        const char *words =
            memory_format(SUBJECT_WORD STAT_RELAY_NAME " %llu", (unsigned long long)counts[i]);
        status = execute_cell(run, add_cell(run, words, NULL), STAT_RELAYS, false, &outcome);
    }
    run->relays = false;
}

/* --- the command --- */

/* What was to be counted, and why some of it cannot be: showing the run again needs no more. */
static int put_tried(struct stat_run *run, struct failure *failure)
{
    int error = 0;
    if (run->refused) {
        const struct stored_event counter = {
            .name = STAT_COUNTER, .kind = "counter", .error = EPERM, .reason = run->refused};
        error = store_put_event(run->studying.store, &counter, failure);
    }
    for (size_t i = 0; i < run->event_count && error == 0; i++) {
        const struct stat_event *event = &run->events[i];
        const struct stored_event tried = {.name = event->name,
                                           .kind = event->kind,
                                           .class = event->class,
                                           .error = event->reason && !event->error ? EINVAL
                                                                                   : event->error,
                                           .reason = event->reason};
        error = store_put_event(run->studying.store, &tried, failure);
    }
    return error;
}

/* EXIT_DONE: it was counted, or there is a reason why not. */
static int execute_command(struct stat_run *run)
{
    struct failure failure = {0};
    struct command_outcome outcome;
    if (put_tried(run, &failure) < 0)
        return deliver_failure("stat", &failure, EXIT_OURS);
    const struct cell *cell = add_cell(run, NULL, NULL);
    int status = execute_cell(run, cell, (uint32_t)run->repeat, false, &outcome);
    run->was_interrupted = status == EXIT_INTERRUPTED || interrupted;
    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        return status;
    if ((run->cut_off || run->reader_ended) &&
        store_put_ended(run->studying.store, run->cut_off ? STAT_CUT_OFF : STAT_UNREAD, &failure) <
            0)
        return deliver_failure("stat", &failure, EXIT_OURS);
    if (!outcome.done && outcome.error) {
        run->error = outcome.error;
        run->reason = outcome.reason;
    } else if (outcome.done && run->relayed_bytes && !interrupted &&
               catalogue_subject(run->studying.catalogue, STAT_RELAY_NAME)) {
        measure_relaying(run);
    }
    return outcome.done || run->reason ? EXIT_DONE : EXIT_INTERRUPTED;
}

int stat_measure(void *kept)
{
    struct stat_run *run = kept;
    struct studying *studying = &run->studying;
    struct failure failure = {0};
    int status = calibrate(run);
    if (status == EXIT_DONE)
        status = execute_command(run);
    if (status == EXIT_DONE && !run->was_interrupted &&
        store_finish(studying->store, &failure) < 0 && failure.code != -EBUSY)
        status = deliver_failure("stat", &failure, EXIT_OURS);
    if (status == EXIT_DONE)
        studying->refusal = run->reason;
    if (status != EXIT_INTERRUPTED)
        return status;
    deliver_message("stat", "interrupted before the command had ended: nothing was counted");
    return signals_status();
}
