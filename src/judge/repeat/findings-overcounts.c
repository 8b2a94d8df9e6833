/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the CPU's counter of instructions has too many: of opcodes (M2), page faults (M6) and
 * interrupts (M7). These are counts, not times, so an emulated CPU may decide. */
#include <math.h>
#include <string.h>

#include "judge/repeat/findings-subjects.h"
#include "judge/repeat/instructions.h"
#include "judge/repeat/surplus.h"

/* Half a count more decides between none and one. */
#define HALF_A_COUNT 0.5

/* Why no counter of the CPU speaks, as a clause. */
static void say_no_counter(const struct repeat_facts *facts, struct finding *finding)
{
    const struct repeat_report *report = facts->report;
    for (size_t i = 0; i < report->contribution_count; i++)
        if (!report->contributions[i].known && report->contributions[i].why[0]) {
            finding_clause(finding, "a counter of the CPU is needed: %s",
                           report->contributions[i].why);
            return;
        }
    finding_clause(finding, "a counter of the CPU is needed, and none counted instructions");
}

static bool has_counter(const struct repeat_facts *facts)
{
    for (size_t i = 0; i < facts->file->cell_count; i++) {
        const struct repeat_cell *cell = &facts->file->cells[i];
        for (uint32_t event = 0; event < cell->events; event++)
            if (strcmp(cell->source, "perf_event") == 0 && counts_instructions(cell, event) &&
                cell->runs)
                return true;
    }
    return false;
}

static const char *emulated(const struct repeat_facts *facts, size_t machine)
{
    return facts->file->machines[machine].emulated ? " (an emulated CPU)" : "";
}

/* --- M2 --- */

/* The row of the subject where it is most controlled; NULL: the CPU did not count it. */
static const struct repeat_row *opcode_row(const struct repeat_facts *facts)
{
    const struct repeat_row *best = NULL;
    int most = -1;
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct repeat_row *row = &facts->report->rows[i];
        const struct repeat_cell *cell = &facts->file->cells[row->cell];
        const struct repeat_program *program = &facts->file->programs[cell->program];
        const int controlled = __builtin_popcount(cell->controls);
        if (strcmp(cell->source, "perf_event") == 0 && cell->sweep == SWEEP_NONE &&
            repeat_program_shows(program, "M2") && program->has_truth && subject_n(program) > 0 &&
            counts_instructions(cell, row->event) && row->runs > 1 && controlled > most) {
            best = row;
            most = controlled;
        }
    }
    return best;
}

int rule_opcodes(const struct repeat_facts *facts, struct finding *finding)
{
    const struct repeat_row *row = opcode_row(facts);
    if (!row) {
        if (has_counter(facts))
            finding_clause(finding, "no subject that executes fldcw was counted: only x86 has it");
        else
            say_no_counter(facts, finding);
        return 0;
    }
    const struct repeat_cell *cell = &facts->file->cells[row->cell];
    const struct repeat_program *program = &facts->file->programs[cell->program];
    const double n = (double)subject_n(program);
    const bool adjusted = row->is_adjusted && isfinite(row->residual);
    const double mean = adjusted ? row->residual : row->mean - (double)program->truth;
    const double half = adjusted ? (row->residual_high - row->residual_low) / 2
                                 : t_quantile(.975, (double)row->runs - 1) *
                                       fmax(row->stdev, HALF_A_COUNT) / sqrt((double)row->runs);
    const struct estimate estimate =
        estimate_at_least(mean / n, (mean - half) / n, (mean + half) / n, HALF_A_COUNT);
    estimate_report(&estimate, finding);
    finding_clause(finding, "%.64s counts %.4g instructions more for each of %.0f fldcw%s",
                   cell->event[row->event], mean / n, n, emulated(facts, cell->machine));
    return 0;
}

/* --- M6, M7 --- */

/* The first contribution to user instructions that is known. */
static const struct repeat_contribution *known(const struct repeat_facts *facts,
                                               enum disturbance disturbance)
{
    for (size_t i = 0; i < facts->file->cell_count; i++) {
        const struct repeat_cell *cell = &facts->file->cells[i];
        for (uint32_t event = 0; event < cell->events; event++) {
            if (strcmp(cell->source, "perf_event") != 0 || !counts_instructions(cell, event))
                continue;
            const struct repeat_contribution *found =
                contribution_of(facts->report, cell->machine, cell->event[event], disturbance);
            if (found)
                return found;
        }
    }
    return NULL;
}

static void say_unknown(const struct repeat_facts *facts, enum disturbance disturbance,
                        struct finding *finding)
{
    const struct repeat_report *report = facts->report;
    for (size_t i = 0; has_counter(facts) && i < report->contribution_count; i++)
        if (!report->contributions[i].known &&
            strcmp(report->contributions[i].of, disturbance_names[disturbance]) == 0) {
            finding_clause(finding, "%s", report->contributions[i].why);
            return;
        }
    say_no_counter(facts, finding);
}

/* Counts that grow with faults in programs that may do more then themselves decide nothing; that
 * they do not grow is none of the programs' doing. */
static bool is_open(const struct repeat_contribution *found)
{
    return !found->firm && (found->low > 0 || found->high < 0);
}

static void say_known(const struct repeat_facts *facts,
                      const struct repeat_contribution *contribution, struct finding *finding)
{
    finding_clause(finding, "%.64s grows by %.4g for each %.24s in %zu runs of %zu program%s%s",
                   contribution->event, contribution->each, contribution->of, contribution->runs,
                   contribution->programs, contribution->programs == 1 ? "" : "s",
                   emulated(facts, contribution->machine));
    if (is_open(contribution))
        finding_clause(finding,
                       "no program of known length was counted, so that it may be what the "
                       "program itself does more then");
}

int rule_faults(const struct repeat_facts *facts, struct finding *finding)
{
    const struct repeat_contribution *found = known(facts, DISTURBANCE_FAULT);
    if (!found) {
        say_unknown(facts, DISTURBANCE_FAULT, finding);
        return 0;
    }
    struct estimate estimate =
        estimate_within(found->each - 1, found->low - 1, found->high - 1, HALF_A_COUNT);
    estimate.value = found->each;
    estimate.low = found->low;
    estimate.high = found->high;
    if (is_open(found))
        estimate.verdict = FINDING_INCONCLUSIVE;
    estimate_report(&estimate, finding);
    say_known(facts, found, finding);
    return 0;
}

int rule_interrupts(const struct repeat_facts *facts, struct finding *finding)
{
    const struct repeat_contribution *found = known(facts, DISTURBANCE_INTERRUPT);
    if (!found) {
        say_unknown(facts, DISTURBANCE_INTERRUPT, finding);
        return 0;
    }
    struct estimate estimate =
        estimate_at_least(found->each, found->low, found->high, HALF_A_COUNT);
    if (is_open(found))
        estimate.verdict = FINDING_INCONCLUSIVE;
    estimate_report(&estimate, finding);
    say_known(facts, found, finding);
    return 0;
}
