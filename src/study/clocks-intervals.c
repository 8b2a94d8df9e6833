/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The intervals of `assay clocks`: all clocks of a look around sleep, computation and other work,
 * alone and in threads, with moves between CPUs, and handed over. */
#include <errno.h>
#include <string.h>

#include "studies/clocks/plan.h"

#define MS_US 1000u
#define US_NS UINT64_C(1000)
/* What a busy ms takes on an emulated machine, in ms of ours. */
#define EMULATED_BUSY 10u
#define MOST_THREADS  8u
#define MOVES         5u

const char *const clocks_workloads[] = {"sleep",  "compute", "spin", "yield",
                                        "faults", "pipe",    NULL};

/* Lengths in ms; each list ends with 0. Those of the paper are from 20 to 160 in steps of 10. */
static const uint32_t main_lengths[] = {20, 50, 80, 120, 160, 0};
static const uint32_t fine_lengths[] = {30, 40, 60, 70, 90, 100, 110, 130, 140, 150, 0};
static const uint32_t few_lengths[] = {40, 100, 0};
static const uint32_t wide_lengths[] = {20, 80, 160, 0};
static const uint32_t short_lengths[] = {20, 60, 100, 0};
static const uint32_t one_length[] = {40, 0};
static const uint32_t shortest[] = {20, 0};

/* How often: intervals in a process, processes, and how many of these say something. */
struct often {
    uint32_t intervals, processes, least;
};
enum weight { MAIN, VARIATION, ASIDE, WEIGHTS };
static const struct often usual[WEIGHTS] = {{5, 4, 2}, {5, 3, 1}, {5, 2, 1}},
                          brief[WEIGHTS] = {{2, 3, 1}, {2, 2, 1}, {2, 2, 1}},
                          emulated[WEIGHTS] = {{3, 2, 1}, {2, 2, 1}, {2, 2, 1}};

static bool is_brief(const struct clocks_study *study)
{
    return study->quick || study->emulated;
}

static struct often how_often(const struct clocks_study *study, enum weight weight)
{
    return study->emulated ? emulated[weight] : study->quick ? brief[weight] : usual[weight];
}

static bool is_wanted(const struct clocks_study *study, const char *workload)
{
    for (size_t i = 0; i < study->workload_count; i++)
        if (strcmp(study->workloads[i], workload) == 0)
            return true;
    return study->workload_count == 0;
}

/* A visit besides what every process costs. Work is measured out once before the first interval. */
static uint64_t expect(const struct clocks_study *study, const struct cell_watch *watch,
                       uint32_t intervals)
{
    const uint64_t length = watch->length * US_NS;
    bool sleeps = strcmp(watch->workload, "sleep") == 0;
    bool measured_out = strcmp(watch->workload, "compute") == 0;
    uint64_t busy = study->emulated && !sleeps ? EMULATED_BUSY : 1;
    uint64_t crowd = 1;
    if (!sleeps && study->cpu_count && watch->threads > study->cpu_count)
        crowd = (watch->threads + study->cpu_count - 1) / study->cpu_count;
    return length * busy * (intervals * crowd + (measured_out ? 1 : 0));
}

static void wish(struct clocks_wisher *wisher, enum clocks_stage stage, struct cell_watch watch,
                 const char *workload, struct often often)
{
    char copy[32];
    bool alone = watch.threads == 1 && !watch.moves && !watch.handover;
    strncpy(copy, workload, sizeof(copy) - 1);
    copy[sizeof(copy) - 1] = '\0';
    watch.workload = copy;
    const struct wished_watch wished = {.stage = stage,
                                        .watch = watch,
                                        .groups = often.intervals,
                                        .processes = often.processes,
                                        .least = often.least,
                                        .cpu = alone ? wisher->study->cpu : -1,
                                        .expected_ns =
                                            expect(wisher->study, &watch, often.intervals)};
    clocks_wish(wisher, &wished, wisher->look, wisher->look_count);
}

