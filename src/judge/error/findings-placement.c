/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Z10: what the place of a loop's code does to its time, and whether pattern or optimisation level
 * alone would explain as much. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/error/findings.h"
#include "judge/note.h"

/* The smallest factor between whole numbers of cycles that the paper saw: 3 to 2. */
#define FACTOR 1.5
/* A factor alone explains what it takes four fifths of. */
#define EXPLAINS 0.8
/* Half of the places within a line of 64 bytes: where a loop is slow in one place of ten, fewer
 * than so many may all be quick by chance. */
#define ENOUGH_PLACES 32u

/* Cycles are what the claim speaks of; ticks and ns of an otherwise idle CPU follow them. */
static int preference(const struct claim_facts *facts, const struct error_placement *placement)
{
    const char *class = event_class(facts->file, placement->event);
    return class && strcmp(class, "cycles") == 0 ? 2 : placement->places > 0 ? 1 : 0;
}

static const struct error_placement *choose(const struct claim_facts *facts)
{
    const struct error_placement *best = NULL;
    for (size_t i = 0; i < facts->report->placement_count; i++) {
        const struct error_placement *placement = &facts->report->placements[i];
        if (placement->machine != facts->machine || !placement->is_time || placement->places < 2)
            continue;
        int better = best ? preference(facts, placement) - preference(facts, best) : 1;
        if (better > 0 || (better == 0 && placement->factor > best->factor))
            best = placement;
    }
    return best;
}

static const struct error_placement *choose_windows(const struct claim_facts *facts)
{
    const struct error_placement *best = NULL;
    for (size_t i = 0; i < facts->report->placement_count; i++) {
        const struct error_placement *placement = &facts->report->placements[i];
        if (placement->machine == facts->machine && placement->is_time && placement->has_windows &&
            (!best || preference(facts, placement) > preference(facts, best)))
            best = placement;
    }
    return best;
}

/* What pattern and level alone explain; untestable where windows were not measured or do not
 * differ. */
static enum finding_verdict look_at_windows(const struct claim_facts *facts,
                                            struct finding *finding)
{
    const struct error_placement *windows = choose_windows(facts);
    if (!windows) {
        finding_clause(finding, "whether pattern or level alone explain it is not tested: the loop "
                                "was not measured in several of both");
        return FINDING_UNTESTABLE;
    }
    bool alone = windows->by_pattern >= EXPLAINS || windows->by_opt >= EXPLAINS;
    if (!(windows->window_factor >= FACTOR)) {
        finding_clause(finding,
                       "in the windows of the patterns and levels the loop differs by a factor of "
                       "%.2f only (%.60s)",
                       windows->window_factor, windows->event);
        return FINDING_UNTESTABLE;
    }
    finding_clause(finding,
                   "in windows (%.60s, a factor of %.2f) pattern alone explains %.0f %%, level "
                   "alone %.0f %%, both together %.0f %% more",
                   windows->event, windows->window_factor, 100 * windows->by_pattern,
                   100 * windows->by_opt, 100 * windows->by_both);
    return alone ? FINDING_FAILS : FINDING_HOLDS;
}

void rule_placement(const struct claim_facts *facts, struct finding *finding)
{
    if (facts->machine < facts->file->machine_count &&
        facts->file->machines[facts->machine].emulated) {
        finding_clause(finding, "this machine is emulated: its times mean nothing");
        return;
    }
    const struct error_placement *placement = choose(facts);
    if (!placement) {
        finding_clause(finding, "no loop was timed at several places: neither cycles nor ticks "
                                "could be counted there");
        return;
    }
    struct estimate factor =
        estimate_at_least(placement->factor, placement->factor_low, placement->factor_high, FACTOR);
    char least[FIGURE_SIZE], most[FIGURE_SIZE];
    estimate_report(&factor, finding);
    finding_clause(finding, "%.60s for each iteration from %s to %s over %zu places",
                   placement->event, figure_of(placement->least, least),
                   figure_of(placement->most, most), placement->places);
    if (finding->verdict == FINDING_FAILS && placement->places < ENOUGH_PLACES) {
        finding->verdict = FINDING_INCONCLUSIVE;
        finding_clause(finding, "too few to say that no place is slow");
    }
    enum finding_verdict windows = look_at_windows(facts, finding);
    if (factor.verdict == FINDING_HOLDS && windows == FINDING_FAILS)
        finding->verdict = FINDING_FAILS;
}
