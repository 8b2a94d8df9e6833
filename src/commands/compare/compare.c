/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay compare: what differs between machines, kernels or settings, by what was stored of each. */
#include "commands/compare/compare.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/deliver.h"
#include "cli/gate.h"
#include "engine/run-store.h"
#include "output/output.h"
#include "study/compare.h"

#define FIELD(name) offsetof(struct compare_options, name)

static const struct option_spec specs[] = {
    {0, "label", OPTION_FILES, "NAME",
     "call a side NAME instead of by what differs; repeated, in the order of the sides",
     FIELD(label), NULL},
    {0, "html", OPTION_STRING, "FILE",
     "write the comparison as a page that needs nothing beside it", FIELD(html), NULL},
    {0, "fail-on", OPTION_STRING, "WHAT",
     "exit with 4 when a verdict or a quantity differs, or a side could not be compared; WHAT is "
     "difference",
     FIELD(fail_on), NULL},
    {0, "all", OPTION_FLAG, NULL, "show what agrees too, and every quantity by itself", FIELD(all),
     NULL},
    {0},
};

static const struct option_hint hints[] = {
    {"via", "stores are files of this machine, wherever they were measured"},
    {"from", "name the files without it"},
    {0},
};

void compare_note(struct comparing *comparing, const char *format, ...)
{
    va_list arguments;
    char *note = NULL;
    va_start(arguments, format);
    if (vasprintf(&note, format, arguments) >= 0)
        json_array_append_new(comparing->notes, json_text(note));
    va_end(arguments);
    free(note);
}

void compare_letter(size_t side, char letter[8])
{
    reported_machine_label(side, letter);
}

json_t *compare_letter_json(size_t side)
{
    char letter[8];
    compare_letter(side, letter);
    return json_string(letter);
}

bool compare_executes_other_code(const struct comparing *comparing)
{
    for (size_t i = 0; i < comparing->file.fact_count; i++)
        if (comparing->report.fact_differs[i] && comparing->file.facts[i].weight == WEIGHT_CODE)
            return true;
    return false;
}

/* --- the command line --- */

