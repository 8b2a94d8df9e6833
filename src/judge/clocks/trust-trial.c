/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The intervals of one clock, each with what it should have been and by how much it may differ. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/clocks/limits.h"
#include "judge/clocks/marks.h"
#include "judge/clocks/readings.h"
#include "judge/clocks/trust.h"
#include "stats/moments.h"

/* A coarse clock's steps need not all be alike. */
#define STEP_SLACK 1.5

static int column_of_role(const struct clocks_case *file, const struct clock_watch *watch,
                          enum clock_role role)
{
    for (uint32_t column = 0; column < watch->columns; column++)
        if (file->clocks[watch->clocks[column]].role == role)
            return (int)column;
    return -1;
}

static bool was_moved(const struct clocks_case *file, const struct clock_watch *watch, size_t look)
{
    int place = column_of_role(file, watch, ROLE_PLACE);
    if (place < 0)
        return (watch->moves || watch->handover) && file->cpus != 1;
    size_t last = look + WATCH_SIDE_LOOKS;
    return watch->values[look * watch->columns + (size_t)place] !=
           watch->values[last * watch->columns + (size_t)place];
}

static bool was_disturbed(const struct clocks_case *file, const struct clock_watch *watch,
                          size_t look)
{
    size_t last = look + WATCH_SIDE_LOOKS;
    if (watch->accounts && watch->accounts[last].involuntary)
        return true;
    int stolen = column_of_role(file, watch, ROLE_STOLEN);
    return stolen >= 0 && watch->values[look * watch->columns + (size_t)stolen] !=
                              watch->values[(last + 2) * watch->columns + (size_t)stolen];
}

static void try_interval(struct clock_trial *trial, const struct clock_watch *watch, size_t index,
                         uint32_t own, uint32_t other)
{
    double own_scale = trial->report->scales[watch->clocks[own]].ns_per_tick;
    double other_scale = trial->report->scales[watch->clocks[other]].ns_per_tick;
    struct interval_reading both[2];
    watch_interval_of_two(watch, index, own, other, both);
    size_t look = watch_interval_look(watch, index);
    struct tried_interval *tried = &trial->list[trial->count++];
    *tried = (struct tried_interval){
        .watch = watch,
        .own = both[0].elapsed * own_scale,
        .other = both[1].elapsed * other_scale,
        .moved = was_moved(trial->file, watch, look),
        .disturbed = was_disturbed(trial->file, watch, look),
    };
    tried->slack = both[0].bound * own_scale + both[1].bound * other_scale + other_scale +
                   STEP_SLACK * trial->step_ns + CLOCKS_INTERVAL_PPM * 1e-6 * fabs(tried->other);
    tried->off = tried->own - tried->other;
    tried->wrong = fabs(tried->off) > tried->slack;
    trial->wrong += tried->wrong;
    for (size_t i = look; i < look + WATCH_INTERVAL_LOOKS; i++)
        if (watch->values[i * watch->columns + own] > trial->largest)
            trial->largest = watch->values[i * watch->columns + own];
}

int trial_gather(struct clock_trial *trial, const bool *left_out)
{
    const struct clocks_case *file = trial->file;
    int32_t reference = trial->report->reference.clock;
    size_t room = trial->report->intervals + 1, number = 0;
    trial->list = malloc(room * sizeof(*trial->list));
    trial->scratch = malloc(room * sizeof(*trial->scratch));
    if (!trial->list || !trial->scratch)
        return -ENOMEM;
    const struct clock_granularity *seen = &trial->report->granularities[trial->clock];
    trial->step_ns = clock_step_ns(trial->report, trial->clock);
    bool told = seen->known && seen->coarse && seen->resolution_ns > 0;
    trial->told_ns = told ? seen->resolution_ns : trial->step_ns;
    if (reference < 0 || !trial->report->scales[reference].known ||
        !trial->report->scales[trial->clock].known || reference == (int32_t)trial->clock)
        return 0;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (watch->kind != WATCH_INTERVAL)
            continue;
        int own = watch_column(watch, trial->clock);
        int other = watch_column(watch, (uint32_t)reference);
        for (size_t j = 0; j < watch_intervals(watch); j++, number++)
            if (own >= 0 && other >= 0 && !left_out[number])
                try_interval(trial, watch, j, (uint32_t)own, (uint32_t)other);
    }
    return 0;
}

void trial_release(struct clock_trial *trial)
{
    free(trial->list);
    free(trial->scratch);
    *trial = (struct clock_trial){0};
}

/* --- whether it was the reference --- */

/* A single counter is behind all of them: who of its clothes is alone against the others is at
 * fault. Two others at least, or it would be word against word. */
