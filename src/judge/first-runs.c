/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs of a process that are not alike. Counts that arrive late, or a counter that must be warmed
 * up: the first run differs from the others; one such run in a hundred would pass for a stray. A
 * counter that is not set back, or drifts: every run has more than the one before. */
#include <math.h>

#include "studies/validate/judge.h"
#include "judge/explain.h"
#include "judge/points.h"

#define PROCESSES_LEAST 4
#define MOSTLY          0.8
#define RISING_LEAST    5    /* runs in turn: by chance they stand so once in 120 times */
#define DRIFT_TRUTH     1000 /* from which on drifts are looked for */

/* The runs of one process, from `start`; how many. */
static size_t stretch_of(const struct point *point, size_t start)
{
    size_t end = start;
    while (end < point->run_count && point->runs[end].process == point->runs[start].process)
        end++;
    return end - start;
}

/* The runs after the first lie in [low, high]. false: too few of them. */
static bool range_of_rest(const struct judged_point *judged, size_t from, size_t to, double *low,
                          double *high)
{
    size_t count = 0;
    for (size_t i = from; i < to; i++) {
        double error;
        const struct evidence_run *run = &judged->point->runs[i];
        if (!run_is_judged(judged, run) || !run_error(judged, run, &error))
            continue;
        *low = count ? fmin(*low, error) : error;
        *high = count ? fmax(*high, error) : error;
        count++;
    }
    return count >= 3;
}

struct tally_of_firsts {
    size_t below, above, processes;
    double sum; /* of relative errors of those that differ */
};

/* A first run differs when it is outside the range of the others by more than that range. */
static void look_at_process(const struct judged_point *judged, size_t start, size_t length,
                            struct tally_of_firsts *tally)
{
    const struct evidence_run *run = &judged->point->runs[start];
    double first, low, high, predicted = point_predicted(judged);
    if (!run_is_judged(judged, run) || !run_error(judged, run, &first) ||
        !range_of_rest(judged, start + 1, start + length, &low, &high))
        return;
    tally->processes++;
    double margin = fmax(high - low, 0.5);
    if (first >= low - margin && first <= high + margin)
        return;
    *(first < low ? &tally->below : &tally->above) += 1;
    tally->sum += predicted != 0 ? first / predicted : 0;
}

struct first_runs compare_first_runs(const struct judgement *judgement)
{
    struct tally_of_firsts tally = {0};
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = 0; j < judgement->rows[i].point_count; j++) {
            const struct judged_point *judged = &judgement->rows[i].points[j];
            if (!point_demands_counts(judged))
                continue;
            for (size_t k = 0; k < judged->point->run_count;) {
                size_t length = stretch_of(judged->point, k);
                look_at_process(judged, k, length, &tally);
                k += length;
            }
        }
    size_t differ = tally.below > tally.above ? tally.below : tally.above;
    bool mostly =
        tally.processes >= PROCESSES_LEAST && (double)differ >= MOSTLY * (double)tally.processes;
    return (struct first_runs){mostly, tally.processes,
                               differ ? tally.sum / (double)(tally.below + tally.above) : 0};
}

/* Errors of the judged runs of a process never fall, and rise by more than a count and at least
 * twice. sign: -1 for the other way round. */
static bool keeps_rising(const struct judged_point *judged, size_t from, size_t to, double sign,
                         size_t *runs)
{
    double first = 0, last = 0;
    size_t rises = 0;
    *runs = 0;
    for (size_t i = from; i < to; i++) {
        double error;
        const struct evidence_run *run = &judged->point->runs[i];
        if (!run_is_judged(judged, run) || !run_error(judged, run, &error))
            continue;
        error *= sign;
        if ((*runs)++ == 0)
            first = last = error;
        if (error < last)
            return false;
        rises += error > last;
        last = error;
    }
    return *runs >= RISING_LEAST && rises >= 3 && last - first > 1;
}

struct drift compare_runs_in_turn(const struct judgement *judgement)
{
    size_t processes = 0, up = 0, down = 0, runs;
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = 0; j < judgement->rows[i].point_count; j++) {
            const struct judged_point *judged = &judgement->rows[i].points[j];
            /* Small counts have no room to rise. */
            if (!point_demands_counts(judged) || point_predicted(judged) < DRIFT_TRUTH)
                continue;
            for (size_t k = 0; k < judged->point->run_count;) {
                size_t length = stretch_of(judged->point, k);
                bool rises = keeps_rising(judged, k, k + length, 1, &runs);
                bool falls = !rises && keeps_rising(judged, k, k + length, -1, &runs);
                up += rises;
                down += falls;
                processes += length >= RISING_LEAST;
                k += length;
            }
        }
    size_t most = up > down ? up : down;
    bool mostly = processes >= PROCESSES_LEAST && (double)most >= MOSTLY * (double)processes;
    return (struct drift){mostly, up > down, processes};
}
