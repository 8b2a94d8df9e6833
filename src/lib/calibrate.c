/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What calipers cost: empty regions, alone and inside each other, kept and put into figures. Those
 * in which something was noticed are not kept; others are measured in their place. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/calipers.h"
#include "lib/set.h"

#define MEASURES (ASSAY_CALIPERS_MOST + 1) /* events, and time */

struct nulls {
    size_t taken[ASSAY_NULL_KINDS], kept[ASSAY_NULL_KINDS];
    double values[ASSAY_NULL_KINDS][MEASURES][CALIPERS_NULLS];
    uint64_t before[ASSAY_CALIPERS_MOST]; /* the last reading of a clock */
    long interruptions;                   /* faults and switches of this thread so far */
};

/* How many empty regions of a kind. Those that trap take thousands of times as long, and all count
 * the same: nothing but an instruction more or less can be the matter with them. */
struct amounts {
    size_t warm, wanted, spare, few; /* see CALIPERS_… */
};

static const struct amounts *amounts_of(const struct assay_calipers *calipers)
{
    static const struct amounts counted = {CALIPERS_WARM, CALIPERS_NULLS, CALIPERS_SPARE,
                                           CALIPERS_FEW};
    static const struct amounts trapped = {2, 8, 2, 8};
    return calipers->path == ASSAY_PATH_TRAP ? &trapped : &counted;
}

void nulls_free(struct nulls *nulls)
{
    free(nulls);
}

/* What the operating system counts itself, and what is trapped, suffers from no interruption; and
 * where every instruction traps, regions are so long that each may have one. */
static bool any_suffers(const struct assay_calipers *calipers)
{
    bool suffers = false;
    for (size_t i = 0; i < calipers->count; i++)
        suffers |= calipers->events[i].nature != NATURE_COUNT;
    return suffers;
}

int assay_calibrate_start(void)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers to calibrate");
    if (calipers->here.depth)
        return set_fail(-EBUSY, "calipers cannot be calibrated within a region");
    if (!calipers->nulls)
        calipers->nulls = malloc(sizeof(*calipers->nulls));
    if (!calipers->nulls)
        return set_fail(-ENOMEM, "out of memory");
    memset(calipers->nulls, 0, sizeof(*calipers->nulls));
    for (size_t i = 0; i < calipers->count; i++)
        calipers->events[i].step = 0;
    calipers->tick_nulls = (struct tick_nulls){.count = 0};
    const struct amounts *amounts = amounts_of(calipers);
    return (int)(amounts->warm + amounts->wanted + (any_suffers(calipers) ? amounts->spare : 0));
}

static uint64_t common_step(uint64_t one, uint64_t other)
{
    while (other) {
        uint64_t rest = one % other;
        one = other;
        other = rest;
    }
    return one;
}

/* A clock's step divides every distance between two of its readings. */
static void take_step(struct nulls *nulls, size_t index, struct caliper *event,
                      const struct assay_frame *frame)
{
    bool ticks = event->kind == CALIPER_TICKS;
    if (event->nature != NATURE_CLOCK)
        return;
    uint64_t begun = ticks ? frame->ticks[0] : frame->begun[event->word];
    uint64_t ended = ticks ? frame->ticks[1] : frame->ended[event->word];
    event->step = common_step(event->step, ended - begun);
    if (nulls->before[index])
        event->step = common_step(event->step, begun - nulls->before[index]);
    nulls->before[index] = ended;
}

/* Faults and switches of this thread since it was last asked: between two empty regions there is
 * time for that, whatever the regions themselves watch. */
static bool was_interrupted(struct nulls *nulls)
{
    struct rusage usage;
    long before = nulls->interruptions;
    if (getrusage(RUSAGE_THREAD, &usage) == 0)
        nulls->interruptions = usage.ru_minflt + usage.ru_majflt + usage.ru_nvcsw + usage.ru_nivcsw;
    return nulls->interruptions != before;
}

static bool is_disturbed(const struct assay_calipers *calipers,
                         const struct region_reading *reading)
{
    bool interrupted = was_interrupted(calipers->nulls), suffers = any_suffers(calipers);
    unsigned matters = suffers ? ~0u : ~(unsigned)CALIPERS_INTERRUPTIONS;
    return reading->lost || (suffers && interrupted) || reading->noticed & matters;
}

