/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay overhead: what start, stop and read cost a program that measures itself. */
#include <errno.h>
#include <string.h>

#include "base/monotonic.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "engine/skips.h"
#include "output/output.h"
#include "studies/error/plan.h"
#include "studies/overhead/parts.h"
#include "studies/overhead/plan.h"
#include "studies/overhead/study.h"

static int overhead_fail(const struct failure *failure, int status)
{
    return deliver_failure("overhead", failure, status);
}

/* ----------------------------------------------------------------------------------------------
 * What `assay overhead` could not measure, by the reason. */

static bool is_said(const struct skips *skips, const char *reason)
{
    for (size_t i = 0; i < skips->count; i++)
        if (strcmp(skips->list[i].reason, reason) == 0)
            return true;
    return false;
}

/* A call, "likwid.begin", of none of the paths that were asked for? */
static bool is_unasked(const struct string_list *paths, const char *what)
{
    static const char *const kinds[] = {"start", "stop", "read",   "accum",
                                        "begin", "end",  "command"};
    const char *point = strrchr(what, '.');
    bool call = false;
    for (size_t i = 0; point && i < sizeof(kinds) / sizeof(*kinds); i++)
        call = call || strcmp(point + 1, kinds[i]) == 0;
    for (size_t i = 0; call && i < paths->count; i++)
        if (strlen(paths->items[i]) == (size_t)(point - what) &&
            strncmp(paths->items[i], what, (size_t)(point - what)) == 0)
            return false;
    return call && paths->count;
}

/* Who asked for some paths does not miss the others. */
static void forget_unasked(struct overhead_case *file, const struct string_list *paths)
{
    size_t kept = 0;
    for (size_t i = 0; i < file->absence_count; i++)
        if (!is_unasked(paths, file->absences[i].what))
            file->absences[kept++] = file->absences[i];
    file->absence_count = kept;
}

/* What the case says could not be measured becomes rows of `skips`, grouped by reason. */
static void overhead_collect_skips(struct touring *touring)
{
    struct overhead_case *file = &touring->run.file;
    forget_unasked(file, &touring->run.options->path);
    struct skip_groups groups = {.for_programs = true};
    size_t count = finish_is_for_programs(&touring->run.options->common) ? file->absence_count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct overhead_absence *absence = &file->absences[i];
        if (!is_said(&touring->run.skips, absence->reason))
            skip_groups_add(&groups, absence->what, absence->reason, absence->error, false);
    }
    skip_groups_close(&groups, &touring->run.skips);
}

/* ----------------------------------------------------------------------------------------------
 * From options and the machine to the study of overhead: what is read around every call, what the
 * calls count, on which CPU, and what of the machine's operations was asked for. */

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

/* Tries meters and what could be counted. */
static int overhead_find_events(struct touring *touring)
{
    struct failure failure = {0};
    int error = find(touring, &failure);
    return error ? overhead_fail(&failure, deliver_status_of_name(error)) : EXIT_DONE;
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
        skips_add(skips, "instructions of each call", why, 0);
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
    skips_add(&touring->run.skips, "every call that counts",
              tried ? tried->reason : "no event can be opened", tried ? tried->error : 0);
    return 0;
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
static void skip_missed(struct touring *touring)
{
    const struct catalogue *catalogue = touring->catalogue;
    struct skip_groups groups = {0};
    for (size_t i = 0; i < catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        if (strcmp(absence->kind, "operation") == 0)
            skip_groups_add(&groups, absence->name, absence->reason, absence->error, false);
    }
    skip_groups_close(&groups, &touring->run.skips);
}

/* --- the study --- */

static int prepare(struct touring *touring, struct failure *failure)
{
    const struct overhead_options *options = touring->run.options;
    int error = check_paths(touring, failure);
    if (error == 0 && !options->path.count)
        skip_missed(touring);
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

    return overhead_fail(&failure, error == -ENODEV   ? EXIT_LACKING
                                   : error == -EINVAL ? EXIT_USAGE
                                                      : EXIT_FAILED);
}

/* --- the command --- */

#define USUAL_BUDGET_MS 85000u
#define LONG_BUDGET_MS  180000u /* on emulated machines */
#define MOST_PROCESSES  10000u

#define FIELD(name) offsetof(struct overhead_options, name)

static const struct option_spec specs[] = {
    {'p', "path", OPTION_LIST, "PATH",
     "measure the calls of these paths alone: perf-read, perf-user, papi-low, assay, ...; all "
     "unless given",
     FIELD(path), NULL},
    {0, "meter", OPTION_LIST, "METER",
     "read these around every call: clock/ticks/, or up to three counters that user code can read, "
     "such as instructions:u,instructions:k; unless given ticks, and instructions where they "
     "can be read",
     FIELD(meter), NULL},
    {0, "counted", OPTION_STRING, "EVENT",
     "start, stop and read counters of EVENT; unless given instructions:u or, where that does not "
     "open, page-faults",
     FIELD(counted), NULL},
    {0, "processes", OPTION_OPTIONAL, "P",
     "fresh processes of every tour; unless given up to 96 of a warm and 360 of a cold one, on an "
     "emulated machine 9 and 12",
     FIELD(processes), NULL},
    {0, "cpu", OPTION_I64, "CPU",
     "measure on this CPU; -1 takes the last one that may be used, because the first ones serve "
     "most interrupts",
     FIELD(cpu), "-1"},
    {0, "budget", OPTION_BUDGET, "TIME",
     "spend about TIME, the least important tours are left out: 20s, 5m; unless given 85s, on an "
     "emulated machine 3m, with --full no limit",
     FIELD(budget), NULL},
    {0, "full", OPTION_FLAG, NULL,
     "four times as many processes, twice as many passes, up to 16 events", FIELD(full), NULL},
    {0, "all", OPTION_FLAG, NULL, "show every variant, pair and reason, instead of summing up",
     FIELD(all), NULL},
    {0, "from", OPTION_FILES, "FILE",
     "judge the run stored in FILE again, without touching a machine; repeated, machines and "
     "operating systems stand side by side",
     FIELD(from), NULL},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of calls and processes from SEED; drawn and reported unless given",
     FIELD(seed), NULL},
    OPTION_ROW_STORE(FIELD(store)),
    OPTION_ROW_RESUME(FIELD(resume)),
    {0},
};

