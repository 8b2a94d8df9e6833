/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The trial of one clock: all its intervals with what they should have been, and the faults that
 * are looked for in them. */
#pragma once

#include "studies/clocks/study.h"

/* One interval by the clock and by the reference. */
struct tried_interval {
    const struct clock_watch *watch;
    double own, other; /* ns */
    double slack;      /* ns: off by more is wrong */
    double off;        /* ns: own − other */
    bool wrong;
    bool moved;     /* it ended on another CPU */
    bool disturbed; /* others got the CPU meanwhile: by the account, or stolen */
};

struct clock_trial {
    const struct clocks_case *file;
    const struct clocks_report *report;
    uint32_t clock;
    double step_ns;   /* by which it may be behind */
    double told_ns;   /* how finely it tells time, at best */
    uint64_t largest; /* of all its readings in intervals */
    struct tried_interval *list;
    size_t count, wrong;
    double *scratch; /* [count + 1] */
};

/* Intervals at which the reference itself was off, as all clocks of its own counter say; [interval
 * of all watches, in order]. NULL: out of memory. */
bool *find_reference_faults(const struct clocks_case *file, const struct clocks_report *report,
                            size_t *faults);
/* -ENOMEM. Intervals during which the machine was suspended are left out. */
int trial_gather(struct clock_trial *trial, const bool *left_out);
void trial_release(struct clock_trial *trial);

/* Which intervals of a trial are meant. */
typedef bool tried_choice(const struct tried_interval *interval);
bool tried_any(const struct tried_interval *interval);
bool tried_sleep(const struct tried_interval *interval);   /* one thread, no moves */
bool tried_running(const struct tried_interval *interval); /* the same, of what runs all the time */
bool tried_stayed(const struct tried_interval *interval);
bool tried_moved(const struct tried_interval *interval);
bool tried_threads(const struct tried_interval *interval); /* several, running */
size_t trial_count(const struct clock_trial *trial, tried_choice *choice);
size_t trial_wrong(const struct clock_trial *trial, tried_choice *choice);
/* Of own / other; NaN: none. */
double trial_ratio(const struct clock_trial *trial, tried_choice *choice, double share);
/* Share of these that are right once the clock's rate is taken to be `ratio`. */
double trial_fits(const struct clock_trial *trial, tried_choice *choice, double ratio);

/* The faults of a clock that claims to tell time, as bits; 0: none. */
uint32_t wall_faults(const struct clock_trial *trial);
/* … of one that claims CPU time or cycles. */
uint32_t cpu_time_faults(const struct clock_trial *trial);
/* Does it go on while its thread sleeps? */
bool counts_sleep(const struct clock_trial *trial);
/* Runs the clock at another rate than it may, for sure? The rate that says so, or NULL. */
const struct clock_rate *wrong_rate(const struct clock_trial *trial);
/* By how much its rate may be off, ppm. */
double rate_limit(const struct clock_trial *trial);
/* Did anything that is made of another counter agree with it? */
bool was_confirmed(const struct clock_trial *trial);
/* What must have been watched before a clock is called dependable: bits, 0: all of it was. */
enum trial_lack { LACKS_SLEEP = 1, LACKS_COMPUTATION = 2, LACKS_MOVES = 4 };
uint32_t trial_lacks(const struct clock_trial *trial);
/* The rate against a clock of another counter that shows it to be right; NULL: none. */
const struct clock_rate *confirming_rate(const struct clock_trial *trial);

/* Writes verdict->why. */
void explain_trust(const struct clock_trial *trial, struct clock_verdict *verdict);
