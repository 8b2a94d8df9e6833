/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay run: everything that can be told of a machine, in one go: one store, one page, one screen.
 */
#include "commands/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "cli/deliver.h"
#include "engine/gather.h"
#include "cli/reach.h"
#include "engine/run-store.h"
#include "output/output.h"

#define FIELD(name) offsetof(struct run_options, name)

static const struct option_spec specs[] = {
    {0, "quick", OPTION_FLAG, NULL, "a first look: about 2 minutes instead of 11", FIELD(quick),
     NULL},
    {0, "budget", OPTION_BUDGET, "TIME",
     "share TIME among the parts, the least important are left out where it does not hold all: "
     "60s, "
     "5m; unless given 11m, with --quick 130s, on an emulated machine 14m and 5m",
     FIELD(budget), NULL},
    {0, "report", OPTION_STRING, "FILE",
     "write the page to FILE; without it beside the store, with the ending .html", FIELD(report),
     NULL},
    {0, "seed", OPTION_SEED, "SEED", "draw all orders from SEED; drawn and reported unless given",
     FIELD(seed), NULL},
    OPTION_ROW_STORE(FIELD(store)),
    OPTION_ROW_RESUME(FIELD(resume)),
    {0},
};

/* --- the command line --- */

static int check_options(const struct run_options *options, int argument_count, char **arguments)
{
    struct failure failure = {0};
    if (argument_count)
        fail_with(&failure, -EINVAL,
                  "unexpected argument '%.200s': all parts are measured.\nTry `assay run --help`.",
                  arguments[0]);
    else if (options->resume && (options->quick || options->budget || options->seed.given))
        fail_with(&failure, -EINVAL,
                  "--resume goes on with what the run began with: leave out --quick, --budget and "
                  "--seed");
    if (failure.code)
        return deliver_failure("run", &failure, EXIT_USAGE);
    if (output_check(options->common.output, &failure) < 0 ||
        (options->report && output_check(options->report, &failure) < 0))
        return deliver_failure("run", &failure, EXIT_FAILED);
    return EXIT_DONE;
}

static int refuse(int error, bool named, const struct failure *failure)
{
    return run_store_refuse("run", error, named, failure);
}

/* --- the machine --- */

/* Parts reach it by themselves; here it is asked who it is. */
static int meet_machine(struct running *running)
{
    struct session *session = NULL;
    const struct catalogue *catalogue = NULL;
    struct common_options common = running->options->common;
    common.via = running->via;
    int status = reach_machine("run", &common, &session, &catalogue);
    if (status != EXIT_DONE)
        return status;
    int error = 0;
    memcpy(running->fingerprint, catalogue->fingerprint, sizeof(running->fingerprint));
    for (size_t i = 0; i < catalogue->facts.count && error == 0; i++) {
        const struct fact *fact = &catalogue->facts.list[i];
        error = facts_set(&running->facts, fact->key, fact->value, fact->error);
    }
    session_close(session);
    return error < 0 ? deliver_out_of_memory("run") : EXIT_DONE;
}

/* --- a new run, or one that is gone on with --- */

/* run.sqlite -> run.html */
static int place_report(struct running *running)
{
    static const char ending[] = ".sqlite";
    const char *store = running->place.store;
    size_t length = strlen(store), tail = sizeof(ending) - 1;
    AUTO_TEXT struct text path = {0};
    struct failure failure = {0};
    if (length > tail && strcmp(store + length - tail, ending) == 0)
        length -= tail;
    if (running->options->report)
        text_puts(&path, running->options->report);
    else
        text_printf(&path, "%.*s.html", (int)length, store);
    free(running->report);
    running->report = text_take(&path);
    if (!running->report)
        return deliver_out_of_memory("run");
    if (!running->options->report && access(running->report, F_OK) == 0) {
        fail_with(&failure, -EEXIST,
                  "%.500s is there already, and is left as it is: name another file with --report",
                  running->report);
        return deliver_failure("run", &failure, EXIT_USAGE);
    }
    return EXIT_DONE;
}

static int begin(struct running *running)
{
    const struct run_options *options = running->options;
    struct run_plan *plan = &running->plan;
    struct failure failure = {0};
    int status = meet_machine(running);
    if (status != EXIT_DONE)
        return status;
    plan->quick = options->quick;
    plan->emulated = facts_get(&running->facts, "emulated");
    plan->total_ms = options->budget ? options->budget : run_usual_ms(plan->quick, plan->emulated);
    plan->seed = gather_seed(&options->seed);
    if (run_plan_parts(plan) < 0)
        return deliver_out_of_memory("run");
    int error = run_place_create(&running->place, options->store, running->fingerprint, &failure);
    if (error < 0)
        return refuse(error, false, &failure);
    status = place_report(running);
    if (status != EXIT_DONE)
        run_place_remove(&running->place);
    return status;
}

/* Its own way to the machine, unless another is given. */
static void recall_via(struct running *running)
{
    const char *given = running->options->common.via;
    if (running->recorded_via && (!given || strcmp(given, "local") == 0))
        running->via = running->recorded_via;
}

static int check_machine(const struct running *running, const char *recorded)
{
    struct failure failure = {0};
    if (!recorded || strcmp(recorded, running->fingerprint) == 0)
        return EXIT_DONE;
    fail_with(&failure, -ESTALE,
              "%.400s was begun on another machine (%.40s; this is %s): reach that one with --via",
              running->place.folder, recorded, running->fingerprint);
    return deliver_failure("run", &failure, EXIT_USAGE);
}

