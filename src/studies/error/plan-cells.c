/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells that `assay error` wishes for: windows with nothing inside, several counters, loops,
 * and more counters than the CPU has. */
#include <stdio.h>
#include <string.h>

#include "engine/loading.h"
#include "studies/error/plan.h"

/* ----------------------------------------------------------------------------------------------
 * The null cells with several counters that `assay error` wishes for: how many there are, and
 * which events the further ones count. */

#define MOST_CHOICES 3u /* other events beside the first, unless everything is asked for */

static const uint32_t numbers[] = {2, 4, 8, 3, 6}, emulated_numbers[] = {2, 4, 6};
#define NUMBERS               (sizeof(numbers) / sizeof(*numbers))
#define EMULATED_NUMBERS      (sizeof(emulated_numbers) / sizeof(*emulated_numbers))
#define FULL_NUMBERS          15u /* 2 to 16 */
#define NUMBERS_OF_BOTH_MODES 2u

static size_t number_count(const struct error_study *study)
{
    return study->full ? FULL_NUMBERS : study->emulated ? EMULATED_NUMBERS : NUMBERS;
}

static uint32_t number_at(const struct error_study *study, size_t i)
{
    return study->full ? (uint32_t)i + 2 : study->emulated ? emulated_numbers[i] : numbers[i];
}

/* Every pattern of the path, at its usual level and link mode. */
static void wish_patterns(struct error_wisher *wisher, const struct catalogue_path *path,
                          const struct error_asked *asked)
{
    char opt[16], link[16];
    struct wished_window way = {
        .path = path, .opt = error_usual_opt(path, opt), .link = error_usual_link(path, link)};
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        way.pattern = (enum pattern)pattern;
        if (word_list_has(path->patterns, pattern_names[pattern]))
            error_wish(wisher, &way, asked);
    }
}

/* PAPI counts an event once in a set: it needs others beside it. */
static bool takes_copies(const struct catalogue_path *path)
{
    return strncmp(path->name, "papi-", 5) != 0;
}

/* Events that can stand beside the first, at most CELL_MAX_COUNTERS - 1. */
static uint32_t companions(const struct error_study *study, const struct catalogue_path *path,
                           const struct error_event *first, const char **names)
{
    uint32_t count = 0;
    for (size_t i = 0; i < study->event_count && count < CELL_MAX_COUNTERS - 1; i++) {
        const struct error_event *event = &study->events[i];
        if (event != first && error_path_counts(path, event) && !error_event_waits(event) &&
            error_event_of_cpu(event) == error_event_of_cpu(first))
            names[count++] = event->name;
    }
    return count;
}

static struct error_asked null_of(const struct error_study *study, const char *event,
                                  uint32_t counters)
{
    return (struct error_asked){.event = event,
                                .counters = counters,
                                .specimen = "null",
                                .runs = error_wished_runs(study),
                                .processes = error_wished_processes(study)};
}

static void wish_number(struct error_wisher *wisher, const struct error_event *event,
                        uint32_t counters)
{
    const struct error_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    struct error_asked asked = null_of(study, event->name, counters);
    for (size_t i = 0; i < catalogue->path_count; i++) {
        const struct catalogue_path *path = &catalogue->paths[i];
        const char *others[CELL_MAX_COUNTERS];
        if (!error_uses_path(study, path, "perf_event") || !error_path_counts(path, event))
            continue;
        asked.others = NULL;
        if (!takes_copies(path)) {
            if (companions(study, path, event, others) < counters - 1)
                continue;
            asked.others = others;
        }
        wish_patterns(wisher, path, &asked);
    }
}

static void wish_stepped_number(struct error_wisher *wisher, uint32_t counters)
{
    const struct error_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    if (!study->stepped)
        return;
    struct error_asked asked = null_of(study, study->stepped, counters);
    asked.runs = 3;
    asked.processes = asked.processes < 2 ? asked.processes : 2;
    for (size_t i = 0; i < catalogue->path_count; i++) {
        const struct catalogue_path *path = &catalogue->paths[i];
        if (error_uses_path(study, path, "step") && word_list_has(path->sources, "perf_event") &&
            takes_copies(path))
            wish_patterns(wisher, path, &asked);
    }
}

