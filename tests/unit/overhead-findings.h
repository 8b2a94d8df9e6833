/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports on overhead made by hand for tests of findings and advice: rows, slopes and peers are
 * written down as the other parts of the judge would find them. */
#pragma once

#include <stdio.h>

#include "overhead-judging.h"

#define HAND_ROWS   1200
#define HAND_READS  2560
#define HAND_SLOPES 24
#define HAND_PEERS  8

struct hand {
    struct overhead_builder builder;
    struct overhead_report report;
    struct overhead_row rows[HAND_ROWS];
    struct overhead_slope slopes[HAND_SLOPES];
    struct overhead_peer peers[HAND_PEERS];
    struct overhead_figure figures[HAND_READS];
    struct overhead_gauge gauge;
    struct overhead_timer timer;
    /* what the next row is like */
    uint32_t machine;
    bool counts;      /* instructions of user and kernel code instead of ticks */
    double spread;    /* of the interval to both sides, relative */
    size_t processes; /* 30 */
};

static struct overhead_meter hand_ticks = {(char[]){"clock/ticks/"}, (char[]){""}, METER_TICKS, 0};
static struct overhead_meter hand_user = {(char[]){"instructions:u"}, (char[]){"u"},
                                          METER_INSTRUCTIONS, 0};
static struct overhead_meter hand_kernel = {(char[]){"instructions:k"}, (char[]){"k"},
                                            METER_INSTRUCTIONS, 0};

static inline struct hand *hand_new(void)
{
    struct hand *hand = memory_new(1, sizeof(*hand));
    overhead_builder_start(&hand->builder, 1);
    hand->report.rows = hand->rows;
    hand->report.slopes = hand->slopes;
    hand->report.peers = hand->peers;
    hand->report.figures = hand->figures;
    hand->report.gauges = &hand->gauge;
    hand->report.timers = &hand->timer;
    hand->spread = 0.01;
    hand->processes = 30;
    return hand;
}

/* Further rows are of an emulated machine, the first if none was planted before. */
static inline void hand_emulate(struct hand *hand)
{
    if (hand->report.row_count)
        hand->machine = build_overhead_machine(&hand->builder, "emulated", true);
    else
        hand->builder.file.machines[0].emulated = true;
    hand->counts = true;
}

static inline struct overhead_row *hand_plain_row(struct hand *hand, const char *operation,
                                                  const char *link, const char *predecessor,
                                                  const struct overhead_meter *meter, double value)
{
    assert_true(hand->report.row_count < HAND_ROWS);
    struct overhead_row *row = &hand->rows[hand->report.row_count++];
    *row = (struct overhead_row){
        .machine = hand->machine,
        .operation = build_overhead_operation(&hand->builder, operation),
        .predecessor =
            predecessor ? (int32_t)build_overhead_operation(&hand->builder, predecessor) : -1,
        .predecessor_times = predecessor ? 1 : 0,
        .variant = link,
        .link = link,
        .meter = meter,
        .counted = "page-faults",
        .events = 1,
        .reads = 1,
        .processes = hand->processes,
        .runs = hand->processes,
        .median = value,
        .low = value * (1 - hand->spread),
        .high = value * (1 + hand->spread),
        .level_count = 1,
    };
    return row;
}

/* One row in ticks, or two in instructions, 20 of them in user code; the first is returned. */
static inline struct overhead_row *hand_row(struct hand *hand, const char *operation,
                                            const char *link, const char *predecessor,
                                            uint32_t position, double value)
{
    enum temperature temperature = position ? TEMPERATURE_COLD : TEMPERATURE_WARM;
    struct overhead_row *row =
        hand_plain_row(hand, operation, link, predecessor, hand->counts ? &hand_user : &hand_ticks,
                       hand->counts ? 20 : value);
    row->position = position;
    row->temperature = temperature;
    if (hand->counts) {
        struct overhead_row *other =
            hand_plain_row(hand, operation, link, predecessor, &hand_kernel, value - 20);
        other->position = position;
        other->temperature = temperature;
    }
    return row;
}

static const char *const hand_links[] = {"static", "lazy", "bind-now"};

/* Warm, after nothing and after a read, in programs of every link. */
static inline void hand_warm(struct hand *hand, const char *operation, double value)
{
    for (size_t i = 0; i < 3; i++) {
        hand_row(hand, operation, hand_links[i], "timer.nothing", 0, value);
        hand_row(hand, operation, hand_links[i], "perf-read.read", 0, value);
    }
}

/* The first call of a process. */
static inline struct overhead_row *hand_first(struct hand *hand, const char *operation,
                                              const char *link, double value)
{
    return hand_row(hand, operation, link, "timer.nothing", 1, value);
}

