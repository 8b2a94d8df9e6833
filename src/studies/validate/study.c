/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay validate: holds every event against code whose counts are known, and says how far it can be
 * trusted and why not further. Which events, under which names; its options, and its entry in the
 * driver of studies. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "engine/claims.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "output/output.h"
#include "studies/caches/parts.h"
#include "studies/measure/study.h"
#include "studies/validate/judge.h"
#include "studies/validate/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Which events are judged, and under which names: each is opened, and one that cannot be is a
 * candidate as well, so that nothing is missing silently. */

/* Under which names an event of a kind is judged. */
enum naming {
    NAMED_PLAIN,     /* as it is; where that is not permitted with :u */
    NAMED_USER,      /* with :u, where that is refused as it is */
    NAMED_BOTH_WAYS, /* as it is, and with :u, which it may not honour */
};

static enum naming naming_of(const char *kind)
{
    if (kind_is_of_cpu(kind))
        return NAMED_USER;
    return strcmp(kind, "software") == 0 || strcmp(kind, "tracepoint") == 0 ? NAMED_BOTH_WAYS
                                                                            : NAMED_PLAIN;
}

/* --- names --- */

/* Opens `name`; a name that the machine refuses to read is an event that cannot be opened. */
static int try_name(struct validating *run, const char *name, const struct tried_event *like,
                    struct tried_event *tried, struct failure *failure)
{
    struct tried_events one = {0};
    int error = tried_try(&one, run->studying.session, name, false, failure);
    if (error < 0)
        return error;
    *tried = one.list[0];
    tried->kind = like->kind;
    if (strcmp(one.list[0].kind, "unknown") == 0)
        tried->class = like->class;
    return 0;
}

/* A counter of the CPU: with :u, and where that cannot be had as it is. */
static int add_user(struct validating *run, const struct tried_event *listed, const char *user,
                    struct failure *failure)
{
    struct tried_event tried = *listed;
    int error = listed->error;
    /* What is not there at all is not there in whatever mode. Anything else may be about the mode
     * that was asked for: some PMUs count user code alone. */
    bool is_there = error != ENOENT && error != ENODEV && error != ENXIO && error != ENOSYS;
    tried.name = (char *)user;
    error = is_there ? try_name(run, user, listed, &tried, failure) : 0;
    if (error < 0)
        return error;
    if (tried.error && !listed->error)
        skips_add(&run->studying.skips, user, tried.reason, tried.error);
    tried_add(&run->candidates, tried.error && !listed->error ? listed : &tried);
    return 0;
}

/* In every name that it is judged under. */
static int add_named(struct validating *run, const struct tried_event *listed,
                     struct failure *failure)
{
    const char *user = event_in_user_mode(listed->name);
    const enum naming naming = naming_of(listed->kind);
    bool as_it_is = event_mode(listed->name) || strcmp(listed->kind, "source") == 0;
    bool opens_both = naming == NAMED_BOTH_WAYS && !listed->error;
    bool forbidden = listed->error == EACCES || listed->error == EPERM;
    if (!as_it_is && naming == NAMED_USER)
        return add_user(run, listed, user, failure);
    tried_add(&run->candidates, listed);
    if (as_it_is || (!opens_both && !forbidden))
        return 0;
    struct tried_event tried;
    int error = try_name(run, user, listed, &tried, failure);
    if (error == 0 && (opens_both || !tried.error)) /* else said of the plain name already */
        tried_add(&run->candidates, &tried);
    return error;
}

struct listing {
    const char *except_kind;  /* leave out events of this kind; NULL: none */
    struct tried_events kept; /* names as listed */
};

static int keep(void *context, const struct listed_event *event)
{
    struct listing *listing = context;
    const int error = event->openable ? 0 : event->error ? event->error : EIO;
    const struct tried_event listed = {.name = (char *)event->name,
                                       .kind = (char *)event->kind,
                                       .class = (char *)event->class,
                                       .reason = (char *)event->reason,
                                       .error = error};
    if (!listing->except_kind || strcmp(event->kind, listing->except_kind) != 0)
        tried_add(&listing->kept, &listed);
    return 0;
}

