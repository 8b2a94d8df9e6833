/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells with work in their window that `assay error` wishes for: the loop with many N, at many
 * places, and under whole-command tools. */
#include <stdio.h>
#include <string.h>

#include "studies/error/plan.h"
#include "study/mode.h"
#include "study/word-list.h"

#define TOP                       UINT64_C(1000000)
#define FULL_TOP                  UINT64_C(1000000000)
#define LONG_N                    UINT64_C(10000000)
#define KERNEL_RUNS               100u /* in a process: interrupts are rare */
#define PLACED_N                  10000u
#define WINDOW_N                  1000000u
#define PLACED_RUNS               10u
#define WINDOW_RUNS               5u
#define LINE                      64u
#define USUAL_PAGE                4096u
#define EMULATED_KERNEL_RUNS      30u
#define EMULATED_KERNEL_PROCESSES 8u
#define WAITING_PROCESSES         5u
#define DURATION_PROCESSES        10u
#define PLACED_PROCESSES          6u

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

static enum pattern usual_pattern(const struct catalogue_path *path)
{
    static const enum pattern order[] = {PATTERN_AO, PATTERN_RR, PATTERN_AR, PATTERN_RO};
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        if (word_list_has(path->patterns, pattern_names[order[i]]))
            return order[i];
    return PATTERN_AO;
}

static void wish_usual(struct error_wisher *wisher, const struct catalogue_path *path,
                       const struct error_asked *asked)
{
    char opt[16], link[16];
    const struct wished_window way = {path, usual_pattern(path), error_usual_opt(path, opt),
                                      error_usual_link(path, link)};
    error_wish(wisher, &way, asked);
}

/* --- duration --- */

static bool has_truth(const struct catalogue_specimen *specimen, const char *class)
{
    for (size_t i = 0; class && i < specimen->truth_count; i++)
        if (strcmp(specimen->truths[i].class, class) == 0)
            return true;
    return false;
}

static bool counts_kernel(const struct error_event *event)
{
    const char *mode = event_mode(event->name);
    return error_event_of_cpu(event) && (!mode || strchr(mode, 'k'));
}

/* What is counted along the ladder by an event on a path. */
static struct error_asked rung_of(const struct error_study *study,
                                  const struct catalogue_path *path,
                                  const struct error_event *event)
{
    const char *mode = event_mode(event->name);
    bool kernel = counts_kernel(event), alone = kernel && mode && !strchr(mode, 'u');
    uint32_t kernel_runs = study->emulated ? EMULATED_KERNEL_RUNS : KERNEL_RUNS;
    uint32_t processes = error_wished_processes(study);
    struct error_asked rung = {.event = event->name,
                               .counters = 1,
                               .specimen = "loop",
                               .runs =
                                   kernel && !study->runs ? kernel_runs : error_wished_runs(study),
                               .processes = at_most(processes, DURATION_PROCESSES)};
    /* What the operating system executes varies: more processes tell it better. */
    if (kernel && !study->processes)
        rung.processes = study->emulated ? EMULATED_KERNEL_PROCESSES : processes;
    if (error_event_waits(event))
        rung.processes = at_most(processes, WAITING_PROCESSES);
    if (alone && study->interrupts && strcmp(path->name, "perf-read") == 0) {
        rung.counters = 2;
        rung.others = &study->interrupts;
    }
    return rung;
}

static bool climbs(const struct error_study *study, const struct catalogue_path *path,
                   const struct error_event *event)
{
    const struct catalogue_specimen *loop = catalogue_specimen(study->catalogue, "loop");
    return !event->placed_only && !event->companion && has_truth(loop, event->class) &&
           error_path_counts(path, event);
}

/* Counting interrupts adds to each of them, so what they explain of a user+kernel count is seen
 * where they are counted as well. Three lengths suffice. */
static void wish_explained(struct error_wisher *wisher, const struct catalogue_path *path,
                           uint64_t n)
{
    const struct error_study *study = wisher->study;
    bool chosen = n == TOP || n == TOP / 10 || n == 1;
    for (size_t i = 0; chosen && study->interrupts && i < study->event_count; i++) {
        const struct error_event *event = &study->events[i];
        const char *mode = event_mode(event->name);
        if (!climbs(study, path, event) || !error_event_of_cpu(event) ||
            strcmp(event->class, "instructions") != 0 || (mode && !strchr(mode, 'u')) ||
            (mode && !strchr(mode, 'k')))
            continue;
        struct error_asked rung = rung_of(study, path, event);
        rung.n = n;
        rung.counters = 2;
        rung.others = &study->interrupts;
        wish_usual(wisher, path, &rung);
    }
}

