/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sources held against each other, and why they differ: each against the truth of a subject, else
 * against stepping, else against the hardware's count, else against the first source there is. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies/repeat/judge.h"
#include "judge/repeat/instructions.h"
#include "judge/repeat/kept.h"

#define MOST_SOURCES 16u

/* The instructions of one source, under the setting that is most controlled. */
struct counted {
    const char *source;
    const struct repeat_row *row, *raw; /* raw NULL: not told */
    const struct repeat_cell *cell;
};
struct program_sources {
    const struct repeat_case *file;
    const struct repeat_report *report;
    size_t machine, program;
    struct counted list[MOST_SOURCES];
    size_t count;
};

/* --- which rows --- */

static bool is_raw(const char *event)
{
    return strstr(event, "/instructions-raw/") != NULL;
}

static struct counted *counted_of(struct program_sources *sources, const char *source)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->list[i].source, source) == 0)
            return &sources->list[i];
    if (sources->count == MOST_SOURCES)
        return NULL;
    sources->list[sources->count] = (struct counted){.source = source};
    return &sources->list[sources->count++];
}

/* The first of the most controlled ones that has runs. */
static void gather_row(struct program_sources *sources, const struct repeat_row *row)
{
    const struct repeat_cell *cell = &sources->file->cells[row->cell];
    const bool raw = is_raw(cell->event[row->event]);
    if (cell->machine != sources->machine || cell->program != sources->program ||
        cell->sweep != SWEEP_NONE || !row->runs || !(raw || counts_instructions(cell, row->event)))
        return;
    struct counted *counted = counted_of(sources, cell->source);
    if (!counted)
        return;
    const struct repeat_row **place = raw ? &counted->raw : &counted->row;
    const struct repeat_cell *other = *place ? &sources->file->cells[(*place)->cell] : NULL;
    if (!other || __builtin_popcount(cell->controls) > __builtin_popcount(other->controls))
        *place = row;
    if (!raw)
        counted->cell = &sources->file->cells[counted->row->cell];
}

/* The raw count of another setting is of another run. */
static void drop_strangers(struct program_sources *sources)
{
    size_t kept = 0;
    for (size_t i = 0; i < sources->count; i++) {
        struct counted *counted = &sources->list[i];
        if (!counted->row)
            continue;
        if (counted->raw &&
            sources->file->cells[counted->raw->cell].controls != counted->cell->controls)
            counted->raw = NULL;
        sources->list[kept++] = *counted;
    }
    sources->count = kept;
}

static const struct counted *find(const struct program_sources *sources, const char *source)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->list[i].source, source) == 0)
            return &sources->list[i];
    return NULL;
}

/* Stepping is this CPU itself, and counts each instruction; the hardware comes next. */
static const struct counted *reference_of(const struct program_sources *sources)
{
    const struct counted *reference = find(sources, "step");
    if (!reference)
        reference = find(sources, "perf_event");
    return reference || !sources->count ? reference : &sources->list[0];
}

/* --- what else is known --- */

static bool follows_addresses(const struct program_sources *sources)
{
    const struct repeat_report *report = sources->report;
    const struct repeat_program *program = &sources->file->programs[sources->program];
    if (repeat_program_shows(program, "M3") || repeat_program_shows(program, "M5"))
        return true;
    for (size_t i = 0; i < report->sweep_count; i++)
        if (report->sweeps[i].machine == sources->machine &&
            report->sweeps[i].program == sources->program && report->sweeps[i].matters &&
            names_instructions(report->sweeps[i].source, report->sweeps[i].event))
            return true;
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct control_part *part = &report->effects[i].parts[CONTROL_ASLR];
        const struct repeat_row *row = &report->rows[report->effects[i].as_is];
        const struct repeat_cell *cell = &sources->file->cells[row->cell];
        if (cell->machine == sources->machine && cell->program == sources->program &&
            counts_instructions(cell, row->event) && (part->brings || part->is_needed))
            return true;
    }
    return false;
}

