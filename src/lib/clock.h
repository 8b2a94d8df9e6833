/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: the CPU's counter of time as a clock. What the machine says about it and whether
 * it can be depended on; from readings of two clocks to the rate of one; and a clock that is held
 * against the operating system's for as long as the process runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay.h"

/* --- Can the counter be depended on? What the machine says about it, and the judgement --- */

struct clock_signs {
    const char *counter; /* "tsc" "cntvct" "rdtime"; NULL: user code of this ISA has none */
    bool forbidden;      /* by PR_SET_TSC */
    bool flags_known;    /* x86-64: /proc/cpuinfo could be read */
    bool constant;       /* the rate is the same whatever the CPU's frequency */
    bool nonstop;        /* and in all of its sleeps */
    char source[64];     /* what the operating system keeps time by; "": not known */
};

/* From the files of the machine below root; "" is this one. */
void clock_signs_of(const char *root, struct clock_signs *signs);

/* 0, or a negative errno and a sentence that says why it is not dependable. */
int clock_choice(const struct clock_signs *signs, char *reason, size_t size);

/* ----------------------------------------------------------------------------------------------
 * From readings of two clocks to the rate of one, and from ticks to nanoseconds with an error
 * bound. Pure. */

/* The clock read before and after the reference: the moment of ns lies between. */
struct clock_anchor {
    uint64_t before, after; /* ticks */
    uint64_t ns;            /* of the reference, whose last digit is cut off */
};

/* Between these the true rate is. */
struct clock_rate {
    double low, high; /* ticks a nanosecond */
};

/* What the readings of a clock are like. */
struct clock_habits {
    uint64_t step; /* it moves in multiples of this many ticks */
    uint64_t cost; /* ticks from one reading to the next with nothing between */
};

/* Of a clock that moves in such steps. False when the anchors are too close to say anything, or the
 * clock went backwards. */
bool clock_rate_between(const struct clock_anchor *from, const struct clock_anchor *to,
                        uint64_t step, struct clock_rate *rate);

/* Takes in what somebody claims, as far as the claim agrees with what is known; a claim that does
 * not is dropped, and false returned. The claim is taken to be right to a millionth: it is what the
 * operating system was told, and its clocks multiply with a number rounded from that. */
bool clock_rate_claim(struct clock_rate *known, double ticks_a_second);

/* Negative when to was before from. */
void clock_span_of(const struct clock_rate *rate, const struct clock_habits *habits, uint64_t from,
                   uint64_t to, struct assay_span *span);

/* From readings in a row. */
void clock_habits_of(const uint64_t *readings, size_t count, struct clock_habits *habits);

/* --- A clock whose rate becomes better known as time goes by --- */

/* Ticks a second as the operating system or the firmware says; 0: nobody does. */
double clock_claim(void);

/* Two clocks, so that tests can put others in their place. */
struct clock_pair {
    uint64_t (*ticks)(void);
    uint64_t (*ns)(void); /* the reference */
};

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
