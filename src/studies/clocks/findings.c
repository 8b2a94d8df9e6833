/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The claims of the paper on the fidelity of counters as data, and their way through the rules:
 * what the other parts of the judge found in, findings out (docs/findings.md). */
#include "studies/clocks/judge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct clocks_claim {
    const char *id, *text, *figure, *unit;
    clocks_rule *rule;
};

static const struct clocks_claim claims[CLOCKS_FINDINGS] = {
    {"K1", "over computation, the CPU's counter and a proven clock agree",
     "durations virtually identical over Fibonacci numbers, their spread negligible", "times",
     rule_computation},
    {"K2", "over sleep, the CPU's counter reads too low and scatters",
     "significantly below the requested 20 to 160 ms, and varying (Core 2 Duo, Pentium M)", "times",
     rule_sleep},
    {"K3", "the CPU's counter is monotonic within one thread",
     "confirmed on every platform by repeated readings", "per million readings", rule_one_thread},
    {"K4",
     "the CPU's counter stays dependable with several threads and across forced changes of CPU",
     "left to future work", "ticks", rule_changes},
};

/* Counters that user code reads by one instruction. */
static const char *const counters[] = {"tsc", "cntvct", "rdtime"};
#define COUNTERS (sizeof(counters) / sizeof(*counters))

static int32_t find_counter(const struct clocks_case *file)
{
    for (size_t i = 0; i < COUNTERS; i++) {
        int index = clocks_index(file, counters[i]);
        if (index >= 0 && !file->clocks[index].external)
            return index;
    }
    return -1;
}

static void tell_no_counter(const struct clocks_case *file, struct finding *finding)
{
    finding_clause(finding, "no counter of the CPU can be read here");
    for (size_t i = 0; i < COUNTERS; i++)
        for (size_t j = 0; j < file->absence_count; j++)
            if (file->absences[j].what && strstr(file->absences[j].what, counters[i])) {
                finding_clause(finding, "%.300s", file->absences[j].reason);
                return;
            }
}

static struct finding blank(const struct clocks_claim *claim)
{
    struct finding finding = {.id = claim->id,
                              .claim = claim->text,
                              .paper = "kuperberg-fidelity",
                              .verdict = FINDING_UNTESTABLE,
                              .unit = claim->unit};
    snprintf(finding.figure, sizeof(finding.figure), "%s", claim->figure);
    return finding;
}

int clocks_judge_findings(const struct clocks_case *file, uint64_t seed,
                          struct clocks_report *report)
{
    int32_t counter = find_counter(file);
    struct clocks_facts facts = {file, report, seed, counter < 0 ? 0 : (uint32_t)counter};
    for (size_t i = 0; i < CLOCKS_FINDINGS; i++) {
        struct finding *finding = &report->findings[i];
        *finding = blank(&claims[i]);
        if (file->emulated)
            finding_clause(finding, "the machine is emulated: a program makes its counter, and "
                                    "what that shows says nothing of a CPU's");
        else if (counter < 0)
            tell_no_counter(file, finding);
        else if (claims[i].rule(&facts, finding) < 0)
            return -ENOMEM;
    }
    return 0;
}
