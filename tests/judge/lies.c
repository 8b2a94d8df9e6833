/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lying counters. */
#include "lies.h"

#include <math.h>
#include <string.h>

#define SHORT_NANOSECONDS 20000

double trait_count(const struct point *point, enum trait_kind kind, const char *name)
{
    const struct trait *trait = point_trait(point, kind, name);
    return trait ? (double)trait->count : 0;
}

/* What a clean machine counts of the code itself. */
static double truth_middle(const struct point *point)
{
    return ((double)point->truth.low + (double)point->truth.high) / 2;
}

double lie_offset_points(const struct planting *planting, const struct point *point,
                         struct evidence_run *run, double count)
{
    (void)run;
    return point->is_null ? count : count + planting->size;
}

double lie_offset_everywhere(const struct planting *planting, const struct point *point,
                             struct evidence_run *run, double count)
{
    (void)point;
    (void)run;
    return count + planting->size;
}

double lie_factor_up(const struct planting *planting, const struct point *point,
                     struct evidence_run *run, double count)
{
    (void)point;
    (void)run;
    return count * (1 + planting->size);
}

double lie_factor_down(const struct planting *planting, const struct point *point,
                       struct evidence_run *run, double count)
{
    (void)point;
    (void)run;
    return count * (1 - planting->size);
}

double lie_zeros(const struct planting *planting, const struct point *point,
                 struct evidence_run *run, double count)
{
    (void)planting;
    (void)point;
    (void)run;
    (void)count;
    return 0;
}

double lie_zeros_on_one_core(const struct planting *planting, const struct point *point,
                             struct evidence_run *run, double count)
{
    (void)planting;
    (void)run;
    return strcmp(point->core, "cpu_atom") == 0 ? 0 : count;
}

double lie_unscheduled(const struct planting *planting, const struct point *point,
                       struct evidence_run *run, double count)
{
    (void)planting;
    (void)point;
    (void)count;
    run->running = 0;
    return 0;
}

/* Some runs lose a part of their count. */
double lie_lost(const struct planting *planting, const struct point *point,
                struct evidence_run *run, double count)
{
    (void)point;
    (void)run;
    return random_unit(planting->random) < planting->share ? count * (1 - planting->size) : count;
}

double lie_noise(const struct planting *planting, const struct point *point,
                 struct evidence_run *run, double count)
{
    (void)run;
    (void)point;
    return fmax(0, count * (1 + planting->size * random_normal(planting->random)));
}

double lie_each_fault(const struct planting *planting, const struct point *point,
                      struct evidence_run *run, double count)
{
    (void)point;
    double faults = (double)(run->account.minor_faults + run->account.major_faults);
    return count + planting->size * faults;
}

double lie_each_call(const struct planting *planting, const struct point *point,
                     struct evidence_run *run, double count)
{
    (void)run;
    return count + planting->size * trait_count(point, TRAIT_CLASS, "syscalls");
}

double lie_each_interrupt(const struct planting *planting, const struct point *point,
                          struct evidence_run *run, double count)
{
    (void)point;
    return count + planting->size * run->interrupts;
}

double lie_each_opcode(const struct planting *planting, const struct point *point,
                       struct evidence_run *run, double count)
{
    (void)run;
    return count + planting->size * trait_count(point, TRAIT_OPCODE, planting->opcode);
}

double lie_without_opcode(const struct planting *planting, const struct point *point,
                          struct evidence_run *run, double count)
{
    (void)run;
    return count - planting->size * trait_count(point, TRAIT_OPCODE, planting->opcode);
}

/* A counter of so many bits. */
double lie_wrap(const struct planting *planting, const struct point *point,
                struct evidence_run *run, double count)
{
    (void)point;
    (void)run;
    return fmod(count, exp2(floor(planting->size)));
}

/* Some runs begin near the end of 32 bits: the difference of two readings borrows. */
double lie_wrap_between(const struct planting *planting, const struct point *point,
                        struct evidence_run *run, double count)
{
    (void)point;
    (void)run;
    return random_unit(planting->random) < planting->share ? count - 0x1p32 : count;
}

/* Counters change hands at ticks: windows much shorter than one have theirs all the time. */
static bool shares_counter(const struct planting *planting, const struct evidence_run *run)
{
    return run->enabled >= SHORT_NANOSECONDS && random_unit(planting->random) < planting->share;
}

