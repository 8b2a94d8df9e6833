/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay compare: what differs between machines, kernels or settings, by what was stored of each. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "commands/compare/compare.h"
#include "commands/page.h"
#include "engine/finish.h"
#include "engine/run-store.h"
#include "engine/told.h"
#include "output/output.h"
#include "store/store.h"

/* ----------------------------------------------------------------------------------------------
 * A comparison as a page: the report of all its files, with one section in the place of their own.
 */

static int compare_write_page(const struct comparing *comparing, const struct finish *finish,
                              struct failure *failure)
{
    const struct style style = {.width = REPORT_WIDTH};
    const struct common_options *common = &comparing->options->common;
    struct text title = {0}, words = {0};
    struct report report = {.notes = comparing->notes,
                            .how = report_how(common->argc, common->argv)};
    text_puts(&title, "Comparison of ");
    compare_put_sides(comparing, &title);
    compare_put_report(comparing, &style, &words);
    report.title = memory_text(&title);
    report_note_moment(&report);
    struct report_section *section = memory_add(report.sections, report.section_count);
    *section = (struct report_section){.id = "compare-1",
                                       .command = "compare",
                                       .title = "What differs",
                                       .started = report.made,
                                       .finished = report.made,
                                       .finish = finish,
                                       .figures = compare_figures(comparing),
                                       .words = memory_text(&words)};
    /* The title says what was compared; the summary begins with what came of it. */
    const struct lead *headline = &comparing->headline;
    for (size_t i = 2; i <= headline->whole.count; i++) {
        const size_t at = i < headline->whole.count ? i : 1;
        told_add(&section->lead.whole, headline->whole.items[at]);
        told_add(&section->lead.first, headline->first.items[at]);
    }
    /* One a side, under its letter, although two of them may be one machine. */
    for (size_t side = 0; side < comparing->file.side_count; side++) {
        size_t run = 0;
        while (comparing->side_of[run] != side)
            run++;
        *memory_add(report.machines, report.machine_count) =
            report_machine_of(comparing->reported.list[run].run, side);
    }
    int error = page_save(&report, comparing->options->html, failure);
    report_release(&report);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * The sides of a comparison: which runs belong to each, what their machines say of themselves, and
 * what they are called. */

/* --- which runs --- */

struct pairing {
    size_t files[COMPARE_MOST_SIDES]; /* of each side */
    size_t runs[COMPARE_MOST_SIDES];  /* its first */
    size_t count;
};

static int side_of(struct comparing *comparing, struct pairing *pairing, size_t file, size_t run,
                   struct failure *failure)
{
    size_t side = 0;
    while (side < pairing->count &&
           (pairing->files[side] != file ||
            strcmp(reported_fingerprint(&comparing->reported, run),
                   reported_fingerprint(&comparing->reported, pairing->runs[side])) != 0))
        side++;
    if (side == COMPARE_MOST_SIDES)
        return fail_with(failure, -EINVAL, "at most %u sides can be compared", COMPARE_MOST_SIDES);
    if (side == pairing->count) {
        pairing->files[side] = file;
        pairing->runs[side] = run;
        pairing->count++;
    }
    comparing->side_of[run] = side;
    return 0;
}

static bool same_run(const struct listed_run *one, const struct listed_run *other)
{
    return one->started && other->started && strcmp(one->started, other->started) == 0 &&
           strcmp(one->command, other->command) == 0 && one->fingerprint && other->fingerprint &&
           strcmp(one->fingerprint, other->fingerprint) == 0 && one->argv && other->argv &&
           strcmp(one->argv, other->argv) == 0;
}

/* --- what they say of themselves --- */

static const struct {
    const char *key, *title;
    enum fact_weight weight;
    bool labels;       /* tells sides apart in a word or two */
    const char *usual; /* where nothing is told; NULL: nobody knows */
} fact_rows[] = {
    {"isa", "instruction set", WEIGHT_CODE, true, NULL},
    {"kit", "build of the harnesses", WEIGHT_CODE, false, NULL},
    {"emulated", "emulated", WEIGHT_MACHINE, false, "no"},
    {"cpu.model_name", "CPU", WEIGHT_MACHINE, true, NULL},
    {"cpu.family", "CPU family", WEIGHT_MACHINE, false, NULL},
    {"cpu.model", "CPU model", WEIGHT_MACHINE, false, NULL},
    {"cpu.stepping", "CPU stepping", WEIGHT_MACHINE, false, NULL},
    {"cpu.microcode", "microcode", WEIGHT_MACHINE, true, NULL},
    {"hypervisor", "hypervisor", WEIGHT_MACHINE, true, NULL},
    {"hypervisor.monitor", "monitor", WEIGHT_MACHINE, false, NULL},
    {"kernel.release", "kernel", WEIGHT_MACHINE, true, NULL},
    {"kernel.version", "build of the kernel", WEIGHT_MACHINE, false, NULL},
    {"cpu.count", "CPUs", WEIGHT_MACHINE, false, NULL},
    {"os.name", "operating system", WEIGHT_MACHINE, false, NULL},
    {"container", "container", WEIGHT_MACHINE, false, NULL},
    {"pmu.core", "PMUs", WEIGHT_MACHINE, false, NULL},
    {"memory.page_bytes", "page size", WEIGHT_MACHINE, false, NULL},
    {"perf.paranoid", "perf_event_paranoid", WEIGHT_SETTING, true, NULL},
    {"pmu.rdpmc", "rdpmc", WEIGHT_SETTING, true, NULL},
    {"perf.user_access", "perf_user_access", WEIGHT_SETTING, true, NULL},
    {"kernel.nmi_watchdog", "nmi_watchdog", WEIGHT_SETTING, true, NULL},
    {"kernel.randomize_va_space", "randomize_va_space", WEIGHT_SETTING, true, NULL},
    {"process.personality", "personality", WEIGHT_SETTING, true, NULL},
    {"process.euid", "user id", WEIGHT_SETTING, true, NULL},
    {"process.seccomp", "seccomp", WEIGHT_SETTING, false, NULL},
    {"cpu.allowed", "CPUs it may use", WEIGHT_SETTING, true, NULL},
    {"cpu.isolated", "isolated CPUs", WEIGHT_SETTING, false, NULL},
    {"freq.governor", "governor", WEIGHT_SETTING, true, NULL},
    {"freq.no_turbo", "no_turbo", WEIGHT_SETTING, true, NULL},
    {"freq.boost", "boost", WEIGHT_SETTING, true, NULL},
    {"smt.active", "SMT", WEIGHT_SETTING, true, NULL},
    {"idle.driver", "idle driver", WEIGHT_SETTING, false, NULL},
    {"clock.current", "clocksource", WEIGHT_SETTING, true, NULL},
    {"memory.huge_pages", "huge pages", WEIGHT_SETTING, true, NULL},
    {"version", "version of assay", WEIGHT_SETTING, false, NULL},
};

#define KIT_SHOWN 16u /* digits that tell builds apart */

static int fill_sides(struct comparing *comparing, const struct pairing *pairing,
                      struct failure *failure)
{
    for (size_t i = 0; i < pairing->count; i++) {
        const struct listed_run *run = comparing->reported.list[pairing->runs[i]].run;
        /* Of the first run of a side; kit and version are the store's. */
        struct store *store = NULL;
        struct store_info info = {0};
        int error = store_open(&store, run->name, false, failure);
        if (error == 0)
            error = store_facts(store, &comparing->facts[i], failure);
        if (error == 0)
            error = store_info(store, &info, failure);
        if (error == 0 && info.kit && strlen(info.kit) > KIT_SHOWN)
            info.kit[KIT_SHOWN] = 0;
        if (error == 0) {
            facts_set(&comparing->facts[i], "kit", info.kit, info.kit ? 0 : ENODATA);
            facts_set(&comparing->facts[i], "version", info.version, info.version ? 0 : ENODATA);
        }
        store_info_release(&info);
        store_close(store);

        if (error < 0)
            return error;
        comparing->paths[i] = comparing->named[pairing->files[i]];
        /* Two sides have the same ticks where CPU, hypervisor and emulation are the same. */
        static const char *const keys[] = {"isa",        "cpu.vendor",   "cpu.family",
                                           "cpu.model",  "cpu.stepping", "cpu.model_name",
                                           "hypervisor", "emulated"};
        AUTO_TEXT struct text counter = {0};
        for (size_t j = 0; j < sizeof(keys) / sizeof(*keys); j++) {
            const char *value = facts_get(&comparing->facts[i], keys[j]);
            text_printf(&counter, "%s;", value ? value : "");
        }
        comparing->file.sides[i].emulated = facts_get(&comparing->facts[i], "emulated") != NULL;
        const char *hypervisor = facts_get(&comparing->facts[i], "hypervisor");
        comparing->file.sides[i].shared = hypervisor && strcmp(hypervisor, "none") != 0;
        comparing->file.sides[i].counter = memory_text(&counter);
        comparing->file.sides[i].fingerprint =
            memory_copy(run->fingerprint ? run->fingerprint : "");
    }
    return 0;
}

/* --- what they are called --- */

#define LABEL_FACTS 2u /* as many of them at most */

static bool tells_apart(const struct comparing *comparing, const char *key)
{
    const char *first = facts_get(&comparing->facts[0], key);
    for (size_t i = 1; i < comparing->file.side_count; i++) {
        const char *other = facts_get(&comparing->facts[i], key);
        if (strcmp(first ? first : "", other ? other : "") != 0)
            return true;
    }
    return false;
}

static bool is_taken(const struct compare_case *file, size_t side, const char *label)
{
    for (size_t i = 0; i < side; i++)
        if (strcmp(file->sides[i].label, label) == 0)
            return true;
    return false;
}

static void name_side(struct comparing *comparing, size_t side)
{
    const struct string_list *given = &comparing->options->label;
    AUTO_TEXT struct text label = {0};
    char letter[8];
    if (side < given->count)
        text_puts(&label, given->items[side]);
    else {
        size_t used = 0;
        for (size_t i = 0; i < sizeof(fact_rows) / sizeof(*fact_rows) && used < LABEL_FACTS; i++) {
            const char *value = facts_get(&comparing->facts[side], fact_rows[i].key);
            if (!fact_rows[i].labels || !tells_apart(comparing, fact_rows[i].key))
                continue;
            text_puts(&label, used++ ? ", " : "");
            if (fact_rows[i].weight == WEIGHT_SETTING)
                text_printf(&label, "%s %s", fact_rows[i].title, value ? value : "unknown");
            else
                text_puts(&label, value ? value : "unknown");
        }
    }

    if (!label.length) {
        /* The file's name without its folder and ending. */
        const char *slash = strrchr(comparing->paths[side], '/'),
                   *name = slash ? slash + 1 : comparing->paths[side];
        const char *ending = strstr(name, ".sqlite");
        text_append(&label, name, ending ? (size_t)(ending - name) : strlen(name));
        if (ending)
            text_puts(&label, ending + strlen(".sqlite"));
    }

    report_label(side, letter);
    if (is_taken(&comparing->file, side, text_string(&label)))
        text_printf(&label, " (%s)", letter);
    comparing->file.sides[side].label = memory_text(&label);
}

/* Which runs are of which side, and what the sides are called. */
static int compare_take_sides(struct comparing *comparing, struct failure *failure)
{
    struct pairing pairing = {.count = 0};
    struct reported *reported = &comparing->reported;
    size_t run = 0;
    comparing->side_of = memory_new(reported->count + 1, sizeof(*comparing->side_of));
    for (size_t file = 0; file < reported->file_count; file++)
        for (size_t i = 0; i < reported->files[file].count; i++, run++) {
            int error = side_of(comparing, &pairing, file, run, failure);
            if (error < 0)
                return error;
        }
    if (pairing.count < 2)
        return fail_with(failure, -EINVAL,
                         "there is one side only: name a second file, or a collection with runs of "
                         "several machines");

    if (comparing->options->label.count > pairing.count)
        return fail_with(failure, -EINVAL, "--label was given %zu times for %zu sides",
                         comparing->options->label.count, pairing.count);
    comparing->facts = memory_new(pairing.count, sizeof(*comparing->facts));
    comparing->paths = memory_new(pairing.count, sizeof(*comparing->paths));
    compare_add_sides(&comparing->file, pairing.count);
    int error = fill_sides(comparing, &pairing, failure);
    for (size_t i = 0; error == 0 && i < pairing.count; i++)
        name_side(comparing, i);
    for (size_t i = 0; i < reported->count; i++)
        for (size_t j = 0; j < i; j++)
            if (comparing->side_of[i] != comparing->side_of[j] &&
                same_run(reported->list[i].run, reported->list[j].run))
                compare_note(comparing,
                             "%s and %s are the same run, which cannot differ from itself",
                             reported->list[j].run->name, reported->list[i].run->name);

    return error;
}

/* --- the command --- */

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
     FIELD(fail_on), NULL, .words = ONE_OF("difference"), .only = true},
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
    va_start(arguments, format);
    told_add(&comparing->notes, memory_vformat(format, arguments));
    va_end(arguments);
}

