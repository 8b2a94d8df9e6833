/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: what the clock is put together from, beside its choice and its rate. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/clock-rate.h"

/* Ticks a second as the operating system or the firmware says; 0: nobody does. */
double clock_claim(void);

/* Two clocks, so that tests can put others in their place. */
struct clock_pair {
    uint64_t (*ticks)(void);
    uint64_t (*ns)(void); /* the reference */
};

/* The narrowest of some tries. */
void clock_anchor_take(const struct clock_pair *pair, struct clock_anchor *anchor);

/* What readings of ticks are like. */
void clock_habits_watch(const struct clock_pair *pair, struct clock_habits *habits);

/* The nanoseconds of CLOCK_MONOTONIC_RAW: by libc, and by a bare system call, which is good where
 * the CPU's counter of time is forbidden, too. */
uint64_t clock_raw(void);
uint64_t clock_raw_called(void);

/* A clock whose rate becomes better known as time goes by. Once it has begun any thread may use it,
 * and signal handlers. */
#define CLOCK_RATES 64 /* the time behind a rate doubles each time: never as many */
struct running_clock {
    struct clock_pair pair;
    struct clock_habits habits;
    struct clock_anchor first;
    struct clock_rate rates[CLOCK_RATES]; /* each is written once, before it is published */
    uint64_t seen[CLOCK_RATES];           /* ticks behind it */
    int newest;                           /* atomic */
    bool refining;                        /* atomic: by somebody */
};

/* Takes some milliseconds. False: the ticks do not move, or not forwards. */
bool running_clock_start(struct running_clock *clock, const struct clock_pair *pair,
                         double claimed);

/* The rate, which is made better before when `now` is far enough from the beginning. */
struct clock_rate running_clock_rate(struct running_clock *clock, uint64_t now);
