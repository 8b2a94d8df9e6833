/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Calipers: regions of code, each count with its error bar. Part of assay.h.
 *
 * A region is what is executed between assay_begin and assay_end. Neither takes an argument: both
 * use the calipers that the calling thread has selected, so that what stands in a region of the
 * library's own code is the same instructions at every place of the program, whatever the compiler
 * makes of the rest. Regions nest. What a region reports is
 *
 *     corrected = raw - window - children * pair - named * pair_named
 *
 * window: what the calipers count around nothing, the part of assay_begin behind its reading and
 * the part of assay_end before it. pair:   what an empty region inside adds to the one around it,
 * the whole of assay_begin and assay_end; children are all regions that ended inside, at any depth,
 * named those of them that ended with assay_end_in.
 *
 * assay_calibrate measures both in the caller's own code, for exactly the counters, the path and
 * the flags of the compiler in use.
 *
 * Calipers belong to the thread that opened them, and count it. In a child of fork nothing is
 * counted any more and every call goes on working: counts are `unsupported`, totals and the table
 * begin anew, and calipers that the child opens count it. exec closes all descriptors. A child of
 * vfork, or of a bare system call, shares or copies memory behind the library's back: it must not
 * begin or end regions. A region that longjmp or an exception left stays open until it is ended. */
#ifndef ASSAY_CALIPERS_H
#define ASSAY_CALIPERS_H

#include "counter-in-place.h"
#include "interface.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_CALIPERS_MOST 16  /* events of calipers */
#define ASSAY_DEPTH_MOST    64  /* regions inside each other; deeper ones are not measured */
#define ASSAY_REGIONS_MOST  256 /* with a name; further ones are added up together */

struct assay_calipers;

/* How the counts of calipers are had.
 *
 * Where they trap (x86-64), the CPU raises SIGTRAP after each instruction of a region, and a
 * handler counts. Such calipers count nothing else, and no time. For the program this means:
 *  - The handler is there from the first such calipers to the last. Set one of your own before: it
 *    gets what is not theirs. A thread that blocks SIGTRAP, or begins a region in a handler that
 *    does, is killed by the operating system; blocking it within a region waits for the region's
 *    end. A debugger would get every trap: opening is refused where one is there. One that comes
 *    later, and whatever else stops the thread between two instructions, ends the counting. (It is
 *    not noticed where it comes and goes while the thread waits in a system call.)
 *  - Repeated string instructions count once, as with counters. What handlers of signals execute
 *    does not count, nor do threads and processes that are made in a region: they do not trap.
 *  - Code that clears the trap flag (popf with flags from before the region, a longjmp out of a
 *    signal handler) makes the counts of its regions unsupported (ASSAY_SAW_LOST_TRAPS). So does
 *    code that would never end while it traps: restartable sequences, and an instruction that does
 *    not advance. Trapping stops there and the program goes on. Transactions always take their
 *    other way, and code that looks at its flags sees the trap flag.
 *  - int3 and int1 count, and their signal goes to the handler that was there before. Some
 *    hypervisors (KVM on AMD CPUs) report int1 as not executed, and a handler that returns gets it
 *    again for ever: inside a region the program then goes on behind it, as on other CPUs. */
enum assay_path {
    ASSAY_PATH_NONE, /* nothing can be counted; time and ticks still are */
    ASSAY_PATH_USER, /* instructions that read the counters, never entering the kernel */
    ASSAY_PATH_READ, /* one system call at each end */
    ASSAY_PATH_TRAP, /* the CPU traps after every instruction: exact, and some thousand times slower
                      */
};

enum assay_calipers_flags {
    ASSAY_USER = 1,    /* only by user reads: where that cannot be, events are unsupported */
    ASSAY_READ = 2,    /* only by system calls */
    ASSAY_OR_TRAP = 4, /* where no counter counts instructions:u, trap: see ASSAY_PATH_TRAP */
    ASSAY_NO_TIME = 8, /* do not read the clock at both ends */
    ASSAY_WATCH = 16,  /* count faults and switches inside regions along, which may add to what a
                          CPU counts: with user reads two system calls around the region, else
                          within those that are made, which take longer */
};

