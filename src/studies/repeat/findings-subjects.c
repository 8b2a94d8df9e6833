/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings that programs of the kit show: M2, M5 to M10. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/moments.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * What the rules share: which cells speak, and how far apart the counts of two of them lie. */

/* Tools that execute programs their own way; ends with NULL. */
static const char *const repeat_tools[] = {"valgrind", "qemu", "pin", "dynamorio", NULL};

/* N of "subject:NAME N"; 0: it has none. */
static uint64_t subject_n(const struct repeat_program *program)
{
    const char *blank = program->words ? strchr(program->words, ' ') : NULL;
    return blank ? strtoull(blank + 1, NULL, 10) : 0;
}

/* Did every execution have to be ended because its time was over? */
static bool never_ended(const struct repeat_cell *cell)
{
    return cell->runs > 0 && cell->timed_out == cell->runs;
}

/* The cell of this program by this source under as many controls as there are, neither swept nor
 * watched, with an event of user instructions; NULL: none that ended. *event is that. */
static const struct repeat_cell *controlled_cell(const struct repeat_case *file, size_t machine,
                                                 size_t program, const char *source,
                                                 uint32_t *event)
{
    const struct repeat_cell *best = NULL;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        uint32_t column = 0;
        while (column < cell->events && !counts_instructions(cell, column))
            column++;
        if (cell->at.machine != machine || cell->at.program != program || !cell->runs ||
            cell->sweep != SWEEP_NONE || cell->detail != DETAIL_NONE ||
            strcmp(cell->source, source) != 0 || column == cell->events ||
            (best && __builtin_popcount(best->controls) >= __builtin_popcount(cell->controls)))
            continue;
        best = cell;
        *event = column;
    }
    return best;
}

/* How much more one cell counts than another: means, with a 95 % interval. Whole counts leave half
 * of one open. known: both have at least two runs. */
struct apart {
    bool known;
    double from, to; /* means */
    double events, low, high;
    struct relative relative; /* to from */
    bool differs;             /* by at least a count, beyond chance */
};
/* What the paper saw without any control, in percent: a smaller difference would not matter, and a
 * larger one that may be there decides nothing. */
#define APART_DECIDES 1.07

/* Of what rounding to whole numbers leaves: 1 / sqrt(12). */
#define ROUNDING_VARIANCE (1.0 / 12)

static struct apart apart_within(double from, double to, double events, double half)
{
    const double percent = 100 / from;
    return (struct apart){
        .known = true,
        .from = from,
        .to = to,
        .events = events,
        .low = events - half,
        .high = events + half,
        .relative = {events * percent, (events - half) * percent, (events + half) * percent},
        .differs = fabs(events) >= 1 && (events - half > 0 || events + half < 0)};
}

static struct apart apart_of(const struct repeat_cell *from, uint32_t from_event,
                             const struct repeat_cell *to, uint32_t to_event)
{
    const struct kept one = kept_counts(from, from_event), other = kept_counts(to, to_event);
    if (one.count < 2 || other.count < 2)
        return (struct apart){0};
    const double first = fmax(kept_variance(&one), ROUNDING_VARIANCE) / (double)one.count;
    const double second = fmax(kept_variance(&other), ROUNDING_VARIANCE) / (double)other.count;
    const double df = pow(first + second, 2) / (first * first / (double)(one.count - 1) +
                                                second * second / (double)(other.count - 1));
    return apart_within(kept_mean(&one), kept_mean(&other), kept_shift(&one, &other),
                        t_quantile(.975, df) * sqrt(first + second));
}

/* Is there for certain no difference of APART_DECIDES %? */
static bool apart_is_none(const struct apart *apart)
{
    return apart->known && !apart->differs && apart->relative.low >= -APART_DECIDES &&
           apart->relative.high <= APART_DECIDES;
}

/* The largest of those that were found, by what lies between. True: it is this one now. */
static bool keep_larger(const struct apart *one, struct apart *largest)
{
    const bool larger = one->known && (!largest->known || fabs(one->relative.percent) >
                                                              fabs(largest->relative.percent));
    if (larger)
        *largest = *one;
    return larger;
}

void relative_report(const struct relative *relative, enum finding_verdict verdict,
                     struct finding *finding)
{
    /* As for every estimate: shifted by its detectable effect, four of five intervals show it. */
    struct estimate estimate = estimate_within(relative->percent, relative->low, relative->high, 0);
    estimate.verdict = verdict;
    estimate_report(&estimate, finding);
}