/* Everything that matches, in every name that it is judged under. */
static int add_listed(struct validating *run, const char *glob, const char *except_kind,
                      struct failure *failure)
{
    struct listing listing = {.except_kind = except_kind};
    struct progress progress = {0};
    int error = session_list_events(run->studying.session, glob, keep, &listing, failure);
    progress_begin(&progress, "events", listing.kept.count, run->studying.given->common.quiet);
    for (size_t i = 0; i < listing.kept.count && error == 0; i++) {
        error = add_named(run, &listing.kept.list[i], failure);
        progress_step(&progress);
    }
    progress_end(&progress);
    return error;
}

/* --- what was asked for --- */

/* The machine has no such source, path or specimen; hint: how to find one. */
static int refuse(const struct validating *run, const char *kind, const char *name, const char *why,
                  const char *hint, struct failure *failure)
{
    const struct catalogue_absence *absence = absences_find(run->studying.catalogue, kind, name);
    return absence
               ? fail_with(failure, -ENODEV, "the %s %s %s: %s", kind, name, why, absence->reason)
               : fail_with(failure, -EINVAL, "there is no %s '%.100s'%s", kind, name, hint);
}

static int add_source(struct validating *run, const char *name, struct failure *failure)
{
    const struct catalogue *catalogue = run->studying.catalogue;
    if (catalogue_source(catalogue, name))
        return add_listed(run, memory_format("%s/*", name), NULL, failure);
    AUTO_TEXT struct text known = {0};
    for (size_t i = 0; i < catalogue->source_count; i++)
        text_printf(&known, "%s%s", i ? ", " : ", only ", catalogue->sources[i].name);
    return refuse(run, "source", name, "cannot count here", text_string(&known), failure);
}

static int add_argument(struct validating *run, const char *name, struct failure *failure)
{
    const size_t before = run->candidates.count;
    if (!strpbrk(name, "*?["))
        return tried_try(&run->candidates, run->studying.session, name, true, failure);
    int error = add_listed(run, name, NULL, failure);
    return error == 0 && run->candidates.count == before
               ? fail_with(failure, -ENODEV, "no event here matches '%.200s'", name)
               : error;
}

static int find(void *kept, struct failure *failure)
{
    struct validating *run = kept;
    const struct studying *studying = &run->studying;
    const struct string_list *sources = &validate_asked(run)->source;
    bool has_papi = false;
    int error = 0;
    for (size_t i = 0; i < sources->count && error == 0; i++)
        error = add_source(run, sources->items[i], failure);
    for (size_t i = 0; i < studying->argument_count && error == 0; i++)
        error = add_argument(run, studying->arguments[i], failure);
    if (error < 0 || sources->count || studying->argument_count)
        return error;
    for (size_t i = 0; i < studying->catalogue->path_count; i++)
        has_papi |= strncmp(studying->catalogue->paths[i].name, "papi-", 5) == 0;
    error = add_listed(run, NULL, "source", failure);
    return error == 0 && has_papi ? add_listed(run, "PAPI_*", NULL, failure) : error;
}

/* The events of the run that is gone on with. */
static int recall(void *kept, struct failure *failure)
{
    struct validating *run = kept;
    struct store *store = run->studying.store;
    int error = tried_recall(&run->candidates, store, failure);
    return error == 0 && !run->candidates.count
               ? fail_with(failure, -EINVAL,
                           "%.300s was ended before it knew its events, so there is nothing to go "
                           "on with: remove it, and begin again without --resume",
                           store_path(store))
               : error;
}

/* ----------------------------------------------------------------------------------------------
 * From candidates and catalogue to what the plan works with: specimens, and for each event that
 * can be judged its ways and CPUs. Whoever cannot be judged gets the reason here. */

/* --- specimens --- */

static void add_specimen(struct validating *run, const struct geometry *geometry,
                         const struct catalogue_specimen *known, const char *name)
{
    AUTO_FREE char *complete = geometry_complete_name(geometry, run->studying.catalogue, name);
    *memory_add(run->plan.specimens, run->plan.specimen_count) =
        (struct validate_specimen){.known = known, .name = memory_copy(complete)};
}

