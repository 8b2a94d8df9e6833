/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a touring harness calls: a caller is a path's start, stop and read as single calls, each a
 * function of its own that the tour meters. Callers of one instrument share its counters.
 * Everything around the calls is done by inline system calls, so that no symbol that a call
 * measures was bound, and no page it needs was touched, before a cold tour calls it.
 *
 *   main.c                    finds the job; describes what can be called
 *   caller.h                  the agreement: what a caller is, and what its calls work on
 *   tour.c                    finds the calls, opens meters and instruments, makes the passes
 *   spans.c                   the loops around metered calls, compiled with flags of their own
 *   instruments.h             what stands around the calls of each caller; an instrument a file:
 *   perf-instrument.c         descriptors of perf_event, and their pages
 *   assay-instrument.c        a set of libassay
 *   papi-instrument.c         PAPI's two levels
 *   likwid-instrument.c       LIKWID's markers; likwid-trial.c finds out whether they count here
 *   command-instrument.c      whole commands */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay.h"
#include "probe/harness/job.h"

enum call_kind {
    CALL_START,
    CALL_STOP,
    CALL_READ,
    CALL_ACCUM, /* reads, adds, sets to zero: PAPI's */
    CALL_BEGIN, /* of a region, where a library has such */
    CALL_END,
    CALL_COMMAND, /* a whole command, from its start to its end */
    CALL_NOTHING, /* what metering costs */
    CALL_GAUGE,   /* work of the tour's own, as much as the CPU can do at once: is the core ours? */
    CALL_KINDS,
};
extern const char *const call_kind_names[CALL_KINDS]; /* "start" … */

enum call_effect { EFFECT_KEEPS, EFFECT_STARTS, EFFECT_STOPS };
enum call_when { WHEN_ANY, WHEN_RUNNING, WHEN_STOPPED };
extern const char *const call_effect_names[]; /* "keeps" … */
extern const char *const call_when_names[];   /* "any" … */

/* What the calls work on: filled by `open`, read by the calls. One of each in a process. */
struct tour_state {
    struct job *job;
    /* instrument perf: descriptors of job->tour.open counters of job->tour.counted */
    int descriptors[CELL_MAX_COUNTERS];
    uint32_t count;
    bool separate;    /* no group: as asked, or because there is one counter only */
    uint32_t handles; /* descriptors that a call goes to: all in the separate layout, else one */
    size_t bytes;     /* of one read of a descriptor; words of it follow each other in `reading` */
    size_t words;
    bool user_reads; /* a call of the tour reads pages: counters must be opened for that */
    const volatile struct perf_event_mmap_page *pages[CELL_MAX_COUNTERS];
    uint64_t reading[CELL_MAX_COUNTERS * 4 + 8];
    uint64_t counts[CELL_MAX_COUNTERS]; /* read in user code */
    /* instrument assay */
    struct assay_set *set;
    struct assay_value assay_values[CELL_MAX_COUNTERS];
    /* others */
    int event_set;
    long long values[CELL_MAX_COUNTERS];
    void *own; /* whatever else a caller wants to keep */
    /* What the last call returned. Zero before every span; a call that fails leaves a negative
     * number, which ends the tour right after its span. */
    long status;
};

/* Of several calls in one span: a failure is not forgotten. No branch. */
static inline __attribute__((always_inline)) long call_worst(long status, long result)
{
    return result < status ? result : status;
}

/* Makes the call `times` times in a row. times is at least 1. */
typedef void call_function(struct tour_state *state, uint32_t times);

/* Defines such a function of an expression that is negative where the call failed. */
#define CALL_FUNCTION(name, call)                                                                  \
    static void name(struct tour_state *state, uint32_t times)                                     \
    {                                                                                              \
        long status = 0;                                                                           \
        do                                                                                         \
            status = call_worst(status, (call));                                                   \
        while (--times);                                                                           \
        state->status = status;                                                                    \
    }

struct call_entry {
    call_function *function; /* NULL: it has no such call */
    enum call_effect effect;
    enum call_when when;
};

struct caller {
    const char *path;       /* "perf-read" */
    const char *instrument; /* "perf" */
    const char *note;
    const char *page; /* of calls that read pages: "cold", "touched", "populated"; else "" */
    bool binds, alone;
    bool needs_folder;
    /* All return 0 or a negative errno, the sentence in reason or job->reason. usable may be NULL.
     */
    int (*usable)(char *reason, size_t size);
    /* Opens the instrument; called once for each instrument of the tour, by its first caller. NULL:
     * there is nothing to open, to settle, to close. */
    int (*open)(struct tour_state *state);
    /* Starts or stops the instrument without any call that is measured: what state the tour begins
     * in, and undoing it. running: as asked. */
    int (*settle)(struct tour_state *state, bool running);
    /* Right before a cold tour, while nothing counts yet: what its pages must be like. NULL. */
    int (*prepare)(struct tour_state *state);
    /* After the last pass, and after a call that left a negative state->status: did the calls work?
     * The sentence need not name the call. NULL: nothing to add. */
    int (*check)(struct tour_state *state);
    void (*close)(struct tour_state *state);
    struct call_entry calls[CALL_KINDS];
};

extern const struct caller
    *const caller_registry[]; /* generated for each harness; ends with NULL */

/* Metered spans: meter, one indirect call, meter; nothing else stands between the two readings, and
 * it is the same code for every call, so that a call of nothing costs what metering costs. Compiled
 * with the flags of windows. */

#define METERS_MOST  3          /* counters read at once */
#define METER_UNREAD UINT64_MAX /* what no counter holds: it could not be read */

struct span {
    call_function *function;
    uint32_t times;
};

struct meter;

/* Makes `count` (at least 1) spans, and writes what the meters ran on in each: values[span * meters
 * + meter]. Ends after the first whose call failed. Returns how many it left unmade, 0 when all
 * were made; the failed one counts as unmade. */
typedef size_t span_loop(struct tour_state *state, const struct meter *meter,
                         const struct span *spans, size_t count, uint64_t *values);

span_loop spans_ticks, spans_one, spans_two, spans_three;

/* --- One visit of a touring harness: all calls of its tour, pass after pass, each metered --- */

/* 0, or a negative errno with the sentence in job->reason. */
int tour_run(struct job *job);

/* ----------------------------------------------------------------------------------------------
 * What is read around every call of a tour: the tick counter, or counters of the CPU that user code
 * reads. Those are pinned events of their own, beside the instruments'. */

struct meter {
    uint32_t count;
    bool ticks;
    span_loop *loop;
    const volatile struct perf_event_mmap_page *pages[METERS_MOST];
    int descriptors[METERS_MOST];
};

/* What `rows` spans gave: takes what lies above a counter's width away (a meter that went back
 * gives a negative difference), and fails where a meter could not be read. */
int meter_settle(const struct meter *meter, struct job *job, uint64_t *values, size_t rows);

/* ----------------------------------------------------------------------------------------------
 * What a cold tour's process touches of itself beforehand: the pages of its own program and stack,
 * as bytes. */

/* So that the harness's code takes no fault inside a span. No function is called and no symbol
 * bound by it, and nothing of a library is touched. */
void own_pages_touch(void);
