/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of `assay repeat`, for people: the answer first, then every event as it is and
 * controlled, which control did it, what the count depends on, why runs and sources differ, the
 * paper's findings, and what could not be measured. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/claims.h"
#include "engine/command-line.h"
#include "stats/moments.h"
#include "studies/repeat/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Which programs, rows and effects the parts of `assay repeat` show, and the words and numbers
 * that they share. */

#define SENTENCE_WORDS 60u /* columns that a program may take in a sentence */

/* --- programs --- */

bool repeat_is_own(const struct repeating *run, size_t program)
{
    const struct repeat_program *programs = run->file.programs;
    if (program >= run->file.program_count)
        return false;
    for (size_t i = 0; i < run->file.program_count; i++)
        if (!programs[i].subject)
            return !programs[program].subject;
    return run->status < 0 || program == 0;
}

/* Are there several, so that each has but a line? */
static bool repeat_is_suite(const struct repeating *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->file.program_count; i++)
        count += repeat_is_own(run, i);
    return count > 1;
}

bool repeat_is_detailed(const struct repeating *run, size_t program)
{
    return run->studying.options->all || (repeat_is_own(run, program) && !repeat_is_suite(run));
}

/* --- rows --- */

#define NO_INSTRUCTIONS 100 /* and above: ranks of events that count something else */
#define TOO_FEW         1000

/* Of an effect: the smaller, the more it says. */
static int rank_of_effect(const struct repeat_row *row)
{
    static const char *const sources[] = {"perf_event", "step", "qemu", "valgrind"};
    const int count = sizeof(sources) / sizeof(*sources);
    int place = 0;
    while (place < count && strcmp(sources[place], row->cell->source) != 0)
        place++;
    return (strcmp(row->cell->class[row->event], "instructions") == 0 ? 0 : NO_INSTRUCTIONS) +
           place;
}

const struct repeat_effect *repeat_leading(const struct repeating *run, size_t machine,
                                           size_t program)
{
    const struct repeat_effect *leading = NULL;
    size_t most[2] = {0}; /* runs that any effect has, of instructions and of else */
    int best = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < run->report.effect_count; i++) {
            const struct repeat_effect *effect = &run->report.effects[i];
            const struct repeat_row *as_is = effect->as_is;
            const size_t controlled = effect->controlled->runs;
            const size_t runs = as_is->runs < controlled ? as_is->runs : controlled;
            int rank = rank_of_effect(as_is);
            if (as_is->cell->at.machine != machine || as_is->cell->at.program != program)
                continue;
            size_t *other = &most[rank >= NO_INSTRUCTIONS];
            *other = runs > *other ? runs : *other;
            if (pass == 0)
                continue;
            /* One run tells nothing of variation, and a few little where another source has many.
             */
            if (runs < 2 || 2 * runs < *other)
                rank += TOO_FEW;
            if (!leading || rank < best) {
                leading = effect;
                best = rank;
            }
        }
    return leading;
}

size_t repeat_leaders(const struct repeating *run, bool own, const struct repeat_effect ***list)
{
    size_t count = 0;
    *list = NULL;
    for (size_t program = 0; program < run->file.program_count; program++)
        for (size_t machine = 0; machine < run->file.machine_count; machine++) {
            const struct repeat_effect *effect = repeat_leading(run, machine, program);
            if (effect && (!own || repeat_is_own(run, program)))
                *memory_add(*list, count) = effect;
        }
    return count;
}

size_t repeat_alike(const struct repeat_row *row)
{
    const struct kept kept = kept_counts(row->cell, row->event);
    size_t most = kept.count > 0, same = 1;
    if (kept.count)
        sort_values(kept.values, kept.count);
    for (size_t i = 1; i < kept.count; i++) {
        same = kept.values[i] == kept.values[i - 1] ? same + 1 : 1;
        most = same > most ? same : most;
    }
    return most;
}

/* --- words --- */

const char *repeat_program_name(const struct repeating *run, size_t program)
{
    const char *name = program < run->file.program_count ? run->file.programs[program].name : NULL;
    return name && *name ? name : "?";
}

const char *repeat_machine_name(const struct repeating *run, size_t machine)
{
    const char *name = machine < run->file.machine_count ? run->file.machines[machine].name : NULL;
    return name && *name ? name : "?";
}