static int add_asked(struct validating *run, const struct geometry *geometry, const char *name,
                     struct failure *failure)
{
    const struct catalogue_specimen *known = catalogue_specimen(run->studying.catalogue, name);
    if (!known)
        return refuse(run, "specimen", name, "cannot run here",
                      ": `assay events --specimens` lists them", failure);
    if (specimen_name_check(known, name, failure) < 0)
        return -EINVAL;
    add_specimen(run, geometry, known, name);
    return 0;
}

/* Does the specimen depend on caches? On an emulated machine, which has none, such code says
 * nothing and takes long. */
static bool needs_caches(const struct catalogue_specimen *specimen)
{
    static const char *const keys[] = {"l1d", "l1i", "l2", "llc", "dtlb", "itlb"};
    for (const char *word = specimen->parameters; *(word += strspn(word, " "));) {
        const size_t length = strcspn(word, " ");
        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
            if (strlen(keys[i]) == length && strncmp(word, keys[i], length) == 0)
                return true;
        word += length;
    }
    return false;
}

static int find_specimens(struct validating *run, struct failure *failure)
{
    struct studying *studying = &run->studying;
    const struct catalogue *catalogue = studying->catalogue;
    const struct string_list *asked = &validate_asked(run)->specimen;
    struct geometry geometry;
    int error = 0;
    geometry_load(catalogue, &studying->given->common, &geometry);
    for (size_t i = 0; i < asked->count && error == 0; i++)
        error = add_asked(run, &geometry, asked->items[i], failure);
    for (size_t i = 0; i < catalogue->specimen_count && !asked->count; i++) {
        const struct catalogue_specimen *known = &catalogue->specimens[i];
        if (strcmp(known->name, "null") == 0)
            continue;
        if (!facts_get(studying->facts, "emulated") || !needs_caches(known))
            add_specimen(run, &geometry, known, known->name);
        else
            skips_add(&studying->skips, memory_format("specimen %s", known->name),
                      "an emulated machine has no caches for it to miss", 0);
    }
    for (size_t i = 0; i < catalogue->absence_count; i++)
        if (strcmp(catalogue->absences[i].kind, "specimen") == 0)
            skips_add(&studying->skips, memory_format("specimen %s", catalogue->absences[i].name),
                      catalogue->absences[i].reason, catalogue->absences[i].error);
    return error;
}

/* --- ways --- */

/* preferred where the list has it, else its first word. */
static const char *word_of(const char *list, const char *preferred)
{
    char word[WORD_LIST_WORD];
    return memory_copy(word_list_prefer(list, preferred, word));
}

/* Adds the path as a way, unless it is not here or cannot count for that source. */
static void add_way(struct validate_subject *subject, const struct catalogue_path *path,
                    const char *source)
{
    if (!path || !word_list_has(path->sources, source) || subject->way_count == VALIDATE_WAYS)
        return;
    for (size_t i = 0; i < subject->way_count; i++)
        if (strcmp(subject->ways[i].path, path->name) == 0)
            return;
    static const enum pattern order[] = {PATTERN_AO, PATTERN_RR, PATTERN_AR, PATTERN_RO};
    enum pattern usual = PATTERN_AO;
    for (size_t i = sizeof(order) / sizeof(*order); i-- > 0;)
        if (word_list_has(path->patterns, pattern_names[order[i]]))
            usual = order[i];
    subject->ways[subject->way_count++] =
        (struct validate_way){.path = path->name,
                              .pattern = usual,
                              .opt = word_of(path->opts, "O2"),
                              .link = word_of(path->links, "static")};
}

static void add_ways(const struct validating *run, const char *source,
                     struct validate_subject *subject)
{
    const struct catalogue *catalogue = run->studying.catalogue;
    const struct string_list *asked = &validate_asked(run)->path;
    for (size_t i = 0; i < asked->count; i++)
        add_way(subject, catalogue_path(catalogue, asked->items[i]), source);
    if (asked->count)
        return;
    add_way(subject, source_path(catalogue, source), source);
    if (strcmp(source, "perf_event") != 0)
        return;
    add_way(subject, catalogue_path(catalogue, "perf-syscall"), source);
    /* PAPI counts user code alone unless told otherwise, and has no breakpoints. */
    if (subject->user_code)
        add_way(subject, catalogue_path(catalogue, "papi-low"), source);
}

