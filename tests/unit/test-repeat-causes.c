/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why two executions part: planted differences are found where they are, and things that differ in
 * every execution of every program accuse nobody. */
#include <errno.h>

#include "repeat-builder.h"

struct world {
    struct repeat_builder builder;
    struct repeat_report report;
    size_t cell;
};

static void begin(struct world *world)
{
    repeat_begin(&world->builder, 1);
    repeat_build_cell(&world->builder, &(struct repeat_way){.source = "step"});
    world->cell =
        repeat_build_cell(&world->builder, &(struct repeat_way){.source = "step",
                                                                .detail = DETAIL_CALLS,
                                                                .events = {"step/syscalls/"},
                                                                .classes = {"syscalls"}});
}

static void end(struct world *world)
{
    repeat_build_end(&world->builder);
}

/* One watched execution, and one that counts so many instructions. */
static void run(struct world *world, uint64_t count)
{
    repeat_build_run(&world->builder, 0, &count);
    repeat_build_run(&world->builder, world->cell, &(uint64_t){9});
}

#define CALL(world, ...) repeat_build_call(&(world)->builder, (world)->cell, __VA_ARGS__)

/* What every program does at its beginning; addresses, ids and times of access differ. */
static void start_up(struct world *world, uint64_t draw)
{
    CALL(world, 0, "brk", "", (int64_t)(0x5500000000 + draw * 4096), 0, 0);
    CALL(world, 0, "openat", "/lib/libc.so.6", 3, 0, 0);
    CALL(world, 0, "read", "/lib/libc.so.6", 832, 832, 99);
    CALL(world, 0, "newfstatat", "/lib/libc.so.6", 0, 0, 1000 + draw);
    CALL(world, 0, "mmap", "/lib/libc.so.6", (int64_t)(0x7f0000000000 + draw * 4096), 0, 0);
    CALL(world, 0, "readlink", "/proc/self/exe", 13, 4096, 13);
    CALL(world, 0, "set_tid_address", "", (int64_t)(4000 + draw), 0, 0);
    CALL(world, 0, "fstat", "pipe", 0, 0, 5000 + draw);
    CALL(world, 0, "getrandom", "", 8, 8, 7777 * (draw + 1));
}

static const struct repeat_seen *seen(struct world *world, enum repeat_parting cause)
{
    for (size_t i = 0; i < world->report.seen_count; i++)
        if (world->report.seen[i].cause == cause)
            return &world->report.seen[i];
    return NULL;
}

/* The same, which there must be. */
static const struct repeat_seen *told(struct world *world, enum repeat_parting cause)
{
    const struct repeat_seen *found = seen(world, cause);
    assert_non_null(found);
    return found;
}

static size_t parted(struct world *world)
{
    size_t count = 0;
    for (size_t i = 0; i < world->report.seen_count; i++)
        count += world->report.seen[i].parted;
    return count;
}

/* --- one thing at a time --- */

/* A call in each of two executions; of a numbered result or sum the second has one more. */
struct asked {
    const char *name, *what;
    int64_t result;
    uint64_t asked, sum;
    int64_t results; /* the second has so much more */
    uint64_t sums;
    enum { BOTH, FIRST, SECOND } in;
    uint32_t tasks[2];
};
struct scenario {
    bool counts_vary, starts; /* with what every program does */
    struct asked calls[6];    /* up to one without a name */
    struct {
        enum repeat_parting cause;
        bool parted;
        enum repeat_word says; /* SAYS_IDENTICAL: whatever */
        size_t place;
        double number;    /* with this place in it; 0: none */
    } seen[3];            /* the first two must be there, where they say anything */
    size_t parted, count; /* of all causes; count 0: whatever */
};

#define GETPID                                                                                     \
    {                                                                                              \
        "getpid", "", 900, .results = 1                                                            \
    }
#define TIME_OF                                                                                    \
    {                                                                                              \
        "clock_gettime", "", .sum = 44, .sums = 1                                                  \
    }
#define URANDOM                                                                                    \
    {"openat", "/dev/urandom", 3},                                                                 \
    {                                                                                              \
        "read", "/dev/urandom", 4, 4, 31, .sums = 1                                                \
    }
#define RANDOM24                                                                                   \
    {                                                                                              \
        "getrandom", "", 24, 24, 31, .sums = 1                                                     \
    }
