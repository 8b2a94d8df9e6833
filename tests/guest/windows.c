/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the kit's windows on perf descriptors with its specimens, on any ISA and without
 * perf_event_open: the descriptors are not open, the calls fail, the instructions are the same. Who
 * starts it counts from outside what is executed, and is told by
 *
 *     windows list
 *
 *     truth SPECIMEN CLASS BASE EACH
 *     run PATH OPT PATTERN LAYOUT SPECIMEN N OPENS CLOSED
 *
 * which windows `windows run` will run, in this order. OPENS is the address of a window's first
 * instruction, CLOSED of the one after its last. The path `broken` has a loop with one instruction
 * too many. To a window all called specimens are the same: a few stand for all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/harness/path.h"

#define COUNTERS 3 /* in the separate layout */

extern const struct path path_broken_O2;

static const uint64_t counts[] = {1, 10, 100};
static const char *const layout_names[] = {"group", "separate"};

struct trial {
    const struct path *path;
    uint32_t pattern;
    enum layout layout;
    const struct specimen *specimen;
    uint64_t n;
};
typedef void trial_function(const struct trial *trial);

/* One of every form, and those that enter the operating system: here windows are proven. Specimens
 * are by tests/proof. */
static bool stands_in_a_window(const struct specimen *specimen)
{
    static const char *const names[] = {"null", "loop", "adds", "pages", "getppid"};
    for (size_t index = 0; index < sizeof(names) / sizeof(*names); index++)
        if (strcmp(specimen->name, names[index]) == 0)
            return true;
    return false;
}

static void each_count(struct trial trial, trial_function *function)
{
    bool counted = trial.specimen->form != SPECIMEN_NULL;
    for (size_t count = 0; count < (counted ? sizeof(counts) / sizeof(*counts) : 1); count++) {
        trial.n = counts[count];
        if (trial.n >= trial.specimen->min_n && trial.n <= trial.specimen->max_n)
            function(&trial);
    }
}

static void each_specimen(struct trial trial, trial_function *function)
{
    for (size_t index = 0; specimen_registry[index]; index++) {
        trial.specimen = specimen_registry[index];
        if (stands_in_a_window(trial.specimen))
            each_count(trial, function);
    }
}

static void each_window(const struct path *path, trial_function *function)
{
    for (uint32_t pattern = 0; pattern < PATTERN_COUNT; pattern++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++)
            if (path->windows[pattern][SPECIMEN_NULL][layout])
                each_specimen((struct trial){path, pattern, (enum layout)layout, NULL, 0},
                              function);
}

/* Paths that need more than a descriptor or a page are left out. */
static void each_trial(trial_function *function)
{
    for (size_t index = 0; path_registry[index]; index++)
        if (path_registry[index]->operations == &perf_operations ||
            path_registry[index]->user_reads)
            each_window(path_registry[index], function);
    each_window(&path_broken_O2, function);
}

static uintptr_t mark(const struct trial *trial, uint32_t kind)
{
    return window_mark_address(trial->path, trial->pattern, trial->specimen->form, trial->layout,
                               kind);
}

static void announce(const struct trial *trial)
{
    printf("run %s %s %s %s %s %llu %llx %llx\n", trial->path->name, trial->path->opt,
           pattern_names[trial->pattern], layout_names[trial->layout], trial->specimen->name,
           (unsigned long long)trial->n, (unsigned long long)mark(trial, MARK_OPENS),
           (unsigned long long)mark(trial, MARK_CLOSED));
}

/* Caches and TLBs so small that making ready for them is soon done, instruction by instruction. */
static const struct specimen_parameters small = {
    .line = 64, .l1d = 1024, .l1i = 1024, .l2 = 2048, .llc = 4096, .dtlb = 16, .itlb = 16};

static void run(const struct trial *trial)
{
    static uint64_t before[COUNTERS * READING_WORDS], after[COUNTERS * READING_WORDS];
    static const struct perf_event_mmap_page page; /* of an event that is on no counter */
    const struct specimen *specimen = trial->specimen;
    struct specimen_state state = {.n = trial->n, .parameters = small};
    bool called = specimen->form == SPECIMEN_CALLED;
    struct window window = {.descriptors = {-1, -1, -1},
                            .pages = {&page, &page, &page},
                            .count = trial->layout == LAYOUT_GROUP ? 1 : COUNTERS,
                            .before = before,
                            .after = after,
                            .bytes = READING_SEPARATE * sizeof(uint64_t),
                            .first = called ? (uintptr_t)&state : (uintptr_t)trial->n};
    struct failure failure = {0};
    if (specimen_prepare(specimen, &state, &failure) < 0) {
        fprintf(stderr, "%s\n", failure.text);
        exit(1);
    }
    window.second = specimen_entry(specimen, &state);
    trial->path->windows[trial->pattern][specimen->form][trial->layout](&window);
    if (specimen->restore)
        specimen->restore(&state);
}

/* Limits are no prediction: only what is known to the count. */
static void announce_truths(const struct specimen *specimen)
{
    for (const struct truth *truth = specimen->truth; truth->class; truth++)
        if (truth->grade == TRUTH_PROVEN)
            printf("truth %s %s %lld %lld\n", specimen->name, truth->class, (long long)truth->base,
                   (long long)truth->each);
}

int main(int argument_count, char **arguments)
{
    if (argument_count == 2 && strcmp(arguments[1], "list") == 0) {
        for (size_t index = 0; specimen_registry[index]; index++)
            if (stands_in_a_window(specimen_registry[index]))
                announce_truths(specimen_registry[index]);
        each_trial(announce);
        return fflush(stdout) ? 1 : 0;
    }
    if (argument_count == 2 && strcmp(arguments[1], "run") == 0) {
        each_trial(run);
        return 0;
    }
    fputs("usage: windows list|run\n", stderr);
    return 2;
}
