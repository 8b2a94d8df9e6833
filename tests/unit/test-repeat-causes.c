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

TEST(the_same_calls_accuse_nobody)
{
    for (uint64_t varied = 0; varied < 2; varied++) {
        struct world world;
        begin(&world);
        for (uint64_t i = 0; i < 3; i++) {
            run(&world, 1000 + varied * i);
            start_up(&world, i);
        }
        world.report = repeat_judged(&world.builder);
        assert_int_equal(parted(&world), 0);
        assert_int_equal(world.report.seen_count, 0);
        end(&world);
    }
}

TEST(random_bytes_are_found_where_they_were_given)
{
    struct world world;
    begin(&world);
    for (uint64_t i = 0; i < 2; i++) {
        run(&world, 1000 + 17 * i);
        start_up(&world, i);
        CALL(&world, 0, "openat", "/dev/urandom", 3, 0, 0);
        CALL(&world, 0, "read", "/dev/urandom", 4, 4, 31 + i);
        CALL(&world, 0, "getpid", "", (int64_t)(4000 + i), 0, 0);
    }
    world.report = repeat_judged(&world.builder);
    assert_int_equal(parted(&world), 1);
    assert_true(told(&world, PARTING_RANDOM)->parted);
    const struct reasons *evidence = &told(&world, PARTING_RANDOM)->evidence;
    assert_float_equal(repeat_number_of(evidence, SAYS_GAVE, 3), 11, 0);
    assert_float_equal(repeat_number_of(evidence, SAYS_GAVE, 4), 12, 0);
    assert_false(told(&world, PARTING_IDENTITY)->parted);
    end(&world);
}

TEST(identical_counts_make_no_parting_of_other_values)
{
    struct world world;
    begin(&world);
    for (uint64_t i = 0; i < 2; i++) {
        run(&world, 1000);
        CALL(&world, 0, "getrandom", "", 24, 24, 31 + i);
        CALL(&world, 0, "clock_gettime", "", 0, 0, 131 + i);
    }
    world.report = repeat_judged(&world.builder);
    assert_int_equal(parted(&world), 0);
    assert_says(told(&world, PARTING_RANDOM)->evidence, SAYS_COUNTS_SAME);
    assert_int_equal(told(&world, PARTING_TIME)->times, 1);
    end(&world);
}

TEST(time_and_identity_are_blamed_where_nothing_else_differs)
{
    static const struct {
        const char *call;
        enum repeat_parting cause;
    } plans[] = {{"clock_gettime", PARTING_TIME}, {"getpid", PARTING_IDENTITY}};
    for (size_t plan = 0; plan < 2; plan++) {
        struct world world;
        begin(&world);
        for (uint64_t i = 0; i < 2; i++) {
            run(&world, 1000 + i);
            start_up(&world, i);
            CALL(&world, 0, plans[plan].call, "", plan ? (int64_t)(900 + i) : 0, 0,
                 plan ? 0 : 900 + i);
        }
        world.report = repeat_judged(&world.builder);
        assert_int_equal(parted(&world), 1);
        assert_true(told(&world, plans[plan].cause)->parted);
        end(&world);
    }
}

