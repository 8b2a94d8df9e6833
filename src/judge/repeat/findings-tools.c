/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs that take another path under a tool than on the CPU: by the width of its floating point
 * (M9), and by where it puts memory (M10). Beside each stands a program that differs from it in
 * just this, and must count the same. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "judge/note.h"
#include "judge/repeat/findings-subjects.h"

/* One subject under one tool against the CPU itself. */
struct compared {
    struct apart apart;
    bool endless; /* it ends on the CPU, and never did under the tool */
};

/* By whatever counted it there, or only executed it. */
static bool ends_on_cpu(const struct repeat_case *file, size_t machine, size_t program)
{
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        if (cell->machine == machine && cell->program == program && cell->runs &&
            (strcmp(cell->source, "perf_event") == 0 || strcmp(cell->source, "step") == 0) &&
            cell->timed_out == 0)
            return true;
    }
    return false;
}

static int compare(const struct repeat_facts *facts, const char *subject, const char *tool,
                   struct compared *compared)
{
    const struct repeat_case *file = facts->file;
    *compared = (struct compared){0};
    for (size_t machine = 0; machine < file->machine_count; machine++)
        for (size_t program = 0; subject_next(file, subject, &program); program++) {
            uint32_t here = 0, there = 0;
            const struct repeat_cell *cpu = cpu_cell(file, machine, program, &here);
            const struct repeat_cell *cell = controlled_cell(file, machine, program, tool, &there);
            struct apart apart;
            if (cell && never_ended(cell))
                compared->endless |= ends_on_cpu(file, machine, program);
            if (!cell || !cpu || never_ended(cell) || never_ended(cpu) ||
                cell->controls != cpu->controls)
                continue;
            if (apart_of(cpu, here, cell, there, &apart) < 0)
                return -ENOMEM;
            if (apart_larger(&apart, &compared->apart))
                compared->apart = apart;
        }
    return 0;
}

/* What the tools made of the subjects together. */
struct together {
    size_t tools, differing;
    size_t spoiled; /* where nothing follows: the other program differs as well, or is missing */
    struct apart largest;
};

static void decide(const struct together *all, struct finding *finding)
{
    enum finding_verdict verdict = FINDING_FAILS;
    if (all->differing)
        verdict = FINDING_HOLDS;
    else if (all->spoiled)
        verdict = FINDING_INCONCLUSIVE;
    if (all->largest.known)
        apart_report(&all->largest, verdict, finding);
    else
        finding->verdict = verdict;
}

static void tell_apart(const char *tool, const char *subject, const struct apart *apart,
                       struct finding *finding)
{
    if (apart->differs)
        finding_clause(finding, "%s executes %s instructions of %s, the CPU %s (%+.3g %%)", tool,
                       FIGURE(apart->to), subject, FIGURE(apart->from), apart->percent);
    else
        finding_clause(finding, "%s executes as many of %s as the CPU", tool, subject);
}

static void keep_largest(const struct apart *apart, struct together *all)
{
    if (apart_larger(apart, &all->largest))
        all->largest = *apart;
}

/* --- M9 --- */

static int round_by(const struct repeat_facts *facts, const char *tool, struct together *all,
                    struct finding *finding)
{
    struct compared wide, narrow, endless;
    if (compare(facts, "rounding-x87", tool, &wide) < 0 ||
        compare(facts, "rounding-sse", tool, &narrow) < 0 ||
        compare(facts, "rounding-endless", tool, &endless) < 0)
        return -ENOMEM;
    if (!wide.apart.known && !endless.apart.known && !endless.endless)
        return 0;
    all->tools++;
    if (wide.apart.known)
        tell_apart(tool, "rounding-x87", &wide.apart, finding);
    if (endless.endless)
        finding_clause(finding, "rounding-endless never ends in %s", tool);
    keep_largest(&wide.apart, all);
    if (endless.endless)
        all->differing++;
    else if (narrow.apart.differs)
        finding_clause(finding, "but doubles take another path there as well: it is not the width");
    else if (!narrow.apart.known)
        finding_clause(finding, "no program that rounds to doubles was counted to compare with");
    else
        all->differing += wide.apart.differs || endless.apart.differs;
    all->spoiled += !endless.endless && !apart_is_none(&narrow.apart);
    all->spoiled += wide.apart.known && !wide.apart.differs && !apart_is_none(&wide.apart);
    return 0;
}

int rule_rounding(const struct repeat_facts *facts, struct finding *finding)
{
    struct together all = {0};
    for (const char *const *tool = repeat_tools; *tool; tool++)
        if (round_by(facts, *tool, &all, finding) < 0)
            return -ENOMEM;
    if (all.tools)
        decide(&all, finding);
    else
        finding_clause(finding, "no tool and the CPU both executed a program that rounds in an x87 "
                                "unit, which only x86 has");
    return 0;
}

/* --- M10 --- */

static int place_by(const struct repeat_facts *facts, const char *tool, struct together *all,
                    struct finding *finding)
{
    struct compared hashing, plain;
    if (compare(facts, "address-hash", tool, &hashing) < 0 ||
        compare(facts, "loop", tool, &plain) < 0)
        return -ENOMEM;
    if (!hashing.apart.known)
        return 0;
    all->tools++;
    tell_apart(tool, "address-hash", &hashing.apart, finding);
    keep_largest(&hashing.apart, all);
    if (plain.apart.differs)
        finding_clause(finding, "but the plain loop differs as well: it is not the addresses");
    else if (!plain.apart.known)
        finding_clause(finding, "no plain loop was counted to compare with");
    else
        all->differing += hashing.apart.differs;
    all->spoiled +=
        !apart_is_none(&plain.apart) || (!hashing.apart.differs && !apart_is_none(&hashing.apart));
    return 0;
}

int rule_tool_layout(const struct repeat_facts *facts, struct finding *finding)
{
    struct together all = {0};
    for (const char *const *tool = repeat_tools; *tool; tool++)
        if (place_by(facts, *tool, &all, finding) < 0)
            return -ENOMEM;
    if (all.tools)
        decide(&all, finding);
    else
        finding_clause(finding,
                       "no tool and the CPU both executed the program that hashes addresses");
    return 0;
}
