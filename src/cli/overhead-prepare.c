/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From options and the machine to the study of overhead: what is read around every call, what the
 * calls count, on which CPU, and what of the machine's operations was asked for. */
#include <errno.h>
#include <string.h>

#include "cli/deliver.h"
#include "cli/overhead-run.h"
#include "cli/skip-groups.h"
#include "study/core-type.h"
#include "studies/error/plan.h"

#define TICKS "clock/ticks/"
/* Counters that are read around every call, all at once. */
static const char *const counters[] = {"instructions:u", "instructions:k"};
/* What the calls count where nobody says so: the first that opens. */
static const char *const countable[] = {"instructions:u", "page-faults", "page-faults:u"};
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* --- trying --- */

static int find(struct touring *touring, struct failure *failure)
{
    const struct overhead_options *options = touring->run.options;
    int error = 0;
    for (size_t i = 0; i < options->meter.count && error == 0; i++)
        error =
            tried_try(&touring->tried, touring->session, options->meter.items[i], true, failure);
    if (error == 0 && options->counted)
        error = tried_try(&touring->tried, touring->session, options->counted, true, failure);
    if (error == 0 && !options->meter.count)
        error = tried_try(&touring->tried, touring->session, TICKS, false, failure);
    for (size_t i = 0; i < COUNT(counters) && error == 0 && !options->meter.count; i++)
        error = tried_try(&touring->tried, touring->session, counters[i], false, failure);
    for (size_t i = 0; i < COUNT(countable) && error == 0 && !options->counted; i++) {
        error = tried_try(&touring->tried, touring->session, countable[i], false, failure);
        if (tried_opens(&touring->tried, countable[i]))
            break;
    }
    return error;
}

int overhead_find_events(struct touring *touring)
{
    struct failure failure = {0};
    int error = find(touring, &failure);
    if (error == 0)
        return EXIT_DONE;
    return failure.text[0] ? overhead_fail(&failure, deliver_status_of_name(error))
                           : overhead_out_of_memory();
}

/* --- meters --- */

static bool is_of_cpu(const struct tried_event *tried)
{
    const struct error_event event = {.name = tried->name, .kind = tried->kind};
    return error_event_of_cpu(&event);
}

/* NULL where user code can read counters here; else why it cannot. */
static const char *no_user_reads(const struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (*catalogue->operations[i].page)
            return NULL;
    for (size_t i = 0; i < catalogue->absence_count; i++)
        if (strncmp(catalogue->absences[i].name, "perf-user", 9) == 0)
            return catalogue->absences[i].reason;
    return "no path of the probe reads counters in user code";
}

/* A counter joins the set of counters, which is the last; ticks are a set of their own. */
static int add_meter(struct touring *touring, const char *name, struct failure *failure)
{
    struct overhead_study *study = &touring->study;
    bool ticks = strcmp(name, TICKS) == 0;
    struct overhead_meters *last =
        study->meters_count ? &touring->meters[study->meters_count - 1] : NULL;
    if (ticks || !last || overhead_tells_time(last)) {
        touring->meters[study->meters_count++] = (struct overhead_meters){{name}, 1};
        return 0;
    }
    if (last->count == OVERHEAD_MOST_METERS)
        return fail_with(failure, -EINVAL, "at most %u counters are read around a call",
                         OVERHEAD_MOST_METERS);
    last->events[last->count++] = name;
    return 0;
}

static int check_meter(const struct touring *touring, const char *name, struct failure *failure)
{
    const struct tried_event *tried = tried_find(&touring->tried, name);
    const char *why = no_user_reads(touring->catalogue);
    if (tried && tried->error)
        return fail_with(failure, -ENODEV, "%.100s cannot be a meter here: %.300s", name,
                         tried->reason);
    if (strcmp(name, TICKS) == 0)
        return 0;
    if (!tried || !is_of_cpu(tried))
        return fail_with(failure, -EINVAL,
                         "%.100s is no meter: that is %s, or a counter of the CPU that user code "
                         "can read, such as instructions:u",
                         name, TICKS);
    if (why)
        return fail_with(failure, -ENODEV, "%.100s cannot be a meter here: %.300s", name, why);
    return 0;
}

static bool is_repeated(const struct string_list *list, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(list->items[i], list->items[index]) == 0)
            return true;
    return false;
}

/* Ticks first: then all counters are in one set. */
static int take_named_meters(struct touring *touring, struct failure *failure)
{
    const struct string_list *named = &touring->run.options->meter;
    int error = 0;
    for (int ticks = 1; ticks >= 0; ticks--)
        for (size_t i = 0; i < named->count && error == 0; i++) {
            if ((strcmp(named->items[i], TICKS) == 0) != ticks || is_repeated(named, i))
                continue;
            error = check_meter(touring, named->items[i], failure);
            if (error == 0)
                error = add_meter(touring, named->items[i], failure);
        }
    return error;
}

/* The time of an emulated machine means nothing, but where it passes with the instructions its
 * clock counts them all, also while the operating system halts the counters that meter. */
static int take_usual_meters(struct touring *touring, struct failure *failure)
{
    struct skips *skips = &touring->run.skips;
    const char *why = no_user_reads(touring->catalogue);
    bool counts = !why && tried_opens(&touring->tried, counters[0]);
    int error = 0;
    if (tried_opens(&touring->tried, TICKS))
        error = add_meter(touring, TICKS, failure);
    for (size_t i = 0; i < COUNT(counters) && error == 0; i++) {
        const struct tried_event *tried = tried_find(&touring->tried, counters[i]);
        if (!why && tried && !tried->error && counts)
            error = add_meter(touring, tried->name, failure);
    }
    if (error == 0 && why && tried_opens(&touring->tried, counters[0]))
        error = skips_add(skips, "instructions of each call", why, 0);
    return error;
}