/* What happened inside a region that a count may have suffered from. */
enum assay_noticed {
    ASSAY_SAW_FAULTS = 1,       /* page faults */
    ASSAY_SAW_SWITCHES = 2,     /* the thread left its CPU, or the counters were moved */
    ASSAY_SAW_INTERRUPTS = 4,   /* it lasted so long that the timer's interrupt came */
    ASSAY_SAW_MULTIPLEXING = 8, /* a counter was shared meanwhile */
    ASSAY_SAW_DISTURBED = 16,   /* a region inside it, or its own ends, were interrupted */
    ASSAY_SAW_TOO_DEEP = 32,    /* more than ASSAY_DEPTH_MOST regions inside each other */
    ASSAY_NOT_CALIBRATED = 64,  /* corrected is raw: assay_calibrate was not called */
    ASSAY_NOT_MEASURED = 128,   /* no region ended here, or in a child of fork */
    ASSAY_NOT_STEADY = 256,     /* empty regions differed too much, or most were disturbed: the
                                   event's reason says it */
    ASSAY_SAW_LOST_TRAPS = 512, /* counting by traps stopped inside: the event's reason says why */
};

/* corrected and low may be negative: then less was counted than an empty region costs. Where
 * nothing was counted (unscheduled, unsupported) the bar is infinite. Without calibrating it
 * reaches down to 0. docs/uncertainty.md says what bars are made of. */
struct assay_count {
    uint64_t raw;       /* as it was counted */
    double corrected;   /* raw without what measuring added; scaled when multiplexed */
    double uncertainty; /* of corrected, with a confidence of 95 %: the larger of high - corrected
                           and corrected - low */
    double low, high;   /* where the truth is with that confidence */
    enum assay_state state;
    unsigned noticed; /* enum assay_noticed, or-ed */
};

/* Opens calipers for the calling thread and selects them. Events are named as those of sets; beside
 * them there are "ticks", the CPU's counter of time (see clock.h), and "trap/instructions/".
 * Without events (count 0) calipers measure time. Malformed and unknown names fail the call; events
 * that cannot be counted here are unsupported. */
ASSAY_API int assay_calipers_open(struct assay_calipers **calipers, const char *const *events,
                                  size_t count, unsigned flags);
/* By the thread that opened them: from another one nothing is closed, and assay_last_error says
 * so. Regions of theirs that are open are abandoned. A thread that ends closes those it left open:
 * then nobody may close them any more. NULL is allowed. */
ASSAY_API void assay_calipers_close(struct assay_calipers *calipers);

/* Makes these the ones that assay_begin uses, NULL: none. -EBUSY within a region, -EPERM for
 * those of another thread. Threads that have not selected any may begin and end regions, which
 * measure nothing. */
ASSAY_API int assay_calipers_select(struct assay_calipers *calipers);

ASSAY_API enum assay_path assay_calipers_path(const struct assay_calipers *calipers);
ASSAY_API const char *
assay_path_name(enum assay_path path); /* "none" "perf-user" "perf-read" "trap" */
ASSAY_API size_t assay_calipers_size(const struct assay_calipers *calipers);
ASSAY_API const char *assay_calipers_event(const struct assay_calipers *calipers, size_t index);
/* 0 when the event is counted, else the positive errno; and a sentence saying why and what to do,
 * or what calibrating found wrong with an event that is counted, or why a region lost its traps.
 * With index assay_calipers_size(…) of the calipers as a whole: why the path is not a better one.
 */
ASSAY_API int assay_calipers_error(const struct assay_calipers *calipers, size_t index);
ASSAY_API const char *assay_calipers_reason(const struct assay_calipers *calipers, size_t index);

