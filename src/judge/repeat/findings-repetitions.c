/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Repeated string instructions (M8): what a tool counts by itself against each of them once. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/note.h"
#include "judge/repeat/findings-subjects.h"
#include "judge/repeat/kept.h"
#include "stats/moments.h"

/* The largest excess of a tool, over programs of one kind. */
struct excess {
    struct apart apart;
    const char *program;
    size_t programs, last; /* how many; the last of them */
};
struct by_tool {
    const char *tool;
    struct excess subject, real;
};

/* Both counts are of the same executions: what one has more than the other is taken run by run,
 * however much the program itself varies. */
static int excess_of(const struct repeat_cell *cell, uint32_t once, uint32_t every,
                     struct apart *apart)
{
    AUTO_KEPT struct kept kept = {0};
    *apart = (struct apart){0};
    if (kept_counts(cell, once, &kept) < 0)
        return -ENOMEM;
    if (kept.count < 2)
        return 0;
    const double mean = kept_mean(&kept);
    AUTO_FREE double *more = calloc(kept.count, sizeof(*more));
    if (!more)
        return -ENOMEM;
    for (size_t i = 0; i < kept.count; i++) {
        const uint64_t *counts = &cell->counts[kept.runs[i] * cell->events];
        more[i] = counts[every] >= counts[once] ? (double)(counts[every] - counts[once])
                                                : -(double)(counts[once] - counts[every]);
    }
    const struct moments moments = moments_of(more, kept.count);
    apart_paired(&moments, kept.count, mean, apart);
    return 0;
}

static int look(const struct repeat_facts *facts, const struct repeat_cell *cell,
                struct by_tool *found)
{
    char plain[64], raw[64];
    snprintf(plain, sizeof(plain), "%s/instructions/", cell->source);
    snprintf(raw, sizeof(raw), "%s/instructions-raw/", cell->source);
    const int once = repeat_event(cell, plain), every = repeat_event(cell, raw);
    if (once < 0 || every < 0)
        return 0;
    const struct repeat_program *program = &facts->file->programs[cell->program];
    struct apart apart;
    if (excess_of(cell, (uint32_t)once, (uint32_t)every, &apart) < 0)
        return -ENOMEM;
    /* A subject that was not made for it has hardly any, and says nothing of real programs. */
    const bool made = program->subject && repeat_program_shows(program, "M8");
    struct excess *excess = made ? &found->subject : &found->real;
    if (!apart.known || (program->subject && !made))
        return 0;
    excess->programs += !excess->programs || excess->last != cell->program;
    excess->last = cell->program;
    if (apart_larger(&apart, &excess->apart)) {
        excess->apart = apart;
        excess->program = program->name;
    }
    return 0;
}

static int look_at_tool(const struct repeat_facts *facts, struct by_tool *found)
{
    const struct repeat_case *file = facts->file;
    for (size_t program = 0; program < file->program_count; program++)
        for (size_t i = 0; i < file->cell_count; i++) {
            const struct repeat_cell *cell = &file->cells[i];
            if (cell->program == program && strcmp(cell->source, found->tool) == 0 &&
                cell->sweep == SWEEP_NONE && cell->detail == DETAIL_NONE && !never_ended(cell) &&
                look(facts, cell, found) < 0)
                return -ENOMEM;
        }
    return 0;
}

static void tell(const struct by_tool *found, struct finding *finding)
{
    if (found->subject.apart.known)
        finding_clause(finding, "%s counts %s instructions in %.48s instead of %s", found->tool,
                       FIGURE(found->subject.apart.to), found->subject.program,
                       FIGURE(found->subject.apart.from));
    if (found->real.apart.known)
        finding_clause(finding, "by %s up to %s %% too many in %zu other program%s (%.48s)",
                       found->tool, ROUNDED(found->real.apart.percent, 3), found->real.programs,
                       found->real.programs == 1 ? "" : "s", found->real.program);
}

int rule_repetitions(const struct repeat_facts *facts, struct finding *finding)
{
    struct apart real = {0}, subject = {0};
    size_t tools = 0, counting = 0, not_counting = 0;
    for (const char *const *tool = repeat_tools; *tool; tool++) {
        struct by_tool found = {.tool = *tool};
        if (look_at_tool(facts, &found) < 0)
            return -ENOMEM;
        tools += found.subject.apart.known || found.real.apart.known;
        counting += found.subject.apart.differs || found.real.apart.differs;
        /* A program without such instructions proves nothing. */
        not_counting += found.subject.apart.known && !found.subject.apart.differs;
        if (apart_larger(&found.real.apart, &real))
            real = found.real.apart;
        if (apart_larger(&found.subject.apart, &subject))
            subject = found.subject.apart;
        tell(&found, finding);
    }
    if (tools == 0) {
        finding_clause(finding,
                       "neither Valgrind nor QEMU counted, with and without repetitions, a real "
                       "program or the subject that is made of them; only x86 has any");
        return 0;
    }
    const enum finding_verdict verdict = counting && !not_counting   ? FINDING_HOLDS
                                         : not_counting && !counting ? FINDING_FAILS
                                                                     : FINDING_INCONCLUSIVE;
    apart_report(real.differs || !subject.known ? &real : &subject, verdict, finding);
    if (verdict == FINDING_INCONCLUSIVE)
        finding_clause(finding, counting ? "not every tool does"
                                         : "no program with such instructions was counted");
    return 0;
}
