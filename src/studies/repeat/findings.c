/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the paper claims, M1 to M11, as data; and what the rules share. Those that programs of the
 * kit show are decided beside (findings-subjects.c). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/moments.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * What the rules share: how much a row varies, and whose it is. */

/* Of a standard deviation of so many runs about a mean. Where all are identical: up to what one
 * count in one run would have made. */
static struct relative relative_of(double stdev, size_t runs, double mean)
{
    if (runs < 2 || !(mean > 0) || !(stdev >= 0))
        return (struct relative){(double)NAN, 0, INFINITY};
    const double each = 100 / mean;
    if (!(stdev > 0))
        return (struct relative){0, 0, each / sqrt((double)runs)};
    const double df = (double)runs - 1;
    return (struct relative){each * stdev, each * stdev * sqrt(df / value_exceeded(.025, df, 0)),
                             each * stdev * sqrt(df / value_exceeded(.975, df, 0))};
}

static struct relative relative_row(const struct repeat_row *row)
{
    return relative_of(row->stdev, row->runs, row->mean);
}

static const char *program_of_cell(const struct repeat_facts *facts, const struct repeat_cell *cell)
{
    return facts->file->programs[cell->at.program].name;
}

/* ----------------------------------------------------------------------------------------------
 * Do counts that vary as-is stop varying when controlled (M1)? Of programs as people run them, by
 * the hardware, by stepping where the hardware does not count, else by tools. */

/* The program that varies most, before and after. */
struct worst {
    const struct repeat_cell *cell;
    struct relative relative;
};
struct controlled_facts {
    struct worst as_is, controlled;
    size_t programs, below, threaded, subjects;
};

static void take(const struct repeat_cell *cell, struct relative relative, struct worst *worst)
{
    if (!worst->cell || relative.percent > worst->relative.percent ||
        (!(relative.percent < worst->relative.percent) && relative.high > worst->relative.high))
        *worst = (struct worst){cell, relative};
}

static void look_at(const struct repeat_facts *facts, const struct repeat_effect *effect,
                    struct controlled_facts *found)
{
    const struct repeat_row *as_is = effect->as_is;
    const struct repeat_row *row = effect->controlled;
    const struct repeat_cell *cell = effect->as_is->cell;
    const struct repeat_cell *controlled = effect->controlled->cell;
    const struct repeat_program *program = &facts->file->programs[cell->at.program];
    if (!counts_best(facts->report, as_is) || as_is->runs < 2 || row->runs < 2)
        return;
    /* Programs of the kit are made to vary, unless they say otherwise. */
    if (program->subject && !repeat_program_shows(program, "M1")) {
        found->subjects++;
        return;
    }
    if (cell_has_tasks(cell) || cell_has_tasks(controlled)) {
        found->threaded++;
        return;
    }
    const struct relative before = relative_row(as_is);
    struct relative after = relative_row(row);
    /* After what faults and interrupts add has been subtracted, as in the paper, where that is
     * known. */
    if (row->is_adjusted && row->adjusted_stdev >= 0) {
        const struct relative less =
            relative_of(row->adjusted_stdev, row->runs, row->adjusted_mean);
        after = less.percent < after.percent ? less : after;
    }
    if (isnan(before.percent) || isnan(after.percent))
        return;
    found->programs++;
    found->below += after.high < PAPER_CONTROLLED;
    take(cell, before, &found->as_is);
    take(controlled, after, &found->controlled);
}

