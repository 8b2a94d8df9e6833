/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells that `assay error` wishes for: windows with nothing inside, several counters, loops,
 * and more counters than the CPU has. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engine/loading.h"
#include "studies/error/plan.h"

#define USUAL_PROCESSES        20u
#define EMULATED_PROCESSES     3u /* counts there are exact, visits dear */
#define EMULATED_MUX_PROCESSES 1u /* rather every cell once than one twice */
#define PLACED_PROCESSES       6u /* so few are made in one go: none of them is cut */
#define USUAL_RUNS             20u
#define TOOL                   "perf-stat"

static uint32_t wished_processes(const struct error_study *study)
{
    if (study->processes)
        return study->processes;
    return study->emulated ? EMULATED_PROCESSES : USUAL_PROCESSES;
}

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

static uint32_t wished_runs(const struct error_study *study)
{
    return study->runs ? study->runs : USUAL_RUNS;
}

/* --- what goes with what --- */

bool error_event_of_cpu(const struct error_event *event)
{
    static const char *const kinds[] = {"hardware", "cache", "raw", "pfm", "papi"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(event->kind, kinds[i]) == 0)
            return true;
    /* Other PMUs (msr, uncore) have no modes; those of cores have. */
    return strcmp(event->kind, "pmu") == 0 && event_mode(event->name);
}

/* Opening and closing a tracepoint waits for the whole machine, tens of milliseconds each time:
 * such events are measured last and least. */
static bool event_waits(const struct error_event *event)
{
    return strcmp(event->kind, "tracepoint") == 0;
}

/* Can it count for the source, and was it not ruled out? The tool's path is none of them. */
static bool uses_path(const struct error_study *study, const struct catalogue_path *path,
                      const char *source)
{
    if (strcmp(path->name, TOOL) == 0 || !word_list_has(path->sources, source))
        return false;
    for (size_t i = 0; i < study->path_count; i++)
        if (strcmp(study->paths[i], path->name) == 0)
            return true;
    return study->path_count == 0;
}

/* Can the path count the event, as far as can be told from names? */
static bool path_counts(const struct catalogue_path *path, const struct error_event *event)
{
    /* User code can read counters of the CPU only. */
    if (strncmp(path->name, "perf-user", 9) == 0)
        return error_event_of_cpu(event);
    /* PAPI speaks of the CPU, of software events and of tracepoints. */
    if (strncmp(path->name, "papi-", 5) == 0)
        return strcmp(event->kind, "pmu") != 0 || error_event_of_cpu(event);
    return strcmp(event->kind, "papi") != 0;
}

/* ----------------------------------------------------------------------------------------------
 * What a visit will take: a process, whose price depends on path, source and number of counters and
 * is learnt, and its runs, whose length is roughly known. */

#define US                 UINT64_C(1000)
#define WAIT               (50000 * US) /* of opening and closing a tracepoint */
#define EMULATED           20u          /* times dearer than here, unless learnt otherwise */
#define ITERATION_NS       1u           /* of a loop; emulated: */
#define EMULATED_ITERATION 12u

/* Before one was seen. The first that begins the path's name counts. */
static const struct {
    const char *path;
    uint64_t ns, stepped_ns;
} assumed[] = {
    {TOOL, 20000 * US, 20000 * US},
    {"papi-", 11000 * US, 25000 * US},
    {"", 3000 * US, 14000 * US},
};

/* Is a tracepoint among its events? */
static bool waits(const struct error_study *study, const struct cell *cell)
{
    for (uint32_t i = 0; i < cell->counters; i++) {
        if (study->interrupts && strcmp(cell->events[i], study->interrupts) == 0)
            return true;
        for (size_t j = 0; j < study->event_count; j++)
            if (event_waits(&study->events[j]) &&
                strcmp(cell->events[i], study->events[j].name) == 0)
                return true;
    }
    return false;
}

/* All runs of a process, inside their windows. */
static uint64_t runs_price(const struct error_study *study, const struct cell *cell)
{
    uint64_t each = study->emulated ? EMULATED_ITERATION : ITERATION_NS, ns;
    if (strncmp(cell->specimen, "null", 4) == 0)
        return 0;
    if (strncmp(cell->specimen, "phases", 6) == 0 && study->phase_ns > 0)
        each = (uint64_t)(study->phase_ns * (study->emulated ? EMULATED_ITERATION : 1)) + 1;
    if (__builtin_mul_overflow(cell->n, each, &ns) ||
        __builtin_mul_overflow(ns, (uint64_t)cell->runs, &ns))
        return UINT64_MAX / 2;
    return ns;
}