/* --- what is counted --- */

static int take_counted(struct touring *touring, struct failure *failure)
{
    const char *named = touring->run.options->counted;
    const struct tried_event *tried = named ? tried_find(&touring->tried, named) : NULL;
    for (size_t i = 0; i < COUNT(countable) && !named; i++) {
        tried = tried_find(&touring->tried, countable[i]);
        if (tried && !tried->error)
            break;
    }
    if (named && !tried)
        return fail_with(failure, -EINVAL, "there is no event '%.100s'", named);
    if (named && strcmp(tried->kind, "source") == 0)
        return fail_with(failure, -EINVAL,
                         "%.100s counts by executing: there is no counter to start, stop and read",
                         named);
    if (named && tried->error)
        return fail_with(failure, -ENODEV, "%.100s cannot be counted here: %.300s", named,
                         tried->reason);
    touring->study.counted = tried ? tried->name : countable[COUNT(countable) - 1];
    if (tried && !tried->error)
        return 0;
    touring->study.uncounted = true;
    return skips_add(&touring->run.skips, "every call that counts",
                     tried ? tried->reason : "no event can be opened", tried ? tried->error : 0);
}

/* --- where --- */

/* One CPU for all, because a process that moves pays for it. */
static int32_t choose_cpu(const struct touring *touring)
{
    int64_t asked = touring->run.options->cpu;
    return asked >= 0 ? (int32_t)asked : core_last(touring->run.facts);
}

/* --- paths --- */

static bool is_had(const struct catalogue *catalogue, const char *path)
{
    for (size_t i = 0; i < catalogue->operation_count; i++)
        if (strcmp(catalogue->operations[i].path, path) == 0 &&
            !overhead_is_timer(&catalogue->operations[i]))
            return true;
    return false;
}

/* The reason why the path has no operation here; NULL: nobody knows such a path. */
static const char *why_absent(const struct catalogue *catalogue, const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        bool known = strcmp(absence->kind, "operation") == 0 || strcmp(absence->kind, "path") == 0;
        if (known && strncmp(absence->name, path, length) == 0 &&
            (absence->name[length] == '\0' || absence->name[length] == '.'))
            return absence->reason;
    }
    return NULL;
}

/* "perf-read, perf-syscall, ...": every path that has a call, once. */
static void put_paths(const struct catalogue *catalogue, struct text *out)
{
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *operation = &catalogue->operations[i];
        bool fresh = !overhead_is_timer(operation);
        for (size_t j = 0; j < i && fresh; j++)
            fresh = strcmp(catalogue->operations[j].path, operation->path) != 0;
        if (fresh)
            text_printf(out, "%s%s", out->length ? ", " : "", operation->path);
    }
}

static int check_paths(const struct touring *touring, struct failure *failure)
{
    const struct string_list *asked = &touring->run.options->path;
    for (size_t i = 0; i < asked->count; i++) {
        if (is_had(touring->catalogue, asked->items[i]))
            continue;
        const char *why = why_absent(touring->catalogue, asked->items[i]);
        if (why)
            return fail_with(failure, -ENODEV, "the path %s is not to be had here: %.300s",
                             asked->items[i], why);
        AUTO_TEXT struct text paths = {0};
        put_paths(touring->catalogue, &paths);
        return fail_with(failure, -EINVAL,
                         "there is no path '%.60s' whose calls can be metered; here there are "
                         "%.300s",
                         asked->items[i], paths.length ? text_string(&paths) : "none");
    }
    return 0;
}

/* Calls by their names alone: "perf-user.read" says what it is. */
static int skip_missed(struct touring *touring)
{
    const struct catalogue *catalogue = touring->catalogue;
    struct skip_groups groups = {0};
    int error = 0;
    for (size_t i = 0; i < catalogue->absence_count && error == 0; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        if (strcmp(absence->kind, "operation") == 0)
            error = skip_groups_add(&groups, absence->name, absence->reason, absence->error, false);
    }
    int closed = skip_groups_close(&groups, &touring->run.skips);
    return error < 0 ? error : closed;
}

/* --- the study --- */

static int prepare(struct touring *touring, struct failure *failure)
{
    const struct overhead_options *options = touring->run.options;
    int error = check_paths(touring, failure);
    if (error == 0 && !options->path.count)
        error = skip_missed(touring);
    if (error == 0)
        error = take_counted(touring, failure);
    if (error == 0)
        error = options->meter.count ? take_named_meters(touring, failure)
                                     : take_usual_meters(touring, failure);
    return error < 0 ? error : overhead_plan_wish(&touring->study, &touring->plan, failure);
}

int overhead_prepare(struct touring *touring)
{
    const struct overhead_options *options = touring->run.options;
    struct failure failure = {0};
    touring->study = (struct overhead_study){
        .catalogue = touring->catalogue,
        .meters = touring->meters,
        .paths = options->path.items,
        .path_count = options->path.count,
        .processes = options->processes.given ? (uint32_t)options->processes.value : 0,
        .full = options->full,
        .emulated = facts_get(touring->run.facts, "emulated") != NULL,
        .cpu = choose_cpu(touring),
        .seed = touring->run.seed};
    int error = prepare(touring, &failure);
    if (error == 0)
        return EXIT_DONE;
    if (!failure.text[0] || error == -ENOMEM)
        return overhead_out_of_memory();
    return overhead_fail(&failure, error == -ENODEV   ? EXIT_LACKING
                                   : error == -EINVAL ? EXIT_USAGE
                                                      : EXIT_FAILED);
}
