/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `assay repeat`: by how much each program varies as it is, what is left of that when
 * it is controlled, and which control did it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command-status.h"
#include "cli/repeat-show.h"

/* "12 of 12 runs identical", or "it varies by 0.83 % (12 runs)". */
static void put_setting(const struct repeat_run_of *run, const struct repeat_row *row,
                        struct text *out)
{
    char percent[NUMBER_SIZE];
    if (!row->runs) {
        text_puts(out, "no run could be counted");
        return;
    }
    if (row->runs == 1) {
        text_puts(out, "executed once only");
        return;
    }
    if (row->distinct == 1) {
        text_printf(out, "%zu of %zu runs identical", row->runs, row->runs);
        return;
    }
    repeat_percent(row->cv_percent, percent, sizeof(percent));
    if (isfinite(row->cv_percent))
        text_printf(out, "it varies by %s %% (%zu runs)", percent, row->runs);
    else
        text_printf(out, "%zu of %zu runs identical", repeat_alike(run, row), row->runs);
}

/* ", 690 times less (120 to 4,000)" */
static void put_ratio(const struct repeat_effect *effect, struct text *out)
{
    char ratio[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    if (!isfinite(effect->ratio) || effect->ratio <= 0)
        return;
    bool less = effect->ratio >= 1;
    number_significant(less ? effect->ratio : 1 / effect->ratio, 2, ratio, sizeof(ratio));
    text_printf(out, ", %s times %s", ratio, less ? "less" : "more");
    if (!less || !isfinite(effect->ratio_low) || !isfinite(effect->ratio_high))
        return;
    number_significant(effect->ratio_low, 2, low, sizeof(low));
    number_significant(effect->ratio_high, 2, high, sizeof(high));
    text_printf(out, " (%s to %s)", low, high);
}

/* "perl hash.pl, counted as step/instructions/": first, because other events may vary otherwise. */
static void put_counted(const struct repeat_run_of *run, size_t machine, size_t program,
                        const struct repeat_row *row, struct text *out)
{
    repeat_put_program(run, program, out);
    repeat_put_machine(run, machine, out);
    text_printf(out, ", counted as %s: ", repeat_event_of(run, row));
}

/* "perl hash.pl, counted as step/instructions/: as-is it varies by 0.8 % (12 runs), controlled 12
 * of 12 runs identical; hash-seeds did it." */
static void put_effect(const struct repeat_run_of *run, size_t machine, size_t program,
                       const struct repeat_effect *effect, struct text *out)
{
    const struct repeat_row *as_is = repeat_row_at(run, effect->as_is);
    const struct repeat_row *controlled = repeat_row_at(run, effect->controlled);
    put_counted(run, machine, program, as_is, out);
    /* What the judge says of runs without any difference has their numbers. */
    const bool same = strncmp(effect->who, "identical", strlen("identical")) == 0;
    if (same) {
        text_printf(out, "%s.", effect->who);
        return;
    }
    text_puts(out, "as-is ");
    put_setting(run, as_is, out);
    if (controlled) {
        text_puts(out, ", controlled ");
        put_setting(run, controlled, out);
        put_ratio(effect, out);
    }
    text_printf(out, "%s%s.", effect->who[0] ? "; " : "", effect->who);
}

/* Measured under one setting only. */
static bool put_single(const struct repeat_run_of *run, size_t machine, size_t program,
                       struct text *out)
{
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct repeat_row *row = &run->report.rows[i];
        const struct repeat_cell *cell = repeat_cell_of(run, row);
        char setting[200];
        if (!cell || cell->machine != machine || cell->program != program ||
            cell->sweep != SWEEP_NONE || cell->detail != DETAIL_NONE)
            continue;
        put_counted(run, machine, program, row, out);
        text_printf(out, "%s ", setting_name(cell->controls, setting, sizeof(setting)));
        put_setting(run, row, out);
        text_puts(out, "; under no other setting.");
        return true;
    }
    return false;
}

/* Runs that ended otherwise than most, over all of the program's rows that are shown. */
static void put_apart(const struct repeat_run_of *run, size_t program, struct text *out)
{
    size_t apart = 0, rows = 0;
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct repeat_row *row = &run->report.rows[i];
        const struct repeat_cell *cell = repeat_cell_of(run, row);
        if (!cell || cell->program != program || !row->apart)
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

static void put_program(const struct repeat_run_of *run, size_t machine, size_t program,
                        const struct style *style, struct text *out)
{
    const struct repeat_effect *effect = repeat_leading(run, machine, program);
    AUTO_TEXT struct text words = {0};
    if (effect)
        put_effect(run, machine, program, effect, &words);
    else if (!put_single(run, machine, program, &words))
        return;
    put_apart(run, program, &words);
    section_put_words(text_string(&words), style, out);
}

/* How the command ended where that is not simply well. */
static void put_ending(const struct repeat_run_of *run, const struct style *style, struct text *out)
{
    char ending[120];
    AUTO_TEXT struct text words = {0};
    if (run->status <= 0 || repeat_is_suite(run))
        return;
    command_ending((uint64_t)run->status, run->options->timeout, ending, sizeof(ending));
    text_printf(&words, "The command %s, which is assay's status too.", ending);
    section_put_words(text_string(&words), style, out);
}

void repeat_put_summary(const struct repeat_run_of *run, const struct style *style,
                        struct text *out)
{
    const struct repeat_case *file = &run->file;
    const size_t before = out->length;
    for (size_t program = 0; program < file->program_count; program++)
        for (size_t machine = 0; machine < file->machine_count; machine++)
            if (repeat_is_own(run, program) && !repeat_is_suite(run))
                put_program(run, machine, program, style, out);
    if (out->length == before && !repeat_is_suite(run))
        section_put_words("Nothing could be counted.", style, out);
    put_ending(run, style, out);
}
