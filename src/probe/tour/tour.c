/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of a tour: find the calls, open meters and instruments, bring everything into the state
 * it begins in, then the passes. A warm tour is made once before it is metered; before a cold one
 * nothing of a call was called, and no page that it needs touched, but as bytes of this program. */
#include "probe/tour/tour.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probe/harness/account.h"
#include "probe/harness/populate.h"
#include "probe/harness/user-trap.h"
#include "probe/tour/itinerary.h"
#include "probe/tour/meter.h"
#include "probe/tour/own-pages.h"
#include "syscall.h"

struct tour {
    struct job *job;
    struct itinerary itinerary;
    struct meter meter;
    struct tour_state state;
    size_t opened; /* instruments */
};

static uint64_t now_ns(void)
{
    struct timespec now = {0};
    assay_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int open_instruments(struct tour *tour)
{
    struct itinerary *itinerary = &tour->itinerary;
    int result = 0;
    for (size_t index = 0; index < itinerary->length; index++)
        tour->state.user_reads |= itinerary->callers[index]->page[0] != '\0';
    for (; tour->opened < itinerary->instrument_count && result == 0; tour->opened++) {
        const struct caller *opener = itinerary->instruments[tour->opened].opener;
        result = opener->open ? opener->open(&tour->state) : 0;
    }
    return result;
}

static int settle_instruments(struct tour *tour)
{
    struct itinerary *itinerary = &tour->itinerary;
    int result = 0;
    for (size_t index = 0; index < itinerary->instrument_count && result == 0; index++) {
        const struct itinerary_instrument *instrument = &itinerary->instruments[index];
        if (instrument->opener->settle)
            result = instrument->opener->settle(&tour->state, instrument->running);
    }
    return result;
}

static int prepare_pages(struct tour *tour)
{
    const struct itinerary *itinerary = &tour->itinerary;
    int result = 0;
    for (size_t index = 0; index < itinerary->length && result == 0; index++)
        if (itinerary->callers[index]->prepare && itinerary_first_of_caller(itinerary, index))
            result = itinerary->callers[index]->prepare(&tour->state);
    return result;
}

/* Rows are shared memory, which nobody else has written to yet. */
static void clear_rows(struct job *job)
{
    char *rows = (char *)job_values(job);
    memset(rows, 0, (size_t)((char *)job + job_size(job->runs, job->counters) - rows));
}

static int get_ready(struct tour *tour)
{
    clear_rows(tour->job);
    if (!tour->job->tour.cold) {
        populate_process();
        return 0;
    }
    own_pages_touch();
    return prepare_pages(tour);
}

/* The sentence of who knows why, behind which call it was. */
static int explain_call(struct tour *tour, size_t index)
{
    struct job *job = tour->job;
    const struct caller *caller = tour->itinerary.callers[index];
    long status = tour->state.status;
    char why[sizeof(job->reason)];
    int result = caller->check ? caller->check(&tour->state) : 0;
    if (result < 0)
        snprintf(why, sizeof(why), "%s", job->reason);
    else
        snprintf(why, sizeof(why), "it returned %ld", status);
    return job_fail(job, result < 0 ? result : -EIO, "call %zu of the tour, %s.%s, failed: %.400s",
                    index + 1, caller->path, call_kind_names[tour->itinerary.kinds[index]], why);
}

static int check_callers(struct tour *tour)
{
    const struct itinerary *itinerary = &tour->itinerary;
    int result = 0;
    tour->state.status = 0;
    for (size_t index = 0; index < itinerary->length && result == 0; index++)
        if (itinerary->callers[index]->check && itinerary_first_of_caller(itinerary, index))
            result = itinerary->callers[index]->check(&tour->state);
    return result;
}

/* `count` calls from `first` on, whose first run is `run`; the account is that run's. */
static int make_calls(struct tour *tour, size_t first, size_t count, uint32_t run)
{
    struct job *job = tour->job;
    size_t row = (size_t)run * job->counters;
    struct rusage before = {0}, after = {0};
    uint64_t began = now_ns();
    account_take(&before);
    size_t left = tour->meter.loop(&tour->state, &tour->meter, &tour->itinerary.spans[first], count,
                                   job_values(job) + row);
    account_take(&after);
    uint64_t elapsed = now_ns() - began;
    account_write(&job_accounts(job)[run], &before, &after);
    for (uint32_t index = 0; index < job->counters; index++)
        job_enabled(job)[row + index] = job_running(job)[row + index] = elapsed;
    return left ? explain_call(tour, first + count - left) : 0;
}

/* Every call has its own account in a cold tour, every pass in a warm one. */
static int make_pass(struct tour *tour, uint32_t run)
{
    size_t length = tour->itinerary.length;
    if (!tour->job->tour.cold)
        return make_calls(tour, 0, length, run);
    int result = 0;
    for (size_t index = 0; index < length && result == 0; index++)
        result = make_calls(tour, index, 1, run + (uint32_t)index);
    return result;
}

/* For who looks at this process from outside. */
static void hold(const struct job *job)
{
    if (job->hold == JOB_HOLD_STOP)
        assay_syscall2(SYS_kill, assay_syscall0(SYS_getpid), SIGSTOP);
}

/* Once without being metered, into rows that are written again. */
static int rehearse(struct tour *tour)
{
    int result = make_pass(tour, 0);
    return result < 0 ? result : check_callers(tour);
}

/* Nothing is called between two passes but what their accounts need. */
static int travel(struct tour *tour)
{
    struct job *job = tour->job;
    uint32_t length = (uint32_t)tour->itinerary.length;
    int result = job->tour.cold ? 0 : rehearse(tour);
    hold(job);
    for (uint32_t run = 0; run < job->runs && result == 0; run += length) {
        user_trap_run(run);
        result = make_pass(tour, run);
        if (result == 0)
            result = meter_settle(&tour->meter, job, job_values(job) + (size_t)run * job->counters,
                                  length);
        if (result == 0)
            __atomic_store_n(&job->runs_done, run + length, __ATOMIC_RELEASE);
    }
    hold(job);
    return result < 0 ? result : check_callers(tour);
}

static void close_all(struct tour *tour)
{
    for (size_t index = 0; index < tour->opened; index++) {
        const struct caller *opener = tour->itinerary.instruments[index].opener;
        if (opener->close)
            opener->close(&tour->state);
    }
    meter_close(&tour->meter);
    itinerary_free(&tour->itinerary);
}

int tour_run(struct job *job)
{
    static struct tour tour;
    tour = (struct tour){.job = job, .state.job = job};
    int result = itinerary_make(&tour.itinerary, job);
    if (result == 0)
        result = job_pin(job);
    if (result == 0)
        result = meter_open(&tour.meter, job);
    if (result == 0)
        result = open_instruments(&tour);
    if (result == 0)
        result = get_ready(&tour);
    if (result == 0)
        result = settle_instruments(&tour);
    if (result == 0)
        result = travel(&tour);
    close_all(&tour);
    return result;
}