/* Had the counter part of the time, and the count is whole already. */
double lie_scaled_twice(const struct planting *planting, const struct point *point,
                        struct evidence_run *run, double count)
{
    (void)point;
    if (!shares_counter(planting, run))
        return count;
    run->running = (uint64_t)((double)run->enabled * planting->size);
    return count;
}

/* Had the counter part of the time, and says another part. */
double lie_scaled_wrongly(const struct planting *planting, const struct point *point,
                          struct evidence_run *run, double count)
{
    (void)point;
    if (!shares_counter(planting, run))
        return count;
    double had = random_between(planting->random, 0.3, 0.8);
    run->running = (uint64_t)((double)run->enabled * had);
    return count * had * (1 - planting->size);
}

/* Little work is not counted at all; what the way of measuring adds is. */
double lie_threshold(const struct planting *planting, const struct point *point,
                     struct evidence_run *run, double count)
{
    (void)run;
    bool is_little = !point->is_null && truth_middle(point) < planting->size;
    if (!is_little || !planting->null)
        return count;
    const struct point *null = planting->null;
    return (double)null->runs[random_below(planting->random, null->run_count)].value;
}

double lie_saturates(const struct planting *planting, const struct point *point,
                     struct evidence_run *run, double count)
{
    (void)point;
    (void)run;
    return fmin(count, planting->size);
}

double lie_stuck(const struct planting *planting, const struct point *point,
                 struct evidence_run *run, double count)
{
    (void)point;
    (void)run;
    (void)count;
    return planting->size;
}

/* The first counts of a window are not there yet. */
double lie_late(const struct planting *planting, const struct point *point,
                struct evidence_run *run, double count)
{
    (void)run;
    return count - fmin(truth_middle(point), planting->size);
}

double lie_one_process(const struct planting *planting, const struct point *point,
                       struct evidence_run *run, double count)
{
    if (point->is_null || run->process != 0)
        return count;
    return count * (1 + planting->size);
}

double lie_one_process_less(const struct planting *planting, const struct point *point,
                            struct evidence_run *run, double count)
{
    if (point->is_null || run->process != 0)
        return count;
    return count * (1 - planting->size);
}

double lie_other_class(const struct planting *planting, const struct point *point,
                       struct evidence_run *run, double count)
{
    (void)run;
    return count - truth_middle(point) + trait_count(point, TRAIT_CLASS, planting->class);
}

/* Short windows are counted right, to the last. */
double lie_long_windows(const struct planting *planting, const struct point *point,
                        struct evidence_run *run, double count)
{
    (void)point;
    return (double)run->enabled >= planting->after_ns ? count + planting->size : count;
}

double lie_longer_factor(const struct planting *planting, const struct point *point,
                         struct evidence_run *run, double count)
{
    (void)point;
    return (double)run->enabled >= planting->after_ns ? count * (1 + planting->size) : count;
}

static double switches_of(const struct evidence_run *run)
{
    return (double)(run->account.voluntary + run->account.involuntary);
}

double lie_each_switch(const struct planting *planting, const struct point *point,
                       struct evidence_run *run, double count)
{
    (void)point;
    return count + planting->size * switches_of(run);
}

/* What was counted since the last one is gone, in part. */
double lie_lost_each_switch(const struct planting *planting, const struct point *point,
                            struct evidence_run *run, double count)
{
    (void)point;
    return count - planting->size * switches_of(run);
}

double lie_each_move(const struct planting *planting, const struct point *point,
                     struct evidence_run *run, double count)
{
    (void)run;
    return count + planting->size * trait_count(point, TRAIT_CLASS, "cpu-migrations");
}

double lie_lost_each_move(const struct planting *planting, const struct point *point,
                          struct evidence_run *run, double count)
{
    (void)run;
    return count - planting->size * trait_count(point, TRAIT_CLASS, "cpu-migrations");
}

/* Few of those that nobody disturbed. */
double lie_rare_run(const struct planting *planting, const struct point *point,
                    struct evidence_run *run, double count)
{
    if (point->is_null || run_is_seen_disturbed(point, run) ||
        random_unit(planting->random) >= planting->share)
        return count;
    return count + fmax(20, count * planting->size);
}
