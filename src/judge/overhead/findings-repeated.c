/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * W5: reads in a row from the first of a process on. Positions are put together in blocks that
 * double, 1, 2, 3-4, 5-8 ...: what rises or falls over them is no chance of one position. */
#include "judge/overhead/findings.h"

/* "Cheaper": by a tenth at least. */
#define CHEAPER 0.9
/* "Not simply": a later block is dearer than one before it, by this at least. */
#define DEARER 1.05
#define BLOCKS 6

struct row_of_reads {
    const char *operation, *link;
    struct cost blocks[BLOCKS]; /* the mean of positions: 1, 2, 3-4, 5-8, 9-16, 17-32 */
    size_t count;               /* that are whole, from the first on */
};

static const char *const links[] = {"static", "bind-now", "lazy"};

static struct cost block_cost(const struct overhead_facts *facts, const char *link,
                              const char *operation, uint32_t first, uint32_t last)
{
    struct cost sum = {0};
    for (uint32_t position = first; position <= last; position++) {
        struct cost cost =
            cold_cost(facts, link, operation, position, position > 1 ? operation : NULL);
        if (!cost_is_known(&cost))
            return (struct cost){0};
        sum = position == first ? cost : cost_plus(sum, cost);
    }
    return cost_times(sum, 1 / (double)(last - first + 1));
}

static struct row_of_reads reads_in_a_row(const struct overhead_facts *facts, const char *operation)
{
    struct row_of_reads longest = {.operation = operation};
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        struct row_of_reads row = {.operation = operation, .link = links[i]};
        for (uint32_t first = 1, last = 1; row.count < BLOCKS; first = last + 1, last *= 2) {
            row.blocks[row.count] = block_cost(facts, links[i], operation, first, last);
            if (!cost_is_known(&row.blocks[row.count]))
                break;
            row.count++;
        }
        if (row.count > longest.count)
            longest = row;
    }
    return longest;
}

static const struct cost *last_block(const struct row_of_reads *row)
{
    return &row->blocks[row->count - 1];
}

/* Fewer say nothing of what comes of repeating. */
static bool is_long(const struct row_of_reads *row)
{
    return row->count >= 3;
}

static void tell_row(const struct overhead_facts *facts, const struct row_of_reads *row,
                     const char *name, struct finding *finding)
{
    char first[WORDS_SIZE], second[WORDS_SIZE], last[WORDS_SIZE];
    unsigned from = (1u << (row->count - 2)) + 1, to = 1u << (row->count - 1);
    finding_clause(finding, "%s: the first costs %s %s, the second %s, number %u to %u %s each",
                   name, cost_words(row->blocks[0].value, first), meter_unit_names[facts->unit],
                   cost_words(row->blocks[1].value, second), from, to,
                   cost_words(last_block(row)->value, last));
}

/* The gravest rise from an earlier block after the first to a later one. */
static struct ratio largest_rise(const struct overhead_facts *facts, const struct row_of_reads *row)
{
    struct ratio largest = {.estimate = {.verdict = FINDING_FAILS}};
    bool found = false;
    for (size_t early = 1; early < row->count; early++)
        for (size_t late = early + 1; late < row->count; late++) {
            struct ratio rise =
                ratio_at_least(facts, &row->blocks[late], &row->blocks[early], DEARER);
            bool sure = rise.estimate.verdict == FINDING_HOLDS;
            bool was_sure = largest.estimate.verdict == FINDING_HOLDS;
            bool open = rise.estimate.verdict == FINDING_INCONCLUSIVE;
            bool was_open = largest.estimate.verdict == FINDING_INCONCLUSIVE;
            bool same = sure == was_sure && open == was_open;
            if (!found || (sure && !was_sure) || (open && !was_sure && !was_open) ||
                (same && rise.estimate.value > largest.estimate.value))
                largest = rise;
            found = true;
        }
    return largest;
}

/* "Not simply cheaper": not cheaper at all, or dearer again. */
static struct ratio judge_calls(const struct overhead_facts *facts, const struct row_of_reads *row,
                                struct finding *finding)
{
    struct ratio fall = ratio_below(facts, last_block(row), &row->blocks[0], CHEAPER);
    struct ratio rise = largest_rise(facts, row);
    char words[WORDS_SIZE];
    if (rise.estimate.verdict == FINDING_HOLDS) {
        finding_clause(finding, "some of them are dearer again than earlier ones, %s times",
                       ratio_words(rise.estimate.value, words));
        return rise;
    }
    struct ratio whole = fall;
    if (fall.estimate.verdict == FINDING_FAILS) {
        whole.estimate.verdict = FINDING_HOLDS;
        finding_clause(finding, "so repeating it saves nothing");
    } else if (fall.estimate.verdict == FINDING_HOLDS && rise.estimate.verdict == FINDING_FAILS) {
        whole.estimate.verdict = FINDING_FAILS;
        finding_clause(finding, "so it does simply get cheaper, and stays so");
    } else {
        whole.estimate.verdict = FINDING_INCONCLUSIVE;
    }
    return whole;
}

static bool tell_untimed(const struct overhead_facts *facts, struct finding *finding)
{
    if (facts->has_unit && unit_is_time(facts->unit))
        return false;
    if (facts->file->machine_count > facts->machine &&
        facts->file->machines[facts->machine].emulated)
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
    struct row_of_reads user = reads_in_a_row(facts, "perf-user.read");
    struct row_of_reads call = reads_in_a_row(facts, "perf-read.read");
    struct ratio by_user = {.estimate = {.verdict = FINDING_UNTESTABLE}}, by_call = by_user;
    if (is_long(&user)) {
        by_user = ratio_below(facts, last_block(&user), &user.blocks[0], CHEAPER);
        tell_row(facts, &user, "reads in user code", finding);
    }
    if (is_long(&call)) {
        tell_row(facts, &call, "read()", finding);
        by_call = judge_calls(facts, &call, finding);
    }
    bool calls_decide = verdict_graver(by_call.estimate.verdict, by_user.estimate.verdict);
    struct ratio *decides = calls_decide ? &by_call : &by_user;
    if (decides->estimate.verdict != FINDING_UNTESTABLE)
        estimate_report(&decides->estimate, finding);
    tell_open(decides, finding);
    if (!is_long(&call))
        tell_absent(facts, "perf-read.read", finding);
    if (!is_long(&user)) {
        char why[WHY_SIZE];
        why_not_called(facts, "perf-user.read", why, sizeof(why));
        finding_clause(finding,
                       is_long(&call) ? "the half about user code is not tested: %s" : "%s", why);
    }
}