/* Opened one by one instead of as a group. */
static void wish_separate(struct error_wisher *wisher, const struct error_event *event)
{
    const struct error_study *study = wisher->study;
    const struct catalogue_path *path = catalogue_path(study->catalogue, "perf-read");
    if (!path || !error_uses_path(study, path, "perf_event"))
        return;
    for (uint32_t counters = 2; counters <= 8; counters *= 2) {
        struct error_asked asked = null_of(study, event->name, counters);
        asked.separate = true;
        wish_patterns(wisher, path, &asked);
    }
}

/* Two counters, of which the second counts something else. */
static void wish_choices(struct error_wisher *wisher, const struct error_event *event,
                         const char *path_name)
{
    const struct error_study *study = wisher->study;
    const struct catalogue_path *path = catalogue_path(study->catalogue, path_name);
    uint32_t chosen = 0;
    if (!path || !error_uses_path(study, path, "perf_event") || !error_path_counts(path, event))
        return;
    for (size_t i = 0; i < study->event_count; i++) {
        const struct error_event *other = &study->events[i];
        if (other == event || other->placed_only || !error_path_counts(path, other) ||
            ((other->companion || error_event_waits(other)) && !study->full))
            continue;
        if (chosen++ >= MOST_CHOICES && !study->full)
            return;
        struct error_asked asked = null_of(study, event->name, 2);
        asked.others = &other->name;
        wish_patterns(wisher, path, &asked);
    }
}

/* Whether each further counter costs the kernel something is asked of read-read in both modes
 * (finding Z3): also where that mode is not crossed, and before what is only more of the same. */
static void wish_both_modes(struct error_wisher *wisher, const struct error_event *event)
{
    const struct error_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    for (size_t number = 0; number < NUMBERS_OF_BOTH_MODES; number++)
        for (size_t i = 0; i < catalogue->path_count; i++) {
            const struct catalogue_path *path = &catalogue->paths[i];
            char opt[16], link[16];
            struct error_asked asked = null_of(study, event->name, number_at(study, number));
            struct wished_window way = {.path = path,
                                        .pattern = PATTERN_RR,
                                        .opt = error_usual_opt(path, opt),
                                        .link = error_usual_link(path, link)};
            if (error_uses_path(study, path, "perf_event") && takes_copies(path) &&
                error_path_counts(path, event) && word_list_has(path->patterns, "rr"))
                error_wish(wisher, &way, &asked);
        }
}

static bool counts_both_modes(const struct error_event *event)
{
    return error_event_of_cpu(event) && event->class && strcmp(event->class, "instructions") == 0 &&
           event_mode(event->name) && strcmp(event_mode(event->name), "uk") == 0;
}

void error_wish_counters(struct error_wisher *wisher)
{
    const struct error_study *study = wisher->study;
    for (size_t i = 0; i < study->event_count; i++)
        if (!study->events[i].crossed && !study->full && counts_both_modes(&study->events[i]))
            wish_both_modes(wisher, &study->events[i]);
    for (size_t number = 0; number < number_count(study); number++) {
        wish_stepped_number(wisher, number_at(study, number));
        for (size_t i = 0; i < study->event_count; i++)
            if (study->events[i].crossed ||
                (study->full && !study->events[i].placed_only && !study->events[i].companion))
                wish_number(wisher, &study->events[i], number_at(study, number));
    }
    for (size_t i = 0; i < study->event_count; i++)
        if (study->events[i].crossed)
            wish_choices(wisher, &study->events[i], "perf-read");
    for (size_t i = 0; i < study->event_count; i++)
        if (study->events[i].crossed) {
            wish_separate(wisher, &study->events[i]);
            if (!study->full)
                break;
        }
    for (size_t i = 0; i < study->event_count; i++)
        if (study->events[i].crossed)
            wish_choices(wisher, &study->events[i], "papi-low");
}

/* ----------------------------------------------------------------------------------------------
 * The cells with work in their window that `assay error` wishes for: the loop with many N, at many
 * places, and under whole-command tools. */

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

