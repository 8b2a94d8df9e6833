/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay error`: which wishes fit the budget, and the order of their visits. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/loading.h"
#include "engine/wishes.h"
#include "studies/error/plan.h"

/* ----------------------------------------------------------------------------------------------
 * Making wishes for `assay error`: what every stage needs to say what it would measure. */

#define USUAL_PROCESSES    20u
#define EMULATED_PROCESSES 3u /* counts there are exact, visits dear */
#define USUAL_RUNS         20u
#define TOOL               "perf-stat"

static error_wish_stage *const wishers[STAGE_COUNT] = {
    [STAGE_CROSSING] = error_wish_crossing,   [STAGE_COUNTERS] = error_wish_counters,
    [STAGE_DURATION] = error_wish_duration,   [STAGE_PLACEMENT] = error_wish_placement,
    [STAGE_TOOL] = error_wish_tool,           [STAGE_CALIBRATE] = error_wish_calibration,
    [STAGE_MULTIPLEX] = error_wish_multiplex,
};

uint32_t error_wished_processes(const struct error_study *study)
{
    if (study->processes)
        return study->processes;
    return study->emulated ? EMULATED_PROCESSES : USUAL_PROCESSES;
}

uint32_t error_wished_runs(const struct error_study *study)
{
    return study->runs ? study->runs : USUAL_RUNS;
}

/* --- words --- */

const char *error_usual_link(const struct catalogue_path *path, char word[16])
{
    return word_list_prefer(path->links, "static", word);
}

const char *error_usual_opt(const struct catalogue_path *path, char word[16])
{
    return word_list_prefer(path->opts, "O2", word);
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

bool error_event_waits(const struct error_event *event)
{
    return strcmp(event->kind, "tracepoint") == 0;
}

bool error_uses_path(const struct error_study *study, const struct catalogue_path *path,
                     const char *source)
{
    if (strcmp(path->name, TOOL) == 0 || !word_list_has(path->sources, source))
        return false;
    for (size_t i = 0; i < study->path_count; i++)
        if (strcmp(study->paths[i], path->name) == 0)
            return true;
    return study->path_count == 0;
}

bool error_path_counts(const struct catalogue_path *path, const struct error_event *event)
{
    /* User code can read counters of the CPU only. */
    if (strncmp(path->name, "perf-user", 9) == 0)
        return error_event_of_cpu(event);
    /* PAPI speaks of the CPU, of software events and of tracepoints. */
    if (strncmp(path->name, "papi-", 5) == 0)
        return strcmp(event->kind, "pmu") != 0 || error_event_of_cpu(event);
    return strcmp(event->kind, "papi") != 0;
}

/* --- a wish --- */

void error_wish(struct error_wisher *wisher, const struct wished_window *way,
                const struct error_asked *asked)
{
    struct error_wishes *wishes = &wisher->wishes;
    struct error_wish *wish = memory_add(wishes->list, wishes->count);
    wish->processes = asked->processes;
    wish->cell = (struct cell){.counters = asked->counters,
                               .path = memory_copy(way->path->name),
                               .pattern = way->pattern,
                               .specimen = memory_copy(asked->specimen),
                               .n = asked->n,
                               .opt = memory_copy(way->opt),
                               .link = memory_copy(way->link),
                               .runs = asked->runs,
                               .separate = asked->separate,
                               .cpu = wisher->study->cpu};
    for (uint32_t i = 0; i < asked->counters; i++)
        wish->cell.events[i] =
            memory_copy(i && asked->others ? asked->others[i - 1] : asked->event);
}

struct error_wishes error_wish_list(const struct error_study *study, enum error_stage stage)
{
    struct error_wisher wisher = {.study = study};
    wishers[stage](&wisher);
    return wisher.wishes;
}

/* ----------------------------------------------------------------------------------------------
 * What a visit of `assay error` will take: a process, whose price depends on path, source and
 * number of counters and is learnt, and its runs, whose length is roughly known. */

#define WAIT               (50000 * US) /* of opening and closing a tracepoint */
#define US                 UINT64_C(1000)
#define EMULATED           20u /* times dearer than here, unless learnt otherwise */
#define ITERATION_NS       1u  /* of a loop; emulated: */
#define EMULATED_ITERATION 12u

/* Before one was seen. The first that begins the path's name counts. */
static const struct {
    const char *path;
    uint64_t ns, stepped_ns;
} assumed[] = {
    {"perf-stat", 20000 * US, 20000 * US},
    {"papi-", 11000 * US, 25000 * US},
    {"", 3000 * US, 14000 * US},
};

static bool is_stepped(const struct error_study *study, const struct cell *cell)
{
    return study->stepped && strcmp(cell->events[0], study->stepped) == 0;
}

/* Is a tracepoint among its events? */
static bool waits(const struct error_study *study, const struct cell *cell)
{
    for (uint32_t i = 0; i < cell->counters; i++) {
        if (study->interrupts && strcmp(cell->events[i], study->interrupts) == 0)
            return true;
        for (size_t j = 0; j < study->event_count; j++)
            if (error_event_waits(&study->events[j]) &&
                strcmp(cell->events[i], study->events[j].name) == 0)
                return true;
    }
    return false;
}

static uint32_t size_of(const struct cell *cell)
{
    return cell->counters == 1 ? 0 : cell->counters <= 4 ? 1 : 2;
}

static uint64_t assumed_price(const struct error_study *study, const char *path, bool stepped,
                              bool waiting)
{
    size_t i = 0;
    while (strncmp(assumed[i].path, path, strlen(assumed[i].path)) != 0)
        i++;
    uint64_t ns = stepped ? assumed[i].stepped_ns : assumed[i].ns;
    if (study->emulated)
        ns *= EMULATED;
    return waiting ? ns + WAIT : ns;
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

void error_price_learn(const struct error_study *study, struct error_prices *prices,
                       const struct cell *cell, uint64_t ns)
{
    uint64_t runs = runs_price(study, cell);
    struct error_price seen = {.path = cell->path,
                               .stepped = is_stepped(study, cell),
                               .waits = waits(study, cell),
                               .size = size_of(cell),
                               .visits = 1,
                               .ns = ns > runs ? ns - runs : 0};
    for (size_t i = 0; i < prices->count; i++) {
        struct error_price *price = &prices->list[i];
        if (strcmp(price->path, seen.path) == 0 && price->stepped == seen.stepped &&
            price->waits == seen.waits && price->size == seen.size) {
            price->visits++;
            price->ns += seen.ns;
            return;
        }
    }
    if (prices->count < ERROR_PRICES)
        prices->list[prices->count++] = seen;
}

/* How much dearer visits are than assumed, over all that were seen. */
static double slowness(const struct error_study *study, const struct error_prices *prices)
{
    double paid = 0, expected = 0;
    for (size_t i = 0; i < prices->count; i++) {
        const struct error_price *price = &prices->list[i];
        paid += (double)price->ns;
        expected += (double)price->visits *
                    (double)assumed_price(study, price->path, price->stepped, price->waits);
    }
    return expected > 0 && paid > 0 ? paid / expected : 1;
}

uint64_t error_price(const struct error_study *study, const struct error_prices *prices,
                     const struct cell *cell)
{
    bool stepped = is_stepped(study, cell), waiting = waits(study, cell);
    const struct error_price *best = NULL;
    for (size_t i = 0; i < prices->count; i++) {
        const struct error_price *price = &prices->list[i];
        if (strcmp(price->path, cell->path) != 0 || price->stepped != stepped ||
            price->waits != waiting)
            continue;
        if (!best || price->size == size_of(cell))
            best = price;
    }
    uint64_t process = best
                           ? best->ns / best->visits
                           : (uint64_t)(slowness(study, prices) *
                                        (double)assumed_price(study, cell->path, stepped, waiting));
    return process + runs_price(study, cell);
}

/* ----------------------------------------------------------------------------------------------
 * What a cell of the study of measurement error is there for, by its factors alone. */

/* The name without parameters. */
static bool specimen_is(const struct cell *cell, const char *name)
{
    size_t length = strcspn(cell->specimen, "/");
    return strlen(name) == length && strncmp(cell->specimen, name, length) == 0;
}

static enum error_part part_of_loop(const struct stored_cell *stored, const char *kind)
{
    /* Code that does the same work may take another time, so nothing predicts it. */
    static const char *const times[] = {"cycles",     "ref-cycles", "bus-cycles",
                                        "task-clock", "cpu-clock",  "ticks"};
    const struct cell *cell = &stored->cell;
    const char *class = stored->counters[0].class;
    if (cell->counters == 1 && event_counts_interrupts(cell->events[0]))
        return PART_DURATION;
    for (uint32_t i = 1; i < cell->counters; i++)
        if (!event_counts_interrupts(cell->events[i]))
            return PART_MULTIPLEX;
    if (cell->counters > 1)
        return PART_DURATION;
    for (size_t i = 0; class && i < sizeof(times) / sizeof(times[0]); i++)
        if (strcmp(class, times[i]) == 0)
            return PART_PLACEMENT;
    /* In all modes an event of the CPU has no truth in the store, because nobody predicts what the
     * operating system executes; a loop that never calls it is an exception. */
    return stored->counters[0].has_truth ||
                   (class && event_counts_beyond_specimen(kind, cell->events[0]))
               ? PART_DURATION
               : PART_PLACEMENT;
}

bool error_part_of(const struct stored_cell *cell, const char *kind, enum error_part *part)
{
    static const struct {
        const char *specimen;
        enum error_part part;
    } specimens[] = {{"null", PART_NULL}, {"placed", PART_PLACEMENT}, {"phases", PART_MULTIPLEX}};
    bool known = true;
    if (strcmp(cell->cell.path, "perf-stat") == 0)
        *part = PART_TOOL;
    else if (strncmp(cell->cell.events[0], "step/", strlen("step/")) == 0 &&
             (!*kind || strcmp(kind, "source") == 0))
        *part = PART_STEPPED;
    else if (specimen_is(&cell->cell, "loop"))
        *part = part_of_loop(cell, kind);
    else
        known = false;
    for (size_t i = 0; i < sizeof(specimens) / sizeof(specimens[0]) && !known; i++)
        if (specimen_is(&cell->cell, specimens[i].specimen)) {
            *part = specimens[i].part;
            return true;
        }
    return known;
}

/* --- the whole --- */

const char *const error_stage_names[STAGE_COUNT] = {
    [STAGE_CROSSING] = "null error",      [STAGE_COUNTERS] = "number of counters",
    [STAGE_DURATION] = "duration",        [STAGE_PLACEMENT] = "placement",
    [STAGE_TOOL] = "whole-command tools", [STAGE_CALIBRATE] = "calibration of phases",
    [STAGE_MULTIPLEX] = "multiplexing",
};

/* --- which stage --- */

enum error_stage error_stage_of(const struct error_study *study, const struct cell *cell)
{
    if (strcmp(cell->path, "perf-stat") == 0)
        return STAGE_TOOL;
    if (specimen_is(cell, "placed"))
        return STAGE_PLACEMENT;
    if (specimen_is(cell, "phases"))
        return strchr(cell->specimen, '/') ? STAGE_MULTIPLEX : STAGE_CALIBRATE;
    if (specimen_is(cell, "null"))
        return cell->counters == 1 ? STAGE_CROSSING : STAGE_COUNTERS;
    if (!specimen_is(cell, "loop"))
        return STAGE_COUNT;
    if (event_counts_interrupts(cell->events[0]))
        return STAGE_DURATION;
    /* Does the loop say how many there are to be counted? Times and cycles nobody predicts. */
    const struct catalogue_specimen *loop = catalogue_specimen(study->catalogue, "loop");
    for (size_t i = 0; loop && i < study->event_count; i++)
        if (strcmp(study->events[i].name, cell->events[0]) == 0)
            return error_has_truth(loop, study->events[i].class) ? STAGE_DURATION : STAGE_PLACEMENT;
    return STAGE_PLACEMENT;
}

/* --- the cells of a plan --- */

/* Its index; plan->count: it is not there. */
static size_t find_cell(const struct error_plan *plan, const struct cell *cell)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct cell *other = &plan->cells[i];
        if (plan_same_way(other, cell) && other->n == cell->n && other->runs == cell->runs &&
            strcmp(other->specimen, cell->specimen) == 0)
            return i;
    }
    return plan->count;
}

static void append(struct error_plan *plan, const struct cell *cell, struct error_about about)
{
    const struct cell copy = plan_copy(cell);
    size_t count = plan->count;
    plan_append(&plan->cells, &plan->count, &copy);
    *memory_add(plan->about, count) = about;
}

void error_plan_adopt(const struct error_study *study, struct error_plan *plan,
                      const struct cell *cell, uint32_t planned, uint32_t failed)
{
    append(plan, cell,
           (struct error_about){.stage = error_stage_of(study, cell),
                                .wanted = planned,
                                .planned = planned,
                                .failed = failed});
}

/* Visits that the wish still lacks; none where the first one failed. */
static uint32_t missing(const struct error_plan *plan, const struct error_wish *wish)
{
    size_t at = find_cell(plan, &wish->cell);
    if (at == plan->count)
        return wish->processes;
    const struct error_about *about = &plan->about[at];
    return about->failed || about->planned >= wish->processes ? 0
                                                              : wish->processes - about->planned;
}

/* Wanted, at its place in the plan if it is there. */
static void want(struct error_plan *plan, enum error_stage stage, const struct error_wish *wish)
{
    size_t at = find_cell(plan, &wish->cell);
    if (at == plan->count)
        append(plan, &wish->cell, (struct error_about){.stage = stage, .wanted = wish->processes});
    else if (plan->about[at].wanted < wish->processes)
        plan->about[at].wanted = wish->processes;
}

static uint64_t cost_of(const struct error_study *study, const struct error_plan *plan,
                        const struct cell *cell, uint32_t visits)
{
    uint64_t all;
    return __builtin_mul_overflow(error_price(study, &plan->prices, cell), visits, &all)
               ? UINT64_MAX
               : all;
}

size_t error_plan_stage(const struct error_study *study, enum error_stage stage, uint64_t ns,
                        struct error_plan *plan)
{
    const struct error_wishes wishes = error_wish_list(study, stage);
    size_t left_out = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct error_wish *wish = &wishes.list[i];
        uint32_t visits = missing(plan, wish);
        if (!visits)
            continue;
        uint64_t cost = cost_of(study, plan, &wish->cell, visits);
        /* The most important one is measured whatever it costs: else nothing would be. */
        if (cost > ns && i > 0) {
            left_out++;
            continue;
        }
        want(plan, stage, wish);
        ns -= cost < ns ? cost : ns;
    }
    return left_out;
}

void error_plan_pilot(const struct error_study *study, enum error_stage stage,
                      struct error_plan *plan)
{
    const struct error_wishes wishes = error_wish_list(study, stage);
    struct error_prices seen = {0};
    for (size_t i = 0; i < wishes.count; i++) {
        size_t before = seen.count;
        error_price_learn(study, &seen, &wishes.list[i].cell, 1);
        if (seen.count > before)
            want(plan, stage, &wishes.list[i]);
    }
}

size_t error_plan_settle(const struct error_study *study, enum error_stage stage, uint64_t ns,
                         struct error_plan *plan)
{
    size_t left_out = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct error_about *about = &plan->about[i];
        if (about->stage != stage || about->wanted <= about->planned)
            continue;
        uint64_t cost = cost_of(study, plan, &plan->cells[i], about->wanted - about->planned);
        if (about->failed) {
            about->wanted = about->planned;
        } else if (cost > ns) {
            about->wanted = about->planned;
            left_out++;
        } else {
            ns -= cost;
        }
    }
    return left_out;
}

bool error_plan_wants(const struct error_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->about[i].wanted > plan->about[i].planned)
            return true;
    return false;
}

bool error_plan_is_past(const struct error_plan *plan, enum error_stage stage)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->about[i].stage > stage && plan->about[i].stage < STAGE_COUNT)
            return true;
    return false;
}

/* --- the order --- */

void error_plan_visits(struct error_plan *plan, uint32_t most, uint64_t seed, struct visit **visits,
                       size_t *count)
{
    AUTO_MEMORY struct cell *cells = memory_new(plan->count, sizeof(*cells));
    AUTO_MEMORY uint32_t *processes = memory_new(plan->count, sizeof(*processes));
    size_t chosen = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct error_about *about = &plan->about[i];
        uint32_t missing = about->wanted > about->planned ? about->wanted - about->planned : 0;
        if (!missing)
            continue;
        cells[chosen] = plan->cells[i]; /* borrows its strings */
        processes[chosen++] = missing < most ? missing : most;
    }
    plan_rounds(cells, chosen, processes, seed, visits, count);
    /* Ids count from 1 in the order of the plan; processes go on where they were. */
    for (size_t i = 0; i < *count; i++)
        (*visits)[i].process += plan->about[(*visits)[i].cell - 1].planned;
    for (size_t i = 0; i < chosen; i++)
        plan->about[cells[i].id - 1].planned += processes[i];
}
