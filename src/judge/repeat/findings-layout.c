/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random addresses (M3) and the size of the environment (M4): one program that follows them shows
 * the claim; only a program that is made to follow them can refute it. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "judge/note.h"
#include "judge/repeat/findings.h"
#include "judge/repeat/instructions.h"
#include "judge/repeat/kept.h"
#include "judge/repeat/limits.h"
#include "stats/moments.h"

/* What one program says. */
struct witness {
    const struct repeat_cell *cell; /* NULL: nobody */
    struct relative relative;       /* how much it changes */
    bool follows;                   /* beyond chance */
    size_t runs;
};
struct witnesses {
    struct witness follows; /* the one that changes most, of those that do */
    struct witness made;    /* made to follow, and does not: the one that could change most */
    struct witness others;  /* the same of other programs */
    size_t programs;
};

static void hear(const struct repeat_facts *facts, const char *id, const struct witness *witness,
                 struct witnesses *heard)
{
    const struct repeat_program *program = &facts->file->programs[witness->cell->program];
    struct witness *place = witness->follows                    ? &heard->follows
                            : repeat_program_shows(program, id) ? &heard->made
                                                                : &heard->others;
    heard->programs++;
    if (isnan(witness->relative.percent))
        return;
    const bool larger = witness->follows ? witness->relative.percent > place->relative.percent
                                         : witness->relative.high > place->relative.high;
    if (!place->cell || larger)
        *place = *witness;
}

/* A program that is made to follow counts against the claim only where another setting of the same
 * program does not show that it does. */
static void decide(const struct repeat_facts *facts, const struct witnesses *heard,
                   const char *what, struct finding *finding)
{
    const struct witness *witness = heard->follows.cell ? &heard->follows
                                    : heard->made.cell  ? &heard->made
                                                        : &heard->others;
    if (!witness->cell)
        return;
    enum finding_verdict verdict = FINDING_INCONCLUSIVE;
    if (witness->follows)
        verdict = FINDING_HOLDS;
    else if (witness == &heard->made && witness->relative.high < PAPER_CONTROLLED &&
             witness->runs >= 7)
        verdict = FINDING_FAILS;
    relative_report(&witness->relative, verdict, finding);
    finding_clause(finding, "%.60s by %.15s: %s %s by %s %% [%s, %s], %zu runs",
                   program_of_cell(facts, witness->cell), witness->cell->source, what,
                   witness->follows ? "changes counts" : "changes counts, if at all,",
                   ROUNDED(witness->relative.percent, 2), ROUNDED(witness->relative.low, 2),
                   ROUNDED(witness->relative.high, 2), witness->runs);
    if (verdict == FINDING_INCONCLUSIVE && witness == &heard->others)
        finding_clause(finding,
                       "none of %zu programs follows it, but none is known to depend on it",
                       heard->programs);
}

/* --- M3 --- */

/* What the setting without this control alone varies by; else as-is. */
static struct witness witness_of_control(const struct repeat_facts *facts,
                                         const struct repeat_effect *effect)
{
    const struct control_part *part = &effect->parts[CONTROL_ASLR];
    const struct repeat_row *row = &facts->report->rows[effect->as_is];
    const struct repeat_cell *controlled = cell_of_row(facts, effect->controlled);
    struct witness witness = {.cell = cell_of_row(facts, effect->as_is)};
    for (size_t i = 0; !isnan(part->without_cv) && i < facts->report->row_count; i++) {
        const struct repeat_row *other = &facts->report->rows[i];
        const struct repeat_cell *cell = cell_of_row(facts, i);
        if (cell->machine == controlled->machine && cell->program == controlled->program &&
            cell->sweep == SWEEP_NONE && strcmp(cell->source, controlled->source) == 0 &&
            cell->controls == (controlled->controls & ~CONTROL_BIT(CONTROL_ASLR)) &&
            strcmp(cell->event[other->event], witness.cell->event[row->event]) == 0) {
            row = other;
            break;
        }
    }
    witness.relative = relative_row(row);
    witness.runs = row->runs;
    witness.follows = part->brings || part->is_needed;
    return witness;
}

