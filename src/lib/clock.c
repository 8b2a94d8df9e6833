/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The clock of the process: chosen once, read by function where it cannot be read in place. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "assay.h"
#include "lib/clock.h"
#include "lib/clock-parts.h"
#include "lib/set.h"

int assay_clock_in_place;

static struct {
    pthread_once_t once;
    char reason[256]; /* why it is not the counter */
    bool counter;
    uint64_t (*fallback)(void);
    struct running_clock running;
} chosen = {.once = PTHREAD_ONCE_INIT};

#ifdef ASSAY_COUNTER_NAME
static uint64_t read_counter(void)
{
    return assay_counter_begin();
}

static bool choose_counter(void)
{
    const struct clock_pair pair = {read_counter, clock_raw};
    struct clock_signs signs;
    clock_signs_of("", &signs);
    if (clock_choice(&signs, chosen.reason, sizeof(chosen.reason)) < 0) {
        chosen.fallback = signs.forbidden ? clock_raw_called : clock_raw;
        return false;
    }
    if (!running_clock_start(&chosen.running, &pair, clock_claim())) {
        snprintf(chosen.reason, sizeof(chosen.reason),
                 "the CPU's counter of time (%s) did not count while CLOCK_MONOTONIC_RAW did",
                 ASSAY_COUNTER_NAME);
        return false;
    }
    return true;
}
#else
static bool choose_counter(void)
{
    struct clock_signs signs;
    clock_signs_of("", &signs);
    clock_choice(&signs, chosen.reason, sizeof(chosen.reason));
    return false;
}
#endif

/* Nanoseconds by definition: nothing is unknown of their rate. */
static void choose_fallback(void)
{
    if (!chosen.fallback)
        chosen.fallback = clock_raw;
    const struct clock_pair pair = {chosen.fallback, chosen.fallback};
    chosen.running = (struct running_clock){.pair = pair, .rates = {{1, 1}}};
    clock_habits_watch(&pair, &chosen.running.habits);
}

static void choose(void)
{
    chosen.counter = choose_counter();
    if (!chosen.counter)
        choose_fallback();
    __atomic_store_n(&assay_clock_in_place, chosen.counter, __ATOMIC_RELEASE);
}

int assay_clock_prepare(void)
{
    return -pthread_once(&chosen.once, choose);
}

/* Once it is chosen, without a look at what pthread_once keeps: handlers of signals come here. */
static bool by_counter(void)
{
    if (__atomic_load_n(&assay_clock_in_place, __ATOMIC_ACQUIRE))
        return true;
    pthread_once(&chosen.once, choose);
    return chosen.counter;
}

uint64_t assay_clock_now(void)
{
#ifdef ASSAY_COUNTER_NAME
    if (by_counter())
        return assay_counter_now();
#else
    by_counter();
#endif
    return chosen.fallback();
}

uint64_t assay_clock_begin(void)
{
#ifdef ASSAY_COUNTER_NAME
    if (by_counter())
        return assay_counter_begin();
#else
    by_counter();
#endif
    return chosen.fallback();
}

uint64_t assay_clock_end(void)
{
#ifdef ASSAY_COUNTER_NAME
    if (by_counter())
        return assay_counter_end();
#else
    by_counter();
#endif
    return chosen.fallback();
}

static struct clock_rate rate_at(uint64_t now)
{
    return by_counter() ? running_clock_rate(&chosen.running, now) : chosen.running.rates[0];
}

int assay_clock_span(uint64_t from, uint64_t to, struct assay_span *span)
{
    struct clock_rate rate = rate_at(to);
    clock_span_of(&rate, &chosen.running.habits, from, to, span);
    if (to - from > INT64_MAX)
        return set_fail(-ERANGE, "the second moment was before the first");
    return 0;
}

const char *assay_clock_name(void)
{
#ifdef ASSAY_COUNTER_NAME
    if (by_counter())
        return ASSAY_COUNTER_NAME;
#endif
    return "CLOCK_MONOTONIC_RAW";
}

const char *assay_clock_reason(void)
{
    by_counter();
    return chosen.reason;
}

double assay_clock_rate(double *error)
{
    struct clock_rate rate = rate_at(assay_clock_now());
    double middle = (rate.low + rate.high) / 2;
    if (error)
        *error = (rate.high - rate.low) / 2 / middle;
    return middle * 1e9;
}

int assay_clock_shared(void)
{
    return by_counter() ? clock_choice_shared("") : 1;
}
