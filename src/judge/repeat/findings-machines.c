/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Does the same binary count the same on different machines once controlled (M11)? A machine that
 * was measured twice is one machine, and machines of another instruction set run other binaries.
 * What did not do the same on both is not compared, nor is what is made to vary. */
#include <math.h>
#include <string.h>

#include "judge/note.h"
#include "judge/repeat/findings.h"
#include "judge/repeat/instructions.h"
#include "judge/repeat/kept.h"
#include "judge/repeat/limits.h"

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
        const struct repeat_cell *cell = cell_of_row(facts, i);
        if (cell->machine != machine || cell->program != program || cell->sweep != SWEEP_NONE ||
            !cell->controls || !counts_here(cell, row->event) || row->runs < 2 ||
            strcmp(cell->source, source) != 0 ||
            (like && cell->controls != facts->file->cells[like->cell].controls))
            continue;
        if (!found || __builtin_popcount(cell->controls) >
                          __builtin_popcount(facts->file->cells[found->cell].controls))
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

/* The rows that were controlled alike, and most. */
static struct pair pair_of(const struct repeat_facts *facts, size_t program, size_t one,
                           size_t other, const char *source)
{
    struct pair pair = {.one = row_of(facts, one, program, source, NULL)};
    pair.other = pair.one ? row_of(facts, other, program, source, pair.one) : NULL;
    if (pair.other)
        return pair;
    pair.other = row_of(facts, other, program, source, NULL);
    pair.one = pair.other ? row_of(facts, one, program, source, pair.other) : NULL;
    return pair;
}

/* Ended alike, and wrote the same where there is something that it usually writes. */
static bool did_the_same(const struct repeat_cell *one, const struct repeat_cell *other)
{
    const uint64_t status = kept_status(one);
    if (status != kept_status(other))
        return false;
    const struct repeat_run *wrote = kept_output(one, status),
                            *wrote_too = kept_output(other, status);
    return !wrote || !wrote_too ||
           (wrote->output_bytes == wrote_too->output_bytes &&
            wrote->output_sum == wrote_too->output_sum);
}

static bool is_made_to_vary(const struct repeat_facts *facts, const struct pair *pair)
{
    const struct repeat_program *program = &facts->file->programs[pair->cell->program];
    const bool varies =
        program->subject && !program->has_truth && !repeat_program_shows(program, "M11");
    return varies || cell_has_tasks(pair->cell) || cell_has_tasks(pair->rival);
}

/* The larger difference decides. Where there is none, a short program could not have shown a small
 * one, and is no reason to doubt what a long one shows. */
static bool says_more(const struct relative *one, const struct relative *other)
{
    if (one->percent > other->percent || one->percent < other->percent)
        return one->percent > other->percent;
    return one->percent > 0 ? one->high > other->high : one->high < other->high;
}

static void compare(const struct repeat_facts *facts, size_t program, size_t one, size_t other,
                    struct pairs *pairs)
{
    static const char *const sources[] = {"perf_event", "step"};
    const struct repeat_machine *machines = facts->file->machines;
    for (size_t i = 0; i < 2; i++) {
        struct pair pair = pair_of(facts, program, one, other, sources[i]);
        if (!pair.one || !pair.other)
            continue;
        if (strcmp(machines[one].fingerprint, machines[other].fingerprint) == 0) {
            pairs->twice = true;
            return;
        }
        if (strcmp(isa_of(&machines[one]), isa_of(&machines[other])) != 0) {
            pairs->foreign = true;
            return;
        }
        pair.cell = &facts->file->cells[pair.one->cell];
        pair.rival = &facts->file->cells[pair.other->cell];
        if (is_made_to_vary(facts, &pair)) {
            pairs->varied++;
            return;
        }
        if (!did_the_same(pair.cell, pair.rival)) {
            pairs->otherwise++;
            return;
        }
        pair.relative = difference_of(pair.one, pair.other);
        if (isnan(pair.relative.percent))
            continue;
        pairs->compared++;
        pairs->same += pair.one->min == pair.one->max && pair.other->min == pair.other->max &&
                       pair.one->min == pair.other->min;
        pairs->emulated |= machines[one].emulated || machines[other].emulated;
        if (!pairs->worst.one || says_more(&pair.relative, &pairs->worst.relative))
            pairs->worst = pair;
        return;
    }
}

static void tell_absence(const struct repeat_facts *facts, const struct pairs *pairs,
                         struct finding *finding)
{
    if (facts->file->machine_count < 2)
        finding_clause(finding, "one machine was counted; stores of others can be added");
    else if (pairs->twice)
        finding_clause(finding, "it is the same machine, measured more than once");
    else if (pairs->foreign)
        finding_clause(finding, "machines of different instruction sets run different binaries");
    else if (pairs->otherwise)
        finding_clause(finding,
                       "what was counted on two machines did not end alike there, or wrote "
                       "something else");
    else if (pairs->varied)
        finding_clause(finding,
                       "what was counted on two machines has several threads or processes, or "
                       "is a program of the kit that is made to vary");
    else
        finding_clause(finding,
                       "no program's instructions were counted, controlled alike, on two of the "
                       "machines by the hardware or by stepping");
}

static void tell(const struct repeat_facts *facts, const struct pairs *pairs,
                 struct finding *finding)
{
    const struct pair *worst = &pairs->worst;
    finding_clause(finding, "%.40s by %.15s differs most between %.60s and %.60s: %s %% [%s, %s]",
                   program_of_cell(facts, worst->cell), worst->cell->source,
                   facts->file->machines[worst->cell->machine].name,
                   facts->file->machines[worst->rival->machine].name,
                   ROUNDED(worst->relative.percent, 2), ROUNDED(worst->relative.low, 2),
                   ROUNDED(worst->relative.high, 2));
    finding_clause(finding, "%zu of %zu comparisons of %zu program%s equal in every run",
                   pairs->same, pairs->compared, pairs->programs, pairs->programs == 1 ? "" : "s");
    if (pairs->emulated)
        finding_clause(finding, "emulated machines are among them");
    if (pairs->otherwise)
        finding_clause(finding,
                       "%zu comparison%s left out, which did not end alike or wrote something else",
                       pairs->otherwise, pairs->otherwise == 1 ? "" : "s");
    if (worst->relative.percent > 0 && finding->verdict != FINDING_HOLDS)
        finding_clause(finding, "that both executed the same file is known by its name alone");
}

int rule_machines(const struct repeat_facts *facts, struct finding *finding)
{
    struct pairs pairs = {0};
    for (size_t program = 0; program < facts->file->program_count; program++) {
        const size_t before = pairs.compared;
        for (size_t one = 0; one < facts->file->machine_count; one++)
            for (size_t other = one + 1; other < facts->file->machine_count; other++)
                compare(facts, program, one, other, &pairs);
        pairs.programs += pairs.compared > before;
    }
    if (!pairs.compared) {
        tell_absence(facts, &pairs, finding);
        return 0;
    }
    const struct estimate estimate =
        estimate_within(pairs.worst.relative.percent, pairs.worst.relative.low,
                        pairs.worst.relative.high, PAPER_BETWEEN);
    estimate_report(&estimate, finding);
    tell(facts, &pairs, finding);
    return 0;
}
