/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who counts for `assay repeat`, and what: what was asked for held against what the machine has. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "cli/absences.h"
#include "cli/repeat-run.h"
#include "study/word-list.h"

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

static int no_memory(struct failure *failure)
{
    return fail_with(failure, -ENOMEM, "out of memory");
}

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

/* Does somebody want this one? By name; or because one of its events was named; or nobody named
 * anything. */
static bool is_wanted(const struct repeat_options *options, const char *source)
{
    if (options->source.count)
        return has(&options->source, source);
    for (size_t i = 0; i < options->event.count; i++)
        if (strcmp(command_source(options->event.items[i]), source) == 0)
            return true;
    return !options->event.count;
}

static void put_counters(const struct catalogue *catalogue, struct text *out)
{
    for (size_t i = 0; i < catalogue->counter_count; i++)
        text_printf(out, "%s%s", i ? ", " : "", catalogue->counters[i].source);
}

static int lacking(const struct catalogue *catalogue, const char *source, struct failure *failure)
{
    const struct catalogue_absence *absence = absences_find(catalogue, "counter", source);
    AUTO_TEXT struct text known = {0};
    put_counters(catalogue, &known);
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
    char **added = list_add(&source->events, &source->count, sizeof(*added));
    if (added)
        *added = strdup(event);
    return added && *added ? 0 : no_memory(failure);
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
    if (tried_add(&repeating->tried, &tried) < 0)
        return no_memory(failure);
    return add_event(source, event, failure);
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

static bool counts_instructions(const struct repeating *repeating,
                                const struct repeat_source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        const struct tried_event *event = tried_find(&repeating->tried, source->events[i]);
        if (event && event->class && strcmp(event->class, "instructions") == 0)
            return true;
    }
    return false;
}

/* --- in order --- */

static int by_price(const void *left, const void *right)
{
    const struct repeat_source *a = left, *b = right;
    return (a->slower > b->slower) - (a->slower < b->slower);
}

/* Watching system calls is cheap as long as nobody asks for instructions. */
static int find_calls(struct repeat_source *source, const struct catalogue_counter *counter,
                      struct failure *failure)
{
    if (!word_list_has(counter->details, command_detail_names[DETAIL_CALLS]) ||
        !word_list_has(counter->classes, "syscalls"))
        return 0;
    if (asprintf(&source->calls, "%s/syscalls/", source->name) >= 0)
        return 0;
    source->calls = NULL;
    return no_memory(failure);
}

static int add_source(struct repeating *repeating, const struct catalogue_counter *counter,
                      struct failure *failure)
{
    struct repeat_source *source =
        list_add(&repeating->sources, &repeating->source_count, sizeof(*source));
    if (!source || !(source->name = strdup(counter->source)))
        return no_memory(failure);
    source->code = word_list_has(counter->details, command_detail_names[DETAIL_CODE]);
    repeat_source_expect(source, repeating->study.emulated);
    int error = find_calls(source, counter, failure);
    if (error == 0)
        error = add_events(repeating, source, counter, failure);
    source->instructions = counts_instructions(repeating, source);
    if (error == 0 && !source->count) { /* none of its events can be opened */
        free(source->events);
        free(source->name);
        free(source->calls);
        repeating->source_count--;
    }
    return error;
}

int repeat_find_sources(struct repeating *repeating, struct failure *failure)
{
    const struct catalogue *catalogue = repeating->catalogue;
    int error = check_named(repeating, failure);
    for (size_t i = 0; i < catalogue->counter_count && error == 0; i++)
        if (is_wanted(repeating->run.options, catalogue->counters[i].source))
            error = add_source(repeating, &catalogue->counters[i], failure);
    if (error == 0 && repeating->source_count)
        qsort(repeating->sources, repeating->source_count, sizeof(*repeating->sources), by_price);
    return error;
}