#define NULLED                                                                                     \
    {                                                                                              \
        "write", "/dev/null", 10, 10                                                               \
    }
#define INPUT "read", "/tmp/input"

static const struct scenario scenarios[] = {
    /* Addresses, ids and times of access differ in every execution of every program. */
    {true, true, {{0}}, {{0}}, 0, 0},
    {false, true, {{0}}, {{0}}, 0, 0},
    /* Random bytes are found where they were given, and identity is not blamed beside them. */
    {true,
     true,
     {URANDOM, GETPID},
     {{PARTING_RANDOM, true, SAYS_GAVE, 3, 11}, {PARTING_IDENTITY, false, SAYS_GAVE, 3, 12}},
     1,
     0},
    /* Identical counts make no parting of other values. */
    {false,
     false,
     {RANDOM24, TIME_OF},
     {{PARTING_RANDOM, false, SAYS_COUNTS_SAME}, {PARTING_TIME, false, SAYS_COUNTS_SAME}},
     0,
     2},
    /* Time and identity are blamed where nothing else differs. */
    {true, true, {TIME_OF}, {{PARTING_TIME, true, SAYS_GAVE}}, 1, 0},
    {true, true, {GETPID}, {{PARTING_IDENTITY, true, SAYS_GAVE}}, 1, 0},
    /* Other calls are explained by what was given before. */
    {true,
     true,
     {GETPID, TIME_OF, {"nanosleep", "", .in = SECOND}, NULLED},
     {{PARTING_TIME, true, SAYS_GAVE, 3, 11}, {PARTING_TIME, true, SAYS_PART, 0, 12}},
     1,
     0},
    /* Partial input is told from other contents; broken off by a signal it is partial, too. */
    {true,
     false,
     {{"read", "pipe", 1500, 65536, 5, .results = 2596, .sums = 1}, {INPUT, 20, 4096, 70, 0, 1}},
     {{PARTING_PARTIAL, true, SAYS_GAVE}, {PARTING_FILES, true, SAYS_GAVE}},
     2,
     2},
    {true,
     false,
     {{INPUT, 20, 4096, .results = -20 - EINTR}, {INPUT, 20, 4096}},
     {{PARTING_PARTIAL, true, SAYS_GAVE}},
     1,
     0},
    /* A file that ends is no partial input. */
    {true, false, {{INPUT, 20, 4096, 1}, {INPUT, 0, 4096}}, {{0}}, 0, 0},
    /* Threads that take turns in another order, and one that does something else. */
    {true,
     false,
     {{"clone3", "", 50, .results = 1},
      {"write", "/dev/null", 1, 1, .tasks = {0, 1}},
      {"write", "/dev/null", 1, 1, .tasks = {1, 0}}},
     {{PARTING_THREADS, true, SAYS_OTHER_ORDER}},
     1,
     0},
    {true,
     false,
     {{"clone3", "", 50, .results = 1},
      {"futex", "", -EAGAIN, .in = SECOND, .tasks = {1, 1}},
      {"write", "/dev/null", 1, 1, .tasks = {1, 1}}},
     {{PARTING_THREADS, true, SAYS_PART_LATER}},
     1,
     0},
};

TEST(what_parts_two_executions_is_found_where_it_is)
{
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
        const struct scenario *scenario = &scenarios[i];
        struct world world;
        begin(&world);
        for (uint32_t second = 0; second < 2; second++) {
            run(&world, 1000 + 17 * scenario->counts_vary * second);
            if (scenario->starts)
                start_up(&world, second);
            for (const struct asked *call = scenario->calls; call->name; call++)
                if (call->in != (second ? FIRST : SECOND))
                    CALL(&world, call->tasks[second], call->name, call->what,
                         call->result + call->results * second, call->asked,
                         call->sum + call->sums * second);
        }
        world.report = repeat_judged(&world.builder);
        if (parted(&world) != scenario->parted ||
            (scenario->count && world.report.seen_count != scenario->count))
            fail_msg("scenario %zu: %zu parted, %zu seen", i, parted(&world),
                     world.report.seen_count);
        assert_true(scenario->seen[0].says || world.report.seen_count == 0);
        for (size_t j = 0; j < 2 && scenario->seen[j].says; j++) {
            const struct repeat_seen *found = told(&world, scenario->seen[j].cause);
            assert_int_equal(found->parted, scenario->seen[j].parted);
            assert_says(found->evidence, scenario->seen[j].says);
            if (scenario->seen[j].number > 0)
                assert_float_equal(repeat_number_of(&found->evidence, scenario->seen[j].says,
                                                    scenario->seen[j].place),
                                   scenario->seen[j].number, 0);
        }
        end(&world);
    }
}

