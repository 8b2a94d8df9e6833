/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Z2: a counter read in user mode against one read by a system call, in user+kernel mode, which is
 * where a system call costs; and the same path in both modes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/error/findings.h"
#include "judge/note.h"

/* "Cuts": by half at least. The paper's factor is 15.5. */
#define CUT 2.0
/* "Equally": within this share, or one instruction. */
#define EQUAL 0.05

/* The path with the smallest level of a pattern, among those that read in user mode or by a system
 * call. The others (PAPI) do either, as they like. */
static const struct level *least_level(const struct claim_facts *facts, enum count_mode mode,
                                       enum pattern pattern, bool in_user_mode)
{
    const struct level *least = NULL;
    for (size_t i = 0; i < facts->level_count; i++) {
        const struct level *level = &facts->levels[i];
        if (level->machine == facts->machine && !level->stepped && level->mode == mode &&
            level->pattern == pattern && path_is_direct(level->path) &&
            path_reads_in_user_mode(level->path) == in_user_mode &&
            (!least || level->median < least->median))
            least = level;
    }
    return least;
}

static struct estimate cut(const struct level *call, const struct level *user)
{
    return estimate_at_least(call->median / fmax(user->median, 1), call->low / fmax(user->high, 1),
                             call->high / fmax(user->low, 1), CUT);
}

static void tell_cut(const struct level *call, const struct level *user, struct finding *finding)
{
    char slow[FIGURE_SIZE], fast[FIGURE_SIZE];
    finding_clause(finding, "%s in user+kernel mode: %s by a system call (%.40s), %s by %.40s",
                   pattern_descriptions[user->pattern], figure_of(call->median, slow), call->path,
                   figure_of(user->median, fast), user->path);
}

/* Does the path err equally in both modes? Untestable where it has one only. */
static struct estimate compare_modes(const struct claim_facts *facts, const struct level *both,
                                     struct finding *finding)
{
    const struct level *user = level_find(facts, false, COUNT_USER, both->path, both->pattern);
    if (!user) {
        finding_clause(finding, "user mode was not measured to compare");
        return (struct estimate){.verdict = FINDING_UNTESTABLE};
    }
    double most = fmax(1, EQUAL * user->median);
    struct estimate equal = estimate_within(both->median - user->median, both->low - user->high,
                                            both->high - user->low, most);
    char words[FIGURE_SIZE];
    finding_clause(finding, "user mode alone %s, which is %s", figure_of(user->median, words),
                   equal.verdict == FINDING_HOLDS   ? "the same"
                   : equal.verdict == FINDING_FAILS ? "not the same"
                                                    : "not surely the same");
    return equal;
}

static void tell_why_not(const struct claim_facts *facts, bool has_user, struct finding *finding)
{
    char why[NOTE_SIZE];
    bool any = false;
    for (size_t i = 0; i < facts->level_count; i++)
        any = any || (facts->levels[i].machine == facts->machine && !facts->levels[i].stepped &&
                      facts->levels[i].mode == COUNT_BOTH);
    if (!any)
        why_no_instructions(facts->file, COUNT_BOTH, why, sizeof(why));
    else if (!has_user)
        why_no_path(facts->file, "perf-user", why, sizeof(why));
    else
        snprintf(why, sizeof(why), "no path that reads by a system call was measured beside it");
    finding_clause(finding, "%s", why);
    if (!any)
        finding_clause(finding, "what a system call costs shows in user+kernel mode only");
}

void rule_user_reads(const struct claim_facts *facts, struct finding *finding)
{
    static const enum pattern reading[] = {PATTERN_RR, PATTERN_RO, PATTERN_AR};
    bool decided = false, has_user = false;
    for (size_t i = 0; i < sizeof(reading) / sizeof(reading[0]); i++) {
        const struct level *user = least_level(facts, COUNT_BOTH, reading[i], true);
        const struct level *call = least_level(facts, COUNT_BOTH, reading[i], false);
        has_user = has_user || user;
        if (!user || !call)
            continue;
        tell_cut(call, user, finding);
        if (decided)
            continue;
        decided = true;
        struct estimate less = cut(call, user);
        struct estimate equal = compare_modes(facts, user, finding);
        estimate_report(&less, finding);
        if (verdict_graver(equal.verdict, less.verdict))
            finding->verdict = equal.verdict;
    }
    if (!decided)
        tell_why_not(facts, has_user, finding);
}