bool error_has_truth(const struct catalogue_specimen *specimen, const char *class)
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
    return !event->placed_only && !event->companion && error_has_truth(loop, event->class) &&
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

/* ----------------------------------------------------------------------------------------------
 * The cells of `assay error` with more counters than the CPU has. Phases as long as half a turn of
 * the counters alias with it; how long they take has to be measured first. */

#define CALIBRATION_N      1000u
#define USUAL_ROTATION     UINT64_C(4000000) /* ns */
#define BLOCKS             2u                /* of each kind in a run */
#define MANY               16u
#define PROCESSES          5u
#define EMULATED_PROCESSES 1u /* dear: rather every cell once than one twice */
#define RUNS               5u
#define EMULATED_RUNS      2u

/* Instructions of user code, which the specimen knows. */
static const char *counted(const struct error_study *study)
{
    for (size_t i = 0; i < study->event_count; i++) {
        const struct error_event *event = &study->events[i];
        if (error_event_of_cpu(event) && event->class &&
            strcmp(event->class, "instructions") == 0 && event_counts_user_only(event->name))
            return event->name;
    }
    return NULL;
}

static void wish_phases(struct error_wisher *wisher, struct error_asked asked)
{
    const struct error_study *study = wisher->study;
    const struct catalogue_path *path = catalogue_path(study->catalogue, "perf-read");
    char opt[16], link[16];
    asked.event = counted(study);
    if (!path || !error_uses_path(study, path, "perf_event") || !asked.event ||
        !catalogue_specimen(study->catalogue, "phases"))
        return;
    const struct wished_window way = {path, PATTERN_AO, error_usual_opt(path, opt),
                                      error_usual_link(path, link)};
    error_wish(wisher, &way, &asked);
}

void error_wish_calibration(struct error_wisher *wisher)
{
    wish_phases(
        wisher,
        (struct error_asked){
            .specimen = "phases", .n = CALIBRATION_N, .counters = 1, .runs = 5, .processes = 2});
}

void error_wish_multiplex(struct error_wisher *wisher)
{
    const struct error_study *study = wisher->study;
    double rotation = (double)(study->rotation_ns ? study->rotation_ns : USUAL_ROTATION);
    if (!(study->phase_ns > 0))
        return;
    /* Every rotation moves the events on by one: each runs for as many rotations in a row as there
     * are counters, and comes back after as many as there are events. It sees work alone or calls
     * alone where a block lasts half of that; blocks of one rotation it would see in turn. One N is
     * a step of each kind: a block of `period` steps lasts half of it on average. */
    double steps = 2 * rotation * (MANY / 2.0) / study->phase_ns;
    uint64_t period = steps < 2 ? 2 : steps > 1e7 ? 10000000u : (uint64_t)steps;
    uint32_t processes = study->emulated ? EMULATED_PROCESSES : PROCESSES;
    const uint64_t periods[] = {period, 1};
    const uint32_t counters[] = {MANY, 1};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            char name[64];
            snprintf(name, sizeof(name), "phases/period=%llu/", (unsigned long long)periods[j]);
            wish_phases(wisher, (struct error_asked){.specimen = name,
                                                     .n = BLOCKS * period,
                                                     .counters = counters[i],
                                                     .separate = counters[i] > 1,
                                                     .runs = study->emulated ? EMULATED_RUNS : RUNS,
                                                     .processes = processes});
        }
}

/* ----------------------------------------------------------------------------------------------
 * The null cells that `assay error` wishes for, and the same windows stepped: the crossing of
 * path, pattern, -O and link. */

/* The same every time, unless something is amiss. */
#define STEPPED_PROCESSES 2u
#define STEPPED_RUNS      3u

/* Which levels and link modes of a path: the usual one of each, the other links at the usual
 * level, and the rest. */
enum corner { USUAL, OTHER_LINKS, OTHER_LEVELS };