enum rung_events { COUNTED_BY_CPU, ALL_OTHERS };

/* These events on one rung; long runs are few, and what waits is measured on the first path alone.
 */
static void wish_some(struct error_wisher *wisher, const struct catalogue_path *path, uint64_t n,
                      bool first, enum rung_events which)
{
    const struct error_study *study = wisher->study;
    const struct error_event interrupts = {.name = study->interrupts, .kind = "tracepoint"};
    for (size_t i = 0; i <= study->event_count; i++) {
        bool last = i == study->event_count;
        const struct error_event *event = last ? &interrupts : &study->events[i];
        if (last ? !study->interrupts : !climbs(study, path, event))
            continue;
        if ((!first && error_event_waits(event)) ||
            error_event_of_cpu(event) != (which == COUNTED_BY_CPU))
            continue;
        struct error_asked rung = rung_of(study, path, event);
        rung.n = n;
        if (last && !study->runs)
            rung.runs = KERNEL_RUNS;
        if (n > TOP)
            rung.runs = at_most(rung.runs, 2);
        wish_usual(wisher, path, &rung);
    }
}

static void wish_rung(struct error_wisher *wisher, const struct catalogue_path *path, uint64_t n,
                      bool first)
{
    wish_some(wisher, path, n, first, COUNTED_BY_CPU);
    if (first && strncmp(path->name, "perf-", 5) == 0)
        wish_explained(wisher, path, n);
    wish_some(wisher, path, n, first, ALL_OTHERS);
}

/* Both ends first: a slope needs them most. With counters of the CPU and what explains their growth
 * before all else, as the one says little without the other. */
static void wish_ends(struct error_wisher *wisher, const struct catalogue_path *path, bool first)
{
    static const uint64_t ends[] = {TOP, 1};
    for (int which = COUNTED_BY_CPU; which <= ALL_OTHERS; which++)
        for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
            wish_some(wisher, path, ends[i], first, (enum rung_events)which);
            if (which == COUNTED_BY_CPU && first && strncmp(path->name, "perf-", 5) == 0)
                wish_explained(wisher, path, ends[i]);
        }
}

static void wish_ladder(struct error_wisher *wisher, const struct catalogue_path *path,
                        bool with_interrupts)
{
    static const uint64_t rungs[] = {100000, 1000, 10000, 100, 10};
    wish_ends(wisher, path, with_interrupts);
    for (size_t i = 0; i < sizeof(rungs) / sizeof(*rungs); i++)
        wish_rung(wisher, path, rungs[i], with_interrupts);
    for (uint64_t n = 10 * TOP; wisher->study->full && n <= FULL_TOP; n *= 10)
        wish_rung(wisher, path, n, with_interrupts);
}

void error_wish_duration(struct error_wisher *wisher)
{
    const struct error_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    bool first = true;
    for (size_t i = 0; catalogue_specimen(catalogue, "loop") && i < catalogue->path_count; i++) {
        if (!error_uses_path(study, &catalogue->paths[i], "perf_event"))
            continue;
        wish_ladder(wisher, &catalogue->paths[i], first);
        first = false;
    }
}

/* --- placement --- */

/* Instructions begin at multiples of this. */
static uint64_t alignment_of(const struct catalogue *catalogue)
{
    static const struct {
        const char *isa;
        uint64_t bytes;
    } known[] = {{"aarch64", 4}, {"riscv64", 2}};
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(catalogue->isa, known[i].isa) == 0)
            return known[i].bytes;
    return 1;
}

static void wish_place(struct error_wisher *wisher, const struct catalogue_path *path,
                       struct error_asked asked, uint64_t offset)
{
    char name[64];
    snprintf(name, sizeof(name), "placed/offset=%llu/", (unsigned long long)offset);
    asked.specimen = name;
    wish_usual(wisher, path, &asked);
}

