/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Z1: how far the null errors of all ways to measure lie apart, the largest cell against the
 * smallest, in user mode and in user+kernel mode. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/error/findings.h"
#include "judge/note.h"

/* "Widely": by an order of magnitude. The paper's figures lie seventyfold apart and more. */
#define WIDE 10.0

/* One half of the claim: a mode. */
struct half {
    bool tested, stepped;
    const struct error_row *least, *most;
    const char *path; /* of the first cell */
    size_t cells;
    unsigned patterns; /* bits */
    bool paths_differ;
    struct estimate estimate;
};

static struct half look_at(const struct claim_facts *facts, bool stepped, enum count_mode mode)
{
    struct half half = {.stepped = stepped};
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct error_row *row = &facts->report->rows[i];
        if (!row_speaks(row, facts->machine, stepped, mode))
            continue;
        if (!half.cells++) {
            half.least = half.most = row;
            half.path = row->cell->path;
        }
        half.patterns |= 1u << row->cell->pattern;
        half.paths_differ = half.paths_differ || strcmp(half.path, row->cell->path) != 0;
        if (row->later.median < half.least->later.median)
            half.least = row;
        if (row->later.median > half.most->later.median)
            half.most = row;
    }
    half.tested = half.paths_differ && (half.patterns & (half.patterns - 1)) != 0;
    if (!half.tested)
        return half;
    struct level least = level_of_row(half.least), most = level_of_row(half.most);
    /* No error at all counts as one instruction: a factor over 0 has no size. */
    half.estimate =
        estimate_at_least(most.median / fmax(least.median, 1), most.low / fmax(least.high, 1),
                          most.high / fmax(least.low, 1), WIDE);
    return half;
}

static void put_cell(const struct error_row *row, char *words, size_t size)
{
    const struct error_cell *cell = row->cell;
    char error[FIGURE_SIZE], counters[24] = "";
    if (cell->counters != 1)
        snprintf(counters, sizeof(counters), ", %u counters", cell->counters);
    snprintf(words, size, "%s (%.20s, %s, %.4s, %.10s%s)",
             figure_of((double)row->later.median, error), cell->path,
             pattern_descriptions[cell->pattern], cell->opt ? cell->opt : "",
             cell->link ? cell->link : "", counters);
}

static void tell(const struct half *half, const char *mode, struct finding *finding)
{
    char least[120], most[120], factor[FIGURE_SIZE];
    put_cell(half->least, least, sizeof(least));
    put_cell(half->most, most, sizeof(most));
    finding_clause(finding, "%s%s: from %s to %s, %s-fold over %zu cells", mode,
                   half->stepped ? ", stepped" : "", least, most,
                   figure_of(round(half->estimate.value * 10) / 10, factor), half->cells);
}

void rule_spread(const struct claim_facts *facts, struct finding *finding)
{
    struct half user = look_at(facts, false, COUNT_USER);
    if (!user.tested) {
        struct half steps = look_at(facts, true, COUNT_USER);
        user = steps.cells > 0 ? steps : user;
    }
    struct half both = look_at(facts, false, COUNT_BOTH);
    const struct half *decides = user.tested ? &user : &both;
    if (user.tested && both.tested &&
        (verdict_graver(both.estimate.verdict, user.estimate.verdict) ||
         (both.estimate.verdict == user.estimate.verdict &&
          both.estimate.value < user.estimate.value)))
        decides = &both;
    if (!decides->tested) {
        char why[NOTE_SIZE];
        why_no_instructions(facts->file, COUNT_USER, why, sizeof(why));
        if (user.cells + both.cells > 0)
            finding_clause(finding,
                           "a spread over ways to measure takes two paths and two patterns at "
                           "least, and less than that was measured");
        else
            finding_clause(finding, "no error of an empty window was counted in instructions: %s",
                           why);
        return;
    }
    estimate_report(&decides->estimate, finding);
    if (user.tested)
        tell(&user, "user mode", finding);
    else
        tell_untested_mode(facts, COUNT_USER, finding);
    if (both.tested)
        tell(&both, "user+kernel mode", finding);
    else
        tell_untested_mode(facts, COUNT_BOTH, finding);
}