/* What calibrating found, by event. Limits hold 95 of 100 empty regions. */
struct assay_overhead {
    double window, window_low, window_high;
    double pair, pair_low, pair_high; /* a region inside that ended with assay_end */
    double pair_named, pair_named_low, pair_named_high; /* one that ended with assay_end_in */
    size_t runs; /* empty regions that were measured; 0: not calibrated */
};
ASSAY_API int assay_calipers_overhead(const struct assay_calipers *calipers, size_t index,
                                      struct assay_overhead *overhead);

/* Begins a region, ends the one that was begun last. Both may be called in signal handlers, as may
 * assay_end_in and assay_counts: a handler's regions lie inside of what they interrupted. One that
 * comes between assay_end and the return of assay_counts leaves its own counts to the latter. */
ASSAY_API void assay_begin(void);
ASSAY_API void assay_end(void);

/* The counts of the region that ended last on this thread, one for each event in their order. With
 * ticks among the events it first measures what reading them costs, outside of any region: that
 * changes within microseconds. */
ASSAY_API int assay_counts(struct assay_count *counts);

/* How long it took: nanoseconds with their bar. By the CPU's counter of time, read last when a
 * region begins and first when it ends, and the rate that assay_clock_rate knows, which is measured
 * at the first call and takes some milliseconds then. Where that counter is not dependable, the
 * path perf-read has what the system calls tell, which is how long the thread was on a CPU, with a
 * bar as wide as what they cost can differ. */
struct assay_duration {
    double ns;
    double uncertainty;
    enum assay_state state; /* unsupported: no clock was read (ASSAY_NO_TIME, the path trap, or no
                               system call and a counter that is not dependable: clock.h) */
};
ASSAY_API int assay_time(struct assay_duration *time);

/* "page faults, a switch of the CPU"; "" for 0. Returns what snprintf does. */
ASSAY_API int assay_noticed_words(unsigned noticed, char *words, size_t size);

/* Measures empty regions, alone and inside each other, with the calipers of this thread. Again
 * after anything that changes what a region costs; -EBUSY within a region. */
ASSAY_API int assay_calibrate(void);

/* --- regions with a name: added up by thread, printed as a table --- */

/* Has static storage. A name may stand at several regions, which are then one. */
struct assay_region {
    const char *name;
    uint32_t number; /* the library's: 0 until the region has ended once */
};
#ifdef __cplusplus
#define ASSAY_REGION(text)                                                                         \
    {                                                                                              \
        text, 0                                                                                    \
    }
#else
#define ASSAY_REGION(text)                                                                         \
    {                                                                                              \
        .name = (text), .number = 0                                                                \
    }
#endif

/* As assay_end, and adds the region to those of this name. The first time a struct assay_region
 * is used costs more: regions around it notice ASSAY_SAW_DISTURBED. */
ASSAY_API void assay_end_in(struct assay_region *region);

struct assay_region_total {
    uint64_t regions;
    uint64_t raw;                       /* of all of them */
    double corrected, uncertainty;      /* of all of them: see below */
    double minimum, maximum, deviation; /* of single ones, corrected */
    uint64_t noticed_regions;           /* of these, in how many something was noticed */
    unsigned noticed;                   /* and what */
    enum assay_state state;             /* the worst */
};
/* What this thread's selected calipers have added up under a name; -ENOENT: nothing. All of it is
 * corrected by the latest calibration, and regions that ended before the first are noticed
 * (ASSAY_NOT_CALIBRATED). The bar of n regions is
 *
 *     sqrt(u * u + (n - 1) * h * h) + (n - 1) * m
 *
 * u: that of one region in which all of this had been counted; h: by how much windows differ by
 * chance, which partly evens out; m: by how much their mean may be wrong, which does not. */
ASSAY_API int assay_total(const char *name, size_t index, struct assay_region_total *total);

/* Writes the table of all names, of all threads that have ended or closed their calipers and of the
 * calling one. */
ASSAY_API int assay_table(int descriptor);
/* Has it written when this process exits (not by _exit, nor one of its children), to a duplicate of
 * the descriptor, which may be closed. The last wish counts. Signal handlers must not call these
 * two. */
ASSAY_API int assay_table_at_exit(int descriptor);

