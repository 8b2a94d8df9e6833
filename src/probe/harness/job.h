/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The memory that driver and harness share: the driver writes the request, the harness the answer.
 * Nothing is read() or written, because the harness must not call a symbol it is going to measure:
 * the first call of a lazily bound function is part of what we want to see. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#include "syscall.h"
#include "wire/cell.h"

#define JOB_FD    3 /* the shared memory, inherited */
#define JOB_MAGIC 0x6a6f6231u
#define JOB_NAME  512
#define JOB_CLASS 64

/* Where the harness waits for who counts from outside: it has written opens and closed then. */
enum job_hold {
    JOB_HOLD_NONE,
    JOB_HOLD_STOP, /* before the first run it stops itself (SIGSTOP) until it is continued */
    JOB_HOLD_EXIT, /* it ends there, done, without a run: the two addresses are the answer */
};

/* What opens and closes the window of the path's counter, for who counts from outside. */
enum job_edges {
    JOB_EDGES_MARKS, /* nothing: the path has no counter, all between the marks is the specimen's */
    JOB_EDGES_CALLS, /* system calls */
    JOB_EDGES_READS, /* system calls, or instructions that read a counter */
};

/* A failed_event that is none of the counters: the event that the calls of a tour count. */
#define JOB_COUNTED CELL_MAX_COUNTERS

enum job_state { JOB_ASKED, JOB_RUNNING, JOB_DONE, JOB_FAILED };

struct job_event {
    struct perf_event_attr attr; /* ready to open but for config1 of uprobes */
    char name[JOB_NAME];         /* the event as the user wrote it */
    char target[JOB_NAME];       /* uprobe target file, or "" */
    uint32_t own;                /* 1: watches the specimen's target in this very harness */
    char counts[JOB_CLASS];      /* event of a source: its class, "instructions"; else "" */
};

/* What a touring harness is asked for besides: see struct cell_tour. */
struct job_tour {
    uint32_t bytes; /* of the text of the calls behind the rows, with its end; 0: no tour */
    uint32_t open;
    uint32_t cold;
    struct job_event counted;
};

/* What a watching harness is asked for besides: see struct cell_watch. The names of its clocks are
 * those of the job's events. */
struct job_watch {
    uint32_t kind; /* enum watch_kind; 0: no watch */
    char workload[32];
    uint64_t length;
    uint32_t threads;
    uint32_t moves;
    uint32_t handover;
    uint32_t awake;
    int32_t partner;
};

struct job {
    uint32_t magic;
    uint64_t bytes; /* of the whole mapping */
    /* request */
    int32_t driver;   /* process id of the driver: without it the harness ends */
    char folder[256]; /* private folder for files a library insists on writing, or "" */
    char path[32];
    char opt[8];
    char specimen[256]; /* with its parameters */
    uint32_t pattern;
    uint32_t counters;
    uint32_t runs;
    uint32_t separate;
    int32_t cpu;
    uint64_t n;
    uint32_t hold;   /* enum job_hold */
    uint32_t repeat; /* calls of the window in a run, 0 as 1; what it counts is then their sum */
    struct job_tour tour;
    struct job_watch watch;
    struct job_event events[CELL_MAX_COUNTERS];
    /* answer; the driver polls runs_done while the harness works */
    uint32_t state;       /* enum job_state */
    int32_t error;        /* positive errno when failed */
    int32_t failed_event; /* index of the event that could not be opened, JOB_COUNTED, or -1 */
    char reason[512];
    uint64_t opens, closed; /* where the window's first instruction is, and the one after its last;
                               in this process */
    uint64_t slot, filled;  /* the same of the slot in it */
    uint32_t edges;         /* enum job_edges */
    uint32_t runs_done;
    /* rows follow: see job_values and friends; then the calls of a tour */
};

/* The columns behind the header, each [run * counters + counter], accounts [run]. */
static inline uint64_t *job_values(struct job *job)
{
    return (uint64_t *)(void *)((char *)job + ((sizeof(struct job) + 63u) & ~(size_t)63u));
}
static inline uint64_t *job_enabled(struct job *job)
{
    return job_values(job) + (size_t)job->runs * job->counters;
}
static inline uint64_t *job_running(struct job *job)
{
    return job_enabled(job) + (size_t)job->runs * job->counters;
}
static inline struct account *job_accounts(struct job *job)
{
    return (struct account *)(void *)(job_running(job) + (size_t)job->runs * job->counters);
}
static inline size_t job_size(uint32_t runs, uint32_t counters)
{
    return ((sizeof(struct job) + 63u) & ~(size_t)63u) +
           (size_t)runs * (3u * sizeof(uint64_t) * counters + sizeof(struct account));
}
/* The calls of a tour, as text with its end: job->tour.bytes of it. */
static inline char *job_calls(struct job *job)
{
    return (char *)job + job_size(job->runs, job->counters);
}

/* The harness's side. Maps the job that the driver left on descriptor 3; NULL when there is none,
 * or none that makes sense. */
struct job *job_attach(void);

/* This harness works on it, if it fits. False: it does not, which is said, or the driver is gone
 * already, which no harness outlives. */
bool job_begin(struct job *job, bool fits);

/* Writes job->reason and returns code (negative errno). */
int job_fail(struct job *job, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Pins the process to the CPU that was asked for. */
int job_pin(struct job *job);

/* The answer: what a driver polls for. */
void job_conclude(struct job *job, int result);

/* Brings every page of this process into memory before anything is measured. Without it the first
 * runs of a process would count the page faults of its own code and data, as many as the page cache
 * happens to leave. Nothing is called and no symbol is bound by this. Does what it can: a page that
 * stays out shows in the account of the run. */
void populate_process(void);

/* Reads of counters in user code: whether they work here, and what becomes of one that traps. */

/* Can user code read counters on this machine? 0, or a negative errno with the sentence in reason.
 * Tries it, in a child process. */
int user_usable(char *reason, size_t size);

/* ----------------------------------------------------------------------------------------------
 * A counter read that traps in the middle of a window (somebody switched user access off) ends as a
 * failed visit with a reason. Every other trap stays what it was. */

/* From now on, in this process. Negative errno with the sentence in job->reason. */
int user_trap_watch(struct job *job);

/* The run that a trap from now on belongs to. */
void user_trap_run(uint32_t run);

/* What passes during a run, taken before and after it by inline system calls, outside of what is
 * measured: time, and the operating system's own account. */

/* Monotonic nanoseconds by an inline system call. */
static inline uint64_t elapsed_clock(void)
{
    struct timespec now = {0};
    assay_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* All counters of row `run` counted for so many ns. */
static inline void job_row_timed(struct job *job, uint32_t run, uint64_t elapsed)
{
    for (uint32_t index = 0; index < job->counters; index++)
        job_enabled(job)[(size_t)run * job->counters + index] =
            job_running(job)[(size_t)run * job->counters + index] = elapsed;
}

static inline void account_take(struct rusage *usage)
{
    assay_syscall2(SYS_getrusage, RUSAGE_THREAD, (long)usage);
}

static inline void account_write(struct account *account, const struct rusage *before,
                                 const struct rusage *after)
{
    account->minor_faults = (uint64_t)(after->ru_minflt - before->ru_minflt);
    account->major_faults = (uint64_t)(after->ru_majflt - before->ru_majflt);
    account->voluntary = (uint64_t)(after->ru_nvcsw - before->ru_nvcsw);
    account->involuntary = (uint64_t)(after->ru_nivcsw - before->ru_nivcsw);
}