TEST(other_calls_are_explained_by_what_was_given_before)
{
    struct world world;
    begin(&world);
    for (uint64_t i = 0; i < 2; i++) {
        run(&world, 1000 + i);
        start_up(&world, i);
        CALL(&world, 0, "getpid", "", (int64_t)(900 + i), 0, 0);
        CALL(&world, 0, "clock_gettime", "", 0, 0, 44 + i);
        if (i)
            CALL(&world, 0, "nanosleep", "", 0, 0, 0);
        CALL(&world, 0, "write", "/dev/null", 10, 10, 0);
    }
    world.report = repeat_judged(&world.builder);
    assert_int_equal(parted(&world), 1);
    assert_int_equal(world.report.seen[0].cause, PARTING_TIME);
    assert_float_equal(repeat_number_of(&world.report.seen[0].evidence, SAYS_GAVE, 3), 11, 0);
    assert_float_equal(repeat_number_of(&world.report.seen[0].evidence, SAYS_PART, 0), 12, 0);
    end(&world);
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

TEST(partial_input_is_told_from_other_contents)
{
    struct world world;
    begin(&world);
    for (uint64_t i = 0; i < 2; i++) {
        run(&world, 1000 + i);
        CALL(&world, 0, "read", "pipe", i ? 4096 : 1500, 65536, 5 + i);
        CALL(&world, 0, "read", "/tmp/input", 20, 4096, 70 + i);
    }
    world.report = repeat_judged(&world.builder);
    assert_true(told(&world, PARTING_PARTIAL)->parted);
    assert_true(told(&world, PARTING_FILES)->parted);
    assert_says(told(&world, PARTING_FILES)->evidence, SAYS_GAVE);
    end(&world);
    begin(&world);
    for (uint64_t i = 0; i < 2; i++) {
        run(&world, 1000 + i);
        CALL(&world, 0, "read", "/tmp/input", i ? -EINTR : 20, 4096, 0);
        CALL(&world, 0, "read", "/tmp/input", 20, 4096, 0);
    }
    world.report = repeat_judged(&world.builder);
    assert_true(told(&world, PARTING_PARTIAL)->parted);
    end(&world);
}

TEST(a_file_that_ends_is_no_partial_input)
{
    struct world world;
    begin(&world);
    for (uint64_t i = 0; i < 2; i++) {
        run(&world, 1000 + i);
        CALL(&world, 0, "read", "/tmp/input", 20, 4096, 1);
        CALL(&world, 0, "read", "/tmp/input", 0, 4096, 0);
    }
    world.report = repeat_judged(&world.builder);
    assert_int_equal(world.report.seen_count, 0);
    end(&world);
}

TEST(threads_in_another_order_are_seen)
{
    struct world world;
    begin(&world);
    for (uint64_t i = 0; i < 2; i++) {
        run(&world, 1000 + i);
        CALL(&world, 0, "clone3", "", (int64_t)(50 + i), 0, 0);
        CALL(&world, i ? 1 : 0, "write", "/dev/null", 1, 1, 0);
        CALL(&world, i ? 0 : 1, "write", "/dev/null", 1, 1, 0);
    }
    world.report = repeat_judged(&world.builder);
    assert_int_equal(parted(&world), 1);
    assert_true(told(&world, PARTING_THREADS)->parted);
    assert_says(told(&world, PARTING_THREADS)->evidence, SAYS_OTHER_ORDER);
    end(&world);
    begin(&world);
    for (uint64_t i = 0; i < 2; i++) {
        run(&world, 1000 + i);
        CALL(&world, 0, "clone3", "", (int64_t)(50 + i), 0, 0);
        if (i)
            CALL(&world, 1, "futex", "", -EAGAIN, 0, 0);
        CALL(&world, 1, "write", "/dev/null", 1, 1, 0);
    }
    world.report = repeat_judged(&world.builder);
    assert_true(told(&world, PARTING_THREADS)->parted);
    end(&world);
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

TEST(nothing_is_said_of_counts_that_nobody_took)
{
    struct world world;
    repeat_begin(&world.builder, 3);
    world.cell =
        repeat_build_cell(&world.builder, &(struct repeat_way){.source = "step",
                                                               .detail = DETAIL_CALLS,
                                                               .events = {"step/syscalls/"},
                                                               .classes = {"syscalls"}});
    for (uint64_t i = 0; i < 2; i++) {
        repeat_build_run(&world.builder, world.cell, &(uint64_t){9});
        CALL(&world, 0, "getrandom", "", 24, 24, 31 + i);
    }
    world.report = repeat_judged(&world.builder);
    assert_int_equal(parted(&world), 0);
    assert_null(
        reasons_find(&told(&world, PARTING_RANDOM)->evidence, &repeat_words[SAYS_COUNTS_SAME]));
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
