/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay overhead: what start, stop and read cost a program that measures itself. Its options, and
 * its entry in the driver of studies. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "engine/claims.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "studies/error/plan.h"
#include "studies/overhead/parts.h"

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

/* Tries meters and what could be counted. */
static int find(void *kept, struct failure *failure)
{
    struct overhead_run *run = kept;
    const struct overhead_options *options = overhead_asked(run);
    struct session *session = run->studying.session;
    int error = 0;
    for (size_t i = 0; i < options->meter.count && error == 0; i++)
        error = tried_try(&run->tried, session, options->meter.items[i], true, failure);
    if (error == 0 && options->counted)
        error = tried_try(&run->tried, session, options->counted, true, failure);
    if (error == 0 && !options->meter.count)
        error = tried_try(&run->tried, session, TICKS, false, failure);
    for (size_t i = 0; i < COUNT(counters) && error == 0 && !options->meter.count; i++)
        error = tried_try(&run->tried, session, counters[i], false, failure);
    for (size_t i = 0; i < COUNT(countable) && error == 0 && !options->counted; i++) {
        error = tried_try(&run->tried, session, countable[i], false, failure);
        if (tried_opens(&run->tried, countable[i]))
            break;
    }
    return error;
}

static int keep_counted(void *context, const struct stored_cell *stored)
{
    struct overhead_run *run = context;
    if (!run->counted)
        run->counted = memory_copy(stored->cell.tour.counted);
    return 0;
}

/* What was tried, and chosen, when the run began. */
static int recall(void *kept, struct failure *failure)
{
    struct overhead_run *run = kept;
    struct store *store = run->studying.store;
    int error = store_each_cell(store, keep_counted, run, failure);
    if (error == 0)
        error = tried_recall(&run->tried, store, failure);
    if (error == 0 && !run->tried.count)
        error = fail_with(failure, -EINVAL,
                          "%.300s was ended before it knew its meters, so there is nothing to go "
                          "on with: remove it, and begin again without --resume",
                          store_path(store));
    return error;
}

/* --- meters --- */

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
static int add_meter(struct overhead_run *run, const char *name, struct failure *failure)
{
    struct overhead_study *study = &run->study;
    bool ticks = strcmp(name, TICKS) == 0;
    struct overhead_meters *last =
        study->meters_count ? &run->meters[study->meters_count - 1] : NULL;
    if (ticks || !last || overhead_tells_time(last)) {
        run->meters[study->meters_count++] = (struct overhead_meters){{name}, 1};
        return 0;
    }
    if (last->count == OVERHEAD_MOST_METERS)
        return fail_with(failure, -EINVAL, "at most %u counters are read around a call",
                         OVERHEAD_MOST_METERS);
    last->events[last->count++] = name;
    return 0;
}