/* Watched as-is, where a hash seed is drawn, and controlled, where none is: the time is another
 * one under both, and parts nothing when controlled. */
TEST(what_parts_nothing_elsewhere_is_not_blamed)
{
    for (int drawn = 0; drawn < 2; drawn++) {
        struct world world;
        begin(&world);
        const struct repeat_way controlled = {.source = "step",
                                              .controls = CONTROLS_ALL,
                                              .detail = DETAIL_CALLS,
                                              .events = {"step/syscalls/"},
                                              .classes = {"syscalls"}};
        for (uint64_t i = 0; i < 2; i++) {
            run(&world, 1000 + i);
            if (drawn)
                CALL(&world, 0, "getrandom", "", 24, 24, 31 + i);
            CALL(&world, 0, "getdents64", "/usr/lib", 640, 32768, 60 + i);
            CALL(&world, 0, "clock_gettime", "", 0, 0, 44 + i);
            CALL(&world, 0, i ? "mmap" : "clock_gettime", "", 0, 0, 0);
        }
        world.cell = repeat_build_cell(&world.builder, &controlled);
        for (uint64_t i = 0; i < 2; i++) {
            repeat_build_run(&world.builder, world.cell, &(uint64_t){9});
            CALL(&world, 0, "clock_gettime", "", 0, 0, 44 + i);
        }
        world.report = repeat_judged(&world.builder);
        assert_int_equal(parted(&world), 1);
        assert_false(told(&world, PARTING_TIME)->parted);
        if (drawn)
            assert_float_equal(
                repeat_number_of(&told(&world, PARTING_RANDOM)->evidence, SAYS_PART, 0), 4, 0);
        else
            assert_says(world.report.seen[0].evidence, SAYS_NO_CALL);
        end(&world);
    }
}

TEST(addresses_are_blamed_where_calls_stay_the_same)
{
    for (size_t watched = 0; watched < 2; watched++) {
        struct world world;
        repeat_begin(&world.builder, 3);
        repeat_build_settings(&world.builder, &(struct repeat_way){0},
                              &(struct repeat_planted){.varies[CONTROL_ASLR] = 700}, true);
        if (watched) {
            world.cell = repeat_build_cell(
                &world.builder, &(struct repeat_way){.source = "step", .detail = DETAIL_CALLS});
            for (uint64_t i = 0; i < 2; i++) {
                repeat_build_run(&world.builder, world.cell, &(uint64_t){9});
                start_up(&world, i);
            }
        }
        world.report = repeat_judged(&world.builder);
        assert_non_null(seen(&world, PARTING_ADDRESSES));
        assert_int_equal(told(&world, PARTING_ADDRESSES)->parted, watched);
        assert_says(told(&world, PARTING_ADDRESSES)->evidence,
                    watched ? SAYS_ADDRESSES_SAME : SAYS_ADDRESSES);
        end(&world);
    }
}

TEST(output_that_differs_is_told)
{
    struct world world;
    repeat_begin(&world.builder, 3);
    world.cell = repeat_build_cell(&world.builder, &(struct repeat_way){0});
    for (uint64_t i = 0; i < 5; i++)
        repeat_build_run(&world.builder, world.cell, &(uint64_t){9})->output_sum = i > 2;
    world.report = repeat_judged(&world.builder);
    assert_true(told(&world, PARTING_OUTPUT)->parted);
    assert_int_equal(told(&world, PARTING_OUTPUT)->times, 2);
    assert_says(told(&world, PARTING_OUTPUT)->evidence, SAYS_WROTE);
    end(&world);
}

TEST(no_calls_and_no_runs_are_no_cause)
{
    struct world world;
    begin(&world);
    world.report = repeat_judged(&world.builder);
    assert_int_equal(world.report.seen_count, 0);
    end(&world);
    begin(&world);
    run(&world, 1);
    run(&world, 2);
    CALL(&world, 7, "", "", INT64_MIN, UINT64_MAX, 0);
    world.report = repeat_judged(&world.builder);
    assert_int_equal(parted(&world), 1);
    end(&world);
}