/* --- in place: not part of the interface, may change between versions --- */

/* Ways to read, or-ed, in the order in which assay_begin goes them; assay_end in the opposite. */
#define ASSAY_WAY_READ  1
#define ASSAY_WAY_USER  2
#define ASSAY_WAY_TRAP  4
#define ASSAY_WAY_TICKS 8

#define ASSAY_FRAME_WORDS 22 /* 3 + ASSAY_CALIPERS_MOST + two companions, and one */
#define ASSAY_FRAME_BYTES 960

/* An open region. The instructions in in-place-….h know the offsets. Ways have words of their own,
 * so that they can be gone together. READ has what the system call delivers in begun and ended,
 * TRAP their last word. READ with TICKS has in that of begun (232) when the region began, if it is
 * inside another one. USER has two words a counter: what its page adds, and the counter as it is;
 * adding them up can wait. */
struct assay_frame {
    uint64_t ticks[2];                         /* 0: at the beginning, 8: at the end */
    int64_t got[2];                            /* 16, 24: what the system call returned */
    uint64_t children, named;                  /* 32, 40: regions that ended inside */
    uint64_t noticed;                          /* 48 */
    uint64_t measuring;                        /* 56: ticks that the ends of regions inside took */
    uint64_t begun[ASSAY_FRAME_WORDS];         /* 64 */
    uint64_t ended[ASSAY_FRAME_WORDS];         /* 240 */
    uint64_t lock, enabled_ns, running_ns;     /* 416: what the first page said when it began */
    uint64_t flags;                            /* 440: TRAP: the CPU's, before it began */
    uint64_t user[2][2 * ASSAY_CALIPERS_MOST]; /* 448: at the beginning, 704: at the end */
};

/* A thread's calipers, as far as instructions in the caller's code know them. */
struct assay_here {
    uint32_t ways;                                       /* 0 */
    uint32_t depth;                                      /* 4: regions that are open */
    struct assay_frame *frame;                           /* 8: of the innermost */
    struct assay_frame *last;                            /* 16: the deepest there is */
    int64_t descriptor;                                  /* 24: for READ, with the size */
    uint64_t size;                                       /* 32 */
    uint64_t trapped;                                    /* 40: instructions so far, for TRAP */
    const volatile void *pages[ASSAY_CALIPERS_MOST + 1]; /* 48: for USER, until the first NULL */
};

/* What the calling thread has selected; never NULL. */
extern ASSAY_API __thread struct assay_here *assay_here __attribute__((tls_model("initial-exec")));

/* The rest of assay_end and assay_end_in, behind their readings. */
ASSAY_API void assay_ended(void);
ASSAY_API void assay_ended_in(struct assay_region *region);

/* The parts of assay_calibrate: says how many empty regions of a kind it wants (negative: why
 * not), takes the outer one of those that just ended, and works out what they cost. */
enum assay_nulls { ASSAY_NULL_ALONE, ASSAY_NULL_PAIR, ASSAY_NULL_NAMED, ASSAY_NULL_KINDS };
ASSAY_API int assay_calibrate_start(void);
ASSAY_API void assay_calibrate_take(enum assay_nulls kind);
ASSAY_API int assay_calibrate_finish(void);

/* Neighbours of a region: windows (in-place-….h) with nothing inside but two readings of the CPU's
 * counter. The library says how many it wants before it calibrates, or makes counts or a time, and
 * takes what the readings showed. */
enum assay_purpose { ASSAY_FOR_CALIBRATION, ASSAY_FOR_COUNTS, ASSAY_FOR_TIME };
ASSAY_API int assay_neighbours_wanted(enum assay_purpose purpose);
ASSAY_API void assay_neighbours_take(uint64_t from, uint64_t to);
ASSAY_API void assay_window_begin(void);
ASSAY_API void assay_window_end(void);
ASSAY_API int assay_counts_finish(struct assay_count *counts);
ASSAY_API int assay_time_finish(struct assay_duration *time);

