/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the paper claims, M1 to M11, as data; and what the rules share. Those that programs of the
 * kit show are decided beside (findings-subjects.c). */
#include "judge/repeat/findings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "judge/repeat/limits.h"

struct repeat_claim {
    const char *id, *text, *figure, *unit;
    repeat_rule *rule; /* NULL: subjects decide */
};
static const struct repeat_claim claims[REPEAT_FINDINGS] = {
    {"M1", "held constant what can be, counts of one program hardly vary from run to run",
     "variation of up to 1.07 % falls below 0.002 % for every program", "%", rule_controlled},
    {"M2", "some CPUs count some opcodes more than once", "fldcw as two instructions on Pentium 4",
     "instructions", NULL},
    {"M3", "address randomisation changes counts of programs that hash addresses",
     "perl and parser count differently in every run", "%", rule_addresses},
    {"M4", "the size of the environment changes counts",
     "perl counts differently with other variables; 422 bytes are used everywhere", "%",
     rule_environment},
    {"M5", "where the stack lies changes counts of 32-bit programs",
     "32-bit programs count differently under 64-bit kernels", "%", NULL},
    {"M6", "counts grow by one for each page fault", "one for each page that is touched first",
     "instructions", NULL},
    {"M7", "counts grow with timer interrupts", "one for each interrupt", "instructions", NULL},
    {"M8", "Valgrind and QEMU count every iteration of repeated string instructions",
     "up to 21.7 % too many", "%", NULL},
    {"M9", "tools that compute floating point in another width take another path",
     "art ends early, dealII never", "%", NULL},
    {"M10", "tools move memory, and so change counts", "parser under Pin is an outlier", "%", NULL},
    {"M11", "controlled, one binary counts the same on different machines",
     "consistent over nine machines of one instruction set", "%", rule_machines},
};

static struct finding blank(const struct repeat_claim *claim)
{
    struct finding finding = {.id = claim->id,
                              .claim = claim->text,
                              .paper = "weaver-mckee-trust",
                              .verdict = FINDING_UNTESTABLE,
                              .unit = claim->unit};
    snprintf(finding.figure, sizeof(finding.figure), "%s", claim->figure);
    return finding;
}

int repeat_judge_findings(const struct repeat_case *file, uint64_t seed,
                          struct repeat_report *report)
{
    const struct repeat_facts facts = {file, report};
    (void)seed;
    for (size_t i = 0; i < REPEAT_FINDINGS; i++)
        report->findings[i] = blank(&claims[i]);
    for (size_t i = 0; i < REPEAT_FINDINGS; i++)
        if (claims[i].rule && claims[i].rule(&facts, &report->findings[i]) < 0)
            return -ENOMEM;
    const int error = repeat_judge_subject_findings(file, report);
    for (size_t i = 0; !error && i < REPEAT_FINDINGS; i++)
        if (!report->findings[i].reason[0])
            finding_clause(&report->findings[i], "no program that shows it was counted");
    return error;
}

/* --- what rules share --- */

/* The value that chi squared exceeds with probability tail. */
static double chi_squared_upper(double tail, double df)
{
    double low = 0, high = 1;
    while (chi_squared_p(high, df) > tail && high < 1e12)
        high *= 2;
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        if (chi_squared_p(middle, df) > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}

struct relative relative_of(double stdev, size_t runs, double mean)
{
    if (runs < 2 || !(mean > 0) || !(stdev >= 0))
        return (struct relative){(double)NAN, 0, INFINITY};
    const double each = 100 / mean;
    if (!(stdev > 0))
        return (struct relative){0, 0, each / sqrt((double)runs)};
    const double df = (double)runs - 1;
    return (struct relative){each * stdev, each * stdev * sqrt(df / chi_squared_upper(.025, df)),
                             each * stdev * sqrt(df / chi_squared_upper(.975, df))};
}

struct relative relative_row(const struct repeat_row *row)
{
    return relative_of(row->stdev, row->runs, row->mean);
}

const struct repeat_cell *cell_of_row(const struct repeat_facts *facts, size_t row)
{
    return &facts->file->cells[facts->report->rows[row].cell];
}

const char *program_of_cell(const struct repeat_facts *facts, const struct repeat_cell *cell)
{
    return facts->file->programs[cell->program].name;
}

bool cell_has_tasks(const struct repeat_cell *cell)
{
    for (size_t i = 0; i < cell->runs; i++)
        if (cell->list[i].tasks > 1)
            return true;
    return false;
}

void relative_report(const struct relative *relative, enum finding_verdict verdict,
                     struct finding *finding)
{
    /* As for every estimate: shifted by its detectable effect, four of five intervals show it. */
    struct estimate estimate = estimate_within(relative->percent, relative->low, relative->high, 0);
    estimate.verdict = verdict;
    estimate_report(&estimate, finding);
}
