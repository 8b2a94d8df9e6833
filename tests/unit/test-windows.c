/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The windows of every perf path, pattern, level and layout, stepped instruction by instruction:
 * what stands in them is the path's own calls and the specimen, to the count. */
#include <sched.h>
#include <string.h>

#include "case.h"
#include "probe/harness/path.h"
#include "step.h"
#include "window.h"

extern const struct path path_broken_O2;

#define COUNTERS 3

struct trial {
    window_function *window;
    struct window *argument;
};

static void run_trial(void *context)
{
    struct trial *trial = context;
    trial->window(trial->argument);
}

/* Steps one window on descriptors that are not open: the calls fail, at the same cost each time;
 * and on pages of events that are on no counter, so that no instruction can trap. */
static struct steps step_window(const struct path *path, int pattern, enum specimen_form form,
                                enum layout layout, struct specimen_state *state,
                                specimen_function *code)
{
    static uint64_t before[COUNTERS * READING_WORDS], after[COUNTERS * READING_WORDS];
    static const struct perf_event_mmap_page page;
    struct window window = {.descriptors = {-1, -1, -1},
                            .pages = {&page, &page, &page},
                            .count = layout == LAYOUT_GROUP ? 1 : COUNTERS,
                            .before = before,
                            .after = after,
                            .bytes = READING_SEPARATE * sizeof(uint64_t),
                            .first = code ? (uintptr_t)state : (uintptr_t)state->n,
                            .second = code};
    struct trial trial = {path->windows[pattern][form][layout], &window};
    struct steps steps;
    uintptr_t first = window_mark_address(path, (uint32_t)pattern, form, layout, MARK_OPENS);
    uintptr_t last = window_mark_address(path, (uint32_t)pattern, form, layout, MARK_CLOSED);
    assert_non_null(trial.window);
    assert_true(first && last);
    run_trial(&trial); /* binds the symbols once, not in every child */
    assert_int_equal(step(run_trial, &trial, first, last, &steps), 0);
    return steps;
}

/* What the specimen adds to the empty window. */
static struct steps added(const struct path *path, int pattern, enum specimen_form form,
                          enum layout layout, struct specimen_state *state, specimen_function *code)
{
    struct steps empty = step_window(path, pattern, SPECIMEN_NULL, layout, state, code);
    struct steps full = step_window(path, pattern, form, layout, state, code);
    return (struct steps){full.instructions - empty.instructions,
                          full.system_calls - empty.system_calls};
}

static int64_t truth_of(const char *name, const char *class, uint64_t n)
{
    const struct truth *truth = specimen_find(name)->truth;
    while (truth->class && strcmp(truth->class, class) != 0)
        truth++;
    assert_non_null(truth->class);
    return truth->base + truth->each * (int64_t)n;
}

static void each_window(void (*check)(const struct path *path, int pattern, enum layout layout))
{
    for (size_t index = 0; path_registry[index]; index++)
        for (int pattern = 0; pattern < PATTERN_COUNT; pattern++)
            for (int layout = 0; layout < LAYOUT_COUNT; layout++)
                if (path_registry[index]->windows[pattern][SPECIMEN_NULL][layout])
                    check(path_registry[index], pattern, (enum layout)layout);
}

static void check_loop(const struct path *path, int pattern, enum layout layout)
{
    struct specimen_state state = {.n = 5};
    struct steps steps = added(path, pattern, SPECIMEN_LOOP, layout, &state, NULL);
    assert_int_equal(steps.instructions, truth_of("loop", "instructions", 5));
    assert_int_equal(steps.system_calls, 0);
}

static void check_adds(const struct path *path, int pattern, enum layout layout)
{
    struct specimen_state state = {.n = 2};
    struct steps steps =
        added(path, pattern, SPECIMEN_CALLED, layout, &state, specimen_find("adds")->code);
    assert_int_equal(steps.instructions, truth_of("adds", "instructions", 2));
    assert_int_equal(steps.system_calls, 0);
}

/* Two system calls; a switch that is task-wide stays one, however many counters, and a read in user
 * code is none. */
static void check_calls(const struct path *path, int pattern, enum layout layout)
{
    uint64_t each = layout == LAYOUT_GROUP ? 1 : COUNTERS;
    uint64_t switched = path->task_wide ? 1 : each, read = path->user_reads ? 0 : each;
    bool opens_reading = pattern == PATTERN_RR || pattern == PATTERN_RO;
    bool closes_reading = pattern == PATTERN_RR || pattern == PATTERN_AR;
    struct specimen_state state = {.n = 1};
    struct steps steps = step_window(path, pattern, SPECIMEN_NULL, layout, &state, NULL);
    assert_int_equal(steps.system_calls,
                     (opens_reading ? read : switched) + (closes_reading ? read : switched));
}

TEST(the_loop_adds_its_truth_to_every_window)
{
    if (!step_possible())
        skip_because("this machine cannot single-step");
    each_window(check_loop);
}

TEST(a_called_specimen_adds_its_truth_to_every_window)
{
    if (!step_possible())
        skip_because("this machine cannot single-step");
    each_window(check_adds);
}

TEST(only_the_paths_own_calls_stand_in_a_window)
{
    if (!step_possible())
        skip_because("this machine cannot single-step");
    each_window(check_calls);
}

/* What a person can choose must be there: a pattern that silently lost its windows is not. */
TEST(every_path_but_the_user_ones_has_every_pattern)
{
    for (size_t index = 0; path_registry[index]; index++)
        for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
            const struct path *path = path_registry[index];
            bool wanted = !path->user_reads || pattern != PATTERN_AO;
            for (int form = 0; form < SPECIMEN_FORMS; form++)
                for (int layout = 0; layout < LAYOUT_COUNT; layout++)
                    assert_int_equal(path->windows[pattern][form][layout] != NULL, wanted);
        }
}

TEST(the_loop_is_true_for_every_n)
{
    if (!step_possible())
        skip_because("this machine cannot single-step");
    static const uint64_t counts[] = {1, 2, 10, 1000};
    for (size_t index = 0; index < sizeof(counts) / sizeof(*counts); index++) {
        struct specimen_state state = {.n = counts[index]};
        struct steps steps =
            added(path_registry[2], PATTERN_AO, SPECIMEN_LOOP, LAYOUT_GROUP, &state, NULL);
        assert_int_equal(steps.instructions, truth_of("loop", "instructions", counts[index]));
    }
}

TEST(a_loop_with_one_instruction_more_is_noticed)
{
    if (!step_possible())
        skip_because("this machine cannot single-step");
    struct specimen_state state = {.n = 5};
    struct steps steps =
        added(&path_broken_O2, PATTERN_AO, SPECIMEN_LOOP, LAYOUT_GROUP, &state, NULL);
    assert_int_equal(steps.instructions, truth_of("loop", "instructions", 5) + 5);
}

/* Tracer and child on one CPU: a step costs a third of what it costs across two. */
static int stay_on_one_cpu(void **unused)
{
    (void)unused;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
    return 0;
}

GROUP(stay_on_one_cpu, NULL)