/* 32 reads in a row from the first of every process on, given for the blocks 1, 2, 3-4, 5-8, 9-16,
 * 17-32; upper: of every other process, times as much. */
static inline void hand_reads(struct hand *hand, const char *operation, const double blocks[6],
                              double upper)
{
    const struct overhead_meter *meter = hand->counts ? &hand_user : &hand_ticks;
    uint32_t index = build_overhead_operation(&hand->builder, operation);
    struct overhead_tour *tour =
        memory_add(hand->builder.file.tours, hand->builder.file.tour_count);
    assert_non_null(tour);
    tour->machine = hand->machine;
    tour->link = memory_copy("static");
    tour->open = 1;
    tour->cold = true;
    hand_first(hand, operation, "static", blocks[0]); /* so that something was metered */
    for (uint32_t process = 0; process < hand->processes; process++)
        for (uint32_t position = 1, block = 0, last = 1; position <= 32; position++) {
            if (position > last) {
                block++;
                last *= 2;
            }
            double noise = 1 + hand->spread * overhead_built_normal(&hand->builder.random);
            assert_true(hand->report.figure_count < HAND_READS);
            hand->figures[hand->report.figure_count++] = (struct overhead_figure){
                .machine = hand->machine,
                .tour = (uint32_t)hand->builder.file.tour_count - 1,
                .process = process,
                .operation = index,
                .times = 1,
                .position = position,
                .predecessor = position == 1 ? -1 : (int32_t)index,
                .meter = meter,
                .variant = "static",
                .value = blocks[block] * noise * (process % 2 ? upper : 1),
                .runs = 1,
            };
        }
}

/* Two levels in the row, of equal weight. */
static inline void hand_levels(struct overhead_row *row, double lower, double upper)
{
    row->level_count = 2;
    row->levels_kind = LEVELS_BY_PROCESS;
    row->levels[0] = (struct overhead_level){.median = lower, .share = 0.5, .processes = 15};
    row->levels[1] = (struct overhead_level){.median = upper, .share = 0.5, .processes = 15};
}

static inline struct overhead_slope *hand_slope(struct hand *hand, const char *operation,
                                                bool separate, double slope, double power)
{
    assert_true(hand->report.slope_count < HAND_SLOPES);
    struct overhead_slope *planted = &hand->slopes[hand->report.slope_count++];
    *planted = (struct overhead_slope){
        .machine = hand->machine,
        .operation = build_overhead_operation(&hand->builder, operation),
        .variant = "static",
        .link = "static",
        .counted = "page-faults",
        .meter = hand->counts ? &hand_kernel : &hand_ticks,
        .separate = separate,
        .points = 4,
        .processes = hand->processes,
        .slope = slope,
        .low = slope * (1 - 5 * hand->spread),
        .high = slope * (1 + 5 * hand->spread),
        .exponent = power,
        .exponent_low = power * (1 - 5 * hand->spread),
        .exponent_high = power * (1 + 5 * hand->spread),
        .one = 1000,
        .most = 1000 + slope * pow(7, power),
        .most_count = 8,
        .straight = power > 0.9 && power < 1.1,
    };
    if (hand->counts) { /* user code is the same for any number */
        struct overhead_slope *user = &hand->slopes[hand->report.slope_count++];
        *user = *planted;
        user->meter = &hand_user;
        user->slope = user->low = user->high = 0;
        user->exponent = user->exponent_low = user->exponent_high = NAN;
    }
    return planted;
}

static inline void hand_no_user_reads(struct hand *hand)
{
    static const char *const paths[] = {"perf-user", "perf-user-touched", "perf-user-cold"};
    for (size_t i = 0; i < 3; i++)
        build_overhead_absence(&hand->builder, paths[i], 95,
                               "this CPU has no counters. Ask the host for a virtual PMU.");
}

/* --- reports in words: "warm perf-read.read 1000; first perf-read.read lazy 4000; faults" --- */

static const double hand_blocks[][6] = {
    {3000, 1500, 1400, 1390, 1380, 1370},  /* 0: falling */
    {3000, 1500, 1400, 1390, 1700, 1800},  /* 1: rising */
    {1000, 1000, 1000, 1000, 1000, 1000},  /* 2: even */
    {400, 100, 90, 90, 90, 90},            /* 3: cheap, falling */
    {1000, 1500, 1400, 1390, 1380, 1370}}; /* 4: the first is cheap */