/* ----------------------------------------------------------------------------------------------
 * What the CPU's counter of instructions has too many: of opcodes (M2), page faults (M6) and
 * interrupts (M7). These are counts, not times, so an emulated CPU may decide. */

/* Half a count more decides between none and one. */
#define HALF_A_COUNT 0.5

/* Why no counter of the CPU speaks, as a clause. */
static void say_no_counter(const struct repeat_facts *facts, struct finding *finding)
{
    const struct repeat_report *report = facts->report;
    for (size_t i = 0; i < report->contribution_count; i++)
        if (!report->contributions[i].known && report->contributions[i].why.count) {
            BECAUSE(finding, SAYS_NEEDS_COUNTER, &report->contributions[i].why);
            return;
        }
    BECAUSE(finding, SAYS_NONE_COUNTED);
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
    return facts->file->machines[machine].emulated ? "an emulated CPU" : NULL;
}

/* --- M2 --- */

void rule_opcodes(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct repeat_facts *facts = context;
    (void)claim;
    /* The row of the subject where it is most controlled. */
    const struct repeat_row *row = NULL;
    int most = -1;
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct repeat_row *at = &facts->report->rows[i];
        const struct repeat_cell *cell = at->cell;
        const struct repeat_program *program = &facts->file->programs[cell->at.program];
        const int controlled = __builtin_popcount(cell->controls);
        if (strcmp(cell->source, "perf_event") == 0 && cell->sweep == SWEEP_NONE &&
            repeat_program_shows(program, "M2") && program->has_truth && subject_n(program) > 0 &&
            counts_instructions(cell, at->event) && at->runs > 1 && controlled > most) {
            row = at;
            most = controlled;
        }
    }
    if (!row) {
        if (has_counter(facts))
            BECAUSE(finding, SAYS_NO_FLDCW);
        else
            say_no_counter(facts, finding);
        return;
    }
    const struct repeat_cell *cell = row->cell;
    const struct repeat_program *program = &facts->file->programs[cell->at.program];
    const double n = (double)subject_n(program);
    const bool adjusted = row->is_adjusted && isfinite(row->residual);
    const double mean = adjusted ? row->residual : row->mean - (double)program->truth;
    const double half = adjusted ? (row->residual_high - row->residual_low) / 2
                                 : t_quantile(.975, (double)row->runs - 1) *
                                       fmax(row->stdev, HALF_A_COUNT) / sqrt((double)row->runs);
    const struct estimate estimate =
        estimate_at_least(mean / n, (mean - half) / n, (mean + half) / n, HALF_A_COUNT);
    estimate_report(&estimate, finding);
    BECAUSE(finding, SAYS_OPCODES, repeat_event_of(row), mean / n, subject_n(program),
            emulated(facts, cell->at.machine));
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
                contribution_of(facts->report, cell->at.machine, cell->event[event], disturbance);
            if (found)
                return found;
        }
    }
    return NULL;
}

void rule_disturbance(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct repeat_facts *facts = context;
    const enum disturbance disturbance = *(const enum disturbance *)claim->own;
    const struct repeat_report *report = facts->report;
    const struct repeat_contribution *found = known(facts, disturbance);
    if (!found) {
        for (size_t i = 0; has_counter(facts) && i < report->contribution_count; i++)
            if (!report->contributions[i].known && report->contributions[i].of == disturbance) {
                reasons_append(&finding->why, JOINT_CLAUSE, &report->contributions[i].why);
                return;
            }
        say_no_counter(facts, finding);
        return;
    }
    /* In the paper it is one for each fault, and some for each interrupt. */
    struct estimate estimate;
    if (disturbance == DISTURBANCE_FAULT) {
        estimate = estimate_within(found->each - 1, found->low - 1, found->high - 1, HALF_A_COUNT);
        estimate.value = found->each;
        estimate.low = found->low;
        estimate.high = found->high;
    } else {
        estimate = estimate_at_least(found->each, found->low, found->high, HALF_A_COUNT);
    }
    /* Counts that grow with faults in programs that may do more then themselves decide nothing;
     * that they do not grow is none of the programs' doing. */
    const bool open = !found->firm && (found->low > 0 || found->high < 0);
    if (open)
        estimate.verdict = FINDING_INCONCLUSIVE;
    estimate_report(&estimate, finding);
    BECAUSE(finding, SAYS_GROWS, found->event, found->each, disturbance_names[found->of],
            found->runs, found->programs, emulated(facts, found->machine));
    if (open)
        BECAUSE(finding, SAYS_OWN_DOING);
}