/* "perl hash.pl", or the name of one whose words are too long for a sentence. */
static void repeat_put_program(const struct repeating *run, size_t program, struct text *out)
{
    const char *words =
        program < run->file.program_count ? run->file.programs[program].words : NULL;
    AUTO_TEXT struct text clean = {0};
    text_put_clean(&clean, words ? words : "");
    if (clean.length && utf8_columns(text_string(&clean)) <= SENTENCE_WORDS) {
        text_puts(out, text_string(&clean));
        return;
    }
    text_put_clean(out, repeat_program_name(run, program));
}

void repeat_put_machine(const struct repeating *run, size_t machine, struct text *out)
{
    if (run->file.machine_count < 2)
        return;
    text_puts(out, " on ");
    text_put_clean(out, repeat_machine_name(run, machine));
}

char *repeat_percent(double percent, char text[NUMBER_SIZE])
{
    if (!isfinite(percent))
        strcpy(text, "-");
    else if (percent == 0)
        strcpy(text, "0");
    else if (fabs(percent) < 1e-6)
        snprintf(text, NUMBER_SIZE, "%.0e", percent);
    else
        number_significant(percent, fabs(percent) >= 100 ? 3 : 2, text, NUMBER_SIZE);
    return text;
}

char *repeat_difference(double value, char text[NUMBER_SIZE])
{
    if (!isfinite(value))
        strcpy(text, "-");
    else
        snprintf(text, NUMBER_SIZE, "%s%s",
                 value > 0   ? "+"
                 : value < 0 ? "-"
                             : "",
                 REPEAT_NUMBER(fabs(value)));
    return text;
}

/* ----------------------------------------------------------------------------------------------
 * The answer of `assay repeat`: by how much each program varies as it is, what is left of that
 * when it is controlled, and which control did it. */

/* "12 of 12 runs identical", or "it varies by 0.83 % (12 runs)"; of the as-is mean where that is
 * given, which is said where it makes a difference. */
static void put_setting(const struct repeat_row *row, const struct repeat_row *as_is,
                        struct text *out)
{
    const bool of_as_is = as_is && as_is->mean > 0 && mean_differs(row->mean, as_is->mean);
    const double percent = of_as_is ? 100 * row->stdev / as_is->mean : row->cv_percent;
    if (!row->runs)
        text_puts(out, "no run could be counted");
    else if (row->runs == 1)
        text_puts(out, "executed once only");
    else if (row->distinct > 1 && isfinite(row->cv_percent))
        text_printf(out, "it varies by %s %%%s (%zu runs)", REPEAT_PERCENT(percent),
                    of_as_is ? " of the as-is mean" : "", row->runs);
    else
        text_printf(out, "%zu of %zu runs identical",
                    row->distinct == 1 ? row->runs : repeat_alike(row), row->runs);
}

/* "as-is it varies by 0.8 % (12 runs), controlled 12 of 12 runs identical; hash-seeds did it.", or
 * behind the second ", 690 times less (120 to 4,000)", unless that may be chance. */
static void put_effect(const struct repeat_effect *effect, struct text *out)
{
    const bool less = effect->ratio >= 1;
    char ratio[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    /* What the judge says of runs without any difference has their numbers. */
    if (!reasons_find(&effect->who, &repeat_words[SAYS_ALWAYS_SAME])) {
        text_puts(out, "as-is ");
        put_setting(effect->as_is, NULL, out);
        text_puts(out, ", controlled ");
        put_setting(effect->controlled, effect->as_is, out);
        if (isfinite(effect->ratio) && effect->ratio > 0 &&
            !reasons_find(&effect->who, &repeat_words[SAYS_NO_CONTROL])) {
            number_significant(less ? effect->ratio : 1 / effect->ratio, 2, ratio, sizeof(ratio));
            number_significant(effect->ratio_low, 2, low, sizeof(low));
            number_significant(effect->ratio_high, 2, high, sizeof(high));
            text_printf(out, ", %s times %s", ratio, less ? "less" : "more");
            if (less && isfinite(effect->ratio_low) && isfinite(effect->ratio_high))
                text_printf(out, " (%s to %s)", low, high);
        }
        text_puts(out, effect->who.count ? "; " : "");
    }
    reasons_put(&effect->who, out);
    text_putc(out, '.');
}

/* Runs that ended otherwise than most, over all of the program's rows that are shown. */
static void put_apart(const struct repeating *run, size_t program, struct text *out)
{
    size_t apart = 0, rows = 0;
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct repeat_row *row = &run->report.rows[i];
        if (row->cell->at.program != program || !row->apart)
            continue;
        apart += row->apart;
        rows++;
    }
    if (apart)
        text_printf(out,
                    " %zu count%s of %zu row%s left out: their executions ended or wrote otherwise "
                    "than most, or had a counter for a part of the time.",
                    apart, apart == 1 ? "" : "s", rows, rows == 1 ? " is" : "s are");
}

