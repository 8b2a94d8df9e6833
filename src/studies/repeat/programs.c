/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The programs that `assay repeat` is asked for, and the files that they need on the machine under
 * test. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/words.h"
#include "engine/command-line.h"
#include "engine/finish.h"
#include "engine/loading.h"
#include "engine/skips.h"
#include "output/output.h"
#include "studies/repeat/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Who counts for `assay repeat`, and what: what was asked for held against what the machine has. */

/* Counters of the CPU that are opened unless events are named: more of them would take turns. */
#define MOST_OF_CPU 4u

/* Where nobody names events. Several count instructions: which of them agrees best with the truth
 * is one of the questions. */
static const char *const of_cpu[] = {"instructions:u",         "INSTRUCTION_RETIRED:u",
                                     "INST_RETIRED:ANY_P:u",   "INST_RETIRED:PREC_DIST:u",
                                     "RETIRED_INSTRUCTIONS:u", "branches:u"};
/* The first of these that opens. */
static const char *const of_faults[] = {"page-faults", "page-faults:u"};
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

const char *repeat_source_name(const struct repeating *repeating, size_t source)
{
    return source == REPEAT_PLAIN ? "" : repeating->sources[source].name;
}

/* --- which sources --- */

static bool has(const struct string_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], word) == 0)
            return true;
    return false;
}

static int lacking(const struct catalogue *catalogue, const char *source, struct failure *failure)
{
    const struct catalogue_absence *absence = absences_find(catalogue, "counter", source);
    AUTO_TEXT struct text known = {0};
    for (size_t i = 0; i < catalogue->counter_count; i++)
        text_printf(&known, "%s%s", i ? ", " : "", catalogue->counters[i].source);
    if (absence)
        return fail_with(failure, -ENODEV, "%.40s cannot count commands here: %.500s", source,
                         absence->reason);
    return fail_with(failure, -EINVAL,
                     "there is no source '%.40s' that counts commands; here there %s %.200s",
                     source, catalogue->counter_count ? "are" : "is",
                     known.length ? text_string(&known) : "none");
}

static int check_named(const struct repeating *repeating, struct failure *failure)
{
    const struct repeat_options *options = repeating->run.options;
    const struct catalogue *catalogue = repeating->catalogue;
    for (size_t i = 0; i < options->source.count; i++)
        if (!catalogue_counter(catalogue, options->source.items[i]))
            return lacking(catalogue, options->source.items[i], failure);
    for (size_t i = 0; i < options->event.count; i++) {
        const char *event = options->event.items[i], *source = command_source(event);
        if (!*source)
            return fail_with(failure, -EINVAL,
                             "%.60s is told of every execution: leave it out of --event", event);
        if (options->source.count && !has(&options->source, source))
            return fail_with(failure, -EINVAL,
                             "--event %.100s is counted by %s, which is not in --source", event,
                             source);
        if (!catalogue_counter(catalogue, source))
            return lacking(catalogue, source, failure);
    }
    return 0;
}

/* --- their events --- */

static int add_event(struct repeat_source *source, const char *event, struct failure *failure)
{
    for (size_t i = 0; i < source->count; i++)
        if (strcmp(source->events[i], event) == 0)
            return 0;
    if (source->count >= CELL_MAX_COUNTERS - 8)
        return fail_with(failure, -E2BIG, "at most %d events can be counted at once",
                         CELL_MAX_COUNTERS - 8);
    *memory_add(source->events, source->count) = memory_copy(event);
    return 0;
}

/* Events of a source need no opening: who has the class has the event. */
static int add_of_source(struct repeating *repeating, struct repeat_source *source,
                         const struct catalogue_counter *counter, const char *event,
                         struct failure *failure)
{
    char class[64] = "";
    const char *begin = event + strcspn(event, "/");
    if (*begin)
        snprintf(class, sizeof(class), "%.*s", (int)strcspn(begin + 1, "/"), begin + 1);
    if (!word_list_has(counter->classes, class))
        return fail_with(failure, -EINVAL,
                         "%s has no event '%.100s' for commands; it counts %.300s", source->name,
                         event, counter->classes);
    const struct tried_event tried = {.name = (char *)(uintptr_t)event,
                                      .kind = (char *)(uintptr_t) "source",
                                      .class = class,
                                      .reason = (char *)(uintptr_t) ""};
    const int error = tried_add(&repeating->tried, &tried);
    return error < 0 ? error : add_event(source, event, failure);
}