static int check_meter(const struct overhead_run *run, const char *name, struct failure *failure)
{
    const struct tried_event *tried = tried_find(&run->tried, name);
    const char *why = no_user_reads(run->studying.catalogue);
    if (tried && tried->error)
        return fail_with(failure, -ENODEV, "%.100s cannot be a meter here: %.300s", name,
                         tried->reason);
    if (strcmp(name, TICKS) == 0)
        return 0;
    if (!tried ||
        !error_event_of_cpu(&(struct error_event){.name = tried->name, .kind = tried->kind}))
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
static int take_named_meters(struct overhead_run *run, struct failure *failure)
{
    const struct string_list *named = &overhead_asked(run)->meter;
    int error = 0;
    for (int ticks = 1; ticks >= 0; ticks--)
        for (size_t i = 0; i < named->count && error == 0; i++) {
            if ((strcmp(named->items[i], TICKS) == 0) != ticks || is_repeated(named, i))
                continue;
            error = check_meter(run, named->items[i], failure);
            if (error == 0)
                error = add_meter(run, named->items[i], failure);
        }
    return error;
}

/* The time of an emulated machine means nothing, but where it passes with the instructions its
 * clock counts them all, also while the operating system halts the counters that meter. */
static int take_usual_meters(struct overhead_run *run, struct failure *failure)
{
    const char *why = no_user_reads(run->studying.catalogue);
    const bool counts = tried_opens(&run->tried, counters[0]);
    int error = tried_opens(&run->tried, TICKS) ? add_meter(run, TICKS, failure) : 0;
    for (size_t i = 0; i < COUNT(counters) && error == 0 && counts && !why; i++)
        if (tried_opens(&run->tried, counters[i]))
            error = add_meter(run, counters[i], failure);
    if (error == 0 && why && counts)
        skips_add(&run->studying.skips, "instructions of each call", why, 0);
    return error;
}

/* --- what is counted --- */

static int take_counted(struct overhead_run *run, struct failure *failure)
{
    const char *named = run->counted ? run->counted : overhead_asked(run)->counted;
    const struct tried_event *tried = named ? tried_find(&run->tried, named) : NULL;
    for (size_t i = 0; i < COUNT(countable) && !named; i++) {
        tried = tried_find(&run->tried, countable[i]);
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
    run->study.counted = tried ? tried->name : countable[COUNT(countable) - 1];
    if (tried && !tried->error)
        return 0;
    run->study.uncounted = true;
    skips_add(&run->studying.skips, "every call that counts",
              tried ? tried->reason : "no event can be opened", tried ? tried->error : 0);
    return 0;
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

static int check_paths(const struct overhead_run *run, struct failure *failure)
{
    const struct string_list *asked = &overhead_asked(run)->path;
    for (size_t i = 0; i < asked->count; i++) {
        if (is_had(run->studying.catalogue, asked->items[i]))
            continue;
        const char *why = why_absent(run->studying.catalogue, asked->items[i]);
        if (why)
            return fail_with(failure, -ENODEV, "the path %s is not to be had here: %.300s",
                             asked->items[i], why);
        AUTO_TEXT struct text paths = {0};
        put_paths(run->studying.catalogue, &paths);
        return fail_with(failure, -EINVAL,
                         "there is no path '%.60s' whose calls can be metered; here there are "
                         "%.300s",
                         asked->items[i], paths.length ? text_string(&paths) : "none");
    }
    return 0;
}

/* Calls by their names alone: "perf-user.read" says what it is. */
static void skip_missed(struct overhead_run *run)
{
    const struct catalogue *catalogue = run->studying.catalogue;
    struct skip_groups groups = {0};
    for (size_t i = 0; i < catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        if (strcmp(absence->kind, "operation") == 0)
            skip_groups_add(&groups, absence->name, absence->reason, absence->error, false);
    }
    skip_groups_close(&groups, &run->studying.skips);
}

/* --- the study --- */

static int prepare(void *kept, struct failure *failure)
{
    struct overhead_run *run = kept;
    struct studying *studying = &run->studying;
    const struct overhead_options *options = overhead_asked(run);
    run->study = (struct overhead_study){
        .catalogue = studying->catalogue,
        .meters = run->meters,
        .paths = options->path.items,
        .path_count = options->path.count,
        .processes = options->processes.given ? (uint32_t)options->processes.value : 0,
        .full = options->full,
        .emulated = facts_get(studying->facts, "emulated") != NULL,
        /* One CPU for all, because a process that moves pays for it. */
        .cpu = options->cpu >= 0 ? (int32_t)options->cpu : core_last(studying->facts),
        .seed = studying->seed};
    int error = check_paths(run, failure);
    if (error == 0 && !options->path.count)
        skip_missed(run);
    if (error == 0)
        error = take_counted(run, failure);
    if (error == 0)
        error = options->meter.count ? take_named_meters(run, failure)
                                     : take_usual_meters(run, failure);
    if (error == 0)
        error = overhead_wish(&run->study, &studying->wishes, failure);
    studying->idle = !studying->wishes.count && !studying->given->resume;
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Measuring. */

/* Operations, absences and tried events go into the store before the first sample, so that it can
 * be judged without its machine. */
static int put(void *kept, struct failure *failure)
{
    struct overhead_run *run = kept;
    const struct catalogue *catalogue = run->studying.catalogue;
    struct store *store = run->studying.store;
    int error = tried_put(&run->tried, store, failure);
    for (size_t i = 0; i < catalogue->operation_count && error == 0; i++) {
        const struct catalogue_operation *known = &catalogue->operations[i];
        const struct stored_operation operation = {.path = known->path,
                                                   .kind = known->kind,
                                                   .instrument = known->instrument,
                                                   .effect = known->effect,
                                                   .when = known->when,
                                                   .links = known->links,
                                                   .page = known->page,
                                                   .note = known->note,
                                                   .binds = known->binds,
                                                   .alone = known->alone};
        error = store_put_operation(store, &operation, failure);
    }
    return error == 0 ? absences_put(catalogue, "operation", store, failure) : error;
}

#define USUAL_BUDGET_MS   85000u
#define LONG_BUDGET_MS    180000u /* on emulated machines */
#define PORTIONS          12u
#define EMULATED_PORTIONS 3u /* the way to such a machine is narrow: plans are sent less often */
#define RESERVE_MS        6000u

/* Who asks for --full when a run goes on does not mean the time that it began with. */
static uint64_t budget(const void *kept)
{
    const struct overhead_run *run = kept;
    const struct overhead_options *options = overhead_asked(run),
                                  *given = (const struct overhead_options *)run->studying.given;
    if (given->study.budget || given->full)
        return given->study.budget;
    if (options->study.budget || options->full)
        return options->study.budget;
    return facts_get(run->studying.facts, "emulated") ? LONG_BUDGET_MS : USUAL_BUDGET_MS;
}

/* Tour after tour, as far as the budget goes. */
static int measure(void *kept)
{
    struct overhead_run *run = kept;
    const struct pacing pacing = {.all = "all tours",
                                  .stage_names = overhead_stage_names,
                                  .stages = OVERHEAD_STAGES,
                                  .unit = "tour",
                                  .longer = "give a larger --budget, or --full",
                                  .reserve = RESERVE_MS,
                                  .portions = run->study.emulated ? EMULATED_PORTIONS : PORTIONS,
                                  .keeps = true};
    return study_measure(&run->studying, &pacing);
}

/* ----------------------------------------------------------------------------------------------
 * Judging, and what could not be measured, by the reason. */

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
static void collect_skips(struct overhead_run *run)
{
    struct overhead_case *file = &run->file;
    struct skips *skips = &run->studying.skips;
    forget_unasked(file, &overhead_asked(run)->path);
    struct skip_groups groups = {.for_programs = true};
    size_t count = finish_is_for_programs(&run->studying.given->common) ? file->absence_count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct overhead_absence *absence = &file->absences[i];
        if (!is_said(skips, absence->reason))
            skip_groups_add(&groups, absence->what, absence->reason, absence->error, false);
    }
    skip_groups_close(&groups, skips);
}

/* A copy is no further witness. */
static int accept(void *kept, const char *path, const struct store_info *info,
                  struct failure *failure)
{
    struct overhead_run *run = kept;
    const char *name =
        memory_format("\n%s %" PRIu64 " %s\n", info->fingerprint, info->seed, info->started);
    if (run->taken && strstr(run->taken, name))
        return fail_with(failure, -EINVAL,
                         "%.300s holds the same run as a store named before it: its calls would "
                         "count twice. Name every run once.",
                         path);
    run->taken = memory_format("%s%s", run->taken ? run->taken : "", name);
    return 0;
}

static int load(void *kept, struct store *store, struct failure *failure)
{
    return overhead_load(store, &((struct overhead_run *)kept)->file, failure);
}

static int judge(void *kept, struct failure *failure)
{
    struct overhead_run *run = kept;
    (void)failure;
    /* Several have no name together. */
    if (run->studying.given->froms.count > 1)
        run->studying.stored = NULL;
    overhead_read_clocks(&run->file);
    overhead_judge(&run->file, &run->report);
    collect_skips(run);
    return 0;
}

static const char *nothing(const void *kept)
{
    const struct overhead_run *run = kept;
    return finish_nothing(run->report.calls, run->studying.complete);
}

/* ----------------------------------------------------------------------------------------------
 * The command, and its entry. */

#define MOST_PROCESSES 10000u

static int check(void *kept, struct failure *failure)
{
    const struct overhead_options *options = overhead_asked(kept);
    int error = options_check_number("processes", &options->processes, MOST_PROCESSES, failure);
    if (error == 0 && (options->cpu < -1 || options->cpu > INT32_MAX))
        error = fail_with(failure, -EINVAL, "--cpu must be the number of a CPU, or -1");
    return error;
}

static const struct study study = {
    .size = sizeof(struct overhead_run),
    .no_arguments = "events are named with --counted and --meter",
    .check = check,
    .recall = recall,
    .find = find,
    .budget = budget,
    .prepare = prepare,
    .put = put,
    .adopt = study_adopt,
    .measure = measure,
    .accept = accept,
    .load = load,
    .judge = judge,
    .nothing = nothing,
    .put_report = overhead_put_report,
    .findings = {offsetof(struct overhead_run, report.findings), OVERHEAD_FINDINGS},
    .figures = overhead_figures,
    .told = &overhead_told,
};

#define FIELD(name) offsetof(struct overhead_options, name)

static const struct option_spec specs[] = {
    {'p', "path", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "PATH",
     "measure the calls of these paths alone: perf-read, perf-user, papi-low, assay, ...; all "
     "unless given",
     FIELD(path), NULL},
    {0, "meter", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "METER",
     "read these around every call: clock/ticks/, or up to three counters that user code can read, "
     "such as instructions:u,instructions:k; unless given ticks, and instructions where they "
     "can be read",
     FIELD(meter), NULL},
    {0, "counted", OPTION_STRING | OPTION_MEASURES | OPTION_BEGINS, "EVENT",
     "start, stop and read counters of EVENT; unless given instructions:u or, where that does not "
     "open, page-faults",
     FIELD(counted), NULL},
    {0, "processes", OPTION_OPTIONAL | OPTION_BEGINS, "P",
     "fresh processes of every tour; unless given up to 96 of a warm and 360 of a cold one, on an "
     "emulated machine 9 and 12",
     FIELD(processes), NULL},
    {0, "cpu", OPTION_I64 | OPTION_BEGINS, "CPU",
     "measure on this CPU; -1 takes the last one that may be used, because the first ones serve "
     "most interrupts",
     FIELD(cpu), "-1"},
    {0, "budget", OPTION_BUDGET | OPTION_STAYS, "TIME",
     "spend about TIME, the least important tours are left out: 20s, 5m; unless given 85s, on an "
     "emulated machine 3m, with --full no limit",
     FIELD(study.budget), NULL},
    {0, "full", OPTION_FLAG | OPTION_STAYS, NULL,
     "four times as many processes, twice as many passes, up to 16 events", FIELD(full), NULL},
    {0, "all", OPTION_FLAG, NULL, "show every variant, pair and reason, instead of summing up",
     FIELD(study.all), NULL},
    {0, "from", OPTION_FILES, "FILE",
     "judge the run stored in FILE again, without touching a machine; repeated, machines and "
     "operating systems stand side by side",
     FIELD(study.froms), NULL},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of calls and processes from SEED; drawn and reported unless given",
     FIELD(study.seed), NULL},
    OPTION_ROW_STORE(FIELD(study.store)),
    OPTION_ROW_RESUME(FIELD(study.resume)),
    {0},
};

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
    .study = &study,
    .results = &overhead_results,
    .analysis = &overhead_analysis,
};