/* Every place in a line; then the beginnings of other lines, and the end of the page. */
static void wish_places(struct error_wisher *wisher, const struct catalogue_path *path,
                        const char *event)
{
    const struct error_study *study = wisher->study;
    uint64_t page = study->page ? study->page : USUAL_PAGE;
    uint64_t step = alignment_of(study->catalogue);
    const struct error_asked asked = {.event = event,
                                      .counters = 1,
                                      .n = PLACED_N,
                                      .runs = PLACED_RUNS,
                                      .processes =
                                          at_most(error_wished_processes(study), PLACED_PROCESSES)};
    /* From coarse to fine: wherever a budget ends, the whole line has been looked at. */
    wish_place(wisher, path, asked, 0);
    for (uint64_t stride = LINE; stride > step; stride /= 2)
        for (uint64_t offset = stride / 2; offset < LINE; offset += stride)
            wish_place(wisher, path, asked, offset);
    for (uint64_t offset = page - LINE / 4; offset < page; offset += step)
        wish_place(wisher, path, asked, offset);
    for (uint64_t offset = LINE; offset < page; offset *= 2)
        wish_place(wisher, path, asked, offset);
}

/* What tells time on a perf path: ticks, cycles in user mode, else nanoseconds. */
static const char *tick_event(const struct error_study *study)
{
    static const char *const classes[] = {"ticks", "cycles", "task-clock"};
    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
        for (size_t j = 0; j < study->event_count; j++) {
            const struct error_event *event = &study->events[j];
            if (event->class && strcmp(event->class, classes[i]) == 0 &&
                (!error_event_of_cpu(event) || event_counts_user_only(event->name)))
                return event->name;
        }
    return NULL;
}

/* The inline loop in the windows of all patterns, levels and link modes. */
static void wish_windows(struct error_wisher *wisher, const struct catalogue_path *path,
                         const char *event)
{
    const struct error_study *study = wisher->study;
    const struct error_asked asked = {.event = event,
                                      .counters = 1,
                                      .specimen = "loop",
                                      .n = WINDOW_N,
                                      .runs = WINDOW_RUNS,
                                      .processes =
                                          at_most(error_wished_processes(study), PLACED_PROCESSES)};
    char opt[16], link[16];
    for (const char *links = path->links; word_list_next(&links, link);)
        for (const char *opts = path->opts; word_list_next(&opts, opt);)
            for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
                const struct wished_window way = {path, (enum pattern)pattern, opt, link};
                if (word_list_has(path->patterns, pattern_names[pattern]))
                    error_wish(wisher, &way, &asked);
            }
}

void error_wish_placement(struct error_wisher *wisher)
{
    const struct error_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    const struct catalogue_path *clock = catalogue_path(catalogue, "clock");
    const struct catalogue_path *perf = catalogue_path(catalogue, "perf-read");
    const char *ticks = tick_event(study);
    bool placed = catalogue_specimen(catalogue, "placed");
    /* Emulated time passes with every instruction alike. */
    if (study->emulated)
        return;
    if (study->clock && clock && placed)
        wish_places(wisher, clock, study->clock);
    if (!perf || !error_uses_path(study, perf, "perf_event"))
        return;
    if (ticks && catalogue_specimen(catalogue, "loop"))
        wish_windows(wisher, perf, ticks);
    for (size_t i = 0; placed && i < study->event_count; i++)
        if (error_event_of_cpu(&study->events[i]) && event_counts_user_only(study->events[i].name))
            wish_places(wisher, perf, study->events[i].name);
}

/* --- whole commands --- */

/* Every event on the tool's path, those that wait or those that do not. */
static void wish_tool_events(struct error_wisher *wisher, const struct catalogue_path *path,
                             const char *specimen, uint64_t n, bool waiting)
{
    const struct error_study *study = wisher->study;
    for (size_t i = 0; i < study->event_count; i++) {
        const struct error_event *event = &study->events[i];
        const struct error_asked asked = {.event = event->name,
                                          .counters = 1,
                                          .specimen = specimen,
                                          .n = n,
                                          .runs = 1,
                                          .processes = error_wished_processes(study)};
        if (!event->placed_only && !event->companion && error_path_counts(path, event) &&
            error_event_waits(event) == waiting)
            wish_usual(wisher, path, &asked);
    }
}

void error_wish_tool(struct error_wisher *wisher)
{
    const struct catalogue_path *path = catalogue_path(wisher->study->catalogue, "perf-stat");
    for (int waiting = 0; path && waiting < 2; waiting++) {
        wish_tool_events(wisher, path, "null", 0, waiting);
        wish_tool_events(wisher, path, "loop", TOP, waiting);
    }
}