static int add_usual_of_source(struct repeating *repeating, struct repeat_source *source,
                               const struct catalogue_counter *counter, struct failure *failure)
{
    static const char *const usual[] = {"instructions", "instructions-raw"};
    int error = 0;
    for (size_t i = 0; i < COUNT(usual) && error == 0; i++) {
        char event[80];
        snprintf(event, sizeof(event), "%s/%s/", source->name, usual[i]);
        if (word_list_has(counter->classes, usual[i]))
            error = add_of_source(repeating, source, counter, event, failure);
    }
    return error;
}

static int try_event(struct repeating *repeating, struct repeat_source *source, const char *event,
                     bool named, struct failure *failure)
{
    int error = tried_find(&repeating->tried, event)
                    ? 0
                    : tried_try(&repeating->tried, repeating->session, event, named, failure);
    if (error == 0 && tried_opens(&repeating->tried, event))
        error = add_event(source, event, failure);
    return error;
}

/* A machine without a PMU has none of them: the first tells why. */
static int add_usual_of_perf(struct repeating *repeating, struct repeat_source *source,
                             struct failure *failure)
{
    int error = try_event(repeating, source, of_cpu[0], false, failure);
    const bool pmu = error == 0 && source->count;
    for (size_t i = 1; i < COUNT(of_cpu) && pmu && error == 0 && source->count < MOST_OF_CPU; i++) {
        const bool known = tried_find(&repeating->tried, of_cpu[i]);
        error = try_event(repeating, source, of_cpu[i], false, failure);
        /* Nobody asked for it, so nobody misses it. */
        if (error == 0 && !known && !tried_opens(&repeating->tried, of_cpu[i]))
            tried_drop_last(&repeating->tried);
    }
    for (size_t i = 0; i < COUNT(of_faults) && error == 0; i++) {
        error = try_event(repeating, source, of_faults[i], false, failure);
        if (tried_opens(&repeating->tried, of_faults[i]))
            break;
    }
    return error;
}

static int add_events(struct repeating *repeating, struct repeat_source *source,
                      const struct catalogue_counter *counter, struct failure *failure)
{
    const struct string_list *named = &repeating->run.options->event;
    const bool perf = strcmp(source->name, "perf_event") == 0;
    bool any = false;
    int error = 0;
    for (size_t i = 0; i < named->count && error == 0; i++) {
        if (strcmp(command_source(named->items[i]), source->name) != 0)
            continue;
        any = true;
        error = perf ? try_event(repeating, source, named->items[i], true, failure)
                     : add_of_source(repeating, source, counter, named->items[i], failure);
    }
    if (error == 0 && !any)
        error = perf ? add_usual_of_perf(repeating, source, failure)
                     : add_usual_of_source(repeating, source, counter, failure);
    return error;
}

/* --- in order --- */

static int by_price(const void *left, const void *right)
{
    const struct repeat_source *a = left, *b = right;
    return (a->slower > b->slower) - (a->slower < b->slower);
}

static int add_source(struct repeating *repeating, const struct catalogue_counter *counter,
                      struct failure *failure)
{
    struct repeat_source *source = memory_add(repeating->sources, repeating->source_count);
    source->name = memory_copy(counter->source);
    source->code = word_list_has(counter->details, command_detail_names[DETAIL_CODE]);
    repeat_source_expect(source, repeating->study.emulated);
    /* Watching system calls is cheap as long as nobody asks for instructions. */
    if (word_list_has(counter->details, command_detail_names[DETAIL_CALLS]) &&
        word_list_has(counter->classes, "syscalls"))
        source->calls = memory_format("%s/syscalls/", source->name);
    const int error = add_events(repeating, source, counter, failure);
    for (size_t i = 0; i < source->count && !source->instructions; i++) {
        const struct tried_event *event = tried_find(&repeating->tried, source->events[i]);
        source->instructions = event && event->class && strcmp(event->class, "instructions") == 0;
    }
    if (error == 0 && !source->count) /* none of its events can be opened */
        repeating->source_count--;
    return error;
}