/* ----------------------------------------------------------------------------------------------
 * Repeated string instructions (M8): what a tool counts by itself against each of them once. */

/* The largest excess of a tool, over programs of one kind. */
struct excess {
    struct apart apart;
    const char *program;
    size_t programs, last; /* how many; the last of them */
};
struct by_tool {
    const char *tool;
    struct excess subject, real;
};

/* Both counts are of the same executions: what one has more than the other is taken run by run,
 * however much the program itself varies. */
static struct apart excess_of(const struct repeat_cell *cell, uint32_t once, uint32_t every)
{
    const struct kept kept = kept_counts(cell, once);
    if (kept.count < 2)
        return (struct apart){0};
    const double mean = kept_mean(&kept), runs = (double)kept.count;
    for (size_t i = 0; i < kept.count; i++) {
        const uint64_t *counts = &cell->counts[kept.runs[i] * cell->events];
        kept.values[i] = counts[every] >= counts[once] ? (double)(counts[every] - counts[once])
                                                       : -(double)(counts[once] - counts[every]);
    }
    const struct moments more = moments_of(kept.values, kept.count);
    return apart_within(mean, mean + more.mean, more.mean,
                        t_quantile(.975, runs - 1) *
                            sqrt(fmax(more.variance, ROUNDING_VARIANCE) / runs));
}

static void look_at_tool(const struct repeat_facts *facts, struct by_tool *found)
{
    const struct repeat_case *file = facts->file;
    char plain[64], raw[64];
    snprintf(plain, sizeof(plain), "%s/instructions/", found->tool);
    snprintf(raw, sizeof(raw), "%s/instructions-raw/", found->tool);
    for (size_t index = 0; index < file->program_count; index++)
        for (size_t i = 0; i < file->cell_count; i++) {
            const struct repeat_cell *cell = &file->cells[i];
            const struct repeat_program *program = &file->programs[index];
            const int once = repeat_event(cell, plain), every = repeat_event(cell, raw);
            /* A subject that was not made for it has hardly any, and says nothing of real ones. */
            const bool made = program->subject && repeat_program_shows(program, "M8");
            if (cell->at.program != index || strcmp(cell->source, found->tool) != 0 ||
                cell->sweep != SWEEP_NONE || cell->detail != DETAIL_NONE || never_ended(cell) ||
                once < 0 || every < 0 || (program->subject && !made))
                continue;
            const struct apart apart = excess_of(cell, (uint32_t)once, (uint32_t)every);
            struct excess *excess = made ? &found->subject : &found->real;
            if (!apart.known)
                continue;
            excess->programs += !excess->programs || excess->last != index;
            excess->last = index;
            if (keep_larger(&apart, &excess->apart))
                excess->program = program->name;
        }
}

/* M8 */
void rule_repetitions(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct repeat_facts *facts = context;
    (void)claim;
    struct apart real = {0}, subject = {0};
    size_t tools = 0, counting = 0, not_counting = 0;
    for (const char *const *tool = repeat_tools; *tool; tool++) {
        struct by_tool found = {.tool = *tool};
        const struct apart *made = &found.subject.apart, *other = &found.real.apart;
        look_at_tool(facts, &found);
        tools += made->known || other->known;
        counting += made->differs || other->differs;
        /* A program without such instructions proves nothing. */
        not_counting += made->known && !made->differs;
        keep_larger(other, &real);
        keep_larger(made, &subject);
        if (made->known)
            BECAUSE(finding, SAYS_REPETITIONS, *tool, made->to, found.subject.program, made->from);
        if (other->known)
            BECAUSE(finding, SAYS_TOO_MANY, *tool, other->relative.percent, found.real.programs,
                    found.real.program);
    }
    if (tools == 0) {
        BECAUSE(finding, SAYS_NO_TOOL);
        return;
    }
    const enum finding_verdict verdict = counting && !not_counting   ? FINDING_HOLDS
                                         : not_counting && !counting ? FINDING_FAILS
                                                                     : FINDING_INCONCLUSIVE;
    relative_report(real.differs || !subject.known ? &real.relative : &subject.relative, verdict,
                    finding);
    if (verdict == FINDING_INCONCLUSIVE)
        BECAUSE(finding, counting ? SAYS_NOT_EVERY_TOOL : SAYS_NO_STRINGS);
}

