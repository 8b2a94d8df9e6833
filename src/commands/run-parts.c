/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parts and their shares. Caches come first, because what they are serves the specimens of
 * validate; validate next, because an event that lies makes all that follows worth less. */
#include "cli/run-parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUICK_MS          130000u
#define FULL_MS           660000u
#define EMULATED_QUICK_MS 300000u
#define EMULATED_FULL_MS  840000u

/* Of the whole, and not more than that: judging again took 1 s to 6 s wherever it was tried. */
#define RESERVE_PERCENT 9u
#define RESERVE_MOST_MS 20000u

const struct part_kind part_kinds[RUN_PARTS] = {
    {"caches", 9, 30, 0, 2, 2, 5, 0},       {"validate", 24, 100, 140, 3, 20, 0, 0},
    {"error", 26, 130, 160, 3, 20, 1, 0},   {"overhead", 20, 120, 160, 3, 20, 2, 0},
    {"clocks", 15, 115, 130, 3, 20, 3, 60}, {"repeat", 24, 120, 230, 4, 30, 4, 60},
};

size_t part_of_rank(unsigned rank)
{
    size_t part = 0;
    while (part + 1 < RUN_PARTS && part_kinds[part].rank != rank)
        part++;
    return part;
}

static const char *const state_names[] = {
    [PART_WAITING] = "waiting", [PART_BEGUN] = "begun",   [PART_DONE] = "done",
    [PART_LACKING] = "lacking", [PART_FAILED] = "failed", [PART_LEFT_OUT] = "left out",
};
#define STATES (sizeof(state_names) / sizeof(state_names[0]))

const char *part_state_name(enum part_state state)
{
    return state_names[state];
}

bool part_state_read(const char *name, enum part_state *state)
{
    for (size_t i = 0; name && i < STATES; i++)
        if (strcmp(name, state_names[i]) == 0) {
            *state = (enum part_state)i;
            return true;
        }
    return false;
}

uint64_t run_usual_ms(bool quick, bool emulated)
{
    if (emulated)
        return quick ? EMULATED_QUICK_MS : EMULATED_FULL_MS;
    return quick ? QUICK_MS : FULL_MS;
}

uint64_t run_reserve_ms(const struct run_plan *plan)
{
    uint64_t share = plan->total_ms * RESERVE_PERCENT / 100;
    return share < RESERVE_MOST_MS ? share : RESERVE_MOST_MS;
}

static uint64_t least_ms(const struct run_plan *plan, const struct part_kind *kind)
{
    return (plan->emulated ? kind->emulated_least_s : kind->least_s) * UINT64_C(1000);
}

/* The first part is always tried: who asks for a second gets what a second holds. */
static bool is_held(const struct run_plan *plan, const struct part_kind *kind)
{
    uint64_t needed = 0;
    for (size_t i = 0; i < RUN_PARTS; i++)
        if (part_kinds[i].rank <= kind->rank)
            needed += least_ms(plan, &part_kinds[i]);
    return kind->rank == 0 || needed + run_reserve_ms(plan) <= plan->total_ms;
}

static int leave_out(struct run_part *part, enum part_state state, const char *reason)
{
    part->state = state;
    part->reason = strdup(reason);
    return part->reason ? 0 : -ENOMEM;
}

int run_plan_parts(struct run_plan *plan)
{
    int error = 0;
    for (size_t i = 0; i < RUN_PARTS && error == 0; i++) {
        struct run_part *part = &plan->parts[i];
        *part = (struct run_part){.kind = &part_kinds[i]};
        /* Asking it would only cost a boot. */
        if (plan->emulated && !part->kind->emulated_s)
            error = leave_out(part, PART_LACKING, "times on an emulated machine say nothing of it");
        else if (!is_held(plan, part->kind))
            error = leave_out(part, PART_LEFT_OUT, "too little time: give a larger --budget");
    }
    return error;
}

void run_plan_release(struct run_plan *plan)
{
    for (size_t i = 0; i < RUN_PARTS; i++)
        free(plan->parts[i].reason);
    *plan = (struct run_plan){0};
}

static unsigned weight(const struct run_plan *plan, const struct part_kind *kind)
{
    if (plan->emulated)
        return kind->emulated_s;
    return plan->quick ? kind->quick_s : kind->full_s;
}

static bool waits(const struct run_part *part)
{
    return part->state == PART_WAITING || part->state == PART_BEGUN;
}

uint64_t run_share_ms(const struct run_plan *plan, size_t part, uint64_t left_ms)
{
    uint64_t weights = 0, reserve = run_reserve_ms(plan), least = least_ms(plan, &part_kinds[part]);
    for (size_t i = 0; i < RUN_PARTS; i++)
        if (i == part || waits(&plan->parts[i]))
            weights += weight(plan, &part_kinds[i]);
    uint64_t measuring = left_ms > reserve ? left_ms - reserve : 0;
    uint64_t share = weights ? measuring * weight(plan, &part_kinds[part]) / weights : measuring;
    return share > least ? share : least;
}

uint64_t run_left_ms(const struct run_plan *plan)
{
    uint64_t spent = 0;
    for (size_t i = 0; i < RUN_PARTS; i++)
        spent += plan->parts[i].spent_ms;
    return spent < plan->total_ms ? plan->total_ms - spent : 0;
}

bool run_is_quick(const struct run_plan *plan, size_t part, uint64_t budget_ms)
{
    uint64_t usual = part_kinds[part].quick_flag * UINT64_C(1000);
    return budget_ms < (plan->emulated ? 2 * usual : usual);
}