/* --- the command line --- */

static int check_from(const struct overhead_options *options, struct failure *failure)
{
    if (!options->from.count)
        return 0;
    if (options->resume || options->store)
        return fail_with(failure, -EINVAL,
                         "--from judges stored runs again: --store and --resume measure one");
    if (options->path.count || options->meter.count || options->counted)
        return fail_with(failure, -EINVAL,
                         "--from judges everything that is stored: leave out --path, --meter and "
                         "--counted");
    return 0;
}

static int check_resume(const struct overhead_options *options, struct failure *failure)
{
    if (!options->resume || (!options->path.count && !options->meter.count && !options->counted &&
                             !options->processes.given && options->cpu == -1))
        return 0;
    return fail_with(failure, -EINVAL,
                     "--resume goes on with what the run began with: leave out --path, --meter, "
                     "--counted, --processes and --cpu");
}

static int check_options(const struct overhead_options *options, int argument_count,
                         char **arguments)
{
    struct failure failure = {0};
    int error = argument_count ? fail_with(&failure, -EINVAL,
                                           "'%.80s' is no option: events are named with --counted "
                                           "and --meter",
                                           arguments[0])
                               : 0;
    if (error == 0)
        error = check_from(options, &failure);
    if (error == 0)
        error = check_resume(options, &failure);
    if (error == 0)
        error = options_check_number("processes", &options->processes, MOST_PROCESSES, &failure);
    if (error == 0 && (options->cpu < -1 || options->cpu > INT32_MAX))
        error = fail_with(&failure, -EINVAL, "--cpu must be the number of a CPU, or -1");
    if (error < 0)
        return overhead_fail(&failure, EXIT_USAGE);
    if (output_check(options->common.output, &failure) < 0)
        return overhead_fail(&failure, EXIT_FAILED);
    return EXIT_DONE;
}

/* --- the way through --- */

static void release(struct touring *touring)
{
    store_close(touring->store);
    session_close(touring->session);
    tried_free(&touring->tried);
    skips_free(&touring->run.skips);
    facts_free(&touring->stored_facts);

    options_release(&command_overhead, &touring->begun);
}

static uint64_t budget_of(const struct overhead_run *run)
{
    if (run->options->budget || run->options->full)
        return run->options->budget;
    return facts_get(run->facts, "emulated") ? LONG_BUDGET_MS : USUAL_BUDGET_MS;
}

static int on_the_machine(struct touring *touring)
{
    struct overhead_run *run = &touring->run;
    bool resume = run->options->resume;
    int status =
        reach_machine("overhead", &run->options->common, &touring->session, &touring->catalogue);
    if (status != EXIT_DONE)
        return status;
    run->facts = &touring->catalogue->facts;
    memcpy(run->fingerprint, touring->catalogue->fingerprint,
           sizeof(touring->catalogue->fingerprint));
    status = resume ? overhead_reopen_store(touring) : overhead_find_events(touring);
    run->budget = budget_of(run);
    if (status == EXIT_DONE && !resume)
        status = overhead_prepare(touring);
    if (status == EXIT_DONE && !resume)
        status = overhead_create_store(touring);
    return status == EXIT_DONE ? overhead_measure(touring) : status;
}

