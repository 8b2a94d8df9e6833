/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay validate: holds every event against code whose counts are known, and says how far it can be
 * trusted and why not further. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/claims.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "output/output.h"
#include "studies/measure/study.h"
#include "studies/validate/parts.h"

/* ----------------------------------------------------------------------------------------------
 * From candidates and catalogue to what the plan works with: specimens, and for each event that
 * can be judged its ways and CPUs. Whoever cannot be judged gets the reason here. */

/* Keeps a copy of the word as long as the plan lives; NULL: out of memory. */
static const char *keep_word(struct validating *validating, const char *word)
{
    struct string_list *words = &validating->words;
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], word) == 0)
            return words->items[i];
    if (string_list_push(words, word, strlen(word)) < 0)
        return NULL;
    return words->items[words->count - 1];
}

/* --- specimens --- */

const char *absence_of(const struct catalogue *catalogue, const char *kind, const char *name)
{
    for (size_t i = 0; i < catalogue->absence_count; i++)
        if (strcmp(catalogue->absences[i].kind, kind) == 0 &&
            strcmp(catalogue->absences[i].name, name) == 0)
            return catalogue->absences[i].reason;
    return NULL;
}

static int add_specimen(struct validating *validating, const struct catalogue_specimen *known,
                        const char *name)
{
    AUTO_FREE char *complete =
        geometry_complete_name(&validating->geometry, validating->catalogue, name);
    const char *kept = complete ? keep_word(validating, complete) : NULL;
    if (!kept)
        return -ENOMEM;
    validating->specimens[validating->study.specimen_count++] =
        (struct validate_specimen){known, kept};
    return 0;
}

static int add_asked(struct validating *validating, const char *name, struct failure *failure)
{
    const struct catalogue *catalogue = validating->catalogue;
    const struct catalogue_specimen *known = catalogue_specimen(catalogue, name);
    if (known)
        return specimen_name_check(known, name, failure) < 0
                   ? -EINVAL
                   : add_specimen(validating, known, name);
    const char *reason = absence_of(catalogue, "specimen", name);
    if (reason)
        return fail_with(failure, -ENODEV, "the specimen %s cannot run here: %s", name, reason);
    return fail_with(failure, -EINVAL,
                     "there is no specimen '%.100s': `assay events --specimens` lists them", name);
}

/* Does the specimen depend on caches? On an emulated machine, which has none, such code says
 * nothing and takes long. */
static bool needs_caches(const struct catalogue_specimen *specimen)
{
    static const char *const keys[] = {"l1d", "l1i", "l2", "llc", "dtlb", "itlb"};
    AUTO_FREE char *words = strdup(specimen->parameters);
    char *rest = NULL;
    for (char *word = words ? strtok_r(words, " ", &rest) : NULL; word;
         word = strtok_r(NULL, " ", &rest))
        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
            if (strcmp(word, keys[i]) == 0)
                return true;
    return false;
}

static int add_known(struct validating *validating, const struct catalogue_specimen *specimen)
{
    if (strcmp(specimen->name, "null") == 0)
        return 0;
    if (!facts_get(validating->facts, "emulated") || !needs_caches(specimen))
        return add_specimen(validating, specimen, specimen->name);
    AUTO_TEXT struct text what = {0};
    text_printf(&what, "specimen %s", specimen->name);
    return skips_add(&validating->skips, text_string(&what),
                     "an emulated machine has no caches for it to miss", 0);
}

static int find_specimens(struct validating *validating, struct failure *failure)
{
    const struct catalogue *catalogue = validating->catalogue;
    const struct string_list *asked = &validating->options->specimen;
    int error = 0;
    validating->specimens =
        memory_new(catalogue->specimen_count + asked->count, sizeof(*validating->specimens));
    for (size_t i = 0; i < asked->count && error == 0; i++)
        error = add_asked(validating, asked->items[i], failure);
    for (size_t i = 0; i < catalogue->specimen_count && !asked->count && error == 0; i++)
        error = add_known(validating, &catalogue->specimens[i]);
    for (size_t i = 0; i < catalogue->absence_count && error == 0; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        AUTO_TEXT struct text what = {0};
        text_printf(&what, "%s %s", absence->kind, absence->name);
        if (strcmp(absence->kind, "specimen") == 0)
            error =
                skips_add(&validating->skips, text_string(&what), absence->reason, absence->error);
    }
    validating->study.specimens = validating->specimens;
    return error;
}

