/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: calipers. assay/calipers.h has what the caller's own code knows of them.
 *
 * The files of this folder:
 *   calipers.c         which calipers a thread has, by which path they count; opening and closing
 *   in-place.h         the ends of a region for the library's own functions
 *   ended.c            what follows the reading at the end of a region; the ends as functions
 *   trap.c             counting by a trap after each instruction
 *   calibrate.c        what measuring adds: empty regions and the figures that they come to
 *   correct.c          from the frame of a region, or many, to counts with their error bars
 *   regions.c          regions with a name, added up
 *   table.c            the totals that the process keeps, and their table
 *   set.c              single counters and sets of them; last-error.c: the sentence of a failure
 *   user-access.c, .h  may user code read a counter itself? user-read.h reads it
 *   clock.c, .h        the CPU's counter of time as a clock; ticks.h: may it be read at all?
 *   trust.c, .h        what passports say of an event; trust-scan.c reads JSON
 *   machine-words.c, .h  what makes two machines differ, how it is recognised, and this machine */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay.h"
#include "events/event.h"

_Static_assert(sizeof(struct assay_frame) == ASSAY_FRAME_BYTES, "frame");
_Static_assert(offsetof(struct assay_frame, children) == 32, "children");
_Static_assert(offsetof(struct assay_frame, measuring) == 56, "measuring");
_Static_assert(offsetof(struct assay_frame, begun) == 64, "begun");
_Static_assert(offsetof(struct assay_frame, begun[ASSAY_FRAME_WORDS - 1]) == 232, "stamp");
_Static_assert(offsetof(struct assay_frame, ended) == 240, "ended");
_Static_assert(offsetof(struct assay_frame, begun[1]) == 72, "times in the reports");
_Static_assert(offsetof(struct assay_frame, lock) == 416, "lock");
_Static_assert(offsetof(struct assay_frame, flags) == 440, "flags");
_Static_assert(offsetof(struct assay_frame, user) == 448, "user");
_Static_assert(offsetof(struct assay_here, ways) == 0 && ASSAY_WAY_TICKS < 256, "ways");
_Static_assert(offsetof(struct assay_here, depth) == 4, "depth");
_Static_assert(offsetof(struct assay_here, frame) == 8, "frame");
_Static_assert(offsetof(struct assay_here, descriptor) == 24, "descriptor");
_Static_assert(offsetof(struct assay_here, trapped) == 40, "trapped");
_Static_assert(offsetof(struct assay_here, pages) == 48, "pages");

#define CALIPERS_NULLS 128 /* empty regions of a kind that calibrating measures */
#define CALIPERS_WARM  16  /* and some before, which are not kept */
#define CALIPERS_SPARE 64  /* and some more, in place of those that were disturbed */
#define CALIPERS_FEW   32  /* with fewer undisturbed ones there are no figures */

/* System calls take more or less time by what ran before them: this share of what they cost around
 * nothing, which is an assumption. docs/uncertainty.md says what was seen. */
#define CALLS_DIFFER 0.5

/* What a CPU's counter and a clock suffer from, and nothing else. */
#define CALIPERS_INTERRUPTIONS (ASSAY_SAW_FAULTS | ASSAY_SAW_SWITCHES | ASSAY_SAW_INTERRUPTS)

#define FRAMES     (ASSAY_DEPTH_MOST + 2)
#define WORD_TRAP  (ASSAY_FRAME_WORDS - 1) /* of begun and ended: see struct assay_frame */
#define WORD_STAMP WORD_TRAP               /* of begun: READ with TICKS, which is never TRAP */

/* Where the reading of an event is in a frame. */
enum caliper_kind {
    CALIPER_ABSENT,  /* nowhere: it cannot be counted */
    CALIPER_COUNTER, /* a word of begun and ended; on the path USER the first of two of user */
    CALIPER_TICKS,
    CALIPER_CALL, /* time only: nanoseconds, as the system calls of READ tell them */
};