static int check_paths(const struct validating *run, struct failure *failure)
{
    const struct string_list *asked = &validate_asked(run)->path;
    for (size_t i = 0; i < asked->count; i++)
        if (!catalogue_path(run->studying.catalogue, asked->items[i]))
            return refuse(run, "path", asked->items[i], "is not to be had here", "", failure);
    return 0;
}

/* --- CPUs --- */

/* The CPUs to measure on: that of --cpu; else, for an event of the CPU on a machine whose cores
 * differ ("cpu_core=0-7 cpu_atom=8-15"), one of each type, or the one whose PMU the event names. */
static void choose_cpus(const struct validating *run, const struct tried_event *candidate,
                        struct validate_subject *subject)
{
    const char *list = facts_get(run->studying.facts, "pmu.cpus");
    subject->cpus[0] = (int32_t)validate_asked(run)->cpu;
    subject->cpu_count = 1;
    if (subject->cpus[0] >= 0 || !list || !strchr(list, ' ') || !kind_is_of_cpu(candidate->kind))
        return;
    size_t count = 0;
    for (const char *at = list; *at && count < VALIDATE_CORES;) {
        size_t word = strcspn(at, " "), name = strcspn(at, "= ");
        int cpu;
        if (name < word && isdigit((unsigned char)at[name + 1]) &&
            sscanf(at + name + 1, "%6d", &cpu) == 1) {
            if (strncmp(candidate->name, at, name) == 0 && candidate->name[name] == '/') {
                subject->cpus[0] = cpu;
                return;
            }
            subject->cpus[count++] = cpu;
        }
        at += word;
        at += strspn(at, " ");
    }
    subject->cpu_count = count ? count : 1;
}

/* --- events --- */

/* Why nothing can judge an event that opens; "" when something can. */
static void put_reason(const struct validating *run, const struct tried_event *candidate,
                       struct text *out)
{
    if (!candidate->class) {
        text_puts(out, "what it counts is not known: it has no class");
        return;
    }
    if (validate_primary(&run->plan, candidate->class) == VALIDATE_NO_SPECIMEN) {
        text_printf(out, VALIDATE_LACK "%s", candidate->class);
        return;
    }
    if (kind_is_of_cpu(candidate->kind) && strcmp(candidate->kind, "papi") != 0 &&
        !event_counts_user_only(candidate->name)) {
        text_puts(out, "it also counts what the operating system executes, which nobody predicts");
        if (!event_mode(candidate->name))
            text_printf(out, ": with :u it can be judged");
    }
}

/* A software event or tracepoint with :u, whose plain name opens as well: that one is judged in
 * full, and here the mode alone is in question. */
static bool is_brief(const struct validating *run, const struct tried_event *candidate)
{
    const int plain = (int)strlen(candidate->name) - 2;
    return naming_of(candidate->kind) == NAMED_BOTH_WAYS &&
           event_counts_user_only(candidate->name) &&
           tried_opens(&run->candidates, memory_format("%.*s", plain, candidate->name));
}

/* The same event of the CPU without its :u, which shows beside it what the operating system adds:
 * NULL where it cannot be counted. */
static const char *find_unfiltered(struct validating *run, const struct tried_event *candidate)
{
    const char *mode;
    const size_t length = event_base(candidate->name, &mode);
    struct listed_event event;
    struct failure ignored = {0};
    if (strcmp(mode, "u") != 0)
        return NULL;
    const char *plain = memory_format("%.*s", (int)length, candidate->name);
    if (session_try_event(run->studying.session, plain, &event, &ignored) < 0 || !event.openable)
        return NULL;
    return plain;
}