/* --- ways --- */

/* preferred where the list has it, else its first word. */
static const char *word_of(struct validating *validating, const char *list, const char *preferred)
{
    if (list_has(list, preferred))
        return keep_word(validating, preferred);
    AUTO_FREE char *first = strndup(list, strcspn(list, ","));
    return first ? keep_word(validating, first) : NULL;
}

/* Adds the path as a way, unless it is not here or cannot count for that source. */
static int add_way(struct validating *validating, struct validate_subject *subject,
                   const struct catalogue_path *path, const char *source)
{
    if (!path || !list_has(path->sources, source) || subject->way_count == VALIDATE_WAYS)
        return 0;
    for (size_t i = 0; i < subject->way_count; i++)
        if (strcmp(subject->ways[i].path, path->name) == 0)
            return 0;
    static const enum pattern order[] = {PATTERN_AO, PATTERN_RR, PATTERN_AR, PATTERN_RO};
    enum pattern usual = PATTERN_AO;
    for (size_t i = sizeof(order) / sizeof(*order); i-- > 0;)
        if (list_has(path->patterns, pattern_names[order[i]]))
            usual = order[i];
    struct validate_way way = {.path = path->name,
                               .pattern = usual,
                               .opt = word_of(validating, path->opts, "O2"),
                               .link = word_of(validating, path->links, "static")};
    if (!way.opt || !way.link)
        return -ENOMEM;
    subject->ways[subject->way_count++] = way;
    return 0;
}

static int add_ways(struct validating *validating, struct validate_subject *subject,
                    const struct candidate *candidate)
{
    const struct catalogue *catalogue = validating->catalogue;
    const struct string_list *asked = &validating->options->path;
    const struct counted_event event = {candidate->name, candidate->kind, candidate->class};
    char source[SOURCE_NAME];
    int error = 0;
    source_of(&event, source);
    for (size_t i = 0; i < asked->count && error == 0; i++)
        error = add_way(validating, subject, catalogue_path(catalogue, asked->items[i]), source);
    if (asked->count || error < 0)
        return error;
    error = add_way(validating, subject, source_path(catalogue, source), source);
    if (error < 0 || strcmp(source, "perf_event") != 0)
        return error;
    error = add_way(validating, subject, catalogue_path(catalogue, "perf-syscall"), source);
    /* PAPI counts user code alone unless told otherwise, and has no breakpoints. */
    if (error == 0 && subject->user_code)
        error = add_way(validating, subject, catalogue_path(catalogue, "papi-low"), source);
    return error;
}

static int check_paths(struct validating *validating, struct failure *failure)
{
    const struct string_list *asked = &validating->options->path;
    for (size_t i = 0; i < asked->count; i++) {
        if (catalogue_path(validating->catalogue, asked->items[i]))
            continue;
        const char *reason = absence_of(validating->catalogue, "path", asked->items[i]);
        if (reason)
            return fail_with(failure, -ENODEV, "the path %s is not to be had here: %s",
                             asked->items[i], reason);
        return fail_with(failure, -EINVAL, "there is no path '%.60s'", asked->items[i]);
    }
    return 0;
}

/* --- CPUs --- */

/* The CPUs to measure on: that of --cpu; else, for an event of the CPU on a machine whose cores
 * differ ("cpu_core=0-7 cpu_atom=8-15"), one of each type, or the one whose PMU the event names. */
