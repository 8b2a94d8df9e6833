/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a lie gets into the samples, and how large it is in units of their noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lies.h"

bool run_is_seen_disturbed(const struct point *point, const struct evidence_run *run)
{
    uint64_t switches = point->switches > 0 ? (uint64_t)point->switches : 0;
    return run->account.involuntary > 0 || run->account.voluntary > switches ||
           run->account.minor_faults > (uint64_t)(point->faults > 0 ? point->faults : 0) + 1;
}

static double recorded_noise(const struct point *point)
{
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i < point->run_count; i++)
        if (!run_is_seen_disturbed(point, &point->runs[i])) {
            sum += (double)point->runs[i].value;
            count++;
        }
    for (size_t i = 0; i < point->run_count; i++)
        if (!run_is_seen_disturbed(point, &point->runs[i])) {
            double away = (double)point->runs[i].value - sum / count;
            squares += away * away;
        }
    double least = 1 / sqrt(12);
    return count < 2 ? least : fmax(least, sqrt(squares / (count - 1)));
}

double point_noise(const struct planting *planting, const struct point *point)
{
    if (!planting->noise)
        return recorded_noise(point);
    return noise_stdev(planting->noise, (double)point->truth.high);
}

/* Rounded; below zero as the difference of unsigned counters would be. */
static uint64_t whole(struct random *random, double value)
{
    return value < 0 ? (uint64_t)(int64_t)llround(value) : random_round(random, value);
}

/* Extrapolated to the whole time, as everybody does who reads a multiplexed counter. */
static double extrapolated(const struct evidence_run *run, double count)
{
    if (run->running == 0)
        return 0;
    return count * (double)run->enabled / (double)run->running;
}

bool point_shows_errors(const struct point *point)
{
    return !point->is_null && point->run_count > 0 && point->truth.grade == TRUTH_PROVEN;
}

double plant_lie(const struct plant *plant, const struct planting *planting,
                 struct evidence *evidence, size_t *points_hit)
{
    double largest = 0;
    *points_hit = 0;
    for (size_t i = 0; i < evidence->point_count; i++) {
        struct point *point = &evidence->points[i];
        double noise = point_noise(planting, point), squares = 0;
        for (size_t j = 0; j < point->run_count; j++) {
            struct evidence_run *run = &point->runs[j];
            double right = extrapolated(run, (double)run->value);
            double count = plant->count(planting, point, run, (double)run->value);
            double moved = extrapolated(run, count) - right;
            squares += moved * moved;
            run->value = whole(planting->random, count);
        }
        /* Where nothing is proven, what calls are made is known all the same. */
        const bool is_model = plant->world == WORLD_MODELS && point->truth.grade == TRUTH_MODEL;
        if (!point_shows_errors(point) && !is_model)
            continue;
        double size = sqrt(squares / (double)point->run_count) / noise;
        largest = fmax(largest, size);
        *points_hit += size >= 1;
    }
    return largest;
}

/* --- an opcode that nothing else goes along with --- */

/* Large enough for what happens once a run to be little, and measured of every specimen. */
#define LOOK_AT_N 1000

/* Is one a multiple of the other in all specimens? */
static bool go_together(const struct evidence *evidence, const struct trait *one,
                        const struct trait *other)
{
    double ratio = 0;
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *point = &evidence->points[i];
        if (point->n != LOOK_AT_N)
            continue;
        double left = trait_count(point, one->kind, one->name);
        double right = trait_count(point, other->kind, other->name);
        bool few_left = left < 100, few_right = right < 100;
        if (few_left != few_right)
            return false;
        if (few_left)
            continue;
        if (ratio != 0 && fabs(left / right / ratio - 1) > 0.01)
            return false;
        ratio = left / right;
    }
    return true;
}

static bool is_told_apart(const struct evidence *evidence, const struct trait *opcode)
{
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *point = &evidence->points[i];
        for (size_t j = 0; point->n == LOOK_AT_N && j < point->trait_count; j++) {
            const struct trait *other = &point->traits[j];
            bool is_same = other->kind == opcode->kind && strcmp(other->name, opcode->name) == 0;
            if (!is_same && go_together(evidence, opcode, other))
                return false;
        }
    }
    return true;
}

#define CANDIDATES_MOST 256

static const char *draw_opcode(struct random *random, const struct evidence *evidence)
{
    const struct trait *candidates[CANDIDATES_MOST];
    size_t count = 0;
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *point = &evidence->points[i];
        for (size_t j = 0; point->n == LOOK_AT_N && j < point->trait_count; j++)
            if (point->traits[j].kind == TRAIT_OPCODE && point->traits[j].count >= LOOK_AT_N &&
                count < CANDIDATES_MOST)
                candidates[count++] = &point->traits[j];
    }
    while (count > 0) {
        size_t drawn = random_below(random, count);
        if (is_told_apart(evidence, candidates[drawn]))
            return candidates[drawn]->name;
        candidates[drawn] = candidates[--count];
    }
    return NULL;
}

static const char *other_class_of(const char *class)
{
    static const char *const others[][2] = {
        {"instructions", "cond-branches"}, {"branches", "cond-branches"}, {"loads", "stores"}};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(others[i][0], class) == 0)
            return others[i][1];
    return "instructions";
}

void planting_draw(struct random *random, const struct plant *plant,
                   const struct evidence *evidence, struct planting *planting)
{
    *planting = (struct planting){.random = random, .evidence = evidence};
    planting->size = random_log_between(random, plant->smallest, plant->largest);
    if (plant->is_whole)
        planting->size = round(planting->size);
    if (plant->is_of_length)
        planting->after_ns = random_log_between(random, 5e6, 2e8);
    if (plant->share_high > 0)
        planting->share = random_between(random, plant->share_low, plant->share_high);
    if (plant->needs_opcode)
        planting->opcode = draw_opcode(random, evidence);
    planting->class = other_class_of(evidence->class);
    for (size_t i = 0; i < evidence->point_count; i++)
        if (evidence->points[i].is_null && !planting->null)
            planting->null = &evidence->points[i];
}
