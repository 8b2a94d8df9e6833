/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Do counts that vary as-is stop varying when controlled (M1)? Of programs as people run them, by
 * the hardware, by stepping where the hardware does not count, else by tools. */
#include <math.h>
#include <string.h>

#include "judge/note.h"
#include "judge/repeat/findings.h"
#include "judge/repeat/instructions.h"
#include "judge/repeat/limits.h"

/* The program that varies most, before and after. */
struct worst {
    const struct repeat_cell *cell;
    struct relative relative;
};
struct controlled_facts {
    struct worst as_is, controlled;
    size_t programs, below, threaded, subjects;
};

/* Programs of the kit are made to vary, unless they say otherwise. */
static bool is_asked(const struct repeat_facts *facts, const struct repeat_effect *effect,
                     struct controlled_facts *found)
{
    const struct repeat_row *row = &facts->report->rows[effect->as_is];
    const struct repeat_cell *cell = cell_of_row(facts, effect->as_is);
    const struct repeat_program *program = &facts->file->programs[cell->program];
    if (!counts_best(facts->file, facts->report, row) || row->runs < 2 ||
        facts->report->rows[effect->controlled].runs < 2)
        return false;
    if (program->subject && !repeat_program_shows(program, "M1")) {
        found->subjects++;
        return false;
    }
    if (cell_has_tasks(cell) || cell_has_tasks(cell_of_row(facts, effect->controlled))) {
        found->threaded++;
        return false;
    }
    return true;
}

/* After what faults and interrupts add has been subtracted, as in the paper, where that is known.
 */
static struct relative adjusted(const struct repeat_row *row)
{
    const struct relative plain = relative_row(row);
    if (!row->is_adjusted || !(row->adjusted_stdev >= 0))
        return plain;
    const struct relative less = relative_of(row->adjusted_stdev, row->runs, row->adjusted_mean);
    return less.percent < plain.percent ? less : plain;
}

static void take(const struct repeat_cell *cell, struct relative relative, struct worst *worst)
{
    if (!worst->cell || relative.percent > worst->relative.percent ||
        (!(relative.percent < worst->relative.percent) && relative.high > worst->relative.high))
        *worst = (struct worst){cell, relative};
}

static void gather(const struct repeat_facts *facts, struct controlled_facts *found)
{
    for (size_t i = 0; i < facts->report->effect_count; i++) {
        const struct repeat_effect *effect = &facts->report->effects[i];
        if (!is_asked(facts, effect, found))
            continue;
        const struct relative before = relative_row(&facts->report->rows[effect->as_is]);
        const struct relative after = adjusted(&facts->report->rows[effect->controlled]);
        if (isnan(before.percent) || isnan(after.percent))
            continue;
        found->programs++;
        found->below += after.high < PAPER_CONTROLLED;
        take(cell_of_row(facts, effect->as_is), before, &found->as_is);
        take(cell_of_row(facts, effect->controlled), after, &found->controlled);
    }
}

static void tell(const struct repeat_facts *facts, const struct controlled_facts *found,
                 struct finding *finding)
{
    const struct worst *before = &found->as_is, *after = &found->controlled;
    finding_clause(finding,
                   "of %zu program%s %.40s varies most when controlled, %s %% [%s, %s] by "
                   "%.15s; as-is %.40s, %s %% [%s, %s]",
                   found->programs, found->programs == 1 ? "" : "s",
                   program_of_cell(facts, after->cell), ROUNDED(after->relative.percent, 2),
                   ROUNDED(after->relative.low, 2), ROUNDED(after->relative.high, 2),
                   after->cell->source, program_of_cell(facts, before->cell),
                   ROUNDED(before->relative.percent, 2), ROUNDED(before->relative.low, 2),
                   ROUNDED(before->relative.high, 2));
    if (found->threaded)
        finding_clause(finding, "%zu with several threads or processes left out", found->threaded);
}

static bool is_of_tool(const struct repeat_cell *cell)
{
    return strcmp(cell->source, "perf_event") != 0 && strcmp(cell->source, "step") != 0;
}

int rule_controlled(const struct repeat_facts *facts, struct finding *finding)
{
    struct controlled_facts found = {0};
    gather(facts, &found);
    if (!found.programs) {
        finding_clause(
            finding, found.threaded ? "only programs with several threads or processes were counted"
                     : found.subjects
                         ? "only programs of the kit were counted, which are made to vary"
                         : "no program's instructions were counted in two runs at least that "
                           "ended alike, both as-is and controlled");
        return 0;
    }
    const struct relative *before = &found.as_is.relative, *after = &found.controlled.relative;
    enum finding_verdict verdict = FINDING_INCONCLUSIVE;
    /* What a tool adds by itself is no fault of the program. */
    if (after->low >= PAPER_CONTROLLED && !is_of_tool(found.controlled.cell))
        verdict = FINDING_FAILS;
    else if (found.below == found.programs && before->low >= PAPER_CONTROLLED)
        verdict = FINDING_HOLDS;
    relative_report(after, verdict, finding);
    tell(facts, &found, finding);
    if (is_of_tool(found.controlled.cell))
        finding_clause(finding,
                       "%.15s places memory itself, so address randomisation hardly "
                       "reaches the program there",
                       found.controlled.cell->source);
    if (verdict == FINDING_INCONCLUSIVE && found.below == found.programs)
        finding_clause(finding, "as-is too little varies for anything to fall");
    return 0;
}