static void set_price(const struct error_study *study, const struct cell *cell, size_t path,
                      struct wish *wish)
{
    const bool stepped = study->stepped && strcmp(cell->events[0], study->stepped) == 0;
    const bool waiting = waits(study, cell);
    const size_t size = cell->counters == 1 ? 0 : cell->counters <= 4 ? 1 : 2;
    size_t i = 0;
    while (strncmp(assumed[i].path, cell->path, strlen(assumed[i].path)) != 0)
        i++;
    wish->price = 1 + ((path * 2 + stepped) * 2 + waiting) * 3 + size;
    wish->runs_ns = runs_price(study, cell);
    wish->expected_ns =
        (stepped ? assumed[i].stepped_ns : assumed[i].ns) * (study->emulated ? EMULATED : 1) +
        (waiting ? WAIT : 0) + wish->runs_ns;
}

/* ----------------------------------------------------------------------------------------------
 * One wish. */

struct wisher {
    const struct error_study *study;
    struct wishes *wishes;
    enum error_stage stage;
    size_t first; /* of the stage */
};

/* The window and what is counted in it. */
struct window {
    const struct catalogue_path *path;
    enum pattern pattern;
    const char *opt, *link;
};

/* Counters of the same event, or `others` (count - 1 of them) beside it. */
struct asked {
    const char *event, *const *others;
    uint32_t counters;
    bool separate;
    const char *specimen;
    uint64_t n;
    uint32_t runs, processes;
};

/* The usual level and link mode. */
static struct window usual_window(const struct catalogue_path *path, enum pattern pattern)
{
    char word[WORD_LIST_WORD];
    return (struct window){path, pattern, memory_copy(word_list_prefer(path->opts, "O2", word)),
                           memory_copy(word_list_prefer(path->links, "static", word))};
}

/* Unless the stage has the same already. */
static void wish(const struct wisher *wisher, struct window window, const struct asked *asked)
{
    const struct error_study *study = wisher->study;
    struct cell cell = {.counters = asked->counters,
                        .path = window.path->name,
                        .pattern = window.pattern,
                        .specimen = (char *)(uintptr_t)asked->specimen,
                        .n = asked->n,
                        .opt = (char *)(uintptr_t)window.opt,
                        .link = (char *)(uintptr_t)window.link,
                        .runs = asked->runs,
                        .separate = asked->separate,
                        .cpu = study->cpu};
    struct wish like = {.stage = wisher->stage,
                        .processes = asked->processes,
                        .least = asked->processes,
                        .at_once = asked->processes <= PLACED_PROCESSES,
                        .after = NO_WISH};
    for (uint32_t i = 0; i < asked->counters; i++)
        cell.events[i] =
            (char *)(uintptr_t)(i && asked->others ? asked->others[i - 1] : asked->event);
    for (size_t i = wisher->first; i < wisher->wishes->count; i++) {
        const struct cell *other = wisher->wishes->list[i].cells;
        if (plan_same_way(other, &cell) && other->n == cell.n && other->runs == cell.runs &&
            strcmp(other->specimen, cell.specimen) == 0)
            return;
    }
    set_price(study, &cell, (size_t)(window.path - study->catalogue->paths), &like);
    cell = plan_copy(&cell);
    wishes_add(wisher->wishes, &like, &cell);
}