/* What disturbs a count. */
enum caliper_nature {
    NATURE_COUNT,    /* the operating system's own, or trapped: nothing */
    NATURE_HARDWARE, /* a CPU's counter: faults, interrupts and switches may add to it */
    NATURE_CLOCK,    /* time: it moves in steps */
};

/* What counts of empty regions come to. Of a pair: of what the inner of two adds,
 * but for error and odd, which are those of the outer ones. */
struct null_figures {
    double middle;    /* what is subtracted */
    double low, high; /* the next one lies between, 95 times of 100 */
    double mean;      /* what many of them come to, each; of pairs this is middle */
    double error;     /* of mean, with a confidence of 95 % */
    double spread;    /* standard deviation */
    double odd;       /* how many differ from middle, of 1: 1 unless nearly all agree */
    bool steady;      /* the first half of them comes to what the second does */
};

/* The error bar of ticks comes from regions with nothing inside but two readings of the counter.
 * docs/uncertainty.md says why. */
#define TICK_NULLS 64 /* the newest count */
#define TICK_FEW   32 /* with fewer there is no bar */
/* Steps by which the place of code and how warm it is move a window, the same in all of them. */
#define TICK_PLACE 0.2

struct tick_nulls {
    double around[TICK_NULLS];  /* ticks of the region that are not between the readings inside */
    double inside[TICK_NULLS];  /* and those between */
    uint64_t apart[TICK_NULLS]; /* from the end of the one before */
    size_t next, count;
    size_t refused; /* one after the other */
    double usual;   /* a whole region; 0: not known yet */
    uint64_t ended; /* the one before; 0: there is none */
};

/* A region's end looks up where its reading belongs, and what the region did may have put that out
 * of the caches: then it reads later, by how much is measured. */
#define TICK_COLD_MOST 8
struct tick_cold {
    size_t count;
    struct {
        double ticks;       /* regions at least as long may have put out as much */
        double adds;        /* and their end is later by up to so many ticks */
    } list[TICK_COLD_MOST]; /* both rise */
};

/* What measuring adds to a region. */
struct tick_bar {
    double middle;
    double low, high; /* with a confidence of 95 % */
    double quartiles; /* the distance between those of `around` */
    double step;      /* what all of them are multiples of */
};

struct caliper {
    char *name;
    enum caliper_kind kind;
    enum caliper_nature nature;
    bool sees_kernel; /* counts what the operating system executes, too */
    bool busy;        /* no region is so short that it counts nothing: instructions, cycles */
    size_t word;
    int error;                                  /* positive errno; 0: it is counted */
    char *reason;                               /* NULL: none */
    bool unsteady;                              /* calibrating found something wrong: see reason */
    uint64_t step;                              /* of a clock: what all its readings differ by */
    struct null_figures null[ASSAY_NULL_KINDS]; /* window, pair, pair with a name */
};

/* Of those that the operating system may take away for a while. */
static inline bool is_counter(const struct caliper *event)
{
    return event->kind == CALIPER_COUNTER && event->word != WORD_TRAP;
}

/* Among what a frame noticed, above the bits of enum assay_noticed: regions around the first use of
 * a name have counted its lookup. */
#define NOTICED_MET (UINT64_C(1) << 32)

/* What a region left behind, as one number a measure: raw counts by event, then what is beside
 * them. Pure data: correct.c makes counts of it. */
struct region_reading {
    uint64_t raw[ASSAY_CALIPERS_MOST];
    uint64_t enabled_ns, running_ns; /* of the counters; 0 where the path does not tell */
    double length_ns;                /* how long it took, roughly; 0 where that is not known */
    uint64_t ticks;                  /* 0 where none were read */
    uint64_t measuring;              /* of these, what the ends of regions inside took */
    uint64_t faults, switches;       /* inside, where known */
    uint64_t children, named;
    unsigned noticed;
    bool counted; /* false: nothing was read */
    bool met;     /* a name inside was met for the first time: NOTICED_MET */
    bool lost;    /* the operating system had nothing to tell: a pinned counter was taken away */
};

/* A count without what was measured, in the region itself, of the ends of regions inside. */
static inline double net_reading(const struct caliper *event, uint64_t counted,
                                 const struct region_reading *reading)
{
    return (double)(int64_t)(event->kind == CALIPER_TICKS ? counted - reading->measuring : counted);
}