/* The page may have lost its place since the run began: that is said before hours are measured. */
static int check_place(const struct running *running)
{
    struct failure failure = {0}, told = {0};
    if (output_check(running->report, &failure) == 0)
        return EXIT_DONE;
    fail_with(&told, failure.code, "%.700s. Name another place with --report", failure.text);
    return deliver_failure("run", &told, EXIT_FAILED);
}

static int go_on(struct running *running)
{
    const struct run_options *options = running->options;
    struct failure failure = {0};
    int status = options->store ? EXIT_DONE : meet_machine(running);
    if (status != EXIT_DONE)
        return status;
    int error = run_place_reopen(&running->place, options->store, running->fingerprint, &failure);
    if (error == 0)
        error = run_record_read(running, &failure);
    if (error)
        return refuse(error, true, &failure);
    recall_via(running);
    if (options->store)
        status = meet_machine(running);
    if (status == EXIT_DONE)
        status = check_machine(running, running->recorded_fingerprint);
    if (status == EXIT_DONE && (options->report || !running->report))
        return place_report(running);
    return status == EXIT_DONE ? check_place(running) : status;
}

/* --- the way through --- */

static void tell_begin(const struct running *running)
{
    uint64_t left = run_left_ms(&running->plan) / 1000;
    deliver_remark(&running->options->common,
                   "%s about %" PRIu64 " %s, seed %" PRIu64
                   "; Ctrl-C stops, and keeps what was measured",
                   running->options->resume ? "going on for" : "measuring for",
                   left < 180 ? left : left / 60, left < 180 ? "s" : "min", running->plan.seed);
}

static int note_missing(struct running *running)
{
    int error = 0;
    for (size_t i = 0; i < RUN_PARTS && error == 0; i++) {
        const struct run_part *part = &running->plan.parts[i];
        const char *reason = part->reason ? part->reason : part_state_name(part->state);
        if (part->state == PART_WAITING)
            reason = "interrupted before its turn";
        if (part->state == PART_BEGUN)
            reason = "interrupted: not all of it is there";
        if (part->state != PART_DONE)
            error = skips_add(&running->skips, part->kind->command, reason, 0);
    }
    return error;
}

static bool has_failed_part(const struct running *running)
{
    for (size_t i = 0; i < RUN_PARTS; i++)
        if (running->plan.parts[i].state == PART_FAILED)
            return true;
    return false;
}

static int measure_and_show(struct running *running)
{
    tell_begin(running);
    running->ends = (uint64_t)monotonic_ms() + run_left_ms(&running->plan);
    int status = run_measure(running);
    if (status != EXIT_DONE)
        return status;
    if (note_missing(running) < 0)
        return deliver_out_of_memory("run");
    int collected = run_collect(running);
    if (running->was_interrupted)
        status = EXIT_INTERRUPTED;
    else if (collected != EXIT_DONE || has_failed_part(running))
        status = EXIT_FAILED;
    return run_show(running, status);
}

static void release(struct running *running)
{
    run_place_release(&running->place);
    run_plan_release(&running->plan);
    facts_free(&running->facts);
    free(running->recorded_via);
    free(running->recorded_fingerprint);
    free(running->report);
    json_decref(running->sections);
    skips_free(&running->skips);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct run_options *options = parsed;
    struct running running = {
        .options = options, .via = options->common.via, .place = {.lock = -1}};
    int status = check_options(options, argument_count, arguments);
    if (status != EXIT_DONE)
        return status;
    status = options->resume ? go_on(&running) : begin(&running);
    if (status == EXIT_DONE)
        status = measure_and_show(&running);
    release(&running);
    return status;
}

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done"},
    {EXIT_FAILED, "failed, or a part of it did: which is said"},
    EXIT_ROW_USAGE,
    {EXIT_LACKING, "nothing can be measured here, and the reasons were said"},
    {EXIT_INTERRUPTED, "interrupted; what was measured is kept, judged and shown"},
    {0, NULL},
};

const struct command command_run = {
    .name = "run",
    .group = GROUP_ALL,
    .summary = "everything in one go: one store, one page, and what to know on one screen",
    .synopsis = "[options]",
    .description =
        "Measures a machine with every study that it can bear, in this order: caches, validate, "
        "error, overhead, clocks, repeat. What the machine lacks is named with its reason, and the "
        "rest goes on. At the end stand a summary of one screen, a page with all figures, and one "
        "store that holds every run.\n\n"
        "The time is shared among the parts; what one does not need, those behind it get. Each "
        "part "
        "is stored in STORE.parts while it is measured, so that whatever ends the run loses "
        "nothing: --resume goes on with it. Ctrl-C stops the part under way as it would alone, and "
        "shows what there is.",
    .examples = "# what can be trusted on this machine, and what cannot?\n"
                "assay run\n"
                "# the same in two minutes\n"
                "assay run --quick\n"
                "# another machine, with the page where it can be seen\n"
                "assay run --via ssh:HOST --report host.html\n"
                "# go on with what was interrupted\n"
                "assay run --resume",
    .options = specs,
    .exits = exits,
    .options_size = sizeof(struct run_options),
    .run = run,
};
