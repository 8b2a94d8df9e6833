/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What can be said of a pass before anything is judged. */
#include "judge/overhead/passes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/spread.h"
#include "judge/overhead/figures.h"

static bool is_called(const struct overhead_case *file, const struct overhead_tour *tour,
                      size_t call, const char *name)
{
    return strcmp(file->operations[tour->calls[call]].name, name) == 0;
}

static size_t all_passes(const struct overhead_tour *tour)
{
    size_t count = 0;
    for (size_t i = 0; i < tour->processes; i++)
        count += tour->passes[i];
    return count;
}

static const struct account *account_of(const struct overhead_tour *tour, size_t process,
                                        uint32_t pass)
{
    return &tour->accounts[tour->begins[process] + pass * tour->length];
}

/* No pass faults or is switched as often; sums of such do not overflow. */
#define MOST_COUNTED (UINT64_C(1) << 40)

static uint64_t faults_of(const struct account *account)
{
    uint64_t faults = account->minor_faults + account->major_faults;
    return faults < MOST_COUNTED ? faults : MOST_COUNTED;
}

static uint64_t switches_of(const struct account *account)
{
    return account->involuntary < MOST_COUNTED ? account->involuntary : MOST_COUNTED;
}

/* A tour whose calls start commands faults in every pass; one whose calls do not, in none. Three
 * quartile distances above the upper quartile is more than usual. */
static uint64_t most_of(int64_t *counts, size_t count, int64_t *scratch)
{
    if (!count)
        return UINT64_MAX;
    error_sort(counts, count, scratch);
    struct error_spread spread = error_spread_of(counts, count);
    return spread.median == 0 ? 0 : (uint64_t)(spread.q3 + 3 * (spread.q3 - spread.q1));
}

static int usual_accounts(struct overhead_passes *passes)
{
    const struct overhead_tour *tour = passes->tour;
    size_t count = all_passes(tour), at = 0;
    passes->most_faults = passes->most_switches = UINT64_MAX;
    if (tour->cold || !count || !tour->length)
        return 0;
    AUTO_FREE int64_t *faults = calloc(count, sizeof(*faults));
    AUTO_FREE int64_t *switches = calloc(count, sizeof(*switches));
    AUTO_FREE int64_t *scratch = calloc(count, sizeof(*scratch));
    if (!faults || !switches || !scratch)
        return -ENOMEM;
    for (size_t process = 0; process < tour->processes; process++)
        for (uint32_t pass = 0; pass < tour->passes[process]; pass++, at++) {
            const struct account *account = account_of(tour, process, pass);
            faults[at] = (int64_t)faults_of(account);
            switches[at] = (int64_t)switches_of(account);
        }
    passes->most_faults = most_of(faults, count, scratch);
    passes->most_switches = most_of(switches, count, scratch);
    return 0;
}

int overhead_passes_open(const struct overhead_case *file, const struct overhead_tour *tour,
                         struct overhead_passes *passes)
{
    *passes = (struct overhead_passes){.tour = tour};
    passes->gauges = calloc(tour->length + 1, sizeof(*passes->gauges));
    passes->nothings = calloc(tour->length + 1, sizeof(*passes->nothings));
    passes->scratch = calloc(2 * tour->length + 1, sizeof(*passes->scratch));
    if (!passes->gauges || !passes->nothings || !passes->scratch)
        return -ENOMEM;
    for (uint32_t call = 0; call < tour->length; call++) {
        if (is_called(file, tour, call, "timer.gauge"))
            passes->gauges[passes->gauge_count++] = call;
        if (is_called(file, tour, call, "timer.nothing"))
            passes->nothings[passes->nothing_count++] = call;
    }
    return usual_accounts(passes);
}

void overhead_passes_release(struct overhead_passes *passes)
{
    free(passes->gauges);
    free(passes->nothings);
    free(passes->scratch);
    *passes = (struct overhead_passes){0};
}

double overhead_pass_gauge(const struct overhead_passes *passes, size_t process, uint32_t pass,
                           uint32_t meter)
{
    const struct overhead_tour *tour = passes->tour;
    const int64_t *values = overhead_pass_values(tour, process, pass);
    size_t count = passes->gauge_count;
    if (!count)
        return NAN;
    for (size_t i = 0; i < count; i++)
        passes->scratch[i] = values[(size_t)passes->gauges[i] * tour->meter_count + meter];
    error_sort(passes->scratch, count, passes->scratch + count);
    if (tour->cold)
        return (double)passes->scratch[0];
    return overhead_middle(passes->scratch, count);
}

bool overhead_pass_unsettled(const struct overhead_passes *passes, size_t process, uint32_t pass)
{
    if (passes->tour->cold)
        return false;
    const struct account *account = account_of(passes->tour, process, pass);
    return faults_of(account) > passes->most_faults || switches_of(account) > passes->most_switches;
}

int overhead_meter_index(const struct overhead_tour *tour, const struct overhead_meter *meter)
{
    for (uint32_t i = 0; i < tour->meter_count; i++)
        if (overhead_same_meter(&tour->meters[i], meter))
            return (int)i;
    return -1;
}

const struct overhead_timer *overhead_timer_of(const struct overhead_report *report,
                                               uint32_t machine, const struct overhead_meter *meter)
{
    for (size_t i = 0; i < report->timer_count; i++)
        if (report->timers[i].machine == machine &&
            overhead_same_meter(report->timers[i].meter, meter))
            return &report->timers[i];
    return NULL;
}

const struct overhead_gauge *overhead_gauge_of(const struct overhead_report *report,
                                               uint32_t machine, const struct overhead_meter *meter)
{
    for (size_t i = 0; i < report->gauge_count; i++)
        if (report->gauges[i].machine == machine &&
            overhead_same_meter(report->gauges[i].meter, meter))
            return &report->gauges[i];
    return NULL;
}