static inline void hand_say(struct hand *hand, const char *words)
{
    char what[24] = "", name[48] = "", link[48] = "", before[48] = "";
    double one = 0, two = 0;
    const size_t rows = hand->report.row_count, slopes = hand->report.slope_count;
    /* Of two rows in instructions the first is meant. */
    struct overhead_row *row = rows ? &hand->rows[rows - (hand->counts ? 2 : 1)] : NULL;
    struct overhead_slope *slope = slopes ? &hand->slopes[slopes - 1] : NULL;
    unsigned position;
    assert_int_equal(sscanf(words, "%23s", what), 1);
#define IS(word, count, ...)                                                                       \
    (strcmp(what, word) == 0 && sscanf(words, "%*s " __VA_ARGS__) == (count))
    if (IS("warm", 2, "%47s %lf", name, &one))
        hand_warm(hand, name, one);
    else if (IS("first", 3, "%47s %47s %lf", name, link, &one))
        hand_first(hand, name, memory_copy(link), one);
    else if (IS("row", 5, "%47s %47s %47s %u %lf", name, link, before, &position, &one))
        hand_row(hand, name, memory_copy(link), strcmp(before, "-") != 0 ? before : NULL, position,
                 one);
    else if (IS("limits", 2, "%lf %lf", &one, &two))
        row->low = one, row->high = two;
    else if (IS("levels", 2, "%lf %lf", &one, &two))
        hand_levels(row, one, two);
    else if (IS("runs", 1, "%lf", &one))
        row->runs = row->processes = (size_t)one;
    else if (IS("events", 1, "%lf", &one))
        row->events = (uint32_t)one;
    else if (IS("reads", 1, "%lf", &one))
        row->reads = (uint32_t)one;
    else if (IS("levels-of", 3, "%47s %lf %lf", name, &one, &two)) {
        for (size_t i = 0; i < hand->report.row_count; i++)
            if (hand->rows[i].operation == build_overhead_operation(&hand->builder, name))
                hand_levels(&hand->rows[i], one, two);
    } else if (IS("group", 3, "%47s %lf %lf", name, &one, &two))
        hand_slope(hand, name, false, one, two);
    else if (IS("separate", 3, "%47s %lf %lf", name, &one, &two))
        hand_slope(hand, name, true, one, two);
    else if (IS("straight", 1, "%lf", &one))
        slope->straight = true, slope->miss = one;
    else if (IS("again", 3, "%47s %lf %lf", name, &one, &two))
        hand_reads(hand, name, hand_blocks[(int)one], two);
    else if (IS("spread", 1, "%lf", &one))
        hand->spread = one;
    else if (IS("processes", 1, "%lf", &one))
        hand->processes = (size_t)one;
    else if (IS("machine", 1, "%47s", name))
        hand->machine = build_overhead_machine(&hand->builder, name, false);
    else if (IS("step", 1, "%lf", &one)) {
        hand->timer =
            (struct overhead_timer){.meter = &hand_ticks, .known = true, .resolution = one};
        hand->report.timer_count = 1;
    } else if (strcmp(what, "faults") == 0)
        row->faults = row->runs;
    else if (strcmp(what, "summary") == 0)
        row->all_predecessors = true;
    else if (strcmp(what, "by-reads") == 0)
        slope->by_reads = true;
    else if (strcmp(what, "emulated") == 0)
        hand_emulate(hand);
    else if (strcmp(what, "in-instructions") == 0)
        hand->counts = true;
    else if (strcmp(what, "in-ticks") == 0)
        hand->counts = false;
    else if (strcmp(what, "no-user-reads") == 0)
        hand_no_user_reads(hand);
    else
        fail_msg("nobody knows \"%s\"", words);
#undef IS
}

static inline struct hand *hand_plan(const char *plan)
{
    struct hand *hand = hand_new();
    char *words = memory_copy(plan), *rest = words;
    for (char *one = strtok_r(words, ";", &rest); one; one = strtok_r(NULL, ";", &rest))
        hand_say(hand, one);
    return hand;
}

/* The clause has these numbers, in their order; 0: the rest does not matter. */
static inline void assert_numbers(const struct reason *reason, const double numbers[4])
{
    size_t at = 0;
    for (size_t i = 0; i < reason->value_count && at < 4 && numbers[at] != 0; i++) {
        const struct reason_value *value = &reason->values[i];
        if (value->kind == REASON_NUMBER || value->kind == REASON_COUNT)
            assert_near(value->kind == REASON_COUNT ? (double)value->count : value->number,
                        numbers[at++], 0.005);
    }
    assert_true(at == 4 || numbers[at] == 0);
}

/* Every argument that a sentence must have is there. */
static inline void assert_whole(const struct reasons *reasons)
{
    const char *words = reasons_text(reasons);
    assert_true(words[0] && !strstr(words, "nan") && !strstr(words, "inf ") &&
                !strstr(words, "  "));
}
