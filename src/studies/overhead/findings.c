/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The claims of the paper on the overhead of self-monitoring as data, and their way through the
 * rules: what the other parts of the judge found in, findings out (docs/findings.md). */
#include "judge/overhead/findings.h"

#include <stdio.h>
#include <string.h>

#include "judge/overhead/clock.h"

struct overhead_claim {
    const char *id, *text, *figure, *unit;
    overhead_rule *rule;
};

static const struct overhead_claim claims[OVERHEAD_FINDINGS] = {
    {"W1",
     "a program that measures itself through plain code pays several times what reading its "
     "counters in user code costs",
     "perf_event up to an order of magnitude above perfctr, which reads in user code (core2)",
     "times", rule_plain_code},
    {"W2",
     "in a lazily linked program the first call costs a large extra; static linking or inline "
     "system calls remove it",
     "reads of static and inline variants approach perfmon2's, those of dynamic ones do not",
     "times", rule_lazy_linking},
    {"W3",
     "a counter read in user code is no cheaper than read() while its page was not touched, "
     "because of the page fault",
     "no better than read() and in some cases worse; a fault takes thousands of cycles", "times",
     rule_cold_page},
    {"W4",
     "with its page populated or touched before, a read in user code costs far less than read()",
     "on par with perfctr, the cheapest of all interfaces", "times", rule_mapped_page},
    {"W5", "reads in user code get cheaper when they are repeated; read() does not simply do so",
     "reads in user code do, read() behaves in a more complex way: misses of the L1 data cache",
     "times", rule_repeated_reads},
    {"W6", "of start, stop and read, start costs most, and stop depends least on how it is called",
     "stop is not affected much by the method; start is, and perfmon2 starts far cheaper", "times",
     rule_kinds_of_calls},
    {"W7",
     "the cost grows linearly with the number of events, and slower where all share a page or a "
     "call",
     "linear on most implementations; perfctr, with one page for all events, grows slower", "times",
     rule_more_events},
};

static struct finding blank(const struct overhead_claim *claim)
{
    struct finding finding = {.id = claim->id,
                              .claim = claim->text,
                              .paper = "weaver-overhead",
                              .verdict = FINDING_UNTESTABLE,
                              .unit = claim->unit};
    snprintf(finding.figure, sizeof(finding.figure), "%s", claim->figure);
    return finding;
}

static bool is_metered(const struct overhead_report *report, uint32_t machine, enum meter_unit unit)
{
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].machine == machine && report->rows[i].meter->unit == unit)
            return true;
    return false;
}

/* Time where it is real, the finest first; else instructions. */
struct overhead_facts overhead_facts_of(const struct overhead_case *file,
                                        const struct overhead_report *report, uint32_t machine)
{
    static const enum meter_unit units[] = {METER_TICKS, METER_CYCLES, METER_NS,
                                            METER_INSTRUCTIONS};
    bool emulated = machine < file->machine_count && file->machines[machine].emulated;
    struct overhead_facts facts = {.file = file,
                                   .report = report,
                                   .machine = machine,
                                   .unit = emulated ? METER_INSTRUCTIONS : METER_TICKS};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !facts.has_unit; i++)
        if ((!emulated || units[i] == METER_INSTRUCTIONS) &&
            is_metered(report, machine, units[i])) {
            facts.unit = units[i];
            facts.has_unit = true;
        }
    for (size_t i = 0; i < report->row_count && !facts.hides; i++)
        facts.hides = report->rows[i].machine == machine &&
                      report->rows[i].meter->unit == facts.unit &&
                      overhead_misses_switches(report, &report->rows[i]);
    return facts;
}

void tell_hidden(struct finding *finding)
{
    finding_clause(finding, "the counters that meter halt while the operating system switches "
                            "others, and miss part of start and stop: --meter " OVERHEAD_CLOCK
                            " misses nothing");
}