/* All draws of a sweep as one sample. */
static int witness_of_draws(const struct repeat_facts *facts, const struct repeat_sweep *sweep,
                            struct witness *witness)
{
    double sum = 0, squares = 0, least = (double)NAN;
    *witness = (struct witness){.follows = sweep->matters};
    for (size_t i = 0; i < facts->file->cell_count; i++) {
        const struct repeat_cell *cell = &facts->file->cells[i];
        const int event = repeat_event(cell, sweep->event);
        if (cell->machine != sweep->machine || cell->program != sweep->program ||
            cell->sweep != sweep->sweep || cell->detail != DETAIL_NONE || event < 0 ||
            strcmp(cell->source, sweep->source) != 0 || !counts_here(cell, (uint32_t)event))
            continue;
        AUTO_KEPT struct kept kept;
        if (kept_counts(cell, (uint32_t)event, &kept) < 0)
            return -ENOMEM;
        witness->cell = cell;
        for (size_t run = 0; run < kept.count; run++) {
            const double count = (double)kept.base + kept.values[run];
            least = isnan(least) ? count : least;
            sum += count - least;
            squares += (count - least) * (count - least);
            witness->runs++;
        }
    }
    const double runs = (double)witness->runs;
    const double variance = runs > 1 ? (squares - sum * sum / runs) / (runs - 1) : (double)NAN;
    witness->relative = relative_of(sqrt(fmax(variance, 0)), witness->runs, least + sum / runs);
    return 0;
}

int rule_addresses(const struct repeat_facts *facts, struct finding *finding)
{
    struct witnesses heard = {0};
    for (size_t i = 0; i < facts->report->effect_count; i++) {
        const struct repeat_effect *effect = &facts->report->effects[i];
        const struct repeat_row *row = &facts->report->rows[effect->as_is];
        const struct control_part *part = &effect->parts[CONTROL_ASLR];
        if (!counts_here(cell_of_row(facts, effect->as_is), row->event) ||
            (isnan(part->only_cv) && isnan(part->without_cv)))
            continue;
        const struct witness witness = witness_of_control(facts, effect);
        hear(facts, "M3", &witness, &heard);
    }
    for (size_t i = 0; i < facts->report->sweep_count; i++) {
        struct witness witness;
        if (facts->report->sweeps[i].sweep != SWEEP_ASLR)
            continue;
        if (witness_of_draws(facts, &facts->report->sweeps[i], &witness) < 0)
            return -ENOMEM;
        if (witness.cell)
            hear(facts, "M3", &witness, &heard);
    }
    if (!heard.programs)
        finding_clause(finding, "no program was counted with and without random addresses, by the "
                                "hardware or by stepping");
    decide(facts, &heard, "address randomisation", finding);
    return 0;
}

/* --- M4 --- */

/* How far apart the points lie, and how well that is known. */
static struct witness witness_of_sizes(const struct repeat_facts *facts,
                                       const struct repeat_sweep *sweep)
{
    struct witness witness = {.follows = sweep->matters};
    for (size_t i = 0; i < facts->file->cell_count; i++) {
        const struct repeat_cell *cell = &facts->file->cells[i];
        if (cell->machine == sweep->machine && cell->program == sweep->program &&
            cell->sweep == sweep->sweep && strcmp(cell->source, sweep->source) == 0 &&
            repeat_event(cell, sweep->event) >= 0) {
            witness.cell = cell;
            witness.runs += cell->runs;
        }
    }
    /* Tools hand the environment on as it is: they can show it, but not refute it. */
    const int event = witness.cell ? repeat_event(witness.cell, sweep->event) : -1;
    if (event < 0 || !counts_instructions(witness.cell, (uint32_t)event) ||
        !(sweep->matters || counts_here(witness.cell, (uint32_t)event)) || sweep->points < 2)
        return (struct witness){0};
    const double each = sweep->lowest > 0 ? 100 / sweep->lowest : (double)NAN;
    const double at_each = (double)witness.runs / (double)sweep->points;
    /* of the difference of two means */
    const double error = sweep->within > 0 ? 2 * sweep->within * sqrt(2 / at_each) : 0;
    const double range = sweep->highest - sweep->lowest;
    witness.relative =
        (struct relative){each * range, each * fmax(range - error, 0),
                          each * (range + fmax(error, sweep->matters ? 0 : sqrt(1 / at_each)))};
    return witness;
}

int rule_environment(const struct repeat_facts *facts, struct finding *finding)
{
    struct witnesses heard = {0};
    for (size_t i = 0; i < facts->report->sweep_count; i++) {
        if (facts->report->sweeps[i].sweep != SWEEP_ENVIRONMENT ||
            isnan(facts->report->sweeps[i].within))
            continue;
        const struct witness witness = witness_of_sizes(facts, &facts->report->sweeps[i]);
        if (witness.cell)
            hear(facts, "M4", &witness, &heard);
    }
    if (!heard.programs)
        finding_clause(finding, "no program was counted with environments of several sizes, by the "
                                "hardware or by stepping, and none by a tool follows them");
    decide(facts, &heard, "the size of the environment", finding);
    return 0;
}
