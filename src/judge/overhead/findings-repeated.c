/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * W5: reads in a row from the first of a process on (findings-in-a-row.h). Every ratio is taken
 * within a process, so that it does not matter which level the process is on. */
#include <math.h>
#include <string.h>

#include "judge/overhead/findings.h"
#include "stats/medians.h"

/* "Cheaper": by a tenth at least. */
#define CHEAPER 0.9
/* "Not simply": a later block is dearer than one before it, by this at least. */
#define DEARER 1.05
/* Fewer say little of the next one. */
#define FEW_PROCESSES 5

/* The processes that made these reads, linked alike. */
struct readers {
    const struct overhead_facts *facts;
    uint32_t operation;
    const char *link;
    size_t processes;
    size_t count; /* of blocks that all have */
};

static bool belongs(const struct readers *readers, const struct reads_in_a_row *reads)
{
    return reads->machine == readers->facts->machine && reads->unit == readers->facts->unit &&
           reads->operation == readers->operation && strcmp(reads->link, readers->link) == 0;
}

/* What binds nothing at its first call, first; fewer than three blocks say nothing of repeating. */
static struct readers readers_of(const struct overhead_facts *facts, const char *operation)
{
    static const char *const links[] = {"static", "bind-now", "lazy"};
    int index = overhead_operation_index(facts->file, operation);
    for (size_t i = 0; index >= 0 && i < sizeof(links) / sizeof(links[0]); i++) {
        struct readers readers = {
            .facts = facts, .operation = (uint32_t)index, .link = links[i], .count = READ_BLOCKS};
        for (size_t j = 0; j < facts->reads->count; j++) {
            const struct reads_in_a_row *reads = &facts->reads->list[j];
            if (!belongs(&readers, reads))
                continue;
            readers.processes++;
            readers.count = reads->count < readers.count ? reads->count : readers.count;
        }
        if (readers.processes && readers.count >= 3)
            return readers;
    }
    return (struct readers){0};
}

/* Of a block, or of its ratio to another one; over processes. */
static struct overhead_median median_of(const struct readers *readers, size_t block,
                                        const size_t *over)
{
    const struct all_reads_in_a_row *all = readers->facts->reads;
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        if (belongs(readers, &all->list[i])) {
            const double *blocks = all->list[i].blocks;
            all->scratch[count++] = over ? blocks[block] / fmax(blocks[*over], 1) : blocks[block];
        }
    return overhead_median_of(all->scratch, count);
}

static struct estimate judge_ratio(const struct readers *readers, size_t late, size_t early,
                                   double mark, bool below)
{
    struct overhead_median ratio = median_of(readers, late, &early);
    struct estimate estimate = below ? estimate_below(ratio.median, ratio.low, ratio.high, mark)
                                     : estimate_at_least(ratio.median, ratio.low, ratio.high, mark);
    if (readers->processes < FEW_PROCESSES)
        estimate.verdict = FINDING_INCONCLUSIVE;
    return estimate;
}

static void tell_reads(const struct readers *readers, const char *name, struct finding *finding)
{
    char first[WORDS_SIZE], second[WORDS_SIZE], last[WORDS_SIZE];
    size_t end = readers->count - 1;
    finding_clause(finding, "%s: the first costs %s %s, the second %s, number %u to %u %s each",
                   name, cost_words(median_of(readers, 0, NULL).median, first),
                   meter_unit_names[readers->facts->unit],
                   cost_words(median_of(readers, 1, NULL).median, second), (1u << (end - 1)) + 1,
                   1u << end, cost_words(median_of(readers, end, NULL).median, last));
    if (readers->processes < FEW_PROCESSES)
        finding_clause(finding, "too few processes were measured to tell");
}

/* Surely dearer, perhaps, or not. */
static int weight_of(const struct estimate *rise)
{
    return rise->verdict == FINDING_HOLDS ? 2 : rise->verdict == FINDING_INCONCLUSIVE;
}

/* From an earlier block after the first to a later one: the surest, and of these the largest. */
static struct estimate largest_rise(const struct readers *readers)
{
    struct estimate largest = {.verdict = FINDING_FAILS};
    for (size_t early = 1; early < readers->count; early++)
        for (size_t late = early + 1; late < readers->count; late++) {
            struct estimate rise = judge_ratio(readers, late, early, DEARER, false);
            int heavier = weight_of(&rise) - weight_of(&largest);
            if (heavier > 0 || (heavier == 0 && rise.value > largest.value))
                largest = rise;
        }
    return largest;
}

/* "Not simply cheaper": not cheaper at all, or dearer again. */
static struct estimate judge_calls(const struct readers *readers, struct finding *finding)
{
    struct estimate fall = judge_ratio(readers, readers->count - 1, 0, CHEAPER, true);
    struct estimate rise = largest_rise(readers);
    char words[WORDS_SIZE];
    if (rise.verdict == FINDING_HOLDS) {
        finding_clause(finding, "some of them are dearer again than earlier ones, %s times",
                       ratio_words(rise.value, words));
        return rise;
    }
    struct estimate whole = fall;
    if (fall.verdict == FINDING_FAILS) {
        whole.verdict = FINDING_HOLDS;
        finding_clause(finding, "so repeating it saves nothing");
    } else if (fall.verdict == FINDING_HOLDS && rise.verdict == FINDING_FAILS) {
        whole.verdict = FINDING_FAILS;
        finding_clause(finding, "so it does simply get cheaper, and stays so");
    } else {
        whole.verdict = FINDING_INCONCLUSIVE;
        finding_clause(finding, "processes differ too much to tell whether it gets dearer again");
    }
    return whole;
}

static bool tell_untimed(const struct overhead_facts *facts, struct finding *finding)
{
    if (facts->has_unit && unit_is_time(facts->unit))
        return false;
    if (facts->file->machines[facts->machine].emulated)
        finding_clause(finding, "this machine is emulated: it has no caches that repeated reads "
                                "could fill, and its times mean nothing");
    else
        finding_clause(finding, "no call was timed, and counts of instructions do not show what "
                                "caches do");
    return true;
}

void rule_repeated_reads(const struct overhead_facts *facts, struct finding *finding)
{
    if (tell_untimed(facts, finding))
        return;
    struct readers user = readers_of(facts, "perf-user.read");
    struct readers call = readers_of(facts, "perf-read.read");
    struct estimate by_user = {.verdict = FINDING_UNTESTABLE}, by_call = by_user;
    if (user.processes) {
        by_user = judge_ratio(&user, user.count - 1, 0, CHEAPER, true);
        tell_reads(&user, "reads in user code", finding);
    }
    if (call.processes) {
        tell_reads(&call, "read()", finding);
        by_call = judge_calls(&call, finding);
    }
    bool calls_decide = verdict_graver(by_call.verdict, by_user.verdict);
    if (user.processes || call.processes)
        estimate_report(calls_decide ? &by_call : &by_user, finding);
    if (!call.processes)
        tell_absent(facts, "perf-read.read", finding);
    if (!user.processes) {
        char why[WHY_SIZE];
        why_not_called(facts, "perf-user.read", why, sizeof(why));
        finding_clause(finding,
                       call.processes ? "the half about user code is not tested: %s" : "%s", why);
    }
}