/* Measured under one setting only: its first row; NULL: none. */
static const struct repeat_row *single_row(const struct repeating *run, size_t machine,
                                           size_t program)
{
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct repeat_cell *cell = run->report.rows[i].cell;
        if (cell->at.machine == machine && cell->at.program == program && cell->sweep == SWEEP_NONE)
            return &run->report.rows[i];
    }
    return NULL;
}

static void repeat_put_summary(const struct repeating *run, const struct style *style,
                               struct text *out)
{
    const struct repeat_case *file = &run->file;
    const size_t before = out->length;
    if (repeat_is_suite(run))
        return;
    for (size_t program = 0; program < file->program_count; program++)
        for (size_t machine = 0; machine < file->machine_count; machine++) {
            const struct repeat_effect *effect = repeat_leading(run, machine, program);
            const struct repeat_row *row =
                effect ? effect->as_is : single_row(run, machine, program);
            AUTO_TEXT struct text words = {0};
            if (!repeat_is_own(run, program) || !row)
                continue;
            /* How it was counted comes first, because other events may vary otherwise. */
            repeat_put_program(run, program, &words);
            repeat_put_machine(run, machine, &words);
            text_printf(&words, ", counted as %s: ", repeat_event_of(row));
            if (effect) {
                put_effect(effect, &words);
            } else {
                text_printf(&words, "%s ", REPEAT_SETTING(row->cell->controls));
                put_setting(row, NULL, &words);
                text_puts(&words, "; under no other setting.");
            }
            put_apart(run, program, &words);
            section_put_words(text_string(&words), style, out);
        }
    if (out->length == before)
        section_put_words("Nothing could be counted.", style, out);
    if (run->status <= 0)
        return;
    /* How the command ended where that is not simply well. */
    char ending[120];
    AUTO_TEXT struct text words = {0};
    command_ending((uint64_t)run->status, repeat_asked(run)->timeout, ending, sizeof(ending));
    text_printf(&words, "The command %s, which is assay's status too.", ending);
    section_put_words(text_string(&words), style, out);
}

/* ----------------------------------------------------------------------------------------------
 * The paper's Figure 1 as a table: of many programs how much each varies before and after control,
 * a line each; and what the same program counts on several machines. */

/* --- before and after --- */

static void add_setting(struct table *table, const struct repeat_row *row)
{
    table_add(table, TONE_STRONG, REPEAT_PERCENT(row->cv_percent));
    table_addf(table, row->distinct == 1 ? TONE_GOOD : TONE_PLAIN, "%zu of %zu", repeat_alike(row),
               row->runs);
}

/* Which columns there is room for, and need of. */
struct layout {
    bool events, mean;
};

static void add_line(struct table *table, const struct layout *layout, const struct repeating *run,
                     const struct repeat_effect *effect)
{
    const struct repeat_row *as_is = effect->as_is;
    const struct repeat_place *at = &as_is->cell->at;
    AUTO_TEXT struct text who = {0};
    /* "hash-seeds, aslr": the controls that did it. */
    for (int control = 0; control < CONTROL_COUNT; control++)
        if (effect->parts[control].brings || effect->parts[control].is_needed)
            text_printf(&who, "%s%s", who.length ? ", " : "", control_names[control]);
    table_add(table, TONE_PLAIN, repeat_program_name(run, at->program));
    table_add(table, TONE_PLAIN,
              run->file.machine_count > 1 ? repeat_machine_name(run, at->machine) : "");
    table_add(table, TONE_PLAIN, layout->events ? repeat_event_of(as_is) : "");
    table_add(table, TONE_PLAIN, layout->mean ? REPEAT_NUMBER(rint(as_is->mean)) : "");
    add_setting(table, as_is);
    add_setting(table, effect->controlled);
    table_add(table, TONE_PLAIN, text_string(&who));
}