static bool same_file(const char *left, const char *right)
{
    struct stat one, other;
    if (strcmp(left, right) == 0)
        return true;
    return stat(left, &one) == 0 && stat(right, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static int check_arguments(const struct compare_options *options, int count, char **arguments,
                           struct failure *failure)
{
    if (!count)
        return fail_with(failure, -EINVAL,
                         "name the files to compare: stores of one run, or collections");
    if (options->fail_on && strcmp(options->fail_on, "difference") != 0)
        return fail_with(failure, -EINVAL, "--fail-on takes difference, not '%.100s'",
                         options->fail_on);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (same_file(arguments[i], arguments[j]))
                return fail_with(failure, -EINVAL,
                                 "%.200s and %.200s are the same file, which cannot differ from "
                                 "itself",
                                 arguments[i], arguments[j]);
    return 0;
}

static int check_options(const struct compare_options *options, int count, char **arguments)
{
    struct failure failure = {0};
    if (check_arguments(options, count, arguments, &failure) < 0)
        return deliver_failure("compare", &failure, EXIT_USAGE);
    if (options->html && options->common.output &&
        strcmp(options->html, options->common.output) == 0) {
        fail_with(&failure, -EINVAL,
                  "--html and -o name the same file, which can hold one of them");
        return deliver_failure("compare", &failure, EXIT_USAGE);
    }
    if (output_check(options->common.output, &failure) < 0 ||
        (options->html && output_check(options->html, &failure) < 0))
        return deliver_failure("compare", &failure, EXIT_FAILED);
    return EXIT_DONE;
}

/* --- the way through --- */

/* Half of a damaged run would be taken for all of it. */
static int load_quantities(struct comparing *comparing, struct failure *failure)
{
    for (size_t i = 0; i < comparing->reported.count; i++) {
        const struct listed_run *run = comparing->reported.list[i].run;
        struct store *store = NULL;
        int error = store_open(&store, run->name, false, failure);
        if (error == 0)
            error = compare_load(store, comparing->side_of[i], &comparing->file, failure);
        store_close(store);
        if (error == -ENOMEM)
            return fail_with(failure, error, "out of memory");
        if (error < 0)
            return error;
    }
    return 0;
}

static void note_failures(struct comparing *comparing)
{
    for (size_t i = 0; i < comparing->reported.count; i++) {
        const struct reported_run *judged = &comparing->reported.list[i];
        if (judged->reason)
            compare_note(comparing, "what assay %s says of %s is left out: %s",
                         judged->run->command, judged->run->name, judged->reason);
        else if (!judged->run->finished)
            compare_note(comparing, "the run in %s is not finished: less of it can be compared",
                         judged->run->name);
        if (strcmp(judged->run->command, "truth") == 0)
            compare_note(
                comparing,
                "the run in %s is not compared: assay truth counts a single execution; "
                "count the program with assay repeat on each side and compare these stores",
                judged->run->name);
    }
}

static int judge(struct comparing *comparing, size_t count, struct failure *failure)
{
    /* Whether sides are copies of each other is told with the sides. */
    int error =
        reported_load("compare", comparing->named, count, true, &comparing->reported, failure);
    if (error == 0)
        error = compare_take_sides(comparing, failure);
    if (error == 0)
        error = compare_take_facts(comparing, failure);
    if (error < 0)
        return error;
    note_failures(comparing);
    error = compare_take_claims(comparing, failure);
    if (error == 0)
        error = load_quantities(comparing, failure);
    if (error == 0)
        error = compare_take_together(comparing, failure);
    if (error == 0 && compare_judge(&comparing->file, &comparing->report) < 0)
        error = fail_with(failure, -ENOMEM, "out of memory");
    return error;
}

/* --- the gate --- */

/* Was anything compared with the first side that the runs of this one found? What the doctor says
 * of the machine they ran on is not theirs. */
static bool is_compared(const struct comparing *comparing, size_t side)
{
    const struct compare_report *report = &comparing->report;
    bool any = false;
    for (size_t i = 0; i < comparing->file.claim_count; i++) {
        const struct compare_claim *claim = &comparing->file.claims[i];
        any |=
            claim->sides[0].word && claim->sides[side].word && strcmp(claim->study, "doctor") != 0;
    }
    for (size_t i = 0; i < report->group_count; i++)
        any |= report->groups[i].side == side && report->groups[i].standing != STANDING_FEW;
    return any;
}

static void judge_gate(const struct comparing *comparing, struct gate *gate)
{
    const struct compare_report *report = &comparing->report;
    for (size_t i = 0; i < report->verdict_count; i++) {
        const struct compare_claim *claim = &comparing->file.claims[report->verdicts[i].claim];
        AUTO_TEXT struct text name = {0};
        text_printf(&name, "%s: %s", claim->study, claim->subject);
        if (report->verdicts[i].standing == STANDING_DIFFERS)
            gate_fail(gate, text_string(&name), "differs");
    }
    for (size_t i = 0; i < report->group_count; i++) {
        AUTO_TEXT struct text name = {0};
        compare_put_group(comparing, &report->groups[i], &name);
        if (report->groups[i].standing == STANDING_DIFFERS)
            gate_fail(gate, text_string(&name), "differs");
    }
    for (size_t side = 1; side < comparing->file.side_count; side++)
        if (!is_compared(comparing, side))
            gate_fail(gate, comparing->paths[side], "not compared");
    for (size_t i = 0; i < comparing->reported.count; i++)
        if (comparing->reported.list[i].reason)
            gate_fail(gate, comparing->reported.list[i].run->name, "not judged");
}

static int show(const struct comparing *comparing)
{
    struct gate gate = {.asked = comparing->options->fail_on};
    if (gate.asked)
        judge_gate(comparing, &gate);
    int status = gate_close(&gate, "compare", EXIT_DONE);
    const struct common_options *common = &comparing->options->common;
    if (common->json) {
        struct envelope envelope = {.facts = &comparing->facts[0],
                                    .fingerprint = comparing->file.sides[0].fingerprint,
                                    .results = compare_results_json(comparing),
                                    .analysis = compare_analysis_json(comparing),
                                    .skipped = compare_skipped_json(comparing),
                                    .findings = compare_findings_json(comparing),
                                    .gate = gate_json(&gate)};
        gate_release(&gate);
        return deliver_json("compare", common, &envelope, status);
    }
    gate_release(&gate);
    struct style style = deliver_style(common);
    AUTO_TEXT struct text out = {0};
    compare_put_report(comparing, &style, &out);
    return deliver_text("compare", common, &out, status);
}

static void release(struct comparing *comparing)
{
    for (size_t i = 0; comparing->facts && i < comparing->file.side_count; i++)
        facts_free(&comparing->facts[i]);
    for (size_t i = 0; i < TOGETHER_COUNT; i++)
        retold_release(&comparing->together[i].retold);
    compare_report_release(&comparing->report);
    compare_case_release(&comparing->file);
    reported_release(&comparing->reported);
    free(comparing->facts);
    free(comparing->side_of);
    free(comparing->paths);
    json_decref(comparing->notes);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct compare_options *options = parsed;
    struct comparing comparing = {
        .options = options, .named = (const char *const *)arguments, .notes = json_array()};
    struct failure failure = {0};
    int status = check_options(options, argument_count, arguments);
    if (status != EXIT_DONE) {
        release(&comparing);
        return status;
    }
    int error = judge(&comparing, (size_t)argument_count, &failure);
    if (error < 0)
        status = deliver_failure("compare", &failure, run_store_exit(error, true));
    else if (options->html && compare_write_page(&comparing, &failure) < 0)
        status = deliver_failure("compare", &failure, EXIT_FAILED);
    else
        status = show(&comparing);
    release(&comparing);
    return status;
}

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done, whatever differs"},
    EXIT_ROW_FAILED,
    {EXIT_USAGE, "the command line is wrong, names a file that is not there, or one side"},
    {EXIT_VERDICT, "--fail-on difference: something differs, or could not be compared"},
    {EXIT_INTERRUPTED, "interrupted"},
    {0, NULL},
};

const struct command command_compare = {
    .name = "compare",
    .group = GROUP_STORED,
    .summary = "what differs between machines, kernels or settings",
    .synopsis = "[options] FILE [FILE...]",
    .description =
        "Holds stored runs of machines, or of one machine with other kernels or settings, against "
        "each other. Each FILE is a side: a store of one run, a collection of several, or FILE#N, "
        "the Nth run of a collection. A collection with runs of several machines is as many sides. "
        "All sides are held against the first.\n\n"
        "It tells first what the machines say of themselves and where that differs; then which "
        "verdicts differ (of events, clocks, caches, programs, findings and the doctor), how many "
        "agree, and which rest on one side alone; then every quantity that was measured alike: how "
        "far it shifts, with an interval, how often one side lies above the other, and the ratio. "
        "One value is one process. All tests together are adjusted by Holm's method, so that two "
        "runs of one machine rarely differ. Times must differ by more than runs of one machine do; "
        "ticks of different counters become nanoseconds where the runs of `assay clocks` tell how, "
        "else they are not compared.\n\n"
        "Of several machines it also tells by how much whole programs deviate from one to the "
        "next, "
        "and how much of the variance of measurement error the machine explains beside path and "
        "pattern.\n\n"
        "Nothing is measured: every run is judged again from its store.",
    .examples = "# does the new kernel count otherwise?\n"
                "assay compare old-kernel.sqlite new-kernel.sqlite\n"
                "# for a machine that decides: exit 4 when something differs\n"
                "assay compare --fail-on difference --json good.sqlite candidate.sqlite\n"
                "# with names, as a page\n"
                "assay compare --label desk --label rack --html page.html a.sqlite b.sqlite\n"
                "# two runs of one collection\n"
                "assay compare runs.sqlite#1 runs.sqlite#4",
    .options = specs,
    .hints = hints,
    .exits = exits,
    .stays_here = true,
    .options_size = sizeof(struct compare_options),
    .run = run,
};