/* Every length of a list. */
static void wish_lengths(struct clocks_wisher *wisher, enum clocks_stage stage,
                         struct cell_watch watch, const char *workload, const uint32_t *lengths,
                         struct often often)
{
    watch.kind = WATCH_INTERVAL;
    watch.partner = -1;
    if (!watch.threads)
        watch.threads = 1;
    for (; *lengths && is_wanted(wisher->study, workload); lengths++) {
        watch.length = (uint64_t)*lengths * MS_US;
        wish(wisher, stage, watch, workload, often);
    }
}

/* Sleep and computation, which everything else is a variation of. */
static void wish_both(struct clocks_wisher *wisher, enum clocks_stage stage,
                      struct cell_watch watch, const uint32_t *lengths, struct often often)
{
    wish_lengths(wisher, stage, watch, "sleep", lengths, often);
    wish_lengths(wisher, stage, watch, "compute", lengths, often);
}

/* One thread and nothing else. Sleep lasts as long however busy the machine is: all points of the
 * paper's figure are there before anything else has more than it needs. */
static void wish_plain(struct clocks_wisher *wisher, enum clocks_stage stage,
                       const uint32_t *lengths)
{
    struct often often = how_often(wisher->study, MAIN), points = often;
    if (!is_brief(wisher->study))
        points.least = points.processes;
    wish_lengths(wisher, stage, (struct cell_watch){0}, "sleep", lengths, points);
    wish_lengths(wisher, stage, (struct cell_watch){0}, "compute", lengths, often);
}

void clocks_wish_intervals(struct clocks_wisher *wisher)
{
    wish_plain(wisher, CLOCKS_INTERVALS, main_lengths);
}

void clocks_wish_fine(struct clocks_wisher *wisher)
{
    if (!wisher->study->quick)
        wish_plain(wisher, CLOCKS_FINE, fine_lengths);
}

void clocks_wish_moves(struct clocks_wisher *wisher)
{
    if (wisher->study->cpu_count < 2) {
        clocks_lack(wisher, clocks_stage_names[CLOCKS_MOVES], "there is one CPU that may be used",
                    ENODEV);
        return;
    }
    wish_both(wisher, CLOCKS_MOVES, (struct cell_watch){.moves = MOVES},
              is_brief(wisher->study) ? one_length : few_lengths,
              how_often(wisher->study, VARIATION));
}

void clocks_wish_threads(struct clocks_wisher *wisher)
{
    const struct clocks_study *study = wisher->study;
    const uint32_t *lengths = is_brief(study) ? one_length : wide_lengths;
    size_t most = study->cpu_count < MOST_THREADS ? study->cpu_count : MOST_THREADS;
    wish_both(wisher, CLOCKS_THREADS, (struct cell_watch){.threads = 2}, lengths,
              how_often(study, VARIATION));
    if (most > 2)
        wish_both(wisher, CLOCKS_THREADS, (struct cell_watch){.threads = (uint32_t)most}, lengths,
                  how_often(study, VARIATION));
}

void clocks_wish_handover(struct clocks_wisher *wisher)
{
    wish_both(wisher, CLOCKS_HANDOVER, (struct cell_watch){.handover = true},
              is_brief(wisher->study) ? one_length : few_lengths,
              how_often(wisher->study, VARIATION));
}

void clocks_wish_others(struct clocks_wisher *wisher)
{
    for (const char *const *workload = clocks_workloads; *workload; workload++)
        if (strcmp(*workload, "sleep") != 0 && strcmp(*workload, "compute") != 0)
            wish_lengths(wisher, CLOCKS_OTHERS, (struct cell_watch){0}, *workload,
                         is_brief(wisher->study) ? shortest : short_lengths,
                         how_often(wisher->study, ASIDE));
}

void clocks_wish_awake(struct clocks_wisher *wisher)
{
    wish_lengths(wisher, CLOCKS_AWAKE, (struct cell_watch){.awake = true}, "sleep",
                 is_brief(wisher->study) ? one_length : wide_lengths,
                 how_often(wisher->study, ASIDE));
}