static void choose_cpus(const struct validating *validating, const struct candidate *candidate,
                        struct validate_subject *subject)
{
    const char *list = facts_get(validating->facts, "pmu.cpus");
    subject->cpus[0] = (int32_t)validating->options->cpu;
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
static void put_reason(const struct validating *validating, const struct candidate *candidate,
                       struct text *out)
{
    if (!candidate->class) {
        text_puts(out, "what it counts is not known: it has no class");
        return;
    }
    if (validate_primary(&validating->study, candidate->class) == VALIDATE_NO_SPECIMEN) {
        text_printf(out, "no specimen here predicts %s", candidate->class);
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
static bool is_brief(const struct validating *validating, const struct candidate *candidate)
{
    size_t length = strlen(candidate->name);
    if ((strcmp(candidate->kind, "software") != 0 && strcmp(candidate->kind, "tracepoint") != 0) ||
        !event_counts_user_only(candidate->name) || length < 2)
        return false;
    for (size_t i = 0; i < validating->candidate_count; i++) {
        const struct candidate *other = &validating->candidates[i];
        if (!other->error && strlen(other->name) == length - 2 &&
            strncmp(other->name, candidate->name, length - 2) == 0)
            return true;
    }
    return false;
}

static int add_subject(struct validating *validating, struct candidate *candidate)
{
    AUTO_TEXT struct text reason = {0};
    put_reason(validating, candidate, &reason);
    if (reason.length) {
        candidate->reason = memory_text(&reason);
        return 0;
    }
    const struct counted_event event = {candidate->name, candidate->kind, candidate->class};
    bool source = strcmp(candidate->kind, "source") == 0, cpu = kind_is_of_cpu(candidate->kind);
    struct validate_subject subject = {.name = candidate->name,
                                       .class = candidate->class,
                                       .user_code = cpu || source,
                                       .interrupts = cpu,
                                       .brief = is_brief(validating, candidate)};
    char name[SOURCE_NAME];
    source_of(&event, name);
    if (source)
        subject.runs =
            (uint32_t)(validating->options->runs.given ? (validating->options->runs.value + 1) / 2
                                                       : source_runs(validating->catalogue, name));
    choose_cpus(validating, candidate, &subject);
    int error = add_ways(validating, &subject, candidate);
    if (error < 0)
        return error;
    if (!subject.way_count) {
        source_put_paths(validating->catalogue, name, &reason);
        candidate->reason = memory_text(&reason);
        return 0;
    }
    validating->subjects[validating->study.subject_count++] = subject;
    return 0;
}

/* An event that counts interrupts, to be counted along where they may be miscounted. */
static const char *find_interrupts(struct validating *validating)
{
    static const char *const names[] = {"irq_vectors:local_timer_entry", "irq:irq_handler_entry"};
    bool wanted = false;
    for (size_t i = 0; i < validating->study.subject_count; i++)
        wanted |= validating->subjects[i].interrupts;
    for (size_t i = 0; wanted && i < sizeof(names) / sizeof(*names); i++) {
        struct listed_event event;
        struct failure ignored = {0};
        if (session_try_event(validating->session, names[i], &event, &ignored) == 0 &&
            event.openable)
            return names[i];
    }
    return NULL;
}

static int prepare(struct validating *validating, struct failure *failure)
{
    int error = check_paths(validating, failure);
    if (error == 0)
        error = find_specimens(validating, failure);
    validating->subjects = memory_new(validating->candidate_count, sizeof(*validating->subjects));
    validating->study.subjects = validating->subjects;
    for (size_t i = 0; i < validating->candidate_count && error == 0; i++)
        if (!validating->candidates[i].error)
            error = add_subject(validating, &validating->candidates[i]);
    if (error == 0)
        validating->study.interrupts = find_interrupts(validating);
    validating->study.full = validating->options->full;
    if (validating->options->runs.given)
        validating->study.runs = (uint32_t)validating->options->runs.value;
    return error;
}

/* Specimens, ways, CPUs: what the plan works with. */
static int validate_prepare(struct validating *validating)
{
    struct failure failure = {0};
    int error = prepare(validating, &failure);
    if (error == 0)
        return EXIT_DONE;
    if (!failure.text[0])
        return validate_out_of_memory();
    return validate_fail(&failure, error == -EINVAL   ? EXIT_USAGE
                                   : error == -ENODEV ? EXIT_LACKING
                                                      : EXIT_FAILED);
}

/* --- the command --- */

#define USUAL_BUDGET_MS 50000u
#define LONG_BUDGET_MS  180000u /* on emulated machines and by sources everything takes longer */
#define MOST_RUNS       100000u

#define FIELD(name) offsetof(struct validate_options, name)

static const struct option_spec specs[] = {
    {0, "source", OPTION_LIST, "SOURCE",
     "judge the events of a source that counts by executing (step, trap, valgrind, qemu) instead "
     "of "
     "the machine's counters; may be repeated",
     FIELD(source), NULL},
    {'p', "path", OPTION_LIST, "PATH",
     "count on this path; several are compared, the first judges; perf-read unless given, or the "
     "one that goes with a source",
     FIELD(path), NULL},
    {'s', "specimen", OPTION_LIST, "NAME",
     "judge against these specimens alone, all that predict the event unless given",
     FIELD(specimen), NULL},
    {0, "runs", OPTION_OPTIONAL, "R",
     "runs of each point over all its processes; 100 unless given, 20 where they are dear",
     FIELD(runs), NULL},
    {0, "cpu", OPTION_I64, "CPU",
     "measure on this CPU; -1 leaves it to the scheduler, and looks at every type of core",
     FIELD(cpu), "-1"},
    {0, "budget", OPTION_BUDGET, "TIME",
     "spend about TIME and share it among the events: 20s, 5m; unless given 50s, with --source or "
     "on an emulated machine 3m, with --full no limit",
     FIELD(budget), NULL},
    {0, "full", OPTION_FLAG, NULL,
     "climb every ladder to 1,000,000 whatever it costs, which may take hours", FIELD(full), NULL},
    {0, "fail-on", OPTION_LIST, "VERDICT",
     "exit with 4 when an event gets this verdict: dead, biased, noisy, ..., or untrusted (all but "
     "exact and accurate), or was named and got none; may be repeated",
     FIELD(fail_on), NULL},
    {0, "all", OPTION_FLAG, NULL,
     "show a line for each specimen, every name and every reason, instead of summing up",
     FIELD(all), NULL},
    {0, "from", OPTION_STRING, "FILE",
     "judge the run stored in FILE again, without touching a machine", FIELD(from), NULL},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the processes from SEED; drawn and reported unless given", FIELD(seed),
     NULL},
    OPTION_ROW_STORE(FIELD(store)),
    OPTION_ROW_RESUME(FIELD(resume)),
    {0},
};

int validate_fail(const struct failure *failure, int status)
{
    return deliver_failure("validate", failure, status);
}

int validate_out_of_memory(void)
{
    return deliver_out_of_memory("validate");
}

/* --- the command line --- */

/* Of --fail-on: every verdict but the good ones. */
static const char untrusted[] = "untrusted";

static int check_verdicts(const struct string_list *names, struct failure *failure)
{
    for (size_t i = 0; i < names->count; i++) {
        if (verdict_from_name(names->items[i]) >= 0 || strcmp(names->items[i], untrusted) == 0)
            continue;
        AUTO_TEXT struct text known = {0};
        for (size_t verdict = 0; verdict < VERDICT_COUNT; verdict++)
            text_printf(&known, "%s%s", verdict ? ", " : "", verdict_names[verdict]);
        return fail_with(failure, -EINVAL,
                         "--fail-on: there is no verdict '%.60s', only %s; and %s", names->items[i],
                         text_string(&known), untrusted);
    }
    return 0;
}

static int check_from(const struct validate_options *options, int argument_count,
                      struct failure *failure)
{
    if (!options->from)
        return 0;
    if (options->resume || options->store)
        return fail_with(failure, -EINVAL,
                         "--from judges a stored run again: --store and --resume measure one");
    if (argument_count || options->source.count || options->specimen.count || options->path.count)
        return fail_with(failure, -EINVAL,
                         "--from judges everything that is stored: leave out events, --source, "
                         "--specimen and --path");
    return 0;
}

static int check_resume(const struct validate_options *options, int argument_count,
                        struct failure *failure)
{
    if (!options->resume ||
        (!argument_count && !options->source.count && !options->specimen.count &&
         !options->path.count && !options->runs.given && options->cpu == -1))
        return 0;
    return fail_with(failure, -EINVAL,
                     "--resume goes on with what the run began with: leave out events, --source, "
                     "--specimen, --path, --runs and --cpu");
}

static int check_options(const struct validate_options *options, int argument_count)
{
    struct failure failure = {0};
    int error = check_verdicts(&options->fail_on, &failure);
    if (error == 0)
        error = check_from(options, argument_count, &failure);
    if (error == 0)
        error = check_resume(options, argument_count, &failure);
    if (error == 0 && (options->cpu < -1 || options->cpu > INT32_MAX))
        error = fail_with(&failure, -EINVAL, "--cpu must be the number of a CPU, or -1");
    if (error == 0 && options->runs.given &&
        (options->runs.value < 2 || options->runs.value > MOST_RUNS))
        error = fail_with(&failure, -EINVAL, "--runs must be between 2 and %u", MOST_RUNS);
    if (error < 0)
        return validate_fail(&failure, EXIT_USAGE);
    if (output_check(options->common.output, &failure) < 0)
        return validate_fail(&failure, EXIT_FAILED);
    return EXIT_DONE;
}

/* --- the way through --- */

static void release(struct validating *validating)
{
    store_close(validating->store);
    session_close(validating->session);
    string_list_free(&validating->words);
    skips_free(&validating->skips);
    facts_free(&validating->stored_facts);
    json_decref(validating->earlier);
    options_release(&command_validate, &validating->begun);
}

static int on_the_machine(struct validating *validating)
{
    int status = reach_machine("validate", &validating->options->common, &validating->session,
                               &validating->catalogue);
    if (status != EXIT_DONE)
        return status;
    validating->facts = &validating->catalogue->facts;
    memcpy(validating->fingerprint, validating->catalogue->fingerprint,
           sizeof(validating->catalogue->fingerprint));
    geometry_load(validating->catalogue, &validating->options->common, &validating->geometry);
    status = validating->options->resume ? validate_reopen(validating)
                                         : validate_find_candidates(validating);
    validating->budget = validating->options->budget;
    if (!validating->budget && !validating->options->full)
        validating->budget =
            validating->options->source.count || facts_get(validating->facts, "emulated")
                ? LONG_BUDGET_MS
                : USUAL_BUDGET_MS;
    if (status == EXIT_DONE)
        status = validate_prepare(validating);
    if (status == EXIT_DONE)
        status = validate_open_store(validating);
    return status == EXIT_DONE ? validate_measure(validating) : status;
}

static json_t *findings(const void *run)
{
    return claims_json(((const struct validating *)run)->findings, VALIDATE_FINDINGS);
}

static bool fails_gate(const struct validating *validating, const struct judgement *judgement)
{
    const struct string_list *names = &validating->options->fail_on;
    const struct evidence *evidence = judgement->evidence;
    /* Is it for the gate to say that it was not judged? Of events that nobody named, those that
     * something here could have judged. */
    const bool chosen = validating->few || (!evidence->error && evidence->class &&
                                            !(evidence->reason && *evidence->reason));
    bool fails = chosen && !verdict_is_of_counts(judgement->verdict);
    for (size_t i = 0; i < names->count; i++)
        fails |= strcmp(names->items[i], untrusted) == 0
                     ? chosen && !verdict_is_trusted(judgement->verdict)
                     : verdict_from_name(names->items[i]) == (int)judgement->verdict;
    return fails;
}

static void judge_gate(const struct validating *validating, struct gate *gate)
{
    for (size_t i = 0; gate->asked && i < validating->judgements.count; i++) {
        const struct judgement *judgement = &validating->judgements.list[i];
        if (fails_gate(validating, judgement))
            gate_fail(gate, judgement->evidence->event, verdict_names[judgement->verdict]);
    }
}

static int show(void *study, int status)
{
    struct validating *validating = study;
    AUTO_TEXT struct text nothing = {0};
    struct gate gate = {.asked = validating->options->fail_on.count};
    validate_put_passport(validating, status);
    validate_put_nothing(validating, &nothing);
    judge_gate(validating, &gate);
    const struct finish finish = {.command = "validate",
                                  .common = &validating->options->common,
                                  .seed = validating->seed,
                                  .facts = validating->facts,
                                  .fingerprint = validating->fingerprint,
                                  .skips = &validating->skips,
                                  .nothing = nothing.length ? text_string(&nothing) : NULL,
                                  .gate = &gate,
                                  .run = validating,
                                  .put_report = validate_put_report,
                                  .results = validate_results_json,
                                  .analysis = validate_analysis_json,
                                  .findings = findings,
                                  .figures = validate_figures};
    status = finish_show(&finish, status);
    gate_release(&gate);
    return status;
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct validate_options *options = parsed;
    struct validating validating = {.options = options,
                                    .argument_count = argument_count,
                                    .arguments = arguments,
                                    .few = argument_count || options->source.count,
                                    .started = monotonic_ms(),
                                    .complete = true};
    int status = check_options(options, argument_count);
    if (status != EXIT_DONE)
        return status;
    validating.seed = gather_seed(&options->seed);
    status = options->from ? validate_open_from(&validating) : on_the_machine(&validating);
    status = finish_study(status, validating.store != NULL, &validating, validate_judge, show);
    /* What was named and is not here at all was not judged either. */
    const struct gate gate = {.asked = options->fail_on.count};
    release(&validating);
    return gate_close(&gate, "validate", status);
}

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
    .run = run,
};