/* The functions of this source, of an execution under the same controls if there is one. */
static const struct repeat_cell *executed_by(const struct program_sources *sources,
                                             const struct counted *counted)
{
    const struct repeat_cell *found = NULL;
    for (size_t i = 0; counted && i < sources->file->cell_count; i++) {
        const struct repeat_cell *cell = &sources->file->cells[i];
        if (cell->machine == sources->machine && cell->program == sources->program &&
            cell->detail == DETAIL_CODE && cell->function_count && cell->sweep == SWEEP_NONE &&
            strcmp(cell->source, counted->source) == 0 &&
            (!found || cell->controls == counted->cell->controls))
            found = cell;
    }
    return found;
}

/* --- one alignment --- */

static void fill_figures(const struct counted *counted, struct repeat_alignment *alignment)
{
    alignment->aligned = counted->row->usual;
    alignment->raw = counted->raw ? counted->raw->usual : (double)NAN;
    alignment->repetitions = counted->raw ? counted->raw->usual - counted->row->usual : (double)NAN;
    snprintf(alignment->source, sizeof(alignment->source), "%s", counted->source);
}

static bool is_one_count(const struct repeat_row *row, uint64_t count)
{
    return row->apart == 0 && row->min == count && row->max == count;
}

static void against_truth(const struct counted *counted, int64_t truth,
                          struct repeat_alignment *alignment)
{
    snprintf(alignment->against, sizeof(alignment->against), "truth");
    alignment->reference = (double)truth;
    alignment->difference = alignment->aligned - alignment->reference;
    alignment->same = truth >= 0 && is_one_count(counted->row, (uint64_t)truth);
}

static void against_source(const struct counted *counted, const struct counted *reference,
                           struct repeat_alignment *alignment)
{
    snprintf(alignment->against, sizeof(alignment->against), "%s", reference->source);
    alignment->reference = reference->row->usual;
    alignment->difference = alignment->aligned - alignment->reference;
    alignment->same = is_one_count(counted->row, reference->row->min) &&
                      is_one_count(reference->row, reference->row->min);
}

/* What faults and interrupts add, where that is known; to sources nothing. */
static double added_by_system(const struct counted *counted)
{
    const struct repeat_row *row = counted->row;
    return row->is_adjusted && isfinite(row->adjusted_mean) ? row->mean - row->adjusted_mean : 0;
}

static int align_one(const struct program_sources *sources, const struct counted *counted,
                     const struct counted *reference, struct repeat_alignment *alignment)
{
    const struct repeat_program *program = &sources->file->programs[sources->program];
    *alignment =
        (struct repeat_alignment){.machine = sources->machine, .program = sources->program};
    fill_figures(counted, alignment);
    if (program->has_truth)
        against_truth(counted, program->truth, alignment);
    else
        against_source(counted, reference, alignment);
    const struct align_known known = {
        .addresses = follows_addresses(sources),
        .converges = repeat_program_shows(program, "M9"),
        .adjusted = added_by_system(counted) -
                    (program->has_truth || reference == counted ? 0 : added_by_system(reference))};
    const struct repeat_cell *const executed[2] = {
        executed_by(sources, counted),
        counted == reference ? NULL : executed_by(sources, reference)};
    return align_explain(executed, &known, alignment);
}

static int align_program(const struct repeat_case *file, size_t machine, size_t program,
                         struct repeat_report *report)
{
    struct program_sources sources = {
        .file = file, .report = report, .machine = machine, .program = program};
    for (size_t i = 0; i < report->row_count; i++)
        gather_row(&sources, &report->rows[i]);
    drop_strangers(&sources);
    const struct counted *reference = reference_of(&sources);
    for (size_t i = 0; i < sources.count; i++) {
        if (&sources.list[i] == reference && !file->programs[program].has_truth)
            continue;
        struct repeat_alignment *larger =
            realloc(report->alignments, (report->alignment_count + 1) * sizeof(*larger));
        if (!larger)
            return -ENOMEM;
        report->alignments = larger;
        if (align_one(&sources, &sources.list[i], reference, &larger[report->alignment_count]) < 0)
            return -ENOMEM;
        report->alignment_count++;
    }
    return 0;
}

int repeat_align(const struct repeat_case *file, struct repeat_report *report)
{
    for (size_t machine = 0; machine < file->machine_count; machine++)
        for (size_t program = 0; program < file->program_count; program++)
            if (align_program(file, machine, program, report) < 0)
                return -ENOMEM;
    return 0;
}
