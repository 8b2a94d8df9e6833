/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay validate: holds every event against code whose counts are known, and says how far it can be
 * trusted and why not further. */
#include "studies/validate/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "cli/deliver.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "cli/reach.h"
#include "output/output.h"

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
    judgements_release(&validating->judgements);
    case_release(&validating->file);
    store_close(validating->store);
    session_close(validating->session);
    validate_plan_free(&validating->plan);
    candidates_free(validating->candidates, validating->candidate_count);
    free(validating->specimens);
    free(validating->subjects);
    string_list_free(&validating->words);
    skips_free(&validating->skips);
    facts_free(&validating->stored_facts);
    json_decref(validating->earlier);
    options_release(&command_validate, &validating->begun);
}

static uint64_t budget_of(const struct validating *validating)
{
    if (validating->options->budget || validating->options->full)
        return validating->options->budget;
    bool slow = validating->options->source.count || facts_get(validating->facts, "emulated");
    return slow ? LONG_BUDGET_MS : USUAL_BUDGET_MS;
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
    validating->budget = budget_of(validating);
    if (status == EXIT_DONE)
        status = validate_prepare(validating);
    if (status == EXIT_DONE)
        status = validate_open_store(validating);
    return status == EXIT_DONE ? validate_measure(validating) : status;
}

static int judge(void *study)
{
    return validate_judge(study);
}

static void put_report(const void *run, const struct style *style, struct text *out)
{
    validate_put_report(run, style, out);
}

static json_t *results(const void *run)
{
    return validate_results_json(run);
}

static json_t *analysis(const void *run)
{
    return validate_analysis_json(run);
}

static json_t *findings(const void *run)
{
    return validate_findings_json(run);
}

static json_t *figures(const void *run)
{
    return validate_figures(run);
}

/* Is it for the gate to say that it was not judged? Of events that nobody named, those that
 * something here could have judged. */
static bool was_chosen(const struct validating *validating, const struct evidence *evidence)
{
    return validating->few ||
           (!evidence->error && evidence->class && !(evidence->reason && *evidence->reason));
}

static bool fails_gate(const struct validating *validating, const struct judgement *judgement)
{
    const struct string_list *names = &validating->options->fail_on;
    const bool chosen = was_chosen(validating, judgement->evidence);
    bool fails = chosen && !verdict_is_of_counts(judgement->verdict);
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], untrusted) == 0)
            fails |= chosen && !verdict_is_trusted(judgement->verdict);
        else
            fails |= verdict_from_name(names->items[i]) == (int)judgement->verdict;
    }
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
                                  .put_report = put_report,
                                  .results = results,
                                  .analysis = analysis,
                                  .findings = findings,
                                  .figures = figures};
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
    status = finish_study(status, validating.store != NULL, &validating, judge, show);
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
