/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which events `assay error` measures: those that were named, else the usual ones that open here.
 * What cannot be opened is kept with the reason. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/absences.h"
#include "cli/deliver.h"
#include "studies/error/parts.h"
#include "engine/options.h"
#include "study/mode.h"

/* Wanted where nobody names an event. What opens is the machine's to say. */
static const char *const usual[] = {
    "instructions:u", "instructions:uk", "instructions:k", "cycles:u",    "cycles:uk",
    "cycles:k",       "msr/tsc/",        "task-clock",     "page-faults", "raw_syscalls:sys_enter",
};
/* Tried where the plain name is forbidden: of software events ordinary users may count their own.
 */
static const char *const permitted[] = {"task-clock:u", "page-faults:u"};
/* Of these, what means nothing on an emulated machine. */
static const char *const of_time[] = {"cycles:u", "cycles:uk", "cycles:k", "msr/tsc/",
                                      "task-clock"};
/* Wanted beside another event, where that cannot be counted twice. */
static const char *const beside[] = {"context-switches", "cpu-migrations", "minor-faults",
                                     "major-faults", "cpu-clock"};
static const char *const interrupts[] = {"irq_vectors:local_timer_entry", "irq:irq_handler_entry"};
static const char *const sources[] = {"step/instructions/", "clock/ticks/"};
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

/* --- trying --- */

static int try_list(struct erring *erring, const char *const *list, size_t count,
                    struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++)
        error = tried_try(&erring->tried, erring->session, list[i], false, failure);
    return error;
}

/* What helps other events to be measured is no loss where it cannot be opened. */
static int try_helpers(struct erring *erring, const char *const *list, size_t count,
                       bool first_only, struct failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = erring->tried.count;
        int error = tried_try(&erring->tried, erring->session, list[i], false, failure);
        if (error < 0)
            return error;
        if (erring->tried.count == before)
            continue;
        if (erring->tried.list[before].error)
            tried_drop_last(&erring->tried);
        else if (first_only)
            return 0;
    }
    return 0;
}

/* Was the name without its mode refused for want of permission? */
static bool is_forbidden(const struct erring *erring, const char *name)
{
    size_t length = strlen(name) - strlen(":u");
    for (size_t i = 0; i < erring->tried.count; i++) {
        const struct tried_event *tried = &erring->tried.list[i];
        if (strlen(tried->name) == length && strncmp(tried->name, name, length) == 0)
            return tried->error == EACCES || tried->error == EPERM;
    }
    return false;
}

static bool is_of_cpu(const struct tried_event *tried)
{
    const struct error_event event = {.name = tried->name, .kind = tried->kind};
    return error_event_of_cpu(&event);
}

/* --- every event of the CPU, for placement --- */

static int keep_name(void *context, const struct listed_event *event)
{
    struct string_list *names = context;
    AUTO_TEXT struct text name = {0};
    if (!event->openable ||
        (strcmp(event->kind, "hardware") != 0 && strcmp(event->kind, "cache") != 0))
        return 0;
    text_printf(&name, "%s%s", event->name, event_mode(event->name) ? "" : ":u");
    return string_list_push(names, text_string(&name), name.length);
}

static int try_cpu_events(struct erring *erring, struct failure *failure)
{
    struct string_list names = {0};
    bool any = false;
    for (size_t i = 0; i < erring->tried.count; i++)
        any |= !erring->tried.list[i].error && is_of_cpu(&erring->tried.list[i]);
    if (!any || facts_get(erring->facts, "emulated"))
        return 0;
    int error = session_list_events(erring->session, NULL, keep_name, &names, failure);
    if (error == 0)
        error = try_helpers(erring, names.items, names.count, false, failure);
    string_list_free(&names);
    return error;
}

static int find(struct erring *erring, struct failure *failure)
{
    bool emulated = facts_get(erring->facts, "emulated");
    int error = 0;
    for (size_t i = 0; i < erring->asked.count && error == 0; i++)
        error = tried_try(&erring->tried, erring->session, erring->asked.items[i], true, failure);
    for (size_t i = 0; i < COUNT(usual) && error == 0 && !erring->asked.count; i++)
        if (!emulated || !is_one_of(usual[i], of_time, COUNT(of_time)))
            error = tried_try(&erring->tried, erring->session, usual[i], false, failure);
    for (size_t i = 0; i < COUNT(permitted) && error == 0 && !erring->asked.count; i++)
        if (is_forbidden(erring, permitted[i]))
            error = tried_try(&erring->tried, erring->session, permitted[i], false, failure);
    if (error == 0)
        error = try_list(erring, sources, COUNT(sources), failure);
    if (error == 0)
        error = try_helpers(erring, interrupts, COUNT(interrupts), true, failure);
    if (error == 0)
        error = try_helpers(erring, beside, COUNT(beside), false, failure);
    if (error == 0 && !erring->asked.count)
        error = try_cpu_events(erring, failure);
    return error;
}