int repeat_find_sources(struct repeating *repeating, struct failure *failure)
{
    const struct catalogue *catalogue = repeating->catalogue;
    const struct repeat_options *options = repeating->run.options;
    int error = check_named(repeating, failure);
    for (size_t i = 0; i < catalogue->counter_count && error == 0; i++) {
        /* Does somebody want this one? By name; or because one of its events was named; or nobody
         * named anything. */
        const char *source = catalogue->counters[i].source;
        bool wanted = options->source.count ? has(&options->source, source) : !options->event.count;
        for (size_t j = 0; !options->source.count && j < options->event.count && !wanted; j++)
            wanted = strcmp(command_source(options->event.items[j]), source) == 0;
        if (wanted)
            error = add_source(repeating, &catalogue->counters[i], failure);
    }
    if (error == 0 && repeating->source_count)
        qsort(repeating->sources, repeating->source_count, sizeof(*repeating->sources), by_price);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * How the user's command ended: the exit code of `assay repeat`, and a sentence where it could not
 * be executed, never ended, or ended now this way and now that. */

/* How often it ended in one way. */
struct ending {
    uint64_t status;
    size_t times;
};
struct endings {
    struct ending *list;
    size_t count;
    const struct repeat_cell *failed; /* a cell none of whose executions could be counted */
};

/* Those of the first cell come first: it is the command as it is. */
static struct endings collect(const struct repeating *repeating)
{
    const struct repeat_case *file = &repeating->run.file;
    struct endings endings = {0};
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        /* That its time was over says less of a program that is slowed down. */
        const bool slowed =
            cell->source && *cell->source && strcmp(cell->source, "perf_event") != 0;
        if (strcmp(file->programs[cell->program].words, repeating->joined) != 0 ||
            cell->detail != DETAIL_NONE)
            continue;
        if (!cell->runs && cell->failed && !endings.failed)
            endings.failed = cell;
        for (size_t run = 0; run < cell->runs; run++) {
            const uint64_t status = cell->list[run].status;
            size_t at = 0;
            if (slowed && status >= STATUS_TIMEOUT)
                continue;
            while (at < endings.count && endings.list[at].status != status)
                at++;
            if (at == endings.count)
                memory_add(endings.list, endings.count)->status = status;
            endings.list[at].times++;
        }
    }
    return endings;
}

/* --- sentences --- */

/* A file of this machine that another one has not is easily brought. */
static void put_bring(const struct repeating *repeating, struct text *out)
{
    const struct common_options *common = &repeating->run.options->common;
    AUTO_WORDS char **words = NULL;
    struct failure ignored = {0};
    if (strcmp(common->via, "local") == 0 ||
        words_split(repeating->joined, &words, &ignored) <= 0 || !strchr(words[0], '/') ||
        access(words[0], X_OK) < 0)
        return;
    const char *name = strrchr(words[0], '/') + 1;
    text_puts(out, ". It is a file of this machine, which can be brought to the other: --bring ");
    text_put_shell(out, words[0]);
    text_printf(out, " -- " PLACE_BROUGHT "/%s", name);
}

static void say_endless(const struct repeating *repeating, uint64_t status)
{
    const struct repeat_options *options = repeating->run.options;
    AUTO_TEXT struct text message = {0};
    char ending[160];
    command_ending(status, options->timeout, ending, sizeof(ending));
    text_printf(&message,
                "%s %s. It was not executed again: it may wait for something that never comes (its "
                "standard input is %s), or need a longer --timeout",
                repeating->programs[0].name, ending, repeating->input ? "a file" : "empty");
    deliver_message("repeat", text_string(&message));
}

/* "perl did not always end alike: 20 times it ended with status 0, 4 times it was killed by …" */
static void say_different(const struct repeating *repeating, const struct endings *endings)
{
    AUTO_TEXT struct text message = {0};
    text_printf(&message, "%s did not always end alike:", repeating->programs[0].name);
    for (size_t i = 0; i < endings->count; i++) {
        char ending[160];
        command_ending(endings->list[i].status, repeating->run.options->timeout, ending,
                       sizeof(ending));
        text_printf(&message, "%s it %s in %zu execution%s", i ? "," : "", ending,
                    endings->list[i].times, endings->list[i].times == 1 ? "" : "s");
    }
    text_puts(&message, "; the first decides on the exit status");
    deliver_remark(&repeating->run.options->common, "%s", text_string(&message));
}

int repeat_exit(struct repeating *repeating, int status)
{
    struct repeat_run_of *run = &repeating->run;
    if (run->options->from.count || !repeating->joined)
        return status;
    const struct endings endings = collect(repeating);
    const struct repeat_cell *failed = endings.failed;
    int ending = EXIT_OURS;
    if (endings.count) {
        run->status = (int)endings.list[0].status;
        if (endings.count > 1)
            say_different(repeating, &endings);
        else if (endings.list[0].status >= STATUS_TIMEOUT)
            say_endless(repeating, endings.list[0].status);
        ending = command_exit(endings.list[0].status);
    } else if (failed) {
        AUTO_TEXT struct text message = {0};
        text_puts(&message, failed->reason ? failed->reason : strerror(failed->error));
        if (failed->error == ENOENT)
            put_bring(repeating, &message);
        deliver_message("repeat", text_string(&message));
        repeating->refusal = failed->error;
        ending = command_exit_of_error(failed->error);
    }
    return status == EXIT_DONE ? ending : status;
}

