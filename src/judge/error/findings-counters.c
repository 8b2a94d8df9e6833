/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Z3: what each further counter adds to read-read, in user+kernel mode and in user mode. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/error/findings.h"
#include "judge/note.h"

/* Less than one instruction a counter is no growth. The paper's is 112. */
#define GROWTH 1.0

struct half {
    const struct error_by_counters *by;     /* that decides; NULL: not tested */
    const struct error_by_counters *beside; /* the other path that grows most */
    struct estimate estimate;
    bool stepped;
};

/* A path that reads all counters of a group by one system call decides. One that reads each by
 * itself in user mode, or asks a library to, executes more for more counters by construction: it is
 * told beside. */
static bool decides(const struct error_by_counters *by)
{
    return path_is_direct(by->path) && !path_reads_in_user_mode(by->path) && !by->separate;
}

static struct half look_at(const struct claim_facts *facts, bool stepped, enum count_mode mode)
{
    struct half half = {.stepped = stepped};
    for (size_t i = 0; i < facts->report->by_counters_count; i++) {
        const struct error_by_counters *by = &facts->report->by_counters[i];
        const char *class = event_class(facts->file, by->event);
        if (by->machine != facts->machine || by->pattern != PATTERN_RR || by->points < 2 ||
            by->stepped != stepped || (!stepped && by->mode != mode) || !class ||
            strcmp(class, "instructions") != 0)
            continue;
        if (!decides(by)) {
            if (!by->separate && (!half.beside || by->slope > half.beside->slope))
                half.beside = by;
            continue;
        }
        struct estimate estimate = mode == COUNT_BOTH
                                       ? estimate_at_least(by->slope, by->low, by->high, GROWTH)
                                       : estimate_within(by->slope, by->low, by->high, GROWTH);
        if (!half.by || verdict_graver(estimate.verdict, half.estimate.verdict)) {
            half.by = by;
            half.estimate = estimate;
        }
    }
    return half;
}

static void tell(const struct half *half, const char *mode, struct finding *finding)
{
    const struct error_by_counters *by = half->by;
    char first[FIGURE_SIZE], last[FIGURE_SIZE], each[FIGURE_SIZE];
    size_t end = by->points - 1;
    finding_clause(finding, "%s%s: %.40s adds %s with %u counter%s, %s with %u", mode,
                   half->stepped ? ", stepped" : "", by->path, figure_of(by->medians[0], first),
                   by->counters[0], by->counters[0] == 1 ? "" : "s",
                   figure_of(by->medians[end], last), by->counters[end]);
    if (half->beside && half->beside->slope >= GROWTH)
        finding_clause(finding, "%.40s adds %s for each, in code of its own", half->beside->path,
                       figure_of(round(half->beside->slope * 10) / 10, each));
}

void rule_more_counters(const struct claim_facts *facts, struct finding *finding)
{
    struct half both = look_at(facts, false, COUNT_BOTH);
    struct half user = look_at(facts, false, COUNT_USER);
    if (!user.by)
        user = look_at(facts, true, COUNT_USER);
    if (!both.by && !user.by) {
        char why[NOTE_SIZE];
        why_no_instructions(facts->file, COUNT_BOTH, why, sizeof(why));
        finding_clause(finding, "no path that reads its counters by one system call was measured "
                                "with several numbers of them in read-read");
        finding_clause(finding, "%s", why);
        return;
    }
    bool user_decides =
        user.by && (!both.by || verdict_graver(user.estimate.verdict, both.estimate.verdict));
    estimate_report(user_decides ? &user.estimate : &both.estimate, finding);
    if (both.by)
        tell(&both, "user+kernel mode", finding);
    if (user.by)
        tell(&user, "user mode", finding);
    if (!both.by || !user.by)
        tell_untested_mode(facts, both.by ? COUNT_USER : COUNT_BOTH, finding);
}