/* ----------------------------------------------------------------------------------------------
 * Where the stack lies (M5): 32-bit programs with and without the layout of a 32-bit system, and
 * programs whose stack begins lower and lower. Only counts of the CPU itself say anything: tools
 * place the stack where they like. */

/* The largest difference that switching the layout makes to a 32-bit program: of cells that differ
 * by this control alone. */
static struct apart find_layout(const struct repeat_facts *facts, const char **name)
{
    const struct repeat_case *file = facts->file;
    struct apart largest = {0};
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i], *other = NULL;
        if (file->programs[cell->at.program].bits != 32 ||
            !(cell->controls & CONTROL_BIT(CONTROL_LAYOUT)) || cell->sweep != SWEEP_NONE ||
            cell->detail != DETAIL_NONE)
            continue;
        for (size_t j = 0; j < file->cell_count && !other; j++) {
            const struct repeat_cell *at = &file->cells[j];
            if (is_same_place(&at->at, &cell->at) &&
                at->controls == (cell->controls & ~CONTROL_BIT(CONTROL_LAYOUT)) &&
                at->sweep == SWEEP_NONE && at->detail == DETAIL_NONE && at->runs &&
                strcmp(at->source, cell->source) == 0)
                other = at;
        }
        for (uint32_t event = 0; other && event < cell->events; event++) {
            const int column = repeat_event(other, cell->event[event]);
            if (column < 0 || !counts_here(cell, event))
                continue;
            const struct apart apart = apart_of(cell, event, other, (uint32_t)column);
            if (keep_larger(&apart, &largest))
                *name = file->programs[cell->at.program].name;
        }
    }
    return largest;
}

struct stack_swept {
    size_t tried, moved;
    size_t unsure; /* vary so much at one place that none of the paper's size would show */
    size_t large_tried, large_moved; /* of these, 64-bit programs */
    const struct repeat_sweep *largest;
};

static double percent_of(const struct repeat_sweep *sweep)
{
    return 100 * (sweep->highest - sweep->lowest) / sweep->lowest;
}