/* ----------------------------------------------------------------------------------------------
 * Suites as programs of `assay repeat`: read, what is missing installed or left out by name, and
 * their inputs brought to the machine under test. */

static void say(const char *line)
{
    deliver_message("repeat", line);
}

static void say_nothing(const char *line)
{
    (void)line;
}

static int take(struct repeating *repeating, const char *name, struct failure *failure)
{
    const struct repeat_options *options = repeating->run.options;
    struct suite *suite = memory_add(repeating->suites, repeating->suite_count);
    int error = suite_read(name, suite, failure);
    if (error == 0 && options->install && !options->resume)
        error = strcmp(options->common.via, "local") != 0
                    ? fail_with(failure, -EINVAL,
                                "--install installs packages on this machine, not on one behind "
                                "--via: install them there yourself")
                    : suite_install(suite, &interrupted, options->common.quiet ? say_nothing : say,
                                    failure);
    /* Those that are there; the others are left out by name, with the package that brings them. */
    for (size_t i = 0; i < suite->count && error == 0; i++) {
        const struct workload *workload = &suite->list[i];
        struct failure why = {0};
        error = suite_lacks(workload, repeating->session, &why);
        if (error == -ENOENT)
            error = skips_add(&repeating->run.skips, workload->name, why.text, ENOENT);
        else if (error == 0)
            *memory_add(repeating->programs, repeating->program_count) =
                (struct repeat_wanted){.name = workload->name,
                                       .words = workload->command,
                                       .input = *workload->input ? workload->input : NULL,
                                       .threaded = workload->threaded};
        else
            *failure = why;
    }
    return error < 0 ? error : suite_bring(suite, repeating->session, failure);
}

static int repeat_find_suites(struct repeating *repeating, struct failure *failure)
{
    const struct string_list *names = &repeating->run.options->suite;
    int error = 0;
    for (size_t i = 0; i < names->count && error == 0; i++)
        error = take(repeating, names->items[i], failure);
    if (error == 0 && names->count && !repeating->program_count)
        error = fail_with(
            failure, -ENODEV,
            "none of the programs of the suite is installed on the machine under test: "
            "%s",
            repeating->run.skips.count ? repeating->run.skips.list[0].reason : "it has none");
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * The programs that `assay repeat` is asked for, and the files that they need on the machine under
 * test. */

static int add_command(struct repeating *repeating, struct failure *failure)
{
    AUTO_WORDS char **words = NULL;
    int count = words_split(repeating->joined, &words, failure);
    if (count <= 0)
        return count < 0 ? count : fail_with(failure, -EINVAL, "the command is empty");
    *memory_add(repeating->programs, repeating->program_count) =
        (struct repeat_wanted){.name = command_line_name(words[0]),
                               .words = repeating->joined,
                               .input = repeating->input,
                               .directory = repeating->directory,
                               .user = true};
    return 0;
}

static int find(struct repeating *repeating, struct failure *failure)
{
    const struct repeat_options *options = repeating->run.options;
    const char *via = options->common.via;
    int error = 0;
    if (!repeating->joined && repeating->word_count)
        error =
            command_line_join(repeating->words, repeating->word_count, &repeating->joined, failure);
    if (error == 0)
        error = command_line_bring(repeating->session, &options->bring, failure);
    /* What a resumed run has of its store is not looked for again. */
    if (error == 0 && !repeating->input)
        error =
            command_line_input(repeating->session, via, options->input, &repeating->input, failure);
    if (error == 0 && !repeating->directory)
        error = command_line_directory(via, options->directory, &repeating->directory, failure);
    if (error == 0 && repeating->joined)
        error = add_command(repeating, failure);
    if (error == 0)
        error = repeat_find_suites(repeating, failure);
    return error;
}

int repeat_find_programs(struct repeating *repeating)
{
    struct failure failure = {0};
    const int error = find(repeating, &failure);
    if (error == -EINTR)
        return EXIT_INTERRUPTED;
    return error < 0 ? repeat_fail(&failure) : EXIT_DONE;
}