/* Why counting by traps ended before the region did. */
enum trap_lost {
    TRAP_LOST_NOTHING,
    TRAP_LOST_CLEARED,  /* code cleared the flag */
    TRAP_LOST_STUCK,    /* the CPU does not execute an instruction while the flag is set */
    TRAP_LOST_SEQUENCE, /* a restartable sequence, which every trap interrupts */
    TRAP_LOST_STOPPED,  /* a debugger, or somebody else, stopped the thread */
};

struct nulls;   /* calibrate.c */
struct regions; /* regions.c */

struct assay_calipers {
    struct assay_here here; /* first: the thread's assay_here points at it */
    /* The first is that of no region, the last of all that are too deep. */
    struct assay_frame frames[FRAMES] __attribute__((aligned(64)));
    struct assay_frame *result; /* of the region that ended last; NULL: none */
    size_t count;
    struct caliper events[ASSAY_CALIPERS_MOST];
    struct caliper time; /* as a measure: kind CALIPER_TICKS, CALIPER_CALL or absent */
    enum assay_path path;
    unsigned flags;
    double name_most;        /* instructions of a name's address that may be in the region around */
    char *reason;            /* why the path is not a better one; NULL */
    struct assay_set *set;   /* USER, READ: the counters */
    struct assay_set *watch; /* USER with ASSAY_WATCH: companions alone */
    size_t companion_words[2]; /* page faults, switches in begun and ended; 0: not read */
    double tick_ns;            /* USER: how long a tick is, roughly; 0: not known */
    double timer_ns;           /* the timer's interrupt comes as often as this; 0: not known */
    struct nulls *nulls;
    struct tick_nulls tick_nulls; /* the newest */
    struct tick_cold tick_cold;
    struct regions *regions;
    enum trap_lost trap_lost; /* of the last region that lost its traps */
    size_t calibrated;        /* empty regions behind the figures */
    long owner;               /* the thread that opened them, 0: not yet attached */
    bool forked;              /* in a child of fork: nothing is read any more, no page is mapped */
    struct assay_calipers *next; /* that the same thread opened before */
};

/* --- calipers.c --- */

/* The thread's calipers, NULL: none are selected. */
struct assay_calipers *calipers_here(void);

/* What the calling thread has opened, linked by `next`. */
struct assay_calipers *here_opened(void);

int here_attach(struct assay_calipers *calipers); /* a thread that ends closes them */

/* How much an event counted between the ends of a region, by the two words from `word`. */
uint64_t calipers_user_count(const struct assay_calipers *calipers, const struct assay_frame *frame,
                             size_t word);
/* The counters were on no CPU for a part of the region or all of it: says so in the frame, and
 * makes its times those that passed within. */
void calipers_user_shared(const struct assay_calipers *calipers, struct assay_frame *frame);

#define TICKS_EVENT "ticks"

/* --- trap.c --- */

/* 0, and events that have a kind or an error are settled; or a negative errno. */
int calipers_trap_open(struct assay_calipers *calipers);
void calipers_trap_close(struct assay_calipers *calipers);
const char *calipers_trap_reason(enum trap_lost lost); /* NULL: nothing was lost */

void trap_look(struct assay_here *here, struct assay_frame *frame); /* was all trapped? */
void trap_leave(void); /* no more traps: the outermost region ended */

/* --- calibrate.c --- */

/* Pure. At most CALIPERS_NULLS values. Of pairs: from the figures of the outer regions. */
void null_figures_of(enum caliper_nature nature, const double *values, size_t count,
                     struct null_figures *figures);
void null_figures_pair(const struct null_figures *alone, struct null_figures *pair);

/* Of a region: the counter at its beginning, twice inside, and at its end. One that is much longer
 * than all others was interrupted and is not taken, unless all are from now on. */
void tick_nulls_add(struct tick_nulls *nulls, const uint64_t readings[4]);

/* False: too few. */
bool tick_bar_of(struct tick_nulls *nulls, struct tick_bar *bar);