static void add_subject(struct validating *run, struct tried_event *candidate)
{
    AUTO_TEXT struct text reason = {0};
    put_reason(run, candidate, &reason);
    if (reason.length) {
        candidate->reason = memory_text(&reason);
        return;
    }
    const struct counted_event event = {candidate->name, candidate->kind, candidate->class};
    const struct optional *runs = &validate_asked(run)->runs;
    bool source = strcmp(candidate->kind, "source") == 0, cpu = kind_is_of_cpu(candidate->kind);
    struct validate_subject subject = {.name = candidate->name,
                                       .class = candidate->class,
                                       .user_code = cpu || source,
                                       .interrupts = cpu,
                                       .brief = is_brief(run, candidate)};
    char name[SOURCE_NAME];
    source_of(&event, name);
    if (source)
        subject.runs = (uint32_t)(runs->given ? (runs->value + 1) / 2
                                              : source_runs(run->studying.catalogue, name));
    if (cpu)
        subject.unfiltered = find_unfiltered(run, candidate);
    choose_cpus(run, candidate, &subject);
    add_ways(run, name, &subject);
    if (subject.way_count) {
        *memory_add(run->plan.subjects, run->plan.subject_count) = subject;
        return;
    }
    source_put_paths(run->studying.catalogue, name, &reason);
    candidate->reason = memory_text(&reason);
}

/* An event that counts interrupts, to be counted along where they may be miscounted. */
static const char *find_interrupts(struct validating *run)
{
    static const char *const names[] = {"irq_vectors:local_timer_entry", "irq:irq_handler_entry"};
    bool wanted = false;
    for (size_t i = 0; i < run->plan.subject_count; i++)
        wanted |= run->plan.subjects[i].interrupts;
    for (size_t i = 0; wanted && i < sizeof(names) / sizeof(*names); i++) {
        struct listed_event event;
        struct failure ignored = {0};
        if (session_try_event(run->studying.session, names[i], &event, &ignored) == 0 &&
            event.openable)
            return names[i];
    }
    return NULL;
}