static void put_lines(const struct repeating *run, const struct repeat_effect *const *list,
                      size_t count, const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {"program"},      {"machine"},         {"event"},
        {"mean", true},   {"as-is %", true},   {"identical", true},
        {"ctrl %", true}, {"identical", true}, {"by control", .wraps = true}};
    /* The event that all lines are of; NULL: they are of several. */
    const char *event = repeat_event_of(list[0]->as_is);
    for (size_t i = 1; i < count && event; i++)
        event = strcmp(repeat_event_of(list[i]->as_is), event) == 0 ? event : NULL;
    AUTO_TEXT struct text legend = {0};
    for (int mean = 1; mean >= 0; mean--) {
        struct table table = {.columns = columns,
                              .column_count = sizeof(columns) / sizeof(*columns)};
        const struct layout layout = {.events = !event, .mean = mean};
        for (size_t i = 0; i < count; i++)
            add_line(&table, &layout, run, list[i]);
        bool fits = !mean || table_width(&table) <= style->width;
        if (fits)
            table_put(&table, style, out);
        table_free(&table);
        if (fits)
            break;
    }
    if (event)
        text_printf(&legend, "counted as %s; ", event);
    text_puts(&legend, "as-is %, ctrl %: coefficient of variation as it is and controlled; "
                       "identical: runs with the count that most have");
    section_put_words(text_string(&legend), style, out);
}

/* The larger of these in percent, and whose it is. */
static void keep_worst(double percent, size_t program, double *worst, size_t *of)
{
    if (!isfinite(percent) || percent < *worst)
        return;
    *worst = percent;
    *of = program;
}

/* "14 programs: as-is up to 1.1 % (perl), controlled up to 0.0003 % (xz); 11 identical in every
 * controlled run." */
static void repeat_put_suite(const struct repeating *run, const struct style *style,
                             struct text *out)
{
    size_t identical = 0, before = 0, after = 0; /* executed more than once */
    double worst_before = 0, worst_after = 0;
    size_t before_of = 0, after_of = 0;
    const struct repeat_effect **list;
    AUTO_TEXT struct text words = {0};
    if (!repeat_is_suite(run))
        return;
    const size_t programs = repeat_leaders(run, true, &list);
    for (size_t i = 0; i < programs; i++) {
        const struct repeat_row *as_is = list[i]->as_is, *controlled = list[i]->controlled;
        before += as_is->runs > 1;
        keep_worst(as_is->cv_percent, as_is->cell->at.program, &worst_before, &before_of);
        after += controlled->runs > 1;
        identical += controlled->runs > 1 && controlled->distinct == 1;
        keep_worst(controlled->cv_percent, as_is->cell->at.program, &worst_after, &after_of);
    }
    if (!programs) {
        section_put_words("Nothing could be counted.", style, out);
        return;
    }
    text_printf(&words, "%zu programs: ", programs);
    if (before)
        text_printf(&words, "as-is they vary by up to %s %% (%s), controlled ",
                    REPEAT_PERCENT(worst_before), repeat_program_name(run, before_of));
    else
        text_puts(&words, "as-is none was executed twice, controlled ");
    if (!after)
        text_puts(&words, "none was executed twice");
    else if (worst_after > 0)
        text_printf(&words, "by up to %s %% (%s)", REPEAT_PERCENT(worst_after),
                    repeat_program_name(run, after_of));
    else
        text_puts(&words, "not at all");
    if (after)
        text_printf(&words, "; %zu of %zu identical in every controlled run", identical, after);
    if (after && after < programs)
        text_printf(&words, "; %zu executed once only", programs - after);
    text_puts(&words, ".");
    section_put_words(text_string(&words), style, out);
    text_putc(out, '\n');
    put_lines(run, list, programs, style, out);
}

/* --- the same program on several machines --- */

static void repeat_put_machines(const struct repeating *run, const struct style *style,
                                struct text *out)
{
    static const struct column columns[] = {{"program"},         {"machine"},
                                            {"event"},           {"controlled", true},
                                            {"identical", true}, {"difference", true}};
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    const struct repeat_effect **list;
    const size_t count = repeat_leaders(run, !run->studying.options->all, &list);
    double first = NAN;
    for (size_t i = 0; i < count && run->file.machine_count > 1; i++) {
        const struct repeat_row *row = list[i]->controlled;
        const struct repeat_place *at = &row->cell->at;
        if (i && list[i - 1]->as_is->cell->at.program != at->program)
            first = NAN;
        if (!row->runs)
            continue;
        table_add(&table, TONE_PLAIN, isfinite(first) ? "" : repeat_program_name(run, at->program));
        table_add(&table, TONE_PLAIN, repeat_machine_name(run, at->machine));
        table_add(&table, TONE_PLAIN, repeat_event_of(row));
        table_add(&table, TONE_STRONG, REPEAT_NUMBER(row->mean));
        table_addf(&table, row->distinct == 1 ? TONE_GOOD : TONE_PLAIN, "%zu of %zu",
                   repeat_alike(row), row->runs);
        table_add(&table, TONE_PLAIN, isfinite(first) ? REPEAT_DIFFERENCE(row->mean - first) : "");
        first = isfinite(first) ? first : row->mean;
    }
    if (table.count) {
        section_put_heading("The same program on several machines, controlled", style, out);
        table_put(&table, style, out);
    }
    table_free(&table);
}