/* Every pattern of the path. */
static void wish_patterns(const struct wisher *wisher, struct window window,
                          const struct asked *asked)
{
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        window.pattern = (enum pattern)pattern;
        if (word_list_has(window.path->patterns, pattern_names[pattern]))
            wish(wisher, window, asked);
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

/* One cell for each pattern, level and link mode of the corner. */
static void wish_path(const struct wisher *wisher, const struct catalogue_path *path,
                      enum corner corner, const struct asked *asked)
{
    const struct window usual = usual_window(path, PATTERN_AO);
    char opt[WORD_LIST_WORD], link[WORD_LIST_WORD];
    for (const char *opts = path->opts; word_list_next(&opts, opt);)
        for (const char *links = path->links; word_list_next(&links, link);) {
            const bool level = strcmp(opt, usual.opt) == 0, linked = strcmp(link, usual.link) == 0;
            if (corner == (!level ? OTHER_LEVELS : linked ? USUAL : OTHER_LINKS))
                wish_patterns(wisher, (struct window){path, PATTERN_AO, opt, link}, asked);
        }
}

/* What steps is counted like an event. */
static struct error_event stepping(const struct error_study *study)
{
    return (struct error_event){.name = study->stepped, .kind = "source"};
}

static bool is_stepping(const struct error_event *event)
{
    return strcmp(event->kind, "source") == 0;
}

/* Can it be counted there, as far as can be told from names, by a path that was not ruled out? */
static bool can_count(const struct error_study *study, const struct catalogue_path *path,
                      const struct error_event *event)
{
    if (is_stepping(event))
        return event->name && uses_path(study, path, "step") &&
               word_list_has(path->sources, "perf_event");
    return uses_path(study, path, "perf_event") && path_counts(path, event);
}

static struct asked null_of(const struct error_study *study, const struct error_event *event,
                            uint32_t counters)
{
    const bool stepped = is_stepping(event);
    const uint32_t processes = wished_processes(study);
    return (struct asked){.event = event->name,
                          .counters = counters,
                          .specimen = "null",
                          .runs = stepped ? STEPPED_RUNS : wished_runs(study),
                          .processes = stepped ? at_most(processes, STEPPED_PROCESSES) : processes};
}

/* Fewer processes in the corners of an emulated machine, whose counts never vary. */
static void wish_event(const struct wisher *wisher, const struct catalogue_path *path,
                       const struct error_event *event, enum corner corner)
{
    const struct error_study *study = wisher->study;
    struct asked asked = null_of(study, event, 1);
    asked.processes -= study->emulated && corner != USUAL && !study->processes;
    if (can_count(study, path, event))
        wish_path(wisher, path, corner, &asked);
}

/* Which events, by what they are crossed with and cost. */
enum rank { CROSSED, OTHERS, WAITING };

static bool has_rank(const struct error_event *event, enum rank rank)
{
    if (event->placed_only || event->companion)
        return false;
    return rank == (event->crossed ? CROSSED : event_waits(event) ? WAITING : OTHERS);
}

/* Path by path, so that what is stepped is counted as well wherever a budget ends. */
static void wish_rank(const struct wisher *wisher, enum rank rank, enum corner corner)
{
    const struct error_study *study = wisher->study;
    const struct error_event stepped = stepping(study);
    for (size_t i = 0; i < study->catalogue->path_count; i++) {
        const struct catalogue_path *path = &study->catalogue->paths[i];
        if (rank == CROSSED)
            wish_event(wisher, path, &stepped, corner);
        for (size_t j = 0; j < study->event_count; j++)
            if (has_rank(&study->events[j], rank))
                wish_event(wisher, path, &study->events[j], corner);
    }
}

static void wish_crossing(const struct wisher *wisher)
{
    const struct error_study *study = wisher->study;
    wish_rank(wisher, CROSSED, USUAL);
    wish_rank(wisher, OTHERS, USUAL);
    wish_rank(wisher, CROSSED, OTHER_LINKS);
    wish_rank(wisher, CROSSED, OTHER_LEVELS);
    wish_rank(wisher, WAITING, USUAL);
    if (!study->emulated || study->full)
        wish_rank(wisher, OTHERS, OTHER_LINKS);
    if (study->full) {
        wish_rank(wisher, OTHERS, OTHER_LEVELS);
        wish_rank(wisher, WAITING, OTHER_LINKS);
        wish_rank(wisher, WAITING, OTHER_LEVELS);
    }
}

/* ----------------------------------------------------------------------------------------------
 * The null cells with several counters that `assay error` wishes for: how many there are, and
 * which events the further ones count. */

#define MOST_CHOICES 3u /* other events beside the first, unless everything is asked for */

#define FULL_NUMBERS          15u
#define NUMBERS_OF_BOTH_MODES 2u

/* How many counters, the most important first; 0: that was the last. */
static uint32_t number_at(const struct error_study *study, size_t i)
{
    static const uint32_t usual[] = {2, 4, 8, 3, 6, 0}, emulated[] = {2, 4, 6, 0};
    if (study->full)
        return i < FULL_NUMBERS ? (uint32_t)i + 2 : 0;
    return study->emulated ? emulated[i] : usual[i];
}

/* PAPI counts an event once in a set: it needs others beside it. */
static bool takes_copies(const struct catalogue_path *path)
{
    return strncmp(path->name, "papi-", 5) != 0;
}

/* Events that can stand beside the first, at most CELL_MAX_COUNTERS - 1; what is stepped stands
 * alone. */
static uint32_t companions(const struct error_study *study, const struct catalogue_path *path,
                           const struct error_event *first, const char **names)
{
    uint32_t count = 0;
    for (size_t i = 0; i < study->event_count && count < CELL_MAX_COUNTERS - 1; i++) {
        const struct error_event *event = &study->events[i];
        if (event != first && !is_stepping(first) && path_counts(path, event) &&
            !event_waits(event) && error_event_of_cpu(event) == error_event_of_cpu(first))
            names[count++] = event->name;
    }
    return count;
}

static void wish_number(const struct wisher *wisher, const struct error_event *event,
                        uint32_t counters)
{
    const struct error_study *study = wisher->study;
    struct asked asked = null_of(study, event, counters);
    for (size_t i = 0; i < study->catalogue->path_count; i++) {
        const struct catalogue_path *path = &study->catalogue->paths[i];
        const char *others[CELL_MAX_COUNTERS];
        asked.others = takes_copies(path) ? NULL : others;
        if (can_count(study, path, event) &&
            (takes_copies(path) || companions(study, path, event, others) >= counters - 1))
            wish_patterns(wisher, usual_window(path, PATTERN_AO), &asked);
    }
}

/* Opened one by one instead of as a group. */
static void wish_separate(const struct wisher *wisher, const struct error_event *event)
{
    const struct error_study *study = wisher->study;
    const struct catalogue_path *path = catalogue_path(study->catalogue, "perf-read");
    if (!path || !uses_path(study, path, "perf_event"))
        return;
    for (uint32_t counters = 2; counters <= 8; counters *= 2) {
        struct asked asked = null_of(study, event, counters);
        asked.separate = true;
        wish_patterns(wisher, usual_window(path, PATTERN_AO), &asked);
    }
}

/* Two counters, of which the second counts something else. */
static void wish_choices(const struct wisher *wisher, const struct error_event *event,
                         const char *path_name)
{
    const struct error_study *study = wisher->study;
    const struct catalogue_path *path = catalogue_path(study->catalogue, path_name);
    uint32_t chosen = 0;
    if (!path || !can_count(study, path, event))
        return;
    for (size_t i = 0; i < study->event_count; i++) {
        const struct error_event *other = &study->events[i];
        if (other == event || other->placed_only || !path_counts(path, other) ||
            ((other->companion || event_waits(other)) && !study->full))
            continue;
        if (chosen++ >= MOST_CHOICES && !study->full)
            return;
        struct asked asked = null_of(study, event, 2);
        asked.others = &other->name;
        wish_patterns(wisher, usual_window(path, PATTERN_AO), &asked);
    }
}

/* Whether each further counter costs the kernel something is asked of read-read in both modes
 * (finding Z3): also where that mode is not crossed, and before what is only more of the same. */
static void wish_both_modes(const struct wisher *wisher, const struct error_event *event)
{
    const struct error_study *study = wisher->study;
    for (size_t number = 0; number < NUMBERS_OF_BOTH_MODES; number++)
        for (size_t i = 0; i < study->catalogue->path_count; i++) {
            const struct catalogue_path *path = &study->catalogue->paths[i];
            const struct asked asked = null_of(study, event, number_at(study, number));
            if (takes_copies(path) && can_count(study, path, event) &&
                word_list_has(path->patterns, "rr"))
                wish(wisher, usual_window(path, PATTERN_RR), &asked);
        }
}

static bool counts_both_modes(const struct error_event *event)
{
    return error_event_of_cpu(event) && event->class && strcmp(event->class, "instructions") == 0 &&
           event_mode(event->name) && strcmp(event_mode(event->name), "uk") == 0;
}

static void wish_counters(const struct wisher *wisher)
{
    const struct error_study *study = wisher->study;
    const struct error_event stepped = stepping(study);
    for (size_t i = 0; i < study->event_count; i++)
        if (!study->events[i].crossed && !study->full && counts_both_modes(&study->events[i]))
            wish_both_modes(wisher, &study->events[i]);
    for (size_t number = 0; number_at(study, number); number++) {
        wish_number(wisher, &stepped, number_at(study, number));
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
#define KERNEL_RUNS               100u /* in a process: interrupts are rare */
#define PLACED_N                  10000u
#define WINDOW_N                  1000000u
#define PLACED_RUNS               10u
#define WINDOW_RUNS               5u
#define LINE                      64u
#define PAGE                      4096u
#define EMULATED_KERNEL_RUNS      30u
#define EMULATED_KERNEL_PROCESSES 8u
#define WAITING_PROCESSES         5u
#define DURATION_PROCESSES        10u

static enum pattern usual_pattern(const struct catalogue_path *path)
{
    static const enum pattern order[] = {PATTERN_AO, PATTERN_RR, PATTERN_AR, PATTERN_RO};
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        if (word_list_has(path->patterns, pattern_names[order[i]]))
            return order[i];
    return PATTERN_AO;
}

static void wish_usual(const struct wisher *wisher, const struct catalogue_path *path,
                       const struct asked *asked)
{
    wish(wisher, usual_window(path, usual_pattern(path)), asked);
}

/* --- duration --- */

/* Does the specimen say how many of the class there are? */
static bool has_truth(const struct catalogue_specimen *specimen, const char *class)
{
    for (size_t i = 0; class && i < specimen->truth_count; i++)
        if (strcmp(specimen->truths[i].class, class) == 0)
            return true;
    return false;
}

/* Does the CPU count it in that mode, by its name? */
static bool counts_mode(const struct error_event *event, char mode)
{
    const char *modes = event_mode(event->name);
    return error_event_of_cpu(event) && (!modes || strchr(modes, mode));
}

/* What is counted along the ladder by an event on a path. */
static struct asked rung_of(const struct error_study *study, const struct catalogue_path *path,
                            const struct error_event *event, uint64_t n)
{
    const bool kernel = counts_mode(event, 'k'), alone = kernel && !counts_mode(event, 'u');
    uint32_t kernel_runs = study->emulated ? EMULATED_KERNEL_RUNS : KERNEL_RUNS;
    uint32_t processes = wished_processes(study);
    struct asked rung = {.event = event->name,
                         .counters = 1,
                         .specimen = "loop",
                         .n = n,
                         .runs = kernel && !study->runs ? kernel_runs : wished_runs(study),
                         .processes = at_most(processes, DURATION_PROCESSES)};
    /* What the operating system executes varies: more processes tell it better. */
    if (kernel && !study->processes)
        rung.processes = study->emulated ? EMULATED_KERNEL_PROCESSES : processes;
    if (event_waits(event))
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
           path_counts(path, event);
}

/* Counting interrupts adds to each of them, so what they explain of a user+kernel count is seen
 * where they are counted as well. Three lengths suffice. */
static void wish_explained(const struct wisher *wisher, const struct catalogue_path *path,
                           uint64_t n)
{
    const struct error_study *study = wisher->study;
    bool chosen = n == TOP || n == TOP / 10 || n == 1;
    for (size_t i = 0; chosen && study->interrupts && i < study->event_count; i++) {
        const struct error_event *event = &study->events[i];
        if (!climbs(study, path, event) || strcmp(event->class, "instructions") != 0 ||
            !counts_mode(event, 'u') || !counts_mode(event, 'k'))
            continue;
        struct asked rung = rung_of(study, path, event, n);
        rung.counters = 2;
        rung.others = &study->interrupts;
        wish_usual(wisher, path, &rung);
    }
}

enum rung_events { COUNTED_BY_CPU, ALL_OTHERS };

/* These events on one rung; long runs are few, and what waits is measured on the first path alone.
 */
static void wish_some(const struct wisher *wisher, const struct catalogue_path *path, uint64_t n,
                      bool first, enum rung_events which)
{
    const struct error_study *study = wisher->study;
    const struct error_event interrupts = {.name = study->interrupts, .kind = "tracepoint"};
    for (size_t i = 0; i <= study->event_count; i++) {
        bool last = i == study->event_count;
        const struct error_event *event = last ? &interrupts : &study->events[i];
        if (last ? !study->interrupts : !climbs(study, path, event))
            continue;
        if ((!first && event_waits(event)) ||
            error_event_of_cpu(event) != (which == COUNTED_BY_CPU))
            continue;
        struct asked rung = rung_of(study, path, event, n);
        if (last && !study->runs)
            rung.runs = KERNEL_RUNS;
        if (n > TOP)
            rung.runs = at_most(rung.runs, 2);
        wish_usual(wisher, path, &rung);
    }
    if (which == COUNTED_BY_CPU && first && strncmp(path->name, "perf-", 5) == 0)
        wish_explained(wisher, path, n);
}

/* Both ends first: a slope needs them most. With counters of the CPU and what explains their growth
 * before all else, as the one says little without the other. */
static void wish_ladder(const struct wisher *wisher, const struct catalogue_path *path, bool first)
{
    static const uint64_t ends[] = {TOP, 1}, rungs[] = {100000, 1000, 10000, 100, 10};
    for (size_t i = 0; i < 4; i++)
        wish_some(wisher, path, ends[i % 2], first, i < 2 ? COUNTED_BY_CPU : ALL_OTHERS);
    for (size_t i = 0; i < 10; i++)
        wish_some(wisher, path, rungs[i / 2], first, i % 2 ? ALL_OTHERS : COUNTED_BY_CPU);
    for (uint64_t n = 10 * TOP; wisher->study->full && n <= FULL_TOP; n *= 10) {
        wish_some(wisher, path, n, first, COUNTED_BY_CPU);
        wish_some(wisher, path, n, first, ALL_OTHERS);
    }
}

static void wish_duration(const struct wisher *wisher)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    bool first = true;
    for (size_t i = 0; catalogue_specimen(catalogue, "loop") && i < catalogue->path_count; i++) {
        if (!uses_path(wisher->study, &catalogue->paths[i], "perf_event"))
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

static void wish_place(const struct wisher *wisher, const struct catalogue_path *path,
                       struct asked asked, uint64_t offset)
{
    char name[64];
    snprintf(name, sizeof(name), "placed/offset=%llu/", (unsigned long long)offset);
    asked.specimen = name;
    wish_usual(wisher, path, &asked);
}

/* Every place in a line; then the beginnings of other lines, and the end of the page. */
static void wish_places(const struct wisher *wisher, const struct catalogue_path *path,
                        const char *event)
{
    const struct error_study *study = wisher->study;
    uint64_t step = alignment_of(study->catalogue);
    const struct asked asked = {.event = event,
                                .counters = 1,
                                .n = PLACED_N,
                                .runs = PLACED_RUNS,
                                .processes = at_most(wished_processes(study), PLACED_PROCESSES)};
    /* From coarse to fine: wherever a budget ends, the whole line has been looked at. */
    wish_place(wisher, path, asked, 0);
    for (uint64_t stride = LINE; stride > step; stride /= 2)
        for (uint64_t offset = stride / 2; offset < LINE; offset += stride)
            wish_place(wisher, path, asked, offset);
    for (uint64_t offset = PAGE - LINE / 4; offset < PAGE; offset += step)
        wish_place(wisher, path, asked, offset);
    for (uint64_t offset = LINE; offset < PAGE; offset *= 2)
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
static void wish_windows(const struct wisher *wisher, const struct catalogue_path *path,
                         const char *event)
{
    const struct error_study *study = wisher->study;
    const struct asked asked = {.event = event,
                                .counters = 1,
                                .specimen = "loop",
                                .n = WINDOW_N,
                                .runs = WINDOW_RUNS,
                                .processes = at_most(wished_processes(study), PLACED_PROCESSES)};
    char opt[WORD_LIST_WORD], link[WORD_LIST_WORD];
    for (const char *links = path->links; word_list_next(&links, link);)
        for (const char *opts = path->opts; word_list_next(&opts, opt);)
            wish_patterns(wisher, (struct window){path, PATTERN_AO, opt, link}, &asked);
}

static void wish_placement(const struct wisher *wisher)
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
    if (!perf || !uses_path(study, perf, "perf_event"))
        return;
    if (ticks && catalogue_specimen(catalogue, "loop"))
        wish_windows(wisher, perf, ticks);
    for (size_t i = 0; placed && i < study->event_count; i++)
        if (error_event_of_cpu(&study->events[i]) && event_counts_user_only(study->events[i].name))
            wish_places(wisher, perf, study->events[i].name);
}

/* --- whole commands --- */

/* Every event on the tool's path, those that wait behind the others. */
static void wish_tool(const struct wisher *wisher)
{
    const struct error_study *study = wisher->study;
    const struct catalogue_path *path = catalogue_path(study->catalogue, TOOL);
    for (size_t i = 0; path && i < 4 * study->event_count; i++) {
        const struct error_event *event = &study->events[i % study->event_count];
        const size_t turn = i / study->event_count;
        const struct asked asked = {.event = event->name,
                                    .counters = 1,
                                    .specimen = turn % 2 ? "loop" : "null",
                                    .n = turn % 2 ? TOP : 0,
                                    .runs = 1,
                                    .processes = wished_processes(study)};
        if (!event->placed_only && !event->companion && path_counts(path, event) &&
            event_waits(event) == (turn > 1))
            wish_usual(wisher, path, &asked);
    }
}

/* ----------------------------------------------------------------------------------------------
 * The cells of `assay error` with more counters than the CPU has. Phases as long as half a turn of
 * the counters alias with it; how long they take has to be measured first. */

#define CALIBRATION_N 1000u
#define ROTATION_NS   4e6 /* a turn of the counters */
#define BLOCKS        2u  /* of each kind in a run */
#define MANY          16u
#define PROCESSES     5u
#define RUNS          5u
#define EMULATED_RUNS 2u

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

static void wish_phases(const struct wisher *wisher, struct asked asked)
{
    const struct error_study *study = wisher->study;
    const struct catalogue_path *path = catalogue_path(study->catalogue, "perf-read");
    asked.event = counted(study);
    if (!path || !uses_path(study, path, "perf_event") || !asked.event ||
        !catalogue_specimen(study->catalogue, "phases"))
        return;
    wish(wisher, usual_window(path, PATTERN_AO), &asked);
}

static void wish_calibration(const struct wisher *wisher)
{
    wish_phases(
        wisher,
        (struct asked){
            .specimen = "phases", .n = CALIBRATION_N, .counters = 1, .runs = 5, .processes = 2});
}

static void wish_multiplex(const struct wisher *wisher)
{
    const struct error_study *study = wisher->study;
    if (!(study->phase_ns > 0))
        return;
    /* Every rotation moves the events on by one: each runs for as many rotations in a row as there
     * are counters, and comes back after as many as there are events. It sees work alone or calls
     * alone where a block lasts half of that; blocks of one rotation it would see in turn. One N is
     * a step of each kind: a block of `period` steps lasts half of it on average. */
    double steps = 2 * ROTATION_NS * (MANY / 2.0) / study->phase_ns;
    uint64_t period = steps < 2 ? 2 : steps > 1e7 ? 10000000u : (uint64_t)steps;
    uint32_t processes = study->emulated ? EMULATED_MUX_PROCESSES : PROCESSES;
    const uint64_t periods[] = {period, 1};
    const uint32_t counters[] = {MANY, 1};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            char name[64];
            snprintf(name, sizeof(name), "phases/period=%llu/", (unsigned long long)periods[j]);
            wish_phases(wisher, (struct asked){.specimen = name,
                                               .n = BLOCKS * period,
                                               .counters = counters[i],
                                               .separate = counters[i] > 1,
                                               .runs = study->emulated ? EMULATED_RUNS : RUNS,
                                               .processes = processes});
        }
}

/* --- the whole --- */

const char *const error_stage_names[STAGE_COUNT] = {
    [STAGE_CROSSING] = "null error",      [STAGE_COUNTERS] = "number of counters",
    [STAGE_DURATION] = "duration",        [STAGE_PLACEMENT] = "placement",
    [STAGE_TOOL] = "whole-command tools", [STAGE_CALIBRATE] = "calibration of phases",
    [STAGE_MULTIPLEX] = "multiplexing",
};

void error_wish(const struct error_study *study, enum error_stage stage, struct wishes *wishes)
{
    static void (*const wishers[STAGE_COUNT])(const struct wisher *) = {
        [STAGE_CROSSING] = wish_crossing,   [STAGE_COUNTERS] = wish_counters,
        [STAGE_DURATION] = wish_duration,   [STAGE_PLACEMENT] = wish_placement,
        [STAGE_TOOL] = wish_tool,           [STAGE_CALIBRATE] = wish_calibration,
        [STAGE_MULTIPLEX] = wish_multiplex,
    };
    const struct wisher wisher = {study, wishes, stage, wishes->count};
    wishers[stage](&wisher);
}
