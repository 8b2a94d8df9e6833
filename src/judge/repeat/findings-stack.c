/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the stack lies (M5): 32-bit programs with and without the layout of a 32-bit system, and
 * programs whose stack begins lower and lower. Only counts of the CPU itself say anything: tools
 * place the stack where they like. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "judge/note.h"
#include "judge/repeat/findings-subjects.h"
#include "judge/repeat/instructions.h"

/* The cell that differs by the control of the layout alone. */
static const struct repeat_cell *without_layout(const struct repeat_case *file,
                                                const struct repeat_cell *cell)
{
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *other = &file->cells[i];
        if (other->machine == cell->machine && other->program == cell->program &&
            other->controls == (cell->controls & ~CONTROL_BIT(CONTROL_LAYOUT)) &&
            other->sweep == SWEEP_NONE && other->detail == DETAIL_NONE && other->runs &&
            strcmp(other->source, cell->source) == 0)
            return other;
    }
    return NULL;
}

/* The largest difference that switching the layout makes to a 32-bit program. */
static int find_layout(const struct repeat_facts *facts, struct apart *largest, const char **name)
{
    for (size_t i = 0; i < facts->file->cell_count; i++) {
        const struct repeat_cell *cell = &facts->file->cells[i];
        const struct repeat_program *program = &facts->file->programs[cell->program];
        if (program->bits != 32 || !(cell->controls & CONTROL_BIT(CONTROL_LAYOUT)) ||
            cell->sweep != SWEEP_NONE || cell->detail != DETAIL_NONE)
            continue;
        const struct repeat_cell *other = without_layout(facts->file, cell);
        for (uint32_t event = 0; other && event < cell->events; event++) {
            const int column = repeat_event(other, cell->event[event]);
            struct apart apart;
            if (column < 0 || !counts_here(cell, event))
                continue;
            if (apart_of(cell, event, other, (uint32_t)column, &apart) < 0)
                return -ENOMEM;
            if (apart_larger(&apart, largest)) {
                *largest = apart;
                *name = program->name;
            }
        }
    }
    return 0;
}

struct swept {
    size_t tried, moved;
    size_t unsure; /* vary so much at one place that none of the paper's size would show */
    size_t large_tried, large_moved; /* of these, 64-bit programs */
    const struct repeat_sweep *largest;
};

static double percent_of(const struct repeat_sweep *sweep)
{
    return 100 * (sweep->highest - sweep->lowest) / sweep->lowest;
}

static struct swept look_at_sweeps(const struct repeat_facts *facts)
{
    struct swept swept = {0};
    for (size_t i = 0; i < facts->report->sweep_count; i++) {
        const struct repeat_sweep *sweep = &facts->report->sweeps[i];
        const bool large = facts->file->programs[sweep->program].bits == 64;
        if (sweep->sweep != SWEEP_STACK || sweep->points < 2 || !(sweep->lowest > 0) ||
            (strcmp(sweep->source, "step") != 0 &&
             (strcmp(sweep->source, "perf_event") != 0 || !strstr(sweep->event, "instructions"))))
            continue;
        swept.tried++;
        swept.large_tried += large;
        swept.unsure += !sweep->matters && 100 * 2 * sweep->within / sweep->lowest > APART_DECIDES;
        if (!sweep->matters)
            continue;
        swept.moved++;
        swept.large_moved += large;
        if (!swept.largest || percent_of(sweep) > percent_of(swept.largest))
            swept.largest = sweep;
    }
    return swept;
}

/* Of a sweep: as far apart as its points lie, less what runs at one point vary. */
static struct apart apart_of_sweep(const struct repeat_sweep *sweep)
{
    const double doubt = 2 * fmax(sweep->within, 0.5), percent = 100 / sweep->lowest;
    struct apart apart = {.known = true,
                          .from = sweep->lowest,
                          .to = sweep->highest,
                          .events = sweep->highest - sweep->lowest,
                          .differs = true};
    apart.low = apart.events - doubt;
    apart.high = apart.events + doubt;
    apart.percent = apart.events * percent;
    apart.percent_low = apart.low * percent;
    apart.percent_high = apart.high * percent;
    return apart;
}

static void tell(const struct repeat_facts *facts, const struct apart *layout, const char *name,
                 const struct swept *swept, struct finding *finding)
{
    if (layout->known)
        finding_clause(finding,
                       "%.64s executes %s instructions with its stack below 3 GB and %s where "
                       "this system puts it",
                       name, FIGURE(layout->from), FIGURE(layout->to));
    if (swept->largest)
        finding_clause(finding, "%.64s between %s and %s as its stack begins lower",
                       facts->file->programs[swept->largest->program].name,
                       FIGURE(swept->largest->lowest), FIGURE(swept->largest->highest));
    if (swept->moved && swept->large_tried)
        finding_clause(finding, "%zu of %zu 64-bit programs move with it, too", swept->large_moved,
                       swept->large_tried);
}

int rule_stack(const struct repeat_facts *facts, struct finding *finding)
{
    struct apart layout = {0};
    const char *name = "";
    if (find_layout(facts, &layout, &name) < 0)
        return -ENOMEM;
    const struct swept swept = look_at_sweeps(facts);
    if (!layout.known && swept.tried == 0) {
        finding_clause(finding, "no program was counted on the CPU with its stack in two places: a "
                                "32-bit one needs x86 and an operating system that executes it");
        return 0;
    }
    const struct apart moved = swept.largest ? apart_of_sweep(swept.largest) : (struct apart){0};
    const struct apart *shown = layout.differs || !moved.known ? &layout : &moved;
    const bool holds = layout.differs || swept.moved > 0;
    const bool unsure = swept.unsure > 0 || (layout.known && !apart_is_none(&layout));
    const enum finding_verdict verdict = holds    ? FINDING_HOLDS
                                         : unsure ? FINDING_INCONCLUSIVE
                                                  : FINDING_FAILS;
    finding->verdict = verdict;
    if (shown->known)
        apart_report(shown, verdict, finding);
    tell(facts, &layout, name, &swept, finding);
    if (!holds && swept.tried)
        finding_clause(finding, "%zu programs count %s wherever their stack begins", swept.tried,
                       unsure ? "no differently, as far as can be seen," : "the same");
    return 0;
}