/* By how many ticks the ends of a region and of those inside may have been late. */
double tick_cold_of(const struct tick_cold *cold, double ticks, double children);

/* Corrects ticks and time by the neighbours from now on, if there are enough. */
void neighbours_use(struct assay_calipers *calipers);

void nulls_free(struct nulls *nulls);

/* --- correct.c --- */

/* From a frame to numbers. */
void reading_of(const struct assay_calipers *calipers, const struct assay_frame *frame,
                struct region_reading *reading);

/* Pure. */
void correct_count(const struct assay_calipers *calipers, size_t index,
                   const struct region_reading *reading, struct assay_count *count);

uint64_t time_reading(const struct assay_calipers *calipers, const struct region_reading *reading);
void time_in_ns(const struct assay_count *count, double ticks_a_ns, double error,
                struct assay_duration *time);
void correct_time(const struct assay_calipers *calipers, const struct region_reading *reading,
                  struct assay_duration *time);

/* Of the region that ended last. */
void counts_of(struct assay_calipers *calipers, struct assay_count *counts);

/* --- regions.c and table.c; more of them below --- */

/* Adds the region that is just ending. Its frame must still be the innermost: the one of a handler
 * that comes meanwhile is then another. */
void regions_add(struct assay_calipers *calipers, struct assay_region *region,
                 const struct assay_frame *frame);
/* Into those of the process, and free. */
void regions_merge(struct assay_calipers *calipers);

/* --- Square roots without libm, which libassay does not need --- */

/* Heron: from above every step comes down, until rounding stops it. 0 for what has none. */
static inline double root_of(double square)
{
    if (!(square > 0) || square > 1e300)
        return square > 0 ? square : 0;
    double root = square > 1 ? square : 1, next = (root + square / root) / 2;
    while (next < root) {
        root = next;
        next = (root + square / root) / 2;
    }
    return root;
}

/* --- What trap.c shows of its handler, to tests that plant what CPUs do --- */

/* What the handler knows of the thread it runs on. */
struct trap_thread {
    const unsigned char *next; /* the instruction about to begin at the last trap; NULL: none yet */
    long caller;               /* who made the clone that `next` is; 0: it is none */
    bool shares;               /* whom it makes shares this memory */
    bool blocked;          /* the region wanted SIGTRAP blocked, which waits until it has ended */
    unsigned stuck;        /* traps in a row after which `next` had not been executed */
    uint64_t left;         /* repetitions of `next`, if it repeats */
    long switches, faults; /* the thread's own so far */
    enum trap_lost lost;   /* why its regions are no longer counted */
};

extern __thread struct trap_thread trap_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

void on_trap(int number, siginfo_t *information, void *context);

/* Inside libassay: counters. First one alone, then sets, which are counters that are switched
 * and read together. */

/* --- One counter: whether it can be opened, and what its numbers mean --- */

/* Can the calling thread open it, alone? 0 or negative errno. Nothing stays open. */
int counter_try_open(const struct event *event);

/* What the operating system reports for one counter, or the difference of two such reports. */
struct counter_report {
    uint64_t count;
    uint64_t enabled_ns;
    uint64_t running_ns;
};

/* count * enabled / running in 128 bits: no product is cut off, whatever the times are. 0 when it
 * never ran. */
double counter_scale(const struct counter_report *report);
enum assay_state counter_state(const struct counter_report *report);

/* --- A set of counters --- */

struct set_member {
    struct event event;
    int error;    /* positive errno, 0 when open */
    char *reason; /* NULL when open */
};

/* What a read delivers, in the operating system's order: a single counter's count and times, or a
 * group's number of members, times, and one count per member. */
enum { SINGLE_COUNT, SINGLE_ENABLED, SINGLE_RUNNING, SINGLE_WORDS };
enum { GROUP_MEMBERS, GROUP_ENABLED, GROUP_RUNNING, GROUP_COUNTS };

/* Invariants: reader comes first (assay.h reads through it); descriptors[i] is -1 exactly when
 * members[i].error is not 0. In a group the leader is the first open member, the others follow it
 * in the order of members, and the operating system reports them in that order. Siblings are
 * enabled from the start and follow their leader, so one system call switches the whole group. */