const char *compare_letter(size_t side)
{
    char letter[8];
    report_label(side, letter);
    return memory_copy(letter);
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

static int check_arguments(int count, char **arguments, struct failure *failure)
{
    if (!count)
        return fail_with(failure, -EINVAL,
                         "name the files to compare: stores of one run, or collections");
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
    if (check_arguments(count, arguments, &failure) < 0)
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
        if (error < 0)
            return error;
    }
    return 0;
}

static int judge(struct comparing *comparing, size_t count, struct failure *failure)
{
    /* Whether sides are copies of each other is told with the sides. */
    int error =
        reported_load("compare", comparing->named, count, true, &comparing->reported, failure);
    if (error == 0)
        error = compare_take_sides(comparing, failure);
    if (error < 0)
        return error;
    /* What their machines say. */
    struct compare_case *file = &comparing->file;
    for (size_t i = 0; i < sizeof(fact_rows) / sizeof(*fact_rows); i++) {
        struct compare_fact *fact =
            compare_add_fact(file, fact_rows[i].key, fact_rows[i].title, fact_rows[i].weight);
        for (size_t side = 0; side < file->side_count; side++) {
            const char *value = facts_get(&comparing->facts[side], fact_rows[i].key);
            fact->values[side] = memory_copy(value ? value : fact_rows[i].usual);
        }
    }
    for (size_t i = 0; i < comparing->reported.count; i++) {
        const struct reported_run *judged = &comparing->reported.list[i];
        if (judged->reason)
            skips_add(&comparing->skips, judged->run->name, judged->reason, 0);
        if (judged->reason)
            compare_note(comparing, "what assay %s says of %s is left out: %s",
                         judged->run->command, judged->run->name, judged->reason);
        else if (!judged->run->finished)
            compare_note(comparing, "the run in %s is not finished: less of it can be compared",
                         judged->run->name);
        const struct study_told *told = told_of(command_find(judged->run->command));
        if (told && told->compared.instead)
            compare_note(comparing, "the run in %s is not compared: %s", judged->run->name,
                         told->compared.instead);
    }

    for (const struct command *const *at = command_registry; *at; at++)
        if (told_of(*at) && told_of(*at)->compared.ticks)
            file->tick_study = (*at)->name;
    compare_find_together(comparing);
    compare_take_claims(comparing);
    error = load_quantities(comparing, failure);
    if (error == 0)
        error = compare_take_together(comparing, failure);
    if (error == 0)
        compare_judge(&comparing->file, &comparing->report);
    if (error == 0)
        compare_take_findings(comparing);
    if (error == 0)
        comparing->headline = compare_headline(comparing);
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

static void ask_gate(const struct comparing *comparing, struct gate *gate)
{
    const struct compare_report *report = &comparing->report;
    for (size_t i = 0; i < report->verdict_count; i++) {
        const struct compare_claim *claim = &comparing->file.claims[report->verdicts[i].claim];
        if (report->verdicts[i].standing == STANDING_DIFFERS)
            gate_fail(gate, memory_format("%s: %s", claim->study, claim->subject), "differs");
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
    struct failure failure = {0};
    if (gate.asked)
        ask_gate(comparing, &gate);
    const struct finish finish = {.command = "compare",
                                  .common = &comparing->options->common,
                                  .unseeded = true,
                                  .facts = &comparing->facts[0],
                                  .fingerprint = comparing->file.sides[0].fingerprint,
                                  .skips = &comparing->skips,
                                  .findings = comparing->findings,
                                  .finding_count = comparing->finding_count,
                                  .gate = &gate,
                                  .tables = &command_compare,
                                  .run = comparing,
                                  .put_report = compare_put_report};
    if (comparing->options->html && compare_write_page(comparing, &finish, &failure) < 0)
        return deliver_failure("compare", &failure, EXIT_FAILED);
    return finish_show(&finish, EXIT_DONE);
}

static void release(struct comparing *comparing)
{
    for (size_t i = 0; comparing->facts && i < comparing->file.side_count; i++)
        facts_free(&comparing->facts[i]);
    for (size_t i = 0; i < comparing->together_count; i++)
        retold_release(&comparing->together[i].retold);
    reported_release(&comparing->reported);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct compare_options *options = parsed;
    struct comparing comparing = {.options = options, .named = (const char *const *)arguments};
    struct failure failure = {0};
    int status = check_options(options, argument_count, arguments);
    if (status != EXIT_DONE)
        return status;
    int error = judge(&comparing, (size_t)argument_count, &failure);
    status = error < 0 ? deliver_failure("compare", &failure, run_store_exit(error, true))
                       : show(&comparing);
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
    .results = &compare_results,
    .analysis = &compare_analysis,
};
