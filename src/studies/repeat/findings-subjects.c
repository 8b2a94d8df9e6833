/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings that programs of the kit show: M2, M5 to M10. */
#include "judge/repeat/findings-subjects.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/repeat/instructions.h"
#include "judge/repeat/kept.h"
#include "stats/moments.h"

const char *const repeat_tools[] = {"valgrind", "qemu", "pin", "dynamorio", NULL};

/* Of what rounding to whole numbers leaves: 1 / sqrt(12). */
#define ROUNDING_VARIANCE (1.0 / 12)

const struct repeat_program *subject_next(const struct repeat_case *file, const char *name,
                                          size_t *index)
{
    for (; *index < file->program_count; ++*index) {
        const struct repeat_program *program = &file->programs[*index];
        if (program->subject && strcmp(program->subject_name, name) == 0)
            return program;
    }
    return NULL;
}

uint64_t subject_n(const struct repeat_program *program)
{
    const char *blank = program->words ? strchr(program->words, ' ') : NULL;
    return blank ? strtoull(blank + 1, NULL, 10) : 0;
}

bool never_ended(const struct repeat_cell *cell)
{
    return cell->runs > 0 && cell->timed_out == cell->runs;
}

static bool has_instructions(const struct repeat_cell *cell, uint32_t *event)
{
    for (uint32_t i = 0; i < cell->events; i++)
        if (counts_instructions(cell, i)) {
            *event = i;
            return true;
        }
    return false;
}

const struct repeat_cell *controlled_cell(const struct repeat_case *file, size_t machine,
                                          size_t program, const char *source, uint32_t *event)
{
    const struct repeat_cell *best = NULL;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        uint32_t column;
        if (cell->machine != machine || cell->program != program || !cell->runs ||
            cell->sweep != SWEEP_NONE || cell->detail != DETAIL_NONE ||
            strcmp(cell->source, source) != 0 || !has_instructions(cell, &column))
            continue;
        if (best && __builtin_popcount(best->controls) >= __builtin_popcount(cell->controls))
            continue;
        best = cell;
        *event = column;
    }
    return best;
}

const struct repeat_cell *cpu_cell(const struct repeat_case *file, size_t machine, size_t program,
                                   uint32_t *event)
{
    const struct repeat_cell *cell = controlled_cell(file, machine, program, "step", event);
    return cell ? cell : controlled_cell(file, machine, program, "perf_event", event);
}

static void finish(double events, double half, struct apart *apart)
{
    const double percent = 100 / apart->from;
    apart->known = true;
    apart->events = events;
    apart->low = events - half;
    apart->high = events + half;
    apart->percent = events * percent;
    apart->percent_low = apart->low * percent;
    apart->percent_high = apart->high * percent;
    apart->differs = fabs(events) >= 1 && (apart->low > 0 || apart->high < 0);
}

int apart_of(const struct repeat_cell *from, uint32_t from_event, const struct repeat_cell *to,
             uint32_t to_event, struct apart *apart)
{
    AUTO_KEPT struct kept one = {0};
    AUTO_KEPT struct kept other = {0};
    *apart = (struct apart){0};
    if (kept_counts(from, from_event, &one) < 0 || kept_counts(to, to_event, &other) < 0)
        return -ENOMEM;
    if (one.count < 2 || other.count < 2)
        return 0;
    const double first = fmax(kept_variance(&one), ROUNDING_VARIANCE) / (double)one.count;
    const double second = fmax(kept_variance(&other), ROUNDING_VARIANCE) / (double)other.count;
    const double df = pow(first + second, 2) / (first * first / (double)(one.count - 1) +
                                                second * second / (double)(other.count - 1));
    apart->from = kept_mean(&one);
    apart->to = kept_mean(&other);
    finish(kept_shift(&one, &other), t_quantile(.975, df) * sqrt(first + second), apart);
    return 0;
}

void apart_paired(const struct moments *more, size_t runs, double from, struct apart *apart)
{
    const double variance = fmax(more->variance, ROUNDING_VARIANCE) / (double)runs;
    apart->from = from;
    apart->to = from + more->mean;
    finish(more->mean, t_quantile(.975, (double)runs - 1) * sqrt(variance), apart);
}

bool apart_is_none(const struct apart *apart)
{
    return apart->known && !apart->differs && apart->percent_low >= -APART_DECIDES &&
           apart->percent_high <= APART_DECIDES;
}

bool apart_larger(const struct apart *one, const struct apart *other)
{
    return one->known && (!other->known || fabs(one->percent) > fabs(other->percent));
}

void apart_report(const struct apart *apart, enum finding_verdict verdict, struct finding *finding)
{
    struct estimate estimate =
        estimate_within(apart->percent, apart->percent_low, apart->percent_high, 0);
    estimate.verdict = verdict;
    estimate_report(&estimate, finding);
}

int repeat_judge_subject_findings(const struct repeat_case *file, struct repeat_report *report)
{
    static const struct {
        size_t index; /* M1 is 0 */
        repeat_rule *rule;
    } rules[] = {{1, rule_opcodes},    {4, rule_stack},       {5, rule_faults},
                 {6, rule_interrupts}, {7, rule_repetitions}, {8, rule_rounding},
                 {9, rule_tool_layout}};
    const struct repeat_facts facts = {file, report};
    int error = 0;
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules) && !error; i++)
        error = rules[i].rule(&facts, &report->findings[rules[i].index]);
    return error;
}