/* With its kernel: the same machine may have been measured with several. */
static void name_machine(const struct overhead_case *file, uint32_t index, char *name, size_t size)
{
    const struct overhead_machine *machine = &file->machines[index];
    snprintf(name, size, "%.60s%s%.40s", machine->name ? machine->name : "a machine",
             machine->os && *machine->os ? ", Linux " : "", machine->os ? machine->os : "");
}

/* More are asked one by one, but not counted. */
#define MACHINES_TOLD 64

/* Which machine decided, and what every one says. */
static void tell_machines(const struct overhead_case *file, const enum finding_verdict *verdicts,
                          uint32_t decides, struct finding *finding)
{
    size_t of[4] = {0}, used = 0;
    char words[160], name[120];
    for (size_t i = 0; i < file->machine_count; i++)
        of[verdicts[i]]++;
    for (int verdict = 0; verdict < 4; verdict++)
        if (of[verdict])
            used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%s on %zu",
                                     used ? ", " : "", finding_verdict_names[verdict], of[verdict]);
    name_machine(file, decides, name, sizeof(name));
    finding_clause(finding, "on %s, one of %zu machines (%s)", name, file->machine_count, words);
}

/* What is to be known before the figures: it is never left out for want of room. */
static void tell_unit(const struct overhead_facts *facts, struct finding *finding)
{
    if (facts->unit == METER_INSTRUCTIONS)
        finding_clause(finding, "in instructions of user and kernel code, as %s",
                       facts->file->machines[facts->machine].emulated
                           ? "the machine is emulated and its times mean nothing"
                           : "no call was timed");
    const struct overhead_machine *machine = &facts->file->machines[facts->machine];
    if (facts->unit == METER_INSTRUCTIONS && machine->tick > 0)
        finding_clause(finding, "counted by its clock, %.0f a tick", machine->tick);
}

static enum finding_verdict verdict_on(const struct overhead_claim *claim,
                                       const struct overhead_facts *facts)
{
    struct finding finding = blank(claim);
    claim->rule(facts, &finding);
    return finding.verdict;
}

/* A claim about machines in general is refuted by one of them. */
static struct finding ask_each(const struct overhead_claim *claim, const struct overhead_case *file,
                               const struct overhead_report *report,
                               const struct all_reads_in_a_row *reads)
{
    struct finding finding = blank(claim);
    enum finding_verdict verdicts[MACHINES_TOLD], gravest = FINDING_UNTESTABLE;
    uint32_t decides = 0;
    if (file->machine_count == 0) {
        finding_clause(&finding, "nothing was measured");
        return finding;
    }
    for (uint32_t machine = 0; machine < file->machine_count; machine++) {
        struct overhead_facts facts = overhead_facts_of(file, report, machine);
        facts.reads = reads;
        enum finding_verdict verdict = verdict_on(claim, &facts);
        if (machine < MACHINES_TOLD)
            verdicts[machine] = verdict;
        if (verdict_graver(verdict, gravest)) {
            gravest = verdict;
            decides = machine;
        }
    }
    struct overhead_facts facts = overhead_facts_of(file, report, decides);
    facts.reads = reads;
    if (file->machine_count > 1 && file->machine_count <= MACHINES_TOLD)
        tell_machines(file, verdicts, decides, &finding);
    if (gravest != FINDING_UNTESTABLE)
        tell_unit(&facts, &finding);
    claim->rule(&facts, &finding);
    return finding;
}

int overhead_judge_findings(const struct overhead_case *file, uint64_t seed,
                            struct overhead_report *report)
{
    (void)seed; /* intervals are by ranks, and come with the rows */
    struct all_reads_in_a_row reads;
    int error = collect_reads_in_a_row(file, report, &reads);
    for (size_t i = 0; error == 0 && i < OVERHEAD_FINDINGS; i++)
        report->findings[i] = ask_each(&claims[i], file, report, &reads);
    release_reads_in_a_row(&reads);
    return error;
}
