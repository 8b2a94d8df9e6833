/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One event of a command that was executed one or several times: its count, what of it starting and
 * counting added, and how far the rest can be off (docs/stat.md has the formula). Pure: readings
 * in, a figure out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A count as it was read, and for how long (ns) its event was enabled and on a counter. */
struct stat_reading {
    uint64_t value, enabled, running;
};

/* What makes an event's count differ from one execution to the next, beside the program itself. */
enum stat_nature {
    STAT_OF_WORK,   /* nothing: it counts what the program does */
    STAT_OF_CHANCE, /* whom the scheduler stops, and when: switches, migrations */
    STAT_OF_TIME,   /* how fast the machine is just now, which is not measured: clocks */
};

/* What is laid before the judge of one event. */
struct stat_evidence {
    enum stat_nature nature;
    double seconds; /* that all executions took */
    /* Of times: what the program of the kit took in this invocation and in earlier ones, in any
     * unit; how fast the machine was. */
    const double *paces;
    size_t pace_count;
    const struct stat_reading *runs; /* executions of the command */
    size_t run_count;
    const struct stat_reading *nulls; /* executions of a program whose truth is known */
    size_t null_count;
    bool has_truth;
    int64_t truth;  /* what that program's own code does of it */
    bool is_random; /* addresses and the like are not controlled, and differ between executions */
    /* Counts too many that validation found for each page fault and each interrupt, and how many of
     * them an execution had; 0: none is known. */
    double per_fault, faults;
    double per_interrupt, interrupts;
    /* What relaying the command's output added to an execution, and how far that may be off. */
    double relayed, relayed_bar;
};

enum stat_state {
    STAT_COUNTED,     /* for the whole time in every execution */
    STAT_MULTIPLEXED, /* for a part of it: extrapolated */
    STAT_UNSCHEDULED, /* never got a counter */
    STAT_UNSUPPORTED, /* cannot be counted here */
    STAT_ACCOUNTED,   /* as getrusage tells, because perf_event is refused */
    STAT_DROPPED,     /* the operating system stopped counting when the command was executed */
    STAT_PARTIAL,     /* and here when something below it was: the count is of the rest */
    STAT_STATES
};
extern const char *const stat_state_names[STAT_STATES]; /* "counted" … */

struct stat_figure {
    enum stat_state state; /* counted, multiplexed or unscheduled */
    size_t runs;           /* executions in which it got a counter; the rest says nothing */
    double count;          /* mean over them, extrapolated where multiplexed */
    double min, max;       /* of single executions */
    double share;          /* of the time that it was on a counter, over all executions; 0 … 1 */
    bool has_overhead;     /* what starting and counting adds is known */
    double overhead;       /* the median of the nulls less their truth */
    double corrected;      /* count - overhead, at least 0; count where nothing is known of it */
    /* Half of the 95 % interval of corrected, of which what is below 0 is impossible: the root of
     * the sum of squares of what chance makes, and on top what is known to be too many. With one
     * execution it holds nothing of how the command itself varies; nothing is known of it then
     * where the overhead is not. */
    bool has_uncertainty;
    double uncertainty;
    double from_spread;     /* between executions */
    double from_drift;      /* of times, between invocations: all executions of one share it */
    double from_nulls;      /* of what starting and counting adds */
    double from_sharing;    /* of a counter that was there for a part of the time */
    double from_overcounts; /* per page fault and interrupt */
    double relayed;         /* that relaying its output added: taken off corrected, too */
    double from_relaying;   /* of that */
    /* Of times of three executions or more: the first over the mean of the rest, where it is the
     * slowest and by more than a tenth; else 0. */
    double cold;
};

/* A mode of the program that comes in a smaller share of executions than this may be missing from
 * all of so many, more often than in 5 of 100 times. */
double stat_unseen(size_t runs);

void stat_judge(const struct stat_evidence *evidence, struct stat_figure *found);