/* M1 */
static void rule_controlled(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct repeat_facts *facts = context;
    (void)claim;
    struct controlled_facts found = {0};
    for (size_t i = 0; i < facts->report->effect_count; i++)
        look_at(facts, &facts->report->effects[i], &found);
    if (!found.programs) {
        BECAUSE(finding, found.threaded   ? SAYS_ONLY_TASKS
                         : found.subjects ? SAYS_ONLY_KIT
                                          : SAYS_NO_PAIR);
        return;
    }
    const struct relative *before = &found.as_is.relative, *after = &found.controlled.relative;
    const char *source = found.controlled.cell->source;
    const bool of_tool = strcmp(source, "perf_event") != 0 && strcmp(source, "step") != 0;
    enum finding_verdict verdict = FINDING_INCONCLUSIVE;
    /* What a tool adds by itself is no fault of the program. */
    if (after->low >= PAPER_CONTROLLED && !of_tool)
        verdict = FINDING_FAILS;
    else if (found.below == found.programs && before->low >= PAPER_CONTROLLED)
        verdict = FINDING_HOLDS;
    relative_report(after, verdict, finding);
    BECAUSE(finding, SAYS_MOST_LEFT, found.programs, program_of_cell(facts, found.controlled.cell),
            after->percent, after->low, after->high, source);
    BECAUSE(finding, SAYS_MOST_AS_IS, program_of_cell(facts, found.as_is.cell), before->percent,
            before->low, before->high);
    if (found.threaded)
        BECAUSE(finding, SAYS_TASKS_OUT, found.threaded);
    if (of_tool)
        BECAUSE(finding, SAYS_PLACES, source);
    if (verdict == FINDING_INCONCLUSIVE && found.below == found.programs)
        BECAUSE(finding, SAYS_TOO_LITTLE);
}

/* ----------------------------------------------------------------------------------------------
 * Random addresses (M3) and the size of the environment (M4): one program that follows them shows
 * the claim; only a program that is made to follow them can refute it. */

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
    const struct repeat_program *program = &facts->file->programs[witness->cell->at.program];
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
    BECAUSE(finding, witness->follows ? SAYS_CHANGES : SAYS_MAY_CHANGE,
            program_of_cell(facts, witness->cell), witness->cell->source, what,
            witness->relative.percent, witness->relative.low, witness->relative.high,
            witness->runs);
    if (verdict == FINDING_INCONCLUSIVE && witness == &heard->others)
        BECAUSE(finding, SAYS_NONE_DEPENDS, heard->programs);
}

/* --- M3 --- */

