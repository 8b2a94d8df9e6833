/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lays what runs count too many beside faults and interrupts, and draws the plane through it. */
#include "judge/repeat/surplus.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/interval.h"
#include "stats/least-squares.h"

const char *const disturbance_names[DISTURBANCES] = {"page-fault", "interrupt"};

/* Of what rounding to whole numbers leaves: 1 / sqrt(12). */
#define ROUNDING_STDEV 0.28867513459481287

int surplus_add(struct surplus_list *list, const struct surplus *surplus)
{
    if ((list->count & (list->count - 1)) == 0) { /* full at powers of two */
        const size_t room = list->count ? 2 * list->count : 1;
        struct surplus *larger = realloc(list->list, room * sizeof(*larger));
        if (!larger)
            return -ENOMEM;
        list->list = larger;
    }
    list->list[list->count++] = *surplus;
    if (surplus->group >= list->groups)
        list->groups = surplus->group + 1;
    return 0;
}

void surplus_release(struct surplus_list *list)
{
    free(list->list);
    *list = (struct surplus_list){0};
}

static void lay_out(const struct surplus_list *list, size_t disturbances, double *columns,
                    double *events)
{
    const size_t width = list->groups + disturbances;
    for (size_t row = 0; row < list->count; row++) {
        const struct surplus *surplus = &list->list[row];
        columns[row * width + surplus->group] = 1;
        for (size_t i = 0; i < disturbances; i++)
            columns[row * width + list->groups + i] = surplus->by[i];
        events[row] = surplus->events;
    }
}

/* Numbers that no plane goes through: how an error follows from the spread does not depend on what
 * was counted, and where that has no spread these tell it. */
static void scatter(double *events, size_t count)
{
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        events[i] = (double)(state >> 16);
    }
}

/* Errors of coefficients for a residual standard deviation of 1. */
static int unit_errors(struct design *design, double *events, struct coefficient *errors)
{
    struct least_squares fit;
    scatter(events, design->rows);
    const int error = least_squares(design, true, &fit, errors, NULL);
    for (size_t i = 0; i < design->width && !error; i++)
        errors[i].error /= fit.residual_stdev;
    return error;
}

static void take(const struct surplus_list *list, size_t disturbances,
                 const struct least_squares *least, const struct coefficient *coefficients,
                 const struct coefficient *errors, struct surplus_fit *fit)
{
    const double spread = fmax(least->residual_stdev, ROUNDING_STDEV);
    const double quantile = t_quantile(.975, (double)least->df);
    fit->residual = least->residual_stdev;
    for (size_t i = 0; i < disturbances; i++) {
        const struct coefficient *found = &coefficients[list->groups + i];
        const double half = quantile * spread * errors[list->groups + i].error;
        fit->known[i] = !found->aliased && isfinite(half);
        fit->each[i] = found->value;
        fit->low[i] = found->value - half;
        fit->high[i] = found->value + half;
    }
}

int surplus_fit(const struct surplus_list *list, bool with_interrupts, struct surplus_fit *fit)
{
    const size_t disturbances = with_interrupts ? 2 : 1, width = list->groups + disturbances;
    *fit = (struct surplus_fit){0};
    if (list->count <= width)
        return 0;
    AUTO_FREE double *columns = calloc(list->count * width, sizeof(*columns));
    AUTO_FREE double *events = calloc(list->count, sizeof(*events));
    AUTO_FREE struct coefficient *found = calloc(2 * width, sizeof(*found));
    if (!columns || !events || !found)
        return -ENOMEM;
    struct design design = {.columns = columns, .rows = list->count, .width = width, .y = events};
    struct least_squares least;
    lay_out(list, disturbances, columns, events);
    int error = least_squares(&design, true, &least, found, NULL);
    if (!error && least.df > 0)
        error = unit_errors(&design, events, found + width);
    if (error)
        return error == -ENOMEM ? error : 0;
    if (least.df > 0)
        take(list, disturbances, &least, found, found + width, fit);
    return 0;
}

const struct repeat_contribution *contribution_of(const struct repeat_report *report,
                                                  size_t machine, const char *event,
                                                  enum disturbance disturbance)
{
    for (size_t i = 0; i < report->contribution_count; i++) {
        const struct repeat_contribution *contribution = &report->contributions[i];
        if (contribution->known && contribution->machine == machine &&
            strcmp(contribution->event, event) == 0 &&
            strcmp(contribution->of, disturbance_names[disturbance]) == 0)
            return contribution;
    }
    return NULL;
}

double contribution_certain(const struct repeat_contribution *contribution)
{
    const bool certain = contribution->low > 0 || contribution->high < 0;
    return certain && contribution->firm ? contribution->each : 0;
}

bool run_disturbances(const struct repeat_run *run, enum disturbance disturbance, double *number)
{
    if (disturbance == DISTURBANCE_INTERRUPT) {
        *number = (double)run->interrupts;
        return run->has_interrupts;
    }
    *number = (double)run->account.minor_faults + (double)run->account.major_faults;
    return true;
}