void assay_calibrate_take(enum assay_nulls kind)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers || !calipers->nulls || !calipers->result || (size_t)kind >= ASSAY_NULL_KINDS)
        return;
    struct nulls *nulls = calipers->nulls;
    struct region_reading reading;
    reading_of(calipers, calipers->result, &reading);
    size_t at = nulls->kept[kind];
    const struct amounts *amounts = amounts_of(calipers);
    bool disturbed = is_disturbed(calipers, &reading);
    if (nulls->taken[kind]++ < amounts->warm || at >= amounts->wanted || disturbed)
        return;
    for (size_t i = 0; i < calipers->count; i++) {
        nulls->values[kind][i][at] = net_reading(&calipers->events[i], reading.raw[i], &reading);
        take_step(nulls, i, &calipers->events[i], calipers->result);
    }
    nulls->values[kind][calipers->count][at] =
        net_reading(&calipers->time, time_reading(calipers, &reading), &reading);
    nulls->kept[kind]++;
}

static void figures(const struct nulls *nulls, size_t measure, struct caliper *caliper)
{
    struct null_figures *null = caliper->null;
    for (size_t kind = 0; kind < ASSAY_NULL_KINDS; kind++)
        null_figures_of(nulls->values[kind][measure], nulls->kept[kind], &null[kind]);
    null_figures_pair(&null[ASSAY_NULL_ALONE], &null[ASSAY_NULL_PAIR]);
    null_figures_pair(&null[ASSAY_NULL_ALONE], &null[ASSAY_NULL_NAMED]);
}

/* --- whether they can be relied on --- */

static __attribute__((format(printf, 2, 3))) void doubt(struct caliper *event, const char *format,
                                                        ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    event->unsteady = true;
    event->reason = strdup(text);
}

static void judge(struct caliper *event, const struct amounts *amounts, size_t kept)
{
    const struct null_figures *alone = &event->null[ASSAY_NULL_ALONE];
    if (event->error) /* it has a reason already */
        return;
    free(event->reason);
    event->reason = NULL;
    event->unsteady = false;
    if (kept < amounts->wanted / 2)
        doubt(
            event,
            "of %zu empty regions only %zu were undisturbed (faults, switches, or counters shared "
            "with others): calibrate again when less goes on",
            amounts->wanted + amounts->spare, kept);
    else if (event->busy && alone->high <= 0)
        doubt(event, "the counter stands still: an empty region executes something, and it counted "
                     "nothing. Ask `assay validate` about it");
    else if (event->nature == NATURE_CLOCK && !event->step)
        doubt(event, "the clock stood still while empty regions were measured");
    else if (!alone->steady || !event->null[ASSAY_NULL_PAIR].steady ||
             !event->null[ASSAY_NULL_NAMED].steady)
        doubt(event,
              "empty regions went on changing while they were measured, from %.0f to %.0f: "
              "calibrate again when the machine has settled",
              alone->low, alone->high);
}

int assay_calibrate_finish(void)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers || !calipers->nulls)
        return set_fail(-EINVAL, "assay_calibrate_finish comes after assay_calibrate_start");
    const struct nulls *nulls = calipers->nulls;
    const struct amounts *amounts = amounts_of(calipers);
    size_t kept = amounts->wanted;
    for (size_t kind = 0; kind < ASSAY_NULL_KINDS; kind++)
        kept = nulls->kept[kind] < kept ? nulls->kept[kind] : kept;
    for (size_t i = 0; i < calipers->count; i++) {
        figures(nulls, i, &calipers->events[i]);
        judge(&calipers->events[i], amounts, kept);
    }
    figures(nulls, calipers->count, &calipers->time);
    neighbours_use(calipers);
    if (calipers->path == ASSAY_PATH_USER && calipers->time.kind == CALIPER_TICKS)
        calipers->tick_ns = 1e9 / assay_clock_rate(NULL);
    calipers->calibrated = kept < amounts->few ? 0 : kept;
    calipers->result = NULL;
    return 0;
}

int assay_calipers_overhead(const struct assay_calipers *calipers, size_t index,
                            struct assay_overhead *overhead)
{
    *overhead = (struct assay_overhead){0};
    if (index >= calipers->count)
        return set_fail(-EINVAL, "calipers with %zu events have no event %zu", calipers->count,
                        index);
    const struct null_figures *null = calipers->events[index].null;
    if (!calipers->calibrated)
        return 0;
    *overhead = (struct assay_overhead){
        .window = null[ASSAY_NULL_ALONE].middle,
        .window_low = null[ASSAY_NULL_ALONE].low,
        .window_high = null[ASSAY_NULL_ALONE].high,
        .pair = null[ASSAY_NULL_PAIR].middle,
        .pair_low = null[ASSAY_NULL_PAIR].low,
        .pair_high = null[ASSAY_NULL_PAIR].high,
        .pair_named = null[ASSAY_NULL_NAMED].middle,
        .pair_named_low = null[ASSAY_NULL_NAMED].low,
        .pair_named_high = null[ASSAY_NULL_NAMED].high,
        .runs = calipers->calibrated,
    };
    return 0;
}