static bool in_corner(const struct catalogue_path *path, enum corner corner, const char *opt,
                      const char *link)
{
    char usual_opt[16], usual_link[16];
    bool level = strcmp(opt, error_usual_opt(path, usual_opt)) == 0;
    bool linked = strcmp(link, error_usual_link(path, usual_link)) == 0;
    switch (corner) {
    case USUAL:
        return level && linked;
    case OTHER_LINKS:
        return level && !linked;
    default:
        return !level;
    }
}

/* One cell for each pattern, level and link mode of the corner. */
static void wish_path(struct error_wisher *wisher, const struct catalogue_path *path,
                      enum corner corner, const struct error_asked *asked)
{
    char opt[16], link[16];
    for (const char *opts = path->opts; word_list_next(&opts, opt);)
        for (const char *links = path->links; word_list_next(&links, link);) {
            if (!in_corner(path, corner, opt, link))
                continue;
            for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
                const struct wished_window way = {path, (enum pattern)pattern, opt, link};
                if (word_list_has(path->patterns, pattern_names[pattern]))
                    error_wish(wisher, &way, asked);
            }
        }
}

/* Processes of a cell: fewer in the corners of an emulated machine, whose counts never vary. */
static uint32_t processes_of(const struct error_study *study, enum corner corner, uint32_t usual)
{
    uint32_t most = error_wished_processes(study);
    if (study->emulated && corner != USUAL && !study->processes)
        usual--;
    return usual < most ? usual : most;
}

static void wish_stepped(struct error_wisher *wisher, const struct catalogue_path *path,
                         enum corner corner)
{
    const struct error_study *study = wisher->study;
    const struct error_asked asked = {.event = study->stepped,
                                      .counters = 1,
                                      .specimen = "null",
                                      .runs = STEPPED_RUNS,
                                      .processes = processes_of(study, corner, STEPPED_PROCESSES)};
    if (study->stepped && error_uses_path(study, path, "step") &&
        word_list_has(path->sources, "perf_event"))
        wish_path(wisher, path, corner, &asked);
}

/* Which events, by what they are crossed with and cost. */
enum rank { CROSSED, OTHERS, WAITING };

static bool has_rank(const struct error_event *event, enum rank rank)
{
    if (event->placed_only || event->companion)
        return false;
    return rank == (event->crossed ? CROSSED : error_event_waits(event) ? WAITING : OTHERS);
}

static void wish_events(struct error_wisher *wisher, const struct catalogue_path *path,
                        enum rank rank, enum corner corner)
{
    const struct error_study *study = wisher->study;
    for (size_t i = 0; i < study->event_count; i++) {
        const struct error_event *event = &study->events[i];
        const struct error_asked asked = {
            .event = event->name,
            .counters = 1,
            .specimen = "null",
            .runs = error_wished_runs(study),
            .processes = processes_of(study, corner, error_wished_processes(study))};
        if (has_rank(event, rank) && error_uses_path(study, path, "perf_event") &&
            error_path_counts(path, event))
            wish_path(wisher, path, corner, &asked);
    }
}

/* Path by path, so that what is stepped is counted as well wherever a budget ends. */
static void wish_crossed(struct error_wisher *wisher, enum corner corner)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->path_count; i++) {
        wish_stepped(wisher, &catalogue->paths[i], corner);
        wish_events(wisher, &catalogue->paths[i], CROSSED, corner);
    }
}

static void wish_others(struct error_wisher *wisher, enum rank rank, enum corner corner)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->path_count; i++)
        wish_events(wisher, &catalogue->paths[i], rank, corner);
}

void error_wish_crossing(struct error_wisher *wisher)
{
    const struct error_study *study = wisher->study;
    wish_crossed(wisher, USUAL);
    wish_others(wisher, OTHERS, USUAL);
    wish_crossed(wisher, OTHER_LINKS);
    wish_crossed(wisher, OTHER_LEVELS);
    wish_others(wisher, WAITING, USUAL);
    if (!study->emulated || study->full)
        wish_others(wisher, OTHERS, OTHER_LINKS);
    if (study->full) {
        wish_others(wisher, OTHERS, OTHER_LEVELS);
        wish_others(wisher, WAITING, OTHER_LINKS);
        wish_others(wisher, WAITING, OTHER_LEVELS);
    }
}