#if ASSAY_IN_PLACE
#if defined(__x86_64__)
#include "in-place-x86_64.h"
#elif defined(__aarch64__)
#include "in-place-aarch64.h"
#else
#include "in-place-riscv64.h"
#endif

ASSAY_INLINE void assay_begin_in_place(void)
{
    ASSAY_BEGIN_IN_PLACE;
}

ASSAY_INLINE void assay_end_in_place(void)
{
    ASSAY_END_IN_PLACE;
}

ASSAY_INLINE struct assay_region *assay_address_in_place(struct assay_region *region)
{
    ASSAY_ADDRESS_IN_PLACE(region);
    return region;
}

/* What is called last is not jumped to, or the caller's return would be missing in a region around.
 */
ASSAY_INLINE void assay_return_in_place(void)
{
    __asm__ volatile("");
}

/* The name of a region is looked at behind the reading: as an argument of a function it would be
 * within, where the compiler does not optimise. */
#define assay_begin() assay_begin_in_place()
#define assay_end()   (assay_end_in_place(), assay_ended(), assay_return_in_place())
#define assay_end_in(region)                                                                       \
    (assay_end_in_place(), assay_ended_in(assay_address_in_place(region)), assay_return_in_place())
#endif

/* In the caller's code, so that empty regions are made as the caller's are; each in a function that
 * does nothing else, or the compiler puts some of that between the ends of a region. */
#define ASSAY_NULL static __attribute__((noinline, unused)) void

ASSAY_NULL assay_null_alone(void)
{
    assay_begin();
    assay_end();
    assay_calibrate_take(ASSAY_NULL_ALONE);
}

ASSAY_NULL assay_null_pair(void)
{
    assay_begin();
    assay_begin();
    assay_end();
    assay_end();
    assay_calibrate_take(ASSAY_NULL_PAIR);
}

ASSAY_NULL assay_null_named(void)
{
    static struct assay_region empty = ASSAY_REGION("");
    assay_begin();
    assay_begin();
    assay_end_in(&empty);
    assay_end();
    assay_calibrate_take(ASSAY_NULL_NAMED);
}

#ifdef ASSAY_COUNTER_NAME
#if ASSAY_IN_PLACE
#define assay_window_begin() ASSAY_WINDOW_IN_PLACE("0")
#define assay_window_end()   ASSAY_WINDOW_IN_PLACE("8")
#endif
ASSAY_NULL assay_neighbour(void)
{
    uint64_t from, to;
    assay_window_begin();
    from = assay_counter_begin();
    to = assay_counter_begin();
    assay_window_end();
    assay_neighbours_take(from, to);
}

static inline void assay_neighbours_in_place(enum assay_purpose purpose)
{
    int wanted = assay_neighbours_wanted(purpose);
    for (; wanted > 0; wanted--)
        assay_neighbour();
}
#else
static inline void assay_neighbours_in_place(enum assay_purpose purpose)
{
    (void)purpose; /* ticks are unsupported */
}
#endif

static inline int assay_calibrate_in_place(void)
{
    int runs = assay_calibrate_start();
    int i;
    for (i = 0; i < runs; i++)
        assay_null_alone();
    for (i = 0; i < runs; i++)
        assay_null_pair();
    for (i = 0; i < runs; i++)
        assay_null_named();
    assay_neighbours_in_place(ASSAY_FOR_CALIBRATION);
    return runs < 0 ? runs : assay_calibrate_finish();
}
#define assay_calibrate() assay_calibrate_in_place()

static inline int assay_counts_in_place(struct assay_count *counts)
{
    assay_neighbours_in_place(ASSAY_FOR_COUNTS);
    return assay_counts_finish(counts);
}
#define assay_counts(counts) assay_counts_in_place(counts)

static inline int assay_time_in_place(struct assay_duration *time)
{
    assay_neighbours_in_place(ASSAY_FOR_TIME);
    return assay_time_finish(time);
}
#define assay_time(time) assay_time_in_place(time)

#ifdef __cplusplus
}
#endif
#endif