/* ----------------------------------------------------------------------------------------------
 * Why a program is not the same from run to run, with what was seen; and why sources count it
 * differently, side by side. */

#define FEW_CLAUSES 3u /* of evidence behind a reason, unless all is asked for */

/* --- from run to run --- */

static void repeat_put_causes(const struct repeating *run, const struct style *style,
                              struct text *out)
{
    bool any = false;
    /* What parted runs before what only may. */
    for (int parted = 1; parted >= 0; parted--)
        for (size_t i = 0; i < run->report.seen_count; i++) {
            const struct repeat_seen *seen = &run->report.seen[i];
            AUTO_TEXT struct text words = {0};
            if (!repeat_is_detailed(run, seen->at.program) || seen->parted != (parted == 1))
                continue;
            if (!any)
                section_put_heading("Why it is not the same from run to run", style, out);
            any = true;
            if (run->file.program_count > 1 && run->studying.options->all)
                text_printf(&words, "%s, ", repeat_program_name(run, seen->at.program));
            text_puts(&words, repeat_parting_names[seen->cause]);
            repeat_put_machine(run, seen->at.machine, &words);
            text_printf(&words, "%s: ", seen->parted ? "" : " (may part runs)");
            reasons_put(&seen->evidence, &words);
            section_put_item(text_string(&words), style, out);
        }
}

/* --- from source to source --- */

static void add_alignment(struct table *table, const struct repeating *run,
                          const struct repeat_alignment *alignment, bool several)
{
    AUTO_TEXT struct text reasons = {0}; /* "cpuid -312, vdso +40"; the evidence is below */
    AUTO_TEXT struct text source = {0};
    bool unknown = false;
    for (size_t i = 0; i < alignment->reason_count; i++) {
        unknown |= alignment->reasons[i].what == WHY_UNKNOWN;
        text_printf(&reasons, "%s%s %s", i ? ", " : "", align_why_names[alignment->reasons[i].what],
                    REPEAT_DIFFERENCE(rint(alignment->reasons[i].instructions)));
    }
    if (!unknown && alignment->difference != 0 && isfinite(alignment->unexplained) &&
        alignment->unexplained != 0)
        text_printf(&reasons, "%sunexplained %s", reasons.length ? ", " : "",
                    REPEAT_DIFFERENCE(rint(alignment->unexplained)));
    text_puts(&source, alignment->source);
    repeat_put_machine(run, alignment->at.machine, &source);
    table_add(table, TONE_PLAIN, several ? repeat_program_name(run, alignment->at.program) : "");
    table_add(table, TONE_PLAIN, text_string(&source));
    table_add(table, TONE_PLAIN, REPEAT_NUMBER(alignment->raw));
    table_add(table, TONE_PLAIN, REPEAT_NUMBER(alignment->repetitions));
    table_add(table, TONE_STRONG, REPEAT_NUMBER(alignment->aligned));
    table_add(table, TONE_PLAIN, alignment->against);
    table_add(table, alignment->same ? TONE_GOOD : TONE_PLAIN,
              REPEAT_DIFFERENCE(alignment->difference));
    table_add(table, TONE_PLAIN,
              reasons.length    ? text_string(&reasons)
              : alignment->same ? "the same to the instruction"
                                : "");
}