static int prepare(void *kept, struct failure *failure)
{
    struct validating *run = kept;
    const struct validate_options *options = validate_asked(run);
    run->few = run->studying.argument_count || options->source.count;
    run->plan.wishes = &run->studying.wishes;
    run->plan.full = options->full;
    run->plan.runs = options->runs.given ? (uint32_t)options->runs.value : 0;
    int error = check_paths(run, failure);
    if (error == 0)
        error = find_specimens(run, failure);
    for (size_t i = 0; i < run->candidates.count && error == 0; i++)
        if (!run->candidates.list[i].error)
            add_subject(run, &run->candidates.list[i]);
    if (error == 0)
        run->plan.interrupts = find_interrupts(run);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Judging. */

static int load(void *kept, struct store *store, struct failure *failure)
{
    return validate_load(store, &((struct validating *)kept)->file, failure);
}

/* Of a stored run: did somebody name its events? */
static int accept(void *kept, const char *path, const struct store_info *info,
                  struct failure *failure)
{
    struct validating *run = kept;
    struct validate_options *begun = memory_new(1, sizeof(*begun));
    struct string_list events = {0};
    struct failure ignored = {0};
    (void)failure;
    run->few =
        run_store_recall(run->studying.command, path, info->argv, begun, &events, &ignored) == 0 &&
        (events.count || begun->source.count);
    return 0;
}

static int judge(void *kept, struct failure *failure)
{
    struct validating *run = kept;
    (void)failure;
    run->judgements = judge_case(&run->file);
    validate_findings(&run->file, &run->judgements, run->findings);
    validate_put_passport(run);
    return 0;
}

static const char *nothing(const void *kept)
{
    const struct validating *run = kept;
    if (run->judgements.runs)
        return NULL;
    if (run->studying.complete || !run->studying.session)
        return "nothing was measured; the report says why";
    return memory_format("nothing was measured: the budget of %g s ended first, and looking at the "
                         "machine alone took %g s. --budget %" PRIu64
                         "s is enough for a first result",
                         (double)run->studying.budget / 1000, (double)run->prepared_ms / 1000,
                         1 + (2 * run->prepared_ms + 999) / 1000);
}

/* --- --fail-on --- */

/* Every verdict but the good ones. */
static const char untrusted[] = "untrusted";

static bool fails_gate(const struct validating *run, const struct judgement *judgement)
{
    const struct string_list *names = &validate_asked(run)->fail_on;
    const struct evidence *evidence = judgement->evidence;
    /* Is it for the gate to say that it was not judged? Of events that nobody named, those that
     * something here could have judged. */
    const bool chosen = run->few || (!evidence->error && evidence->class &&
                                     !(evidence->reason && *evidence->reason));
    bool fails = chosen && !verdict_is_of_counts(judgement->verdict);
    for (size_t i = 0; i < names->count; i++)
        fails |= strcmp(names->items[i], untrusted) == 0
                     ? chosen && !verdict_is_trusted(judgement->verdict)
                     : verdict_from_name(names->items[i]) == (int)judgement->verdict;
    return fails;
}

static void gate(const void *kept, struct gate *gate)
{
    const struct validating *run = kept;
    gate->asked = validate_asked(run)->fail_on.count;
    for (size_t i = 0; gate->asked && i < run->judgements.count; i++) {
        const struct judgement *judgement = &run->judgements.list[i];
        if (fails_gate(run, judgement))
            gate_fail(gate, judgement->evidence->event, verdict_names[judgement->verdict]);
    }
}

/* ----------------------------------------------------------------------------------------------
 * The command, and its entry. */

#define USUAL_BUDGET_MS 50000u
#define LONG_BUDGET_MS  180000u /* on emulated machines and by sources everything takes longer */
#define MOST_RUNS       100000u

static int check(void *kept, struct failure *failure)
{
    const struct validate_options *options = validate_asked(kept);
    for (size_t i = 0; i < options->fail_on.count; i++) {
        const char *name = options->fail_on.items[i];
        AUTO_TEXT struct text known = {0};
        if (verdict_from_name(name) >= 0 || strcmp(name, untrusted) == 0)
            continue;
        for (size_t verdict = 0; verdict < VERDICT_COUNT; verdict++)
            text_printf(&known, "%s%s", verdict ? ", " : "", verdict_names[verdict]);
        return fail_with(failure, -EINVAL,
                         "--fail-on: there is no verdict '%.60s', only %s; and %s", name,
                         text_string(&known), untrusted);
    }
    if (options->cpu < -1 || options->cpu > INT32_MAX)
        return fail_with(failure, -EINVAL, "--cpu must be the number of a CPU, or -1");
    if (options->runs.given && (options->runs.value < 2 || options->runs.value > MOST_RUNS))
        return fail_with(failure, -EINVAL, "--runs must be between 2 and %u", MOST_RUNS);
    return 0;
}

/* --full, given anew, knows no limit but one that is given with it. */
static uint64_t budget(const void *kept)
{
    const struct validating *run = kept;
    const struct validate_options *options = validate_asked(run);
    const struct validate_options *given = (const void *)run->studying.given;
    const uint64_t said = given->full ? given->study.budget : options->study.budget;
    if (said || options->full)
        return said;
    return options->source.count || facts_get(run->studying.facts, "emulated") ? LONG_BUDGET_MS
                                                                               : USUAL_BUDGET_MS;
}

static const struct study study = {
    .size = sizeof(struct validating),
    .check = check,
    .recall = recall,
    .find = find,
    .budget = budget,
    .prepare = prepare,
    .put = validate_put,
    .adopt = validate_go_on,
    .measure = validate_measure,
    .accept = accept,
    .load = load,
    .judge = judge,
    .nothing = nothing,
    .gate = gate,
    .put_report = validate_put_report,
    .findings = {offsetof(struct validating, findings), VALIDATE_FINDINGS},
    .figures = validate_figures,
    .told = &validate_told,
};

#define FIELD(name) offsetof(struct validate_options, name)

static const struct option_spec specs[] = {
    {0, "source", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "SOURCE",
     "judge the events of a source that counts by executing (step, trap, valgrind, qemu) instead "
     "of "
     "the machine's counters; may be repeated",
     FIELD(source), NULL, .words = ONE_OF("step", "trap", "valgrind", "qemu")},
    {'p', "path", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "PATH",
     "count on this path; several are compared, the first judges; perf-read unless given, or the "
     "one that goes with a source",
     FIELD(path), NULL},
    {'s', "specimen", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "NAME",
     "judge against these specimens alone, all that predict the event unless given",
     FIELD(specimen), NULL},
    {0, "runs", OPTION_OPTIONAL | OPTION_BEGINS, "R",
     "runs of each point over all its processes; 100 unless given, 20 where they are dear",
     FIELD(runs), NULL},
    {0, "cpu", OPTION_I64 | OPTION_BEGINS, "CPU",
     "measure on this CPU; -1 leaves it to the scheduler, and looks at every type of core",
     FIELD(cpu), "-1"},
    {0, "budget", OPTION_BUDGET | OPTION_STAYS, "TIME",
     "spend about TIME and share it among the events: 20s, 5m; unless given 50s, with --source or "
     "on an emulated machine 3m, with --full no limit",
     FIELD(study.budget), NULL},
    {0, "full", OPTION_FLAG | OPTION_STAYS, NULL,
     "climb every ladder to 1,000,000 whatever it costs, which may take hours", FIELD(full), NULL},
    {0, "fail-on", OPTION_LIST, "VERDICT",
     "exit with 4 when an event gets this verdict: dead, biased, noisy, ..., or untrusted (all but "
     "exact and accurate), or was named and got none; may be repeated",
     FIELD(fail_on), NULL},
    {0, "all", OPTION_FLAG, NULL,
     "show a line for each specimen, every name and every reason, instead of summing up",
     FIELD(study.all), NULL},
    OPTION_ROW_FROM(FIELD(study.from)),
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the processes from SEED; drawn and reported unless given",
     FIELD(study.seed), NULL},
    OPTION_ROW_STORE(FIELD(study.store)),
    OPTION_ROW_RESUME(FIELD(study.resume)),
    {0},
};

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done"},
    EXIT_ROW_FAILED,
    EXIT_ROW_USAGE,
    {EXIT_LACKING, "nothing was measured: nothing can be counted, or the budget is too small"},
    {EXIT_VERDICT, "--fail-on: an event got such a verdict, or could not be judged"},
    {EXIT_INTERRUPTED, "interrupted; what was measured is kept and judged"},
    {0, NULL},
};