/* What the setting without this control alone varies by; else as-is. */
static struct witness witness_of_control(const struct repeat_facts *facts,
                                         const struct repeat_effect *effect)
{
    const struct control_part *part = &effect->parts[CONTROL_ASLR];
    const struct repeat_row *row = effect->as_is;
    struct witness witness = {.cell = row->cell};
    for (size_t i = 0; !isnan(part->without.cv) && i < facts->report->row_count; i++) {
        const struct repeat_row *other = &facts->report->rows[i];
        if (is_same_count(other, effect->controlled) && other->cell->sweep == SWEEP_NONE &&
            other->cell->controls ==
                (effect->controlled->cell->controls & ~CONTROL_BIT(CONTROL_ASLR))) {
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
static struct witness witness_of_draws(const struct repeat_facts *facts,
                                       const struct repeat_sweep *sweep)
{
    double sum = 0, squares = 0, least = (double)NAN;
    struct witness witness = {.follows = sweep->matters};
    for (size_t i = 0; i < facts->file->cell_count; i++) {
        const struct repeat_cell *cell = &facts->file->cells[i];
        const int event = repeat_event(cell, sweep->event);
        if (!is_same_place(&cell->at, &sweep->at) || cell->sweep != sweep->sweep ||
            cell->detail != DETAIL_NONE || event < 0 || strcmp(cell->source, sweep->source) != 0 ||
            !counts_here(cell, (uint32_t)event))
            continue;
        const struct kept kept = kept_counts(cell, (uint32_t)event);
        witness.cell = cell;
        for (size_t run = 0; run < kept.count; run++) {
            const double count = (double)kept.base + kept.values[run];
            least = isnan(least) ? count : least;
            sum += count - least;
            squares += (count - least) * (count - least);
            witness.runs++;
        }
    }
    const double runs = (double)witness.runs;
    const double variance = runs > 1 ? (squares - sum * sum / runs) / (runs - 1) : (double)NAN;
    witness.relative = relative_of(sqrt(fmax(variance, 0)), witness.runs, least + sum / runs);
    return witness;
}

static void rule_addresses(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct repeat_facts *facts = context;
    (void)claim;
    struct witnesses heard = {0};
    for (size_t i = 0; i < facts->report->effect_count; i++) {
        const struct repeat_effect *effect = &facts->report->effects[i];
        const struct repeat_row *row = effect->as_is;
        const struct control_part *part = &effect->parts[CONTROL_ASLR];
        if (!counts_here(effect->as_is->cell, row->event) ||
            (isnan(part->only.cv) && isnan(part->without.cv)))
            continue;
        const struct witness witness = witness_of_control(facts, effect);
        hear(facts, "M3", &witness, &heard);
    }
    for (size_t i = 0; i < facts->report->sweep_count; i++) {
        if (facts->report->sweeps[i].sweep != SWEEP_ASLR)
            continue;
        const struct witness witness = witness_of_draws(facts, &facts->report->sweeps[i]);
        if (witness.cell)
            hear(facts, "M3", &witness, &heard);
    }
    if (!heard.programs)
        BECAUSE(finding, SAYS_NO_RANDOM);
    decide(facts, &heard, "address randomisation", finding);
}

/* --- M4 --- */

/* How far apart the points lie, and how well that is known. */
static struct witness witness_of_sizes(const struct repeat_facts *facts,
                                       const struct repeat_sweep *sweep)
{
    struct witness witness = {.follows = sweep->matters};
    for (size_t i = 0; i < facts->file->cell_count; i++) {
        const struct repeat_cell *cell = &facts->file->cells[i];
        if (is_same_place(&cell->at, &sweep->at) && cell->sweep == sweep->sweep &&
            strcmp(cell->source, sweep->source) == 0 && repeat_event(cell, sweep->event) >= 0) {
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

static void rule_environment(const struct claim *claim, const void *context,
                             struct finding *finding)
{
    const struct repeat_facts *facts = context;
    (void)claim;
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
        BECAUSE(finding, SAYS_NO_SIZES);
    decide(facts, &heard, "the size of the environment", finding);
}

/* ----------------------------------------------------------------------------------------------
 * Does the same binary count the same on different machines once controlled (M11)? A machine that
 * was measured twice is one machine, and machines of another instruction set run other binaries.
 * What did not do the same on both is not compared, nor is what is made to vary. */

/* One program's count on two machines. */
struct pair {
    const struct repeat_row *one, *other;
    const struct repeat_cell *cell, *rival;
    struct relative relative; /* of the difference, without its sign */
};
struct pairs {
    struct pair worst;
    size_t compared, same, programs;
    bool twice, foreign, emulated; /* the same machine; another instruction set */
    size_t otherwise; /* programs that ended or wrote otherwise on one of two machines */
    size_t varied;    /* … with several threads or processes, or made to vary */
};

/* "(x86_64)" at the end of its name. */
static const char *isa_of(const struct repeat_machine *machine)
{
    const char *isa = machine->name ? strrchr(machine->name, '(') : NULL;
    return isa ? isa : "";
}

/* The most controlled row of the program on a machine by this source; like: with the controls of
 * that row, NULL: any. */
static const struct repeat_row *row_of(const struct repeat_facts *facts, size_t machine,
                                       size_t program, const char *source,
                                       const struct repeat_row *like)
{
    const struct repeat_row *found = NULL;
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct repeat_row *row = &facts->report->rows[i];
        const struct repeat_cell *cell = facts->report->rows[i].cell;
        if (cell->at.machine != machine || cell->at.program != program ||
            cell->sweep != SWEEP_NONE || !cell->controls || !counts_here(cell, row->event) ||
            row->runs < 2 || strcmp(cell->source, source) != 0 ||
            (like && cell->controls != like->cell->controls))
            continue;
        if (!found ||
            __builtin_popcount(cell->controls) > __builtin_popcount(found->cell->controls))
            found = row;
    }
    return found;
}

static struct relative difference_of(const struct repeat_row *one, const struct repeat_row *other)
{
    const double mean = (one->mean + other->mean) / 2;
    const double each = mean > 0 ? 100 / mean : (double)NAN;
    const double off = fabs(one->mean - other->mean);
    const double runs = (double)one->runs, others = (double)other->runs;
    const double error =
        sqrt(one->stdev * one->stdev / runs + other->stdev * other->stdev / others);
    const double df = fmin(runs, others) - 1;
    /* One count in one run would have shown. */
    const double reach = error > 0 ? t_quantile(.975, df) * error : 1 / fmin(runs, others);
    return (struct relative){each * off, each * fmax(off - reach, 0), each * (off + reach)};
}

/* The larger difference decides. Where there is none, a short program could not have shown a small
 * one, and is no reason to doubt what a long one shows. */
static bool says_more(const struct relative *one, const struct relative *other)
{
    if (one->percent > other->percent || one->percent < other->percent)
        return one->percent > other->percent;
    return one->percent > 0 ? one->high > other->high : one->high < other->high;
}

/* One program on two machines, by the first source that counted it on both. */
static void compare(const struct repeat_facts *facts, size_t program, size_t first, size_t second,
                    struct pairs *pairs)
{
    static const char *const sources[] = {"perf_event", "step"};
    const struct repeat_program *known = &facts->file->programs[program];
    const struct repeat_machine *one = &facts->file->machines[first];
    const struct repeat_machine *other = &facts->file->machines[second];
    for (size_t i = 0; i < 2; i++) {
        /* The rows that were controlled alike, and most. */
        struct pair pair = {.one = row_of(facts, first, program, sources[i], NULL)};
        pair.other = pair.one ? row_of(facts, second, program, sources[i], pair.one) : NULL;
        if (!pair.other) {
            pair.other = row_of(facts, second, program, sources[i], NULL);
            pair.one = pair.other ? row_of(facts, first, program, sources[i], pair.other) : NULL;
        }
        if (!pair.one)
            continue;
        pair.cell = pair.one->cell;
        pair.rival = pair.other->cell;
        pair.relative = difference_of(pair.one, pair.other);
        const uint64_t status = kept_status(pair.cell);
        const struct repeat_run *wrote = kept_output(pair.cell, status);
        const struct repeat_run *wrote_too = kept_output(pair.rival, status);
        if (strcmp(one->fingerprint, other->fingerprint) == 0) {
            pairs->twice = true;
        } else if (strcmp(isa_of(one), isa_of(other)) != 0) {
            pairs->foreign = true;
        } else if ((known->subject && !known->has_truth && !repeat_program_shows(known, "M11")) ||
                   cell_has_tasks(pair.cell) || cell_has_tasks(pair.rival)) {
            pairs->varied++; /* is made to */
        } else if (status != kept_status(pair.rival) ||
                   (wrote && wrote_too && !wrote_alike(wrote, wrote_too))) {
            pairs->otherwise++;
        } else if (isnan(pair.relative.percent)) {
            continue;
        } else {
            pairs->compared++;
            pairs->same += pair.one->min == pair.one->max && pair.other->min == pair.other->max &&
                           pair.one->min == pair.other->min;
            pairs->emulated |= one->emulated || other->emulated;
            if (!pairs->worst.one || says_more(&pair.relative, &pairs->worst.relative))
                pairs->worst = pair;
        }
        return;
    }
}

/* M11 */
static void rule_machines(const struct claim *claim, const void *context, struct finding *finding)
{
    const struct repeat_facts *facts = context;
    (void)claim;
    struct pairs pairs = {0};
    for (size_t program = 0; program < facts->file->program_count; program++) {
        const size_t before = pairs.compared;
        for (size_t one = 0; one < facts->file->machine_count; one++)
            for (size_t other = one + 1; other < facts->file->machine_count; other++)
                compare(facts, program, one, other, &pairs);
        pairs.programs += pairs.compared > before;
    }
    if (!pairs.compared) {
        BECAUSE(finding, facts->file->machine_count < 2 ? SAYS_ONE_MACHINE
                         : pairs.twice                  ? SAYS_SAME_MACHINE
                         : pairs.foreign                ? SAYS_FOREIGN
                         : pairs.otherwise              ? SAYS_UNLIKE
                         : pairs.varied                 ? SAYS_MADE_TO_VARY
                                                        : SAYS_NOT_ON_TWO);
        return;
    }
    const struct pair *worst = &pairs.worst;
    const struct relative *relative = &worst->relative;
    const struct estimate estimate =
        estimate_within(relative->percent, relative->low, relative->high, PAPER_BETWEEN);
    estimate_report(&estimate, finding);
    BECAUSE(finding, SAYS_FARTHEST, program_of_cell(facts, worst->cell), worst->cell->source,
            facts->file->machines[worst->cell->at.machine].name,
            facts->file->machines[worst->rival->at.machine].name, relative->percent, relative->low,
            relative->high);
    BECAUSE(finding, SAYS_PAIRS, pairs.same, pairs.compared, pairs.programs);
    if (pairs.emulated)
        BECAUSE(finding, SAYS_EMULATED);
    if (pairs.otherwise)
        BECAUSE(finding, SAYS_LEFT_OUT, pairs.otherwise);
    if (relative->percent > 0 && finding->verdict != FINDING_HOLDS)
        BECAUSE(finding, SAYS_BY_NAME);
}

/* --- the claims --- */

static const struct otherwise rounding = {"rounding-x87", "rounding-sse",  "rounding-endless",
                                          SAYS_NOT_WIDTH, SAYS_NO_DOUBLES, SAYS_NO_ROUNDING};
static const struct otherwise layout = {"address-hash",     "loop",       NULL,
                                        SAYS_NOT_ADDRESSES, SAYS_NO_LOOP, SAYS_NO_HASH};
static const enum disturbance fault = DISTURBANCE_FAULT, interrupt = DISTURBANCE_INTERRUPT;

static const struct claim claims[REPEAT_FINDINGS] = {
    {"M1", "held constant what can be, counts of one program hardly vary from run to run",
     "variation of up to 1.07 % falls below 0.002 % for every program", "%", rule_controlled, false,
     NULL},
    {"M2", "some CPUs count some opcodes more than once", "fldcw as two instructions on Pentium 4",
     "instructions", rule_opcodes, false, NULL},
    {"M3", "address randomisation changes counts of programs that hash addresses",
     "perl and parser count differently in every run", "%", rule_addresses, false, NULL},
    {"M4", "the size of the environment changes counts",
     "perl counts differently with other variables; 422 bytes are used everywhere", "%",
     rule_environment, false, NULL},
    {"M5", "where the stack lies changes counts of 32-bit programs",
     "32-bit programs count differently under 64-bit kernels", "%", rule_stack, false, NULL},
    {"M6", "counts grow by one for each page fault", "one for each page that is touched first",
     "instructions", rule_disturbance, false, &fault},
    {"M7", "counts grow with timer interrupts", "one for each interrupt", "instructions",
     rule_disturbance, false, &interrupt},
    {"M8", "Valgrind and QEMU count every iteration of repeated string instructions",
     "up to 21.7 % too many", "%", rule_repetitions, false, NULL},
    {"M9", "tools that compute floating point in another width take another path",
     "art ends early, dealII never", "%", rule_by_tools, false, &rounding},
    {"M10", "tools move memory, and so change counts", "parser under Pin is an outlier", "%",
     rule_by_tools, false, &layout},
    {"M11", "controlled, one binary counts the same on different machines",
     "consistent over nine machines of one instruction set", "%", rule_machines, false, NULL},
};

static void say_nothing_shows(const void *facts, const enum finding_verdict *verdicts,
                              struct finding *finding)
{
    (void)facts, (void)verdicts;
    if (!finding->why.count)
        BECAUSE(finding, SAYS_NOTHING_SHOWS);
}

void repeat_judge_findings(const struct repeat_case *file, struct repeat_report *report)
{
    struct repeat_facts facts = {file, report};
    const struct claiming claiming = {.paper = "weaver-mckee-trust",
                                      .claims = claims,
                                      .count = REPEAT_FINDINGS,
                                      .facts = &facts,
                                      .after = say_nothing_shows};
    findings_judge(&claiming, report->findings);
}
