/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the proof of the judge rests on: clean cases are clean, lies are planted in the size that is
 * stated, and all of it follows from a seed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "plants.h"
#include "recorded.h"

static struct frozen_specimens specimens;

static const char *in_source(const char *name)
{
    static char file[4096];
    const char *source = getenv("ASSAY_SOURCE");
    snprintf(file, sizeof(file), "%s/tests/judge/%s", source ? source : ".", name);
    return file;
}

static int set_up(void **state)
{
    (void)state;
    specimens_read(in_source("specimens.txt"), &specimens);
    return 0;
}

static void build(uint64_t seed, const char *event, enum noise_kind noise, struct machine *machine,
                  struct case_file *file)
{
    struct random random;
    random_seed(&random, seed);
    machine_draw(&random, countable_find(event), noise, machine);
    clean_case(&random, &specimens, machine, file);
}

static uint64_t sum_of_values(const struct case_file *file)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < file->events[0].point_count; i++)
        for (size_t j = 0; j < file->events[0].points[i].run_count; j++)
            sum = sum * 31 + file->events[0].points[i].runs[j].value;
    return sum;
}

static uint64_t sum_of_seed(uint64_t seed)
{
    struct machine machine;
    struct case_file file = {0};
    build(seed, "instructions:u", NOISE_HEAVY, &machine, &file);
    uint64_t sum = sum_of_values(&file);
    return sum;
}

TEST(a_case_follows_from_its_seed)
{
    assert_int_equal(sum_of_seed(7), sum_of_seed(7));
    assert_int_not_equal(sum_of_seed(7), sum_of_seed(8));
}

TEST(opcodes_of_every_specimen_add_up_to_its_instructions)
{
    assert_true(specimens.count >= 24);
    for (size_t i = 1; i < specimens.count; i++) {
        double sum = 0;
        for (size_t j = 0; j < specimens.list[i].opcode_count; j++)
            sum += (double)law_low(&specimens.list[i].opcodes[j], 1000);
        assert_true(sum == specimen_class_at(&specimens.list[i], "instructions", 1000));
    }
}

TEST(counts_of_a_still_machine_are_truth_and_overhead)
{
    struct machine machine;
    struct case_file file = {0};
    build(3, "instructions:u", NOISE_NONE, &machine, &file);
    size_t quiet = 0, runs = 0;
    for (size_t i = 0; i < file.events[0].point_count; i++) {
        const struct point *point = &file.events[0].points[i];
        for (size_t j = 0; j < point->run_count; j++, runs++)
            if (point->runs[j].account.involuntary == 0) {
                assert_int_equal(point->runs[j].value,
                                 (uint64_t)point->truth.low + machine.overhead);
                quiet++;
            }
    }
    assert_true(quiet > runs * 9 / 10);
}

TEST(no_noise_reaches_a_hundredth_of_a_truth_that_matters)
{
    for (enum noise_kind noise = NOISE_NONE; noise < NOISE_KINDS; noise++) {
        struct machine machine;
        struct case_file file = {0};
        build(5 + noise, "instructions:u", noise, &machine, &file);
        for (size_t i = 0; i < file.events[0].point_count; i++) {
            const struct point *point = &file.events[0].points[i];
            double truth = (double)point->truth.low;
            double error = noise_stdev(&machine.noise, truth) / sqrt((double)point->run_count);
            if (truth >= 100 * fmax(1, (double)machine.overhead))
                assert_true(2 * error < truth / 100);
        }
    }
}

static void draw_for(const struct plant *plant, uint64_t seed, struct machine *machine,
                     struct random *random, struct case_file *file)
{
    random_seed(random, seed);
    machine_draw(random, countable_find("instructions:u"), NOISE_NONE, machine);
    machine_enter(random, machine, plant->world);
    machine->two_core_types = plant->needs_core_types;
    machine_want(machine, "fldcw");
    machine_want(machine, "locked");
    clean_case(random, &specimens, machine, file);
}

TEST(every_plant_changes_counts_and_states_its_size)
{
    for (size_t i = 0; i < plant_count_of_all; i++) {
        struct machine machine;
        struct random random;
        struct case_file file = {0};
        struct planting planting;
        size_t points_hit;
        draw_for(&plants[i], 100 + i, &machine, &random, &file);
        uint64_t before = sum_of_values(&file);
        planting_draw(&random, &plants[i], &file.events[0], &planting);
        planting.noise = &machine.noise;
        assert_true(!plants[i].needs_opcode || planting.opcode);
        double ratio = plant_lie(&plants[i], &planting, &file.events[0], &points_hit);
        if (strstr(plants[i].name, "scaled twice") == NULL)
            assert_int_not_equal(sum_of_values(&file), before);
        assert_true(ratio > 1);
        assert_true(points_hit > 0);
    }
}

TEST(the_size_of_a_lie_is_told_in_standard_deviations)
{
    struct machine machine;
    struct case_file file = {0};
    build(11, "instructions:u", NOISE_ADDITIVE, &machine, &file);
    struct random random;
    random_seed(&random, 12);
    struct planting planting;
    size_t points_hit;
    planting_draw(&random, plant_find("offset"), &file.events[0], &planting);
    planting.noise = &machine.noise;
    planting.size = 10 * noise_stdev(&machine.noise, 0);
    double ratio = plant_lie(plant_find("offset"), &planting, &file.events[0], &points_hit);
    assert_true(fabs(ratio - 10) < 0.01);
}

TEST(a_drawn_opcode_goes_along_with_nothing_else)
{
    struct machine machine;
    struct random random;
    for (uint64_t seed = 1; seed < 6; seed++) {
        struct case_file file = {0};
        struct planting planting;
        draw_for(plant_find("opcode counted more"), seed, &machine, &random, &file);
        planting_draw(&random, plant_find("opcode counted more"), &file.events[0], &planting);
        assert_non_null(planting.opcode);
        assert_string_not_equal(planting.opcode, "syscall");
        assert_string_not_equal(planting.opcode, "mfence");
    }
}

TEST(recordings_hold_null_cells_and_runs)
{
    static const char *const names[] = {"faults", "calls", "switches", "probes", "lab"};
    for (size_t i = 0; i < 5; i++) {
        char name[40];
        snprintf(name, sizeof(name), "recorded/%s.txt", names[i]);
        struct case_file file = {0};
        recording_read(in_source(name), &file);
        assert_true(file.event_count >= 1);
        for (size_t j = 0; j < file.event_count; j++) {
            assert_true(file.events[j].points[0].is_null);
            assert_true(file.events[j].point_count > 8);
            for (size_t k = 0; k < file.events[j].point_count; k++)
                assert_true(file.events[j].points[k].run_count >= 15);
        }
    }
}

GROUP(set_up, NULL)
