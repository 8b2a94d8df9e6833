/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which programs, rows and effects the parts of `assay repeat` show, and the words and numbers that
 * they share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/repeat-show.h"
#include "judge/repeat/kept.h"
#include "show/utf8.h"

#define SENTENCE_WORDS 60u /* columns that a program may take in a sentence */

/* --- programs --- */

static bool any_but_subjects(const struct repeat_run_of *run)
{
    for (size_t i = 0; i < run->file.program_count; i++)
        if (!run->file.programs[i].subject)
            return true;
    return false;
}

bool repeat_is_own(const struct repeat_run_of *run, size_t program)
{
    if (program >= run->file.program_count)
        return false;
    if (any_but_subjects(run))
        return !run->file.programs[program].subject;
    return run->status < 0 || program == 0;
}

size_t repeat_own_count(const struct repeat_run_of *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->file.program_count; i++)
        count += repeat_is_own(run, i);
    return count;
}

bool repeat_is_suite(const struct repeat_run_of *run)
{
    return repeat_own_count(run) > 1;
}

bool repeat_is_detailed(const struct repeat_run_of *run, size_t program)
{
    return run->options->all || (repeat_is_own(run, program) && !repeat_is_suite(run));
}

/* --- rows --- */

const struct repeat_row *repeat_row_at(const struct repeat_run_of *run, size_t index)
{
    return index < run->report.row_count ? &run->report.rows[index] : NULL;
}

const struct repeat_cell *repeat_cell_of(const struct repeat_run_of *run,
                                         const struct repeat_row *row)
{
    if (!row || row->cell >= run->file.cell_count)
        return NULL;
    const struct repeat_cell *cell = &run->file.cells[row->cell];
    return row->event < cell->events ? cell : NULL;
}

const char *repeat_event_of(const struct repeat_run_of *run, const struct repeat_row *row)
{
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    return cell ? cell->event[row->event] : "?";
}

#define NO_INSTRUCTIONS 100 /* and above: ranks of events that count something else */
#define TOO_FEW         1000

/* The smaller, the more it says. */
static int rank_of(const struct repeat_cell *cell, uint32_t event)
{
    static const char *const sources[] = {"perf_event", "step", "qemu", "valgrind"};
    const int count = sizeof(sources) / sizeof(*sources);
    const char *class = cell->class[event] ? cell->class[event] : "";
    int place = 0;
    while (place < count && strcmp(sources[place], cell->source) != 0)
        place++;
    return (strcmp(class, "instructions") == 0 ? 0 : NO_INSTRUCTIONS) + place;
}

/* Runs under the setting that has fewer of them. */
static size_t fewest_runs(const struct repeat_run_of *run, const struct repeat_effect *effect)
{
    const struct repeat_row *as_is = repeat_row_at(run, effect->as_is);
    const struct repeat_row *controlled = repeat_row_at(run, effect->controlled);
    if (!as_is || !controlled)
        return 0;
    return as_is->runs < controlled->runs ? as_is->runs : controlled->runs;
}

/* -1: it is of another program or machine. */
static int rank_of_effect(const struct repeat_run_of *run, const struct repeat_effect *effect,
                          size_t machine, size_t program)
{
    const struct repeat_row *row = repeat_row_at(run, effect->as_is);
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    return cell && cell->machine == machine && cell->program == program ? rank_of(cell, row->event)
                                                                        : -1;
}

/* The most runs that any effect has, by what it counts: instructions, or else. */
static size_t most_runs(const struct repeat_run_of *run, size_t machine, size_t program,
                        bool instructions)
{
    size_t most = 0;
    for (size_t i = 0; i < run->report.effect_count; i++) {
        const struct repeat_effect *effect = &run->report.effects[i];
        const int rank = rank_of_effect(run, effect, machine, program);
        const size_t runs = fewest_runs(run, effect);
        if (rank >= 0 && (rank < NO_INSTRUCTIONS) == instructions && runs > most)
            most = runs;
    }
    return most;
}

const struct repeat_effect *repeat_leading(const struct repeat_run_of *run, size_t machine,
                                           size_t program)
{
    const struct repeat_effect *leading = NULL;
    const size_t most[] = {most_runs(run, machine, program, false),
                           most_runs(run, machine, program, true)};
    int best = 0;
    for (size_t i = 0; i < run->report.effect_count; i++) {
        const struct repeat_effect *effect = &run->report.effects[i];
        const size_t runs = fewest_runs(run, effect);
        int rank = rank_of_effect(run, effect, machine, program);
        if (rank < 0)
            continue;
        /* One run tells nothing of variation, and a few little where another source has many. */
        if (runs < 2 || 2 * runs < most[rank < NO_INSTRUCTIONS])
            rank += TOO_FEW;
        if (!leading || rank < best) {
            leading = effect;
            best = rank;
        }
    }
    return leading;
}

static int compare(const void *left, const void *right)
{
    const double *one = left, *other = right;
    return (*one > *other) - (*one < *other);
}

size_t repeat_alike(const struct repeat_run_of *run, const struct repeat_row *row)
{
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    AUTO_KEPT struct kept kept = {0};
    if (!cell || kept_counts(cell, row->event, &kept) < 0 || !kept.count)
        return 0;
    qsort(kept.values, kept.count, sizeof(*kept.values), compare);
    size_t most = 1, same = 1;
    for (size_t i = 1; i < kept.count; i++) {
        same = kept.values[i] == kept.values[i - 1] ? same + 1 : 1;
        most = same > most ? same : most;
    }
    return most;
}

/* --- words --- */

const char *repeat_program_name(const struct repeat_run_of *run, size_t program)
{
    const char *name = program < run->file.program_count ? run->file.programs[program].name : NULL;
    return name && *name ? name : "?";
}

const char *repeat_machine_name(const struct repeat_run_of *run, size_t machine)
{
    const char *name = machine < run->file.machine_count ? run->file.machines[machine].name : NULL;
    return name && *name ? name : "?";
}

void repeat_put_program(const struct repeat_run_of *run, size_t program, struct text *out)
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

void repeat_put_machine(const struct repeat_run_of *run, size_t machine, struct text *out)
{
    if (run->file.machine_count < 2)
        return;
    text_puts(out, " on ");
    text_put_clean(out, repeat_machine_name(run, machine));
}

void repeat_percent(double percent, char *text, size_t size)
{
    if (!isfinite(percent))
        snprintf(text, size, "-");
    else if (percent == 0)
        snprintf(text, size, "0");
    else if (fabs(percent) < 1e-6)
        snprintf(text, size, "%.0e", percent);
    else
        number_significant(percent, fabs(percent) >= 100 ? 3 : 2, text, size);
}

void repeat_number(double value, char *text, size_t size)
{
    if (isfinite(value) && fabs(value) >= 1e15)
        snprintf(text, size, "%.6e", value);
    else
        number_brief(value, text, size);
}

void repeat_difference(double value, char *text, size_t size)
{
    char digits[NUMBER_SIZE];
    if (!isfinite(value)) {
        snprintf(text, size, "-");
        return;
    }
    repeat_number(fabs(value), digits, sizeof(digits));
    snprintf(text, size, "%s%s", value > 0 ? "+" : value < 0 ? "-" : "", digits);
}