struct assay_set {
    struct assay_reader reader;
    size_t count;
    size_t open;  /* members that are open */
    bool grouped; /* read by one system call at the leader */
    int leader;   /* descriptor, -1 when no member is open */
    int descriptors[ASSAY_MAX_COUNTERS];
    struct counter_report start[ASSAY_MAX_COUNTERS]; /* what counts as zero since the last reset */
    struct set_member members[ASSAY_MAX_COUNTERS];
};

/* As assay_set_open; prepare (or NULL) changes what every event asks for before any is opened. When
 * it fails nothing is opened, and the set is NULL. */
typedef int set_prepare(struct event *event, struct failure *failure);
int set_open(struct assay_set **result, const char *const *events, size_t count, unsigned flags,
             set_prepare *prepare);

/* Remembers the sentence for assay_last_error and returns code. */
int set_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct failure *set_failure(void);

/* Inside libassay: regions with a name, added up. Names are numbered for the process, calipers add
 * while the program runs (regions.c), correct.c makes totals of that, and the process gathers these
 * when calipers are closed and prints them (table.c). */

/* --- The names of regions, numbered for the whole process --- */

/* Numbers begin with 1. The last one stands for all names behind the first ASSAY_REGIONS_MOST. */
#define REGION_FURTHER (ASSAY_REGIONS_MOST + 1)

/* The number of a name, given to it now if it has none: in no lock and without memory, because
 * regions end in signal handlers. The name is copied: who named it may be unloaded. */

/* Is it the one of the empty regions that calibrating measures? */
bool region_is_own(uint32_t number);

/* What is printed for it: harmless, on one line, at most 63 bytes. */
#define REGION_SHOWN 64
void region_shown(uint32_t number, char *text);

/* --- Sums and totals --- */

/* Single regions as corrected, but for the window. squares: of differences from the mean. guessed:
 * the sum of what was added because the counter was shared. */
struct single_figures {
    double least, most, mean, squares;
    double guessed;
};

/* What calipers add up for a name. */
struct region_sums {
    uint64_t regions;
    uint64_t noticed_regions;
    uint64_t unread;                /* of the regions: nothing could be read */
    uint64_t disturbed;             /* of the regions: ASSAY_SAW_DISTURBED */
    enum assay_state worst;         /* of counters */
    struct region_reading all;      /* as if they had been one region */
    struct single_figures single[]; /* by event */
};

struct regions {
    size_t stride;       /* bytes of struct region_sums with its figures */
    uintptr_t busy;      /* the stack frame that adds just now; 0: none */
    uint64_t dropped;    /* regions of signal handlers that interrupted it */
    unsigned char *sums; /* of the numbers 1 to REGION_FURTHER */
};

/* The same as numbers that can be added, of whatever calipers. Error bars are two: random ones add
 * up by their squares, what is wrong alike in every region does by itself. */
struct region_total {
    uint64_t regions, noticed_regions;
    uint64_t raw;
    double corrected, random_square, alike;
    struct single_figures single; /* corrected */
    unsigned noticed;
    enum assay_state state;
};

int regions_prepare(struct assay_calipers *calipers); /* 0 or -ENOMEM */
void regions_free(struct assay_calipers *calipers);
/* NULL: no region has ended under this number. */
const struct region_sums *regions_sums(const struct assay_calipers *calipers, uint32_t number);

/* correct.c: pure. With the index behind the last event: time, in nanoseconds. */
void region_total_of(const struct assay_calipers *calipers, const struct region_sums *sums,
                     size_t index, struct region_total *total);
void region_total_add(struct region_total *into, const struct region_total *more);
double region_total_uncertainty(const struct region_total *total);
double region_total_deviation(const struct region_total *total);

/* --- What the process keeps of calipers that are closed, and its table at the end --- */

void process_forked(void); /* in the child: what the parent gathered is not its own */
void process_ended(void);  /* writes the table, where it was asked for, and forgets the totals */
