/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The claims of the paper on the accuracy of counter measurements as data, and their way through
 * the rules: what the other parts of the judge found in, findings out (docs/findings.md). */
#include "judge/error/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct error_claim {
    const char *id, *text, *figure, *unit;
    error_rule *rule;
    bool each_machine; /* asked of one machine after the other; the gravest answer decides */
};

static const struct error_claim claims[ERROR_FINDINGS] = {
    {"Z1", "the error of an empty window spreads widely over the ways to measure it",
     "near 0 to over 2,500 instructions in user mode, to over 10,000 in user+kernel mode", "times",
     rule_spread, true},
    {"Z2",
     "reading in user mode cuts the error of patterns that read, and errs equally in user and "
     "user+kernel mode",
     "read-read from 1,698 to 109.5 instructions, a factor of 15.5", "times", rule_user_reads,
     true},
    {"Z3",
     "more counters bring more error for read-read in user+kernel mode, and none in user mode",
     "573 instructions with one counter, 909 with four: 112 for each further one",
     "instructions a counter", rule_more_counters, true},
    {"Z4", "an interface of a higher level adds error",
     "user mode: direct 37 or 67, PAPI low level 134 or 152, high level 236 instructions",
     "instructions", rule_interfaces, true},
    {"Z5", "the best pattern depends on path and mode",
     "user mode: read-read directly through perfmon, start-read through the five other ways",
     "instructions", rule_patterns, true},
    {"Z6",
     "path, pattern, number of counters and processor matter; the optimisation level does not",
     "all but the optimisation level significant, p < 2e-16", "% of the variance", rule_factors,
     false},
    {"Z7", "the error in user+kernel mode grows with the duration, whatever the path",
     "0.001 to 0.002 instructions an iteration", "instructions an iteration", rule_both_duration,
     true},
    {"Z8", "the error in user mode does not grow with the duration",
     "0.0000004 instructions an iteration", "instructions an iteration", rule_user_duration, true},
    {"Z9",
     "kernel-only counts of a loop in user code grow with the loop, as the error in user+kernel "
     "mode does",
     "0.00204 instructions an iteration in both", "instructions an iteration", rule_kernel_duration,
     true},
    {"Z10",
     "cycles of one and the same loop differ by a factor with the place of its code; neither "
     "pattern nor optimisation level alone explains it",
     "2 or 3 cycles an iteration on Athlon 64, 1.5 to 4 on Pentium D", "times", rule_placement,
     true},
};

static struct finding blank(const struct error_claim *claim)
{
    struct finding finding = {.id = claim->id,
                              .claim = claim->text,
                              .paper = "zaparanuks-accuracy",
                              .verdict = FINDING_UNTESTABLE,
                              .unit = claim->unit};
    snprintf(finding.figure, sizeof(finding.figure), "%s", claim->figure);
    return finding;
}

/* A claim about machines in general is refuted by one of them. */
static struct finding ask_each(const struct error_claim *claim, struct claim_facts *facts)
{
    const struct error_case *file = facts->file;
    struct finding gravest = blank(claim);
    size_t decided = 0;
    uint32_t decides = 0;
    for (uint32_t machine = 0; machine == 0 || machine < file->machine_count; machine++) {
        struct finding finding = blank(claim);
        facts->machine = machine;
        claim->rule(facts, &finding);
        decided += finding.verdict != FINDING_UNTESTABLE;
        if (machine == 0 || verdict_graver(finding.verdict, gravest.verdict)) {
            gravest = finding;
            decides = machine;
        }
    }
    if (file->machine_count > 1 && decided > 0)
        finding_clause(&gravest, "of %zu machines %zu can tell, and %.60s decides",
                       file->machine_count, decided,
                       file->machines[decides].name ? file->machines[decides].name : "one");
    return gravest;
}

int error_judge_findings(const struct error_case *file, struct error_report *report)
{
    struct claim_facts facts = {.file = file, .report = report};
    int error = levels_of(report, &facts.levels, &facts.level_count);
    if (error < 0)
        return error;
    for (size_t i = 0; i < ERROR_FINDINGS; i++) {
        if (claims[i].each_machine) {
            report->findings[i] = ask_each(&claims[i], &facts);
        } else {
            report->findings[i] = blank(&claims[i]);
            claims[i].rule(&facts, &report->findings[i]);
        }
    }
    free(facts.levels);
    return 0;
}