static void repeat_put_sources(const struct repeating *run, const struct style *style,
                               struct text *out)
{
    static const struct column columns[] = {
        {"program"},       {"source"},  {"raw", true},        {"repetitions", true},
        {"aligned", true}, {"against"}, {"difference", true}, {"", .wraps = true}};
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    const bool all = run->studying.options->all, several = run->file.program_count > 1 && all;
    AUTO_TEXT struct text evidence = {0};
    for (size_t i = 0; i < run->report.alignment_count; i++) {
        const struct repeat_alignment *alignment = &run->report.alignments[i];
        if (!repeat_is_detailed(run, alignment->at.program))
            continue;
        add_alignment(&table, run, alignment, several);
        /* The functions that are behind its reasons. */
        for (size_t j = 0; j < alignment->reason_count; j++) {
            const struct align_reason *reason = &alignment->reasons[j];
            AUTO_TEXT struct text words = {0};
            const size_t clauses = reason->evidence.count;
            const size_t told = all || clauses < FEW_CLAUSES ? clauses : FEW_CLAUSES;
            text_printf(&words, "%s, %s: ", alignment->source, align_why_names[reason->what]);
            reasons_put(&(struct reasons){reason->evidence.list, told}, &words);
            text_puts(&words, told < clauses ? " ..." : "");
            if (clauses)
                section_put_item(text_string(&words), style, &evidence);
        }
    }
    if (table.count) {
        section_put_heading("Sources side by side, in instructions", style, out);
        table_put(&table, style, out);
        section_put_words("raw: as the source counts them; repetitions: of string instructions "
                          "(rep); aligned: each of these counted once",
                          style, out);
        text_puts(out, text_string(&evidence));
    }
    table_free(&table);
}

/* --- what could not be measured --- */

static void repeat_put_absences(const struct repeating *run, const struct style *style,
                                struct text *out)
{
    const struct repeat_case *file = &run->file;
    AUTO_TEXT struct text lines = {0};
    struct omissions omissions = {0};
    omissions_add_skips(&omissions, &run->studying.skips);
    size_t known = omissions.count;
    for (size_t i = 0; i < file->absence_count; i++)
        omissions_add(&omissions, known, file->absences[i].what, file->absences[i].reason);
    known = omissions.count;
    /* "perl by qemu: why", of executions that could not be counted. */
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        if (cell->failed && cell->reason)
            omissions_add(
                &omissions, known,
                memory_format("%s by %s", repeat_program_name(run, cell->at.program), cell->source),
                cell->reason);
    }
    /* Where nothing works, what to do about it is the answer. */
    omissions.brief = !run->studying.options->all && run->report.row_count;
    omissions_put(&omissions, run->studying.options->all, style, &lines);
    if (lines.length) {
        section_put_heading("Could not be measured", style, out);
        text_puts(out, text_string(&lines));
    }
}

static void put_remarks(const struct repeating *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    size_t fewest = SIZE_MAX;
    const struct repeat_effect **list;
    const size_t count = repeat_leaders(run, true, &list);
    for (size_t i = 0; i < count; i++)
        fewest = list[i]->as_is->runs < fewest ? list[i]->as_is->runs : fewest;
    if (fewest < PAPER_RUNS)
        text_printf(&words,
                    "With fewer than the %u runs of the paper (here %zu), rare values are likely "
                    "missed: --runs 12, or a larger --budget. ",
                    PAPER_RUNS, fewest);
    if (!run->studying.complete && run->studying.stored)
        unfinished_put("repeat", run->studying.stored, &run->studying.options->common, &words);
    if (!run->studying.options->all)
        text_puts(&words, repeat_is_suite(run)
                              ? "--all shows every program in detail, --json every count."
                              : "--all shows every setting, event and reason, --json every count.");
    if (!words.length)
        return;
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 0, style->width);
}

void repeat_put_report(const void *shown, const struct style *style, struct text *out)
{
    static repeat_part *const parts[] = {
        repeat_put_summary, repeat_put_suite,    repeat_put_table,   repeat_put_controls,
        repeat_put_sweeps,  repeat_put_causes,   repeat_put_sources, repeat_put_system,
        repeat_put_ranking, repeat_put_machines,
    };
    const struct repeating *run = shown;
    const struct claims claims = {.list = run->report.findings,
                                  .count = REPEAT_FINDINGS,
                                  .paper = "trust",
                                  .terse = true,
                                  .brief = true,
                                  .curt = true,
                                  .all = run->studying.options->all};
    char executions[NUMBER_SIZE];
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](run, style, out);
    claims_put(&claims, style, out);
    repeat_put_absences(run, style, out);
    put_remarks(run, style, out);
    number_count(run->report.executions, executions, sizeof(executions));
    text_printf(out, "%s%s executions, seed %" PRIu64 ", %s%.1f s",
                run->studying.options->all ? "\n" : "", executions, run->studying.seed,
                run->studying.options->froms.count ? "judged again in " : "",
                run->studying.seconds);
    if (run->studying.stored) {
        text_puts(out, ", samples in ");
        text_put_clean(out, run->studying.stored);
    }
    text_putc(out, '\n');
}