static int judge(void *study)
{
    struct touring *touring = study;
    struct overhead_run *run = &touring->run;
    struct failure failure = {0};
    int error = 0;
    /* Stored runs that are judged again were loaded when they were opened. */
    if (touring->store && !run->options->from.count)
        error = overhead_load(touring->store, &run->file, &failure);
    if (error == 0) {
        overhead_read_clocks(&run->file);
        overhead_judge(&run->file, &run->report);
        overhead_collect_skips(touring);
    }
    run->seconds = (double)(monotonic_ms() - touring->started) / 1000;
    return finish_judged("overhead", error, &failure);
}

static void put_report(const void *run, const struct style *style, struct text *out)
{
    overhead_put_report(run, style, out);
}

static json_t *results(const void *run)
{
    return overhead_results_json(run);
}

static json_t *analysis(const void *run)
{
    return overhead_analysis_json(run);
}

static json_t *findings(const void *run)
{
    return overhead_findings_json(run);
}

static json_t *figures(const void *run)
{
    return overhead_figures(run);
}

static int show(void *study, int status)
{
    const struct overhead_run *run = &((const struct touring *)study)->run;
    const struct finish finish = {.command = "overhead",
                                  .common = &run->options->common,
                                  .seed = run->seed,
                                  .facts = run->facts,
                                  .fingerprint = run->fingerprint,
                                  .skips = &run->skips,
                                  .nothing = finish_nothing(run->report.calls, run->complete),
                                  .run = run,
                                  .put_report = put_report,
                                  .results = results,
                                  .analysis = analysis,
                                  .findings = findings,
                                  .figures = figures};
    return finish_show(&finish, status);
}

static int run_overhead(void *parsed, int argument_count, char **arguments)
{
    const struct overhead_options *options = parsed;
    struct touring touring = {.run = {.options = options, .complete = true},
                              .started = monotonic_ms()};
    int status = check_options(options, argument_count, arguments);
    if (status == EXIT_DONE) {
        touring.run.seed = gather_seed(&options->seed);
        status = options->from.count ? overhead_open_from(&touring) : on_the_machine(&touring);
        status = finish_study(status, touring.store != NULL, &touring, judge, show);
    }
    release(&touring);
    return status;
}

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done"},
    EXIT_ROW_FAILED,
    EXIT_ROW_USAGE,
    {EXIT_LACKING, "nothing can be measured here, and the reasons were said"},
    {EXIT_INTERRUPTED, "interrupted; what was measured is kept and judged"},
    {0, NULL},
};

const struct command command_overhead = {
    .name = "overhead",
    .group = GROUP_STUDY,
    .summary = "what start, stop and read cost, by every way of calling them",
    .synopsis = "[options]",
    .description =
        "Meters single calls: what a program that measures itself pays for starting, stopping and "
        "reading counters, through libc, by system calls of its own, in user code, through PAPI, "
        "LIKWID and libassay, and for a whole command under perf stat. What was called before "
        "changes what a call costs, so calls are made in tours that hold every pair of calls once, "
        "in several random orders, and the predecessor is a factor of the result.\n\n"
        "Warm tours repeat their calls in dozens of processes; cold ones take hundreds, whose "
        "first "
        "calls are first calls: nothing was bound or touched before. Every process runs on one "
        "CPU. "
        "A block of work that is the tour's own tells when somebody else used the core: such "
        "passes "
        "are kept apart. What metering itself costs is measured by calls of nothing, and "
        "removed.\n\n"
        "The meter is the clock of ticks and, where user code can read counters of the CPU, "
        "instructions in user mode and in the operating system's. On emulated machines time means "
        "nothing: instructions are metered, which are exact there, and ticks of a clock that "
        "counts "
        "instructions.\n\n"
        "The result says what each call costs cold and warm, after which call, by the number of "
        "events and of reads in a row; what peers cost beside bare calls; and how the findings of "
        "Weaver (ISPASS 2015) fare on this machine. Everything is stored, so that --from judges it "
        "again without the machine, and sets several machines or operating systems side by side.",
    .examples = "# what does measuring cost here?\n"
                "assay overhead\n"
                "# a first look\n"
                "assay overhead --budget 20s\n"
                "# two ways of reading, side by side\n"
                "assay overhead --path perf-read,papi-low\n"
                "# an emulated machine, in exact numbers of instructions\n"
                "assay overhead --via lab:aarch64\n"
                "# does the operating system matter? Stored runs together\n"
                "assay overhead --from old.sqlite --from new.sqlite",
    .options = specs,
    .exits = exits,
    .options_size = sizeof(struct overhead_options),
    .run = run_overhead,
};