static bool reference_was_off(const struct clocks_case *file, const struct clocks_report *report,
                              const struct clock_watch *watch, size_t index)
{
    uint32_t reference = (uint32_t)report->reference.clock;
    int other = watch_column(watch, reference);
    size_t clocks = 0, behind = 0, ahead = 0;
    double low = INFINITY, high = -INFINITY, slack = 0;
    for (uint32_t column = 0; column < watch->columns && other >= 0; column++) {
        uint32_t clock = watch->clocks[column];
        const struct clock_known *known = &file->clocks[clock];
        if (clock == reference || known->role != ROLE_WALL || known->external || !known->hz ||
            clocks_independent(file, clock, reference) ||
            clock_step_ns(report, clock) > CLOCKS_COARSE_NS)
            continue;
        double own_scale = report->scales[clock].ns_per_tick;
        double other_scale = report->scales[reference].ns_per_tick;
        struct interval_reading both[2];
        watch_interval_of_two(watch, index, column, (uint32_t)other, both);
        double off = both[0].elapsed * own_scale - both[1].elapsed * other_scale;
        double own_slack = both[0].bound * own_scale + both[1].bound * other_scale +
                           CLOCKS_INTERVAL_PPM * 1e-6 * fabs(both[0].elapsed * own_scale) + 1000;
        clocks++;
        ahead += off > own_slack;
        behind += off < -own_slack;
        low = fmin(low, off);
        high = fmax(high, off);
        slack = fmax(slack, own_slack);
    }
    return clocks >= 2 && (ahead == clocks || behind == clocks) && high - low <= 2 * slack;
}

bool *find_reference_faults(const struct clocks_case *file, const struct clocks_report *report,
                            size_t *faults)
{
    bool *left_out = calloc(report->intervals + 1, sizeof(*left_out));
    size_t number = 0;
    *faults = 0;
    if (!left_out || report->reference.clock < 0 || !report->scales[report->reference.clock].known)
        return left_out;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (watch->kind != WATCH_INTERVAL)
            continue;
        for (size_t j = 0; j < watch_intervals(watch); j++, number++) {
            bool suspended = interval_suspended(file, watch, j);
            bool off = !suspended && reference_was_off(file, report, watch, j);
            left_out[number] = suspended || off;
            *faults += off;
        }
    }
    return left_out;
}

/* --- choices --- */

static bool plain(const struct tried_interval *interval)
{
    return interval->watch->threads == 1 && !interval->moved && !interval->watch->handover;
}

static bool runs_all_the_time(const struct tried_interval *interval)
{
    static const char *const running[] = {"compute", "spin", "faults"};
    for (size_t i = 0; i < sizeof(running) / sizeof(*running); i++)
        if (strcmp(interval->watch->workload, running[i]) == 0)
            return true;
    return false;
}

bool tried_any(const struct tried_interval *interval)
{
    (void)interval;
    return true;
}

bool tried_sleep(const struct tried_interval *interval)
{
    return plain(interval) && strcmp(interval->watch->workload, "sleep") == 0;
}

bool tried_running(const struct tried_interval *interval)
{
    return plain(interval) && runs_all_the_time(interval);
}

bool tried_stayed(const struct tried_interval *interval)
{
    return plain(interval);
}

bool tried_moved(const struct tried_interval *interval)
{
    return interval->moved;
}

bool tried_threads(const struct tried_interval *interval)
{
    return interval->watch->threads > 1 && runs_all_the_time(interval);
}

size_t trial_count(const struct clock_trial *trial, tried_choice *choice)
{
    size_t count = 0;
    for (size_t i = 0; i < trial->count; i++)
        count += choice(&trial->list[i]);
    return count;
}

size_t trial_wrong(const struct clock_trial *trial, tried_choice *choice)
{
    size_t count = 0;
    for (size_t i = 0; i < trial->count; i++)
        count += trial->list[i].wrong && choice(&trial->list[i]);
    return count;
}

double trial_ratio(const struct clock_trial *trial, tried_choice *choice, double share)
{
    size_t count = 0;
    for (size_t i = 0; i < trial->count; i++)
        if (choice(&trial->list[i]) && trial->list[i].other > 0)
            trial->scratch[count++] = trial->list[i].own / trial->list[i].other;
    if (!count)
        return NAN;
    sort_values(trial->scratch, count);
    return quantile(trial->scratch, count, share);
}

/* Was the clock itself read around such an interval? The reference has no trial of its own. */
static bool stood_around(const struct clock_trial *trial, const char *workload, bool moved)
{
    for (size_t i = 0; i < trial->file->watch_count; i++) {
        const struct clock_watch *watch = &trial->file->watches[i];
        if (watch->kind == WATCH_INTERVAL && watch_intervals(watch) &&
            watch_column(watch, trial->clock) >= 0 &&
            (moved ? watch->moves || watch->handover : strcmp(watch->workload, workload) == 0))
            return true;
    }
    return false;
}

uint32_t trial_lacks(const struct clock_trial *trial)
{
    bool reference = trial->report->reference.clock == (int32_t)trial->clock;
    bool slept = reference ? stood_around(trial, "sleep", false) : trial_count(trial, tried_sleep);
    bool ran =
        reference ? stood_around(trial, "compute", false) : trial_count(trial, tried_running);
    bool moved = reference ? stood_around(trial, "", true) : trial_count(trial, tried_moved);
    moved = moved || trial->report->offsets[trial->clock].known || trial->file->cpus == 1;
    return (slept ? 0u : (uint32_t)LACKS_SLEEP) | (ran ? 0u : (uint32_t)LACKS_COMPUTATION) |
           (moved ? 0u : (uint32_t)LACKS_MOVES);
}

double trial_fits(const struct clock_trial *trial, tried_choice *choice, double ratio)
{
    size_t count = 0, fits = 0;
    for (size_t i = 0; i < trial->count; i++) {
        const struct tried_interval *tried = &trial->list[i];
        if (!choice(tried))
            continue;
        count++;
        fits += fabs(tried->own - ratio * tried->other) <= fmax(1, ratio) * tried->slack;
    }
    return count ? (double)fits / (double)count : NAN;
}