const struct command command_validate = {
    .name = "validate",
    .group = GROUP_STUDY,
    .summary = "hold every event against code of known counts: a verdict and its cause",
    .synopsis = "[options] [EVENT...]",
    .description =
        "Runs specimens, code whose counts are known for every N, and sets what each event reports "
        "against what is true. Every event gets a verdict: unsupported (cannot be opened), "
        "unscheduled (never got a counter), unjudged (nothing predicts it), dead (zero although "
        "work was done), noisy, exact, accurate (within 1 %), biased; and where it is not exact "
        "the "
        "cause, which is found by measuring: faults, system calls, interrupts, opcodes, modes, "
        "small counts that read 0, another class that fits better.\n\n"
        "Without arguments every event that the machine lists is judged, counters of the CPU in "
        "user mode (NAME:u), because user code is what specimens predict. Software events and "
        "tracepoints are also tried with :u, which some of them silently do not honour. With "
        "arguments exactly these events are; a glob stands for all that match.\n\n"
        "The ladder of each event climbs from N = 1 to 1,000,000 as far as the budget goes; where "
        "it ends earlier that is said. What counting itself adds is measured on the null specimen "
        "in processes of its own and subtracted, never fitted. Runs during which the operating "
        "system saw more than the code does itself are disturbed: they are judged apart.\n\n"
        "An event has a line; below it stands only what the line does not say. NAME[:u] is NAME "
        "and "
        "NAME:u, both exact; a star after it means that :u filters nothing. What was not measured "
        "follows by the reason. --all shows each specimen.\n\n"
        "Everything is stored, so that --from judges it again without the machine.",
    .examples = "# may these counters be trusted?\n"
                "assay validate\n"
                "# one event, with every specimen on a line\n"
                "assay validate page-faults --all\n"
                "# in a test: fail unless both can be counted and trusted\n"
                "assay validate instructions:u branches:u --fail-on untrusted\n"
                "# an emulated machine whose counter is exact\n"
                "assay validate instructions:u --via lab:aarch64\n"
                "# what counts by executing has to be judged, too\n"
                "assay validate --source step\n"
                "# once more, from what was stored\n"
                "assay validate --from run.sqlite --json",
    .options = specs,
    .exits = exits,
    .options_size = sizeof(struct validate_options),
    .study = &study,
    .results = &validate_results,
    .analysis = &validate_analysis,
    .leaves = &passport_table,
};