static struct stack_swept look_at_sweeps(const struct repeat_facts *facts)
{
    struct stack_swept swept = {0};
    for (size_t i = 0; i < facts->report->sweep_count; i++) {
        const struct repeat_sweep *sweep = &facts->report->sweeps[i];
        const bool large = facts->file->programs[sweep->at.program].bits == 64;
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

/* M5 */
void rule_stack(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct repeat_facts *facts = context;
    (void)claim;
    const char *name = "";
    const struct apart layout = find_layout(facts, &name);
    const struct stack_swept swept = look_at_sweeps(facts);
    const struct repeat_sweep *largest = swept.largest;
    struct apart moved = {0};
    if (!layout.known && swept.tried == 0) {
        BECAUSE(finding, SAYS_NO_STACK);
        return;
    }
    /* As far apart as the points of a sweep lie, less what runs at one point vary. */
    if (largest) {
        moved = apart_within(largest->lowest, largest->highest, largest->highest - largest->lowest,
                             2 * fmax(largest->within, 0.5));
        moved.differs = true;
    }
    const struct apart *shown = layout.differs || !moved.known ? &layout : &moved;
    const bool holds = layout.differs || swept.moved > 0;
    const bool unsure = swept.unsure > 0 || (layout.known && !apart_is_none(&layout));
    finding->verdict = holds ? FINDING_HOLDS : unsure ? FINDING_INCONCLUSIVE : FINDING_FAILS;
    if (shown->known)
        relative_report(&shown->relative, finding->verdict, finding);
    if (layout.known)
        BECAUSE(finding, SAYS_LAYOUT, name, layout.from, layout.to);
    if (largest)
        BECAUSE(finding, SAYS_LOWER, facts->file->programs[largest->at.program].name,
                largest->lowest, largest->highest);
    if (swept.moved && swept.large_tried)
        BECAUSE(finding, SAYS_WIDE_TOO, swept.large_moved, swept.large_tried);
    if (!holds && swept.tried)
        BECAUSE(finding, unsure ? SAYS_STACK_UNSURE : SAYS_STACK_SAME, swept.tried);
}

/* ----------------------------------------------------------------------------------------------
 * Programs that take another path under a tool than on the CPU: by the width of its floating point
 * (M9), and by where it puts memory (M10). Beside each stands a program that differs from it in
 * just this, and must count the same. */

/* One subject under one tool against the CPU itself. */
struct compared {
    struct apart apart;
    bool endless; /* it ends on the CPU, and never did under the tool */
};

/* By whatever counted it there, or only executed it. */
static bool ends_on_cpu(const struct repeat_case *file, size_t machine, size_t program)
{
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        if (cell->at.machine == machine && cell->at.program == program && cell->runs &&
            (strcmp(cell->source, "perf_event") == 0 || strcmp(cell->source, "step") == 0) &&
            cell->timed_out == 0)
            return true;
    }
    return false;
}

static struct compared compare(const struct repeat_facts *facts, const char *subject,
                               const char *tool)
{
    const struct repeat_case *file = facts->file;
    struct compared compared = {0};
    for (size_t machine = 0; machine < file->machine_count; machine++)
        for (size_t program = 0; program < file->program_count; program++) {
            uint32_t here = 0, there = 0;
            if (!file->programs[program].subject ||
                strcmp(file->programs[program].subject_name, subject) != 0)
                continue;
            /* On the CPU itself: by stepping, or its counter. */
            const struct repeat_cell *cpu = controlled_cell(file, machine, program, "step", &here);
            if (!cpu)
                cpu = controlled_cell(file, machine, program, "perf_event", &here);
            const struct repeat_cell *cell = controlled_cell(file, machine, program, tool, &there);
            if (cell && never_ended(cell))
                compared.endless |= ends_on_cpu(file, machine, program);
            if (!cell || !cpu || never_ended(cell) || never_ended(cpu) ||
                cell->controls != cpu->controls)
                continue;
            const struct apart apart = apart_of(cpu, here, cell, there);
            keep_larger(&apart, &compared.apart);
        }
    return compared;
}

/* What the tools made of the subjects together. */
struct together {
    size_t tools, differing;
    size_t spoiled; /* where nothing follows: the other program differs as well, or is missing */
    struct apart largest;
};

static void tell_apart(const char *tool, const char *subject, const struct apart *apart,
                       struct finding *finding)
{
    if (apart->differs)
        BECAUSE(finding, SAYS_TOOL_DIFFERS, tool, apart->to, subject, apart->from,
                apart->relative.percent);
    else
        BECAUSE(finding, SAYS_TOOL_AGREES, tool, subject);
}

static void compare_by(const struct repeat_facts *facts, const struct otherwise *programs,
                       const char *tool, struct together *all, struct finding *finding)
{
    const struct compared made = compare(facts, programs->made, tool);
    const struct compared plain = compare(facts, programs->plain, tool);
    const struct compared endless =
        programs->endless ? compare(facts, programs->endless, tool) : (struct compared){0};
    if (!made.apart.known && !endless.apart.known && !endless.endless)
        return;
    all->tools++;
    if (made.apart.known)
        tell_apart(tool, programs->made, &made.apart, finding);
    if (endless.endless)
        BECAUSE(finding, SAYS_ENDLESS, programs->endless, tool);
    keep_larger(&made.apart, &all->largest);
    if (endless.endless)
        all->differing++;
    else if (plain.apart.differs)
        BECAUSE(finding, programs->as_well);
    else if (!plain.apart.known)
        BECAUSE(finding, programs->alone);
    else
        all->differing += made.apart.differs || endless.apart.differs;
    all->spoiled += !endless.endless && !apart_is_none(&plain.apart);
    all->spoiled += made.apart.known && !made.apart.differs && !apart_is_none(&made.apart);
}

void rule_by_tools(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct otherwise *programs = claim->own;
    struct together all = {0};
    for (const char *const *tool = repeat_tools; *tool; tool++)
        compare_by(context, programs, *tool, &all, finding);
    if (!all.tools) {
        BECAUSE(finding, programs->nobody);
        return;
    }
    finding->verdict = all.differing ? FINDING_HOLDS
                       : all.spoiled ? FINDING_INCONCLUSIVE
                                     : FINDING_FAILS;
    if (all.largest.known)
        relative_report(&all.largest.relative, finding->verdict, finding);
}