int error_find_events(struct erring *erring)
{
    struct failure failure = {0};
    int error = find(erring, &failure);
    if (error == 0)
        return EXIT_DONE;
    if (!failure.text[0])
        return error_out_of_memory();
    return error_fail(&failure, deliver_status_of_name(error));
}

/* --- from events to the study --- */

static bool was_asked(const struct erring *erring, const char *name)
{
    return is_one_of(name, erring->asked.items, erring->asked.count);
}

/* Which events get every -O level and link mode: instructions where the CPU counts them, else what
 * tells time. */
static bool is_crossed(const struct erring *erring, const char *name)
{
    if (erring->asked.count)
        return was_asked(erring, name);
    if (tried_opens(&erring->tried, "instructions:u"))
        return strcmp(name, "instructions:u") == 0 ||
               (strcmp(name, "instructions:uk") == 0 && !erring->study.emulated);
    return strcmp(name, "msr/tsc/") == 0 || strncmp(name, "task-clock", 10) == 0 ||
           (strncmp(name, "page-faults", 11) == 0 && !tried_opens(&erring->tried, "msr/tsc/"));
}

static void add_event(struct erring *erring, const struct tried_event *tried)
{
    struct error_study *study = &erring->study;
    bool asked = was_asked(erring, tried->name);
    if (strcmp(tried->kind, "source") == 0) {
        if (strncmp(tried->name, "step/", 5) == 0)
            study->stepped = tried->name;
        else if (strncmp(tried->name, "clock/", 6) == 0)
            study->clock = tried->name;
        return;
    }
    if (event_counts_interrupts(tried->name) && !study->interrupts)
        study->interrupts = tried->name;
    if (event_counts_interrupts(tried->name) && !asked)
        return;
    bool companion = !asked && is_one_of(tried->name, beside, COUNT(beside));
    bool wanted =
        asked || (!erring->asked.count && (is_one_of(tried->name, usual, COUNT(usual)) ||
                                           is_one_of(tried->name, permitted, COUNT(permitted))));
    erring->events[study->event_count++] =
        (struct error_event){.name = tried->name,
                             .kind = tried->kind,
                             .class = tried->class,
                             .crossed = is_crossed(erring, tried->name),
                             .placed_only = !companion && !wanted,
                             .companion = companion};
}

static int check_paths(const struct erring *erring, struct failure *failure)
{
    const struct string_list *asked = &erring->options->path;
    for (size_t i = 0; i < asked->count; i++) {
        if (catalogue_path(erring->catalogue, asked->items[i]))
            continue;
        const struct catalogue_absence *absence =
            absences_find(erring->catalogue, "path", asked->items[i]);
        if (absence)
            return fail_with(failure, -ENODEV, "the path %s is not to be had here: %s",
                             asked->items[i], absence->reason);
        return fail_with(failure, -EINVAL, "there is no path '%.60s'", asked->items[i]);
    }
    return 0;
}

/* Does this study miss it? */
static bool is_missed(const struct catalogue_absence *absence)
{
    static const char *const specimens[] = {"null", "loop", "placed", "phases"};
    return strcmp(absence->kind, "path") == 0 ||
           (strcmp(absence->kind, "specimen") == 0 &&
            is_one_of(absence->name, specimens, COUNT(specimens)));
}

static int skip_absent(struct erring *erring)
{
    int error = erring->options->path.count
                    ? 0
                    : absences_skip(erring->catalogue, is_missed, &erring->skips);
    if (error == 0 && erring->study.emulated)
        error = skips_add(&erring->skips, "placement, cycles and times",
                          "on an emulated machine time passes with every instruction alike", 0);
    return error;
}

int error_prepare(struct erring *erring)
{
    const struct error_options *options = erring->options;
    struct error_study *study = &erring->study;
    struct failure failure = {0};
    int error = check_paths(erring, &failure);
    if (error < 0)
        return error_fail(&failure, error == -ENODEV ? EXIT_LACKING : EXIT_USAGE);
    *study = (struct error_study){
        .catalogue = erring->catalogue,
        .paths = options->path.items,
        .path_count = options->path.count,
        .processes = options->processes.given ? (uint32_t)options->processes.value : 0,
        .runs = options->runs.given ? (uint32_t)options->runs.value : 0,
        .full = options->full,
        .emulated = facts_get(erring->facts, "emulated") != NULL,
        .cpu = (int32_t)options->cpu};
    erring->events = calloc(erring->tried.count + 1, sizeof(*erring->events));
    if (!erring->events || skip_absent(erring) < 0)
        return error_out_of_memory();
    for (size_t i = 0; i < erring->tried.count; i++)
        if (!erring->tried.list[i].error)
            add_event(erring, &erring->tried.list[i]);
    study->events = erring->events;
    return EXIT_DONE;
}
