/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings that programs of the kit show: M2, M5 to M10. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/findings.h"
#include "stats/moments.h"
#include "studies/repeat/judge.h"

/* ----------------------------------------------------------------------------------------------
 * What the rules share: which cells speak, and how far apart the counts of two of them lie. */

/* Tools that execute programs their own way; ends with NULL. */
static const char *const repeat_tools[] = {"valgrind", "qemu", "pin", "dynamorio", NULL};

/* The next program (from *index on) that is this subject; NULL: no more. *index is then its own. */
static const struct repeat_program *subject_next(const struct repeat_case *file, const char *name,
                                                 size_t *index)
{
    for (; *index < file->program_count; ++*index) {
        const struct repeat_program *program = &file->programs[*index];
        if (program->subject && strcmp(program->subject_name, name) == 0)
            return program;
    }
    return NULL;
}

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

static bool has_instructions(const struct repeat_cell *cell, uint32_t *event)
{
    for (uint32_t i = 0; i < cell->events; i++)
        if (counts_instructions(cell, i)) {
            *event = i;
            return true;
        }
    return false;
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

/* The same on the CPU itself: by its counter, or stepped. */
static const struct repeat_cell *cpu_cell(const struct repeat_case *file, size_t machine,
                                          size_t program, uint32_t *event)
{
    const struct repeat_cell *cell = controlled_cell(file, machine, program, "step", event);
    return cell ? cell : controlled_cell(file, machine, program, "perf_event", event);
}

/* How much more one cell counts than another: means, with a 95 % interval. Whole counts leave half
 * of one open. known: both have at least two runs. */
struct apart {
    bool known;
    double from, to; /* means */
    double events, low, high;
    double percent, percent_low, percent_high; /* of from */
    bool differs;                              /* by at least a count, beyond chance */
};
/* What the paper saw without any control, in percent: a smaller difference would not matter, and a
 * larger one that may be there decides nothing. */
#define APART_DECIDES 1.07

/* Of what rounding to whole numbers leaves: 1 / sqrt(12). */
#define ROUNDING_VARIANCE (1.0 / 12)

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

/* -ENOMEM */
static int apart_of(const struct repeat_cell *from, uint32_t from_event,
                    const struct repeat_cell *to, uint32_t to_event, struct apart *apart)
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

/* The same of two counts of each run: moments of what the second has more, from a mean. */
static void apart_paired(const struct moments *more, size_t runs, double from, struct apart *apart)
{
    const double variance = fmax(more->variance, ROUNDING_VARIANCE) / (double)runs;
    apart->from = from;
    apart->to = from + more->mean;
    finish(more->mean, t_quantile(.975, (double)runs - 1) * sqrt(variance), apart);
}

/* Is there for certain no difference of APART_DECIDES %? */
static bool apart_is_none(const struct apart *apart)
{
    return apart->known && !apart->differs && apart->percent_low >= -APART_DECIDES &&
           apart->percent_high <= APART_DECIDES;
}

/* The largest of those that were found, by what lies between. */
static bool apart_larger(const struct apart *one, const struct apart *other)
{
    return one->known && (!other->known || fabs(one->percent) > fabs(other->percent));
}

static void apart_report(const struct apart *apart, enum finding_verdict verdict,
                         struct finding *finding)
{
    struct estimate estimate =
        estimate_within(apart->percent, apart->percent_low, apart->percent_high, 0);
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

static int rule_opcodes(const struct repeat_facts *facts, struct finding *finding)
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

/* M6 */
static int rule_faults(const struct repeat_facts *facts, struct finding *finding)
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

/* M7 */
static int rule_interrupts(const struct repeat_facts *facts, struct finding *finding)
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
static int excess_of(const struct repeat_cell *cell, uint32_t once, uint32_t every,
                     struct apart *apart)
{
    AUTO_KEPT struct kept kept = {0};
    *apart = (struct apart){0};
    if (kept_counts(cell, once, &kept) < 0)
        return -ENOMEM;
    if (kept.count < 2)
        return 0;
    const double mean = kept_mean(&kept);
    AUTO_FREE double *more = calloc(kept.count, sizeof(*more));
    if (!more)
        return -ENOMEM;
    for (size_t i = 0; i < kept.count; i++) {
        const uint64_t *counts = &cell->counts[kept.runs[i] * cell->events];
        more[i] = counts[every] >= counts[once] ? (double)(counts[every] - counts[once])
                                                : -(double)(counts[once] - counts[every]);
    }
    const struct moments moments = moments_of(more, kept.count);
    apart_paired(&moments, kept.count, mean, apart);
    return 0;
}

static int look(const struct repeat_facts *facts, const struct repeat_cell *cell,
                struct by_tool *found)
{
    char plain[64], raw[64];
    snprintf(plain, sizeof(plain), "%s/instructions/", cell->source);
    snprintf(raw, sizeof(raw), "%s/instructions-raw/", cell->source);
    const int once = repeat_event(cell, plain), every = repeat_event(cell, raw);
    if (once < 0 || every < 0)
        return 0;
    const struct repeat_program *program = &facts->file->programs[cell->program];
    struct apart apart;
    if (excess_of(cell, (uint32_t)once, (uint32_t)every, &apart) < 0)
        return -ENOMEM;
    /* A subject that was not made for it has hardly any, and says nothing of real programs. */
    const bool made = program->subject && repeat_program_shows(program, "M8");
    struct excess *excess = made ? &found->subject : &found->real;
    if (!apart.known || (program->subject && !made))
        return 0;
    excess->programs += !excess->programs || excess->last != cell->program;
    excess->last = cell->program;
    if (apart_larger(&apart, &excess->apart)) {
        excess->apart = apart;
        excess->program = program->name;
    }
    return 0;
}

static int look_at_tool(const struct repeat_facts *facts, struct by_tool *found)
{
    const struct repeat_case *file = facts->file;
    for (size_t program = 0; program < file->program_count; program++)
        for (size_t i = 0; i < file->cell_count; i++) {
            const struct repeat_cell *cell = &file->cells[i];
            if (cell->program == program && strcmp(cell->source, found->tool) == 0 &&
                cell->sweep == SWEEP_NONE && cell->detail == DETAIL_NONE && !never_ended(cell) &&
                look(facts, cell, found) < 0)
                return -ENOMEM;
        }
    return 0;
}

static void tell(const struct by_tool *found, struct finding *finding)
{
    if (found->subject.apart.known)
        finding_clause(finding, "%s counts %s instructions in %.48s instead of %s", found->tool,
                       FIGURE(found->subject.apart.to), found->subject.program,
                       FIGURE(found->subject.apart.from));
    if (found->real.apart.known)
        finding_clause(finding, "by %s up to %s %% too many in %zu other program%s (%.48s)",
                       found->tool, ROUNDED(found->real.apart.percent, 3), found->real.programs,
                       found->real.programs == 1 ? "" : "s", found->real.program);
}

/* M8 */
static int rule_repetitions(const struct repeat_facts *facts, struct finding *finding)
{
    struct apart real = {0}, subject = {0};
    size_t tools = 0, counting = 0, not_counting = 0;
    for (const char *const *tool = repeat_tools; *tool; tool++) {
        struct by_tool found = {.tool = *tool};
        if (look_at_tool(facts, &found) < 0)
            return -ENOMEM;
        tools += found.subject.apart.known || found.real.apart.known;
        counting += found.subject.apart.differs || found.real.apart.differs;
        /* A program without such instructions proves nothing. */
        not_counting += found.subject.apart.known && !found.subject.apart.differs;
        if (apart_larger(&found.real.apart, &real))
            real = found.real.apart;
        if (apart_larger(&found.subject.apart, &subject))
            subject = found.subject.apart;
        tell(&found, finding);
    }
    if (tools == 0) {
        finding_clause(finding,
                       "neither Valgrind nor QEMU counted, with and without repetitions, a real "
                       "program or the subject that is made of them; only x86 has any");
        return 0;
    }
    const enum finding_verdict verdict = counting && !not_counting   ? FINDING_HOLDS
                                         : not_counting && !counting ? FINDING_FAILS
                                                                     : FINDING_INCONCLUSIVE;
    apart_report(real.differs || !subject.known ? &real : &subject, verdict, finding);
    if (verdict == FINDING_INCONCLUSIVE)
        finding_clause(finding, counting ? "not every tool does"
                                         : "no program with such instructions was counted");
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Where the stack lies (M5): 32-bit programs with and without the layout of a 32-bit system, and
 * programs whose stack begins lower and lower. Only counts of the CPU itself say anything: tools
 * place the stack where they like. */

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

static void stack_tell(const struct repeat_facts *facts, const struct apart *layout,
                       const char *name, const struct stack_swept *swept, struct finding *finding)
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

/* M5 */
static int rule_stack(const struct repeat_facts *facts, struct finding *finding)
{
    struct apart layout = {0};
    const char *name = "";
    if (find_layout(facts, &layout, &name) < 0)
        return -ENOMEM;
    const struct stack_swept swept = look_at_sweeps(facts);
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
    stack_tell(facts, &layout, name, &swept, finding);
    if (!holds && swept.tried)
        finding_clause(finding, "%zu programs count %s wherever their stack begins", swept.tried,
                       unsure ? "no differently, as far as can be seen," : "the same");
    return 0;
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
        if (cell->machine == machine && cell->program == program && cell->runs &&
            (strcmp(cell->source, "perf_event") == 0 || strcmp(cell->source, "step") == 0) &&
            cell->timed_out == 0)
            return true;
    }
    return false;
}

static int compare(const struct repeat_facts *facts, const char *subject, const char *tool,
                   struct compared *compared)
{
    const struct repeat_case *file = facts->file;
    *compared = (struct compared){0};
    for (size_t machine = 0; machine < file->machine_count; machine++)
        for (size_t program = 0; subject_next(file, subject, &program); program++) {
            uint32_t here = 0, there = 0;
            const struct repeat_cell *cpu = cpu_cell(file, machine, program, &here);
            const struct repeat_cell *cell = controlled_cell(file, machine, program, tool, &there);
            struct apart apart;
            if (cell && never_ended(cell))
                compared->endless |= ends_on_cpu(file, machine, program);
            if (!cell || !cpu || never_ended(cell) || never_ended(cpu) ||
                cell->controls != cpu->controls)
                continue;
            if (apart_of(cpu, here, cell, there, &apart) < 0)
                return -ENOMEM;
            if (apart_larger(&apart, &compared->apart))
                compared->apart = apart;
        }
    return 0;
}

/* What the tools made of the subjects together. */
struct together {
    size_t tools, differing;
    size_t spoiled; /* where nothing follows: the other program differs as well, or is missing */
    struct apart largest;
};

static void decide(const struct together *all, struct finding *finding)
{
    enum finding_verdict verdict = FINDING_FAILS;
    if (all->differing)
        verdict = FINDING_HOLDS;
    else if (all->spoiled)
        verdict = FINDING_INCONCLUSIVE;
    if (all->largest.known)
        apart_report(&all->largest, verdict, finding);
    else
        finding->verdict = verdict;
}

static void tell_apart(const char *tool, const char *subject, const struct apart *apart,
                       struct finding *finding)
{
    if (apart->differs)
        finding_clause(finding, "%s executes %s instructions of %s, the CPU %s (%+.3g %%)", tool,
                       FIGURE(apart->to), subject, FIGURE(apart->from), apart->percent);
    else
        finding_clause(finding, "%s executes as many of %s as the CPU", tool, subject);
}

static void keep_largest(const struct apart *apart, struct together *all)
{
    if (apart_larger(apart, &all->largest))
        all->largest = *apart;
}

/* --- M9 --- */

static int round_by(const struct repeat_facts *facts, const char *tool, struct together *all,
                    struct finding *finding)
{
    struct compared wide, narrow, endless;
    if (compare(facts, "rounding-x87", tool, &wide) < 0 ||
        compare(facts, "rounding-sse", tool, &narrow) < 0 ||
        compare(facts, "rounding-endless", tool, &endless) < 0)
        return -ENOMEM;
    if (!wide.apart.known && !endless.apart.known && !endless.endless)
        return 0;
    all->tools++;
    if (wide.apart.known)
        tell_apart(tool, "rounding-x87", &wide.apart, finding);
    if (endless.endless)
        finding_clause(finding, "rounding-endless never ends in %s", tool);
    keep_largest(&wide.apart, all);
    if (endless.endless)
        all->differing++;
    else if (narrow.apart.differs)
        finding_clause(finding, "but doubles take another path there as well: it is not the width");
    else if (!narrow.apart.known)
        finding_clause(finding, "no program that rounds to doubles was counted to compare with");
    else
        all->differing += wide.apart.differs || endless.apart.differs;
    all->spoiled += !endless.endless && !apart_is_none(&narrow.apart);
    all->spoiled += wide.apart.known && !wide.apart.differs && !apart_is_none(&wide.apart);
    return 0;
}

static int rule_rounding(const struct repeat_facts *facts, struct finding *finding)
{
    struct together all = {0};
    for (const char *const *tool = repeat_tools; *tool; tool++)
        if (round_by(facts, *tool, &all, finding) < 0)
            return -ENOMEM;
    if (all.tools)
        decide(&all, finding);
    else
        finding_clause(finding, "no tool and the CPU both executed a program that rounds in an x87 "
                                "unit, which only x86 has");
    return 0;
}

/* --- M10 --- */

static int place_by(const struct repeat_facts *facts, const char *tool, struct together *all,
                    struct finding *finding)
{
    struct compared hashing, plain;
    if (compare(facts, "address-hash", tool, &hashing) < 0 ||
        compare(facts, "loop", tool, &plain) < 0)
        return -ENOMEM;
    if (!hashing.apart.known)
        return 0;
    all->tools++;
    tell_apart(tool, "address-hash", &hashing.apart, finding);
    keep_largest(&hashing.apart, all);
    if (plain.apart.differs)
        finding_clause(finding, "but the plain loop differs as well: it is not the addresses");
    else if (!plain.apart.known)
        finding_clause(finding, "no plain loop was counted to compare with");
    else
        all->differing += hashing.apart.differs;
    all->spoiled +=
        !apart_is_none(&plain.apart) || (!hashing.apart.differs && !apart_is_none(&hashing.apart));
    return 0;
}

static int rule_tool_layout(const struct repeat_facts *facts, struct finding *finding)
{
    struct together all = {0};
    for (const char *const *tool = repeat_tools; *tool; tool++)
        if (place_by(facts, *tool, &all, finding) < 0)
            return -ENOMEM;
    if (all.tools)
        decide(&all, finding);
    else
        finding_clause(finding,
                       "no tool and the CPU both executed the program that hashes addresses");
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Findings that programs of the kit show: M2, M5 to M10. */

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
