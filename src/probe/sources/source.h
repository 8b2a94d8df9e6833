/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a source is: something that counts by executing the code, without a counter. An object each,
 * registered by one line in the build list. Its events are written NAME/CLASS/.
 *
 * Some count inside the window (the trap flag, a clock): then the path does the work, and the
 * source is only a name. The others run the harness in a way of their own: under ptrace, in an
 * emulator. They do so in a counting process, which the driver forks for the visit and watches like
 * a harness: it may block and wait, and when it is ended so is everything below it.
 *
 * What is in this folder:
 *
 *     source.h, .c           the agreement; which sources and tools there are here; counting
 *                            processes, and the harnesses that they run; the sources clock and
 *                            trap, whose paths count
 *     perf-stat.c            a tool: a program that counts a whole command on a path
 *     step.c                 source step: ptrace executes the window
 *     stepper.h, .c          stepping a process, and where a counter's window opens and is closed
 *     valgrind.c             source valgrind: Valgrind's tools run the harness
 *     valgrind-output.h, .c  what they say, and lackey's trace, read strictly
 *     qemu.h, .c             source qemu: QEMU runs the harness, with a plugin that counts
 *     qemu-output.c          what the plugin wrote, read strictly
 *     qemu-plugin/           QEMU's plugins
 *     program.h, .c          programs of the machine: where they are, what they say; perf(1):
 *                            whether it works here, and what `perf stat` wrote */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/failure.h"
#include "events/event.h"
#include "probe/driver/catalogue.h"
#include "probe/driver/workspace.h"
#include "probe/harness/job.h"

/* What a counting process has. */
struct source_visit {
    struct job *job;     /* shared with the driver: the request, and the rows to fill */
    const char *kit;     /* folder of the kit, where a source may have files of its own */
    const char *harness; /* path of the executable that holds the window */
    void *kept;          /* where the source keeps: WORKSPACE_KEPT bytes of its own, zero in the
                            first visit of a session, shared by all; may be NULL */
};

struct source {
    const char *name;
    const char *summary;        /* one line: how it counts */
    const char *const *classes; /* ends with NULL; "…-raw": what it sees itself, without a class */
    uint32_t runs;              /* a sensible number of runs, where nobody says how many */
    bool needs_folder;          /* job->folder must be there: it writes files */
    unsigned keeps; /* uses the memory `kept` of its visits, that of this number; 0: not */
    /* Can it count on this machine? 0, or negative errno with the reason. NULL: where one of its
     * paths is offered. Called once, when a session begins; kit as above. */
    int (*usable)(const char *kit, char *reason, size_t size);
    /* In the counting process: runs the harness, fills the rows of visit->job (values, and enabled
     * and running times in ns; accounts start as zero), advances job->runs_done as rows are
     * complete. 0, or negative errno with the reason by source_fail(). NULL: the path's windows
     * count. */
    int (*count)(const struct source_visit *visit);
};

extern const struct source *const source_registry[]; /* generated; ends with NULL */
const struct source *source_find(const char *name);

/* Writes the reason of a failed visit and returns code (negative errno). */
int source_fail(const struct source_visit *visit, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The class that counter `index` is asked to count: "instructions". */
static inline const char *source_class(const struct source_visit *visit, uint32_t index)
{
    return visit->job->events[index].counts;
}

/* Writes one count. */
static inline void source_put(const struct source_visit *visit, uint32_t run, uint32_t index,
                              uint64_t value)
{
    job_values(visit->job)[(size_t)run * visit->job->counters + index] = value;
}

/* The row is complete: it took so many ns, in which all counters ran. Rows come in order. */
void source_row_done(const struct source_visit *visit, uint32_t run, uint64_t nanoseconds);
/* The same of a counter that ran part of the time. */
void source_row_timed(const struct source_visit *visit, uint32_t run, uint64_t enabled,
                      uint64_t running);

/* ----------------------------------------------------------------------------------------------
 * For the driver: which sources there are here, and the process in which one counts a visit. */

struct offers;
struct outlets;
struct probe_kit;

/* Every source of the kit with what came of asking whether it is usable. */
struct sources {
    struct event_source *list; /* ends with a NULL name; in order of the registry */
    size_t count;
};

/* A source is usable when it says so and a path that goes with it is offered. */
int sources_collect(struct sources *sources, const struct probe_kit *kit,
                    const struct offers *offers, struct failure *failure);
void sources_free(struct sources *sources);

/* Forks the counting process: a process group of its own, nothing to read, output to the outlets.
 * Returns its id or a negative errno. */
pid_t counting_start(const struct source *source, const struct source_visit *visit,
                     const struct outlets *outlets, struct failure *failure);

/* --- tools: programs of the machine that count events of perf_event while they run a whole
 * command. To the controller a tool is a path; here it runs the harness as a source does, with the
 * specimen on path bare, and what it counts is all of that process, start and end too --- */

struct tool {
    const char *opt, *link, *pattern; /* of the one harness that it runs */
    const char *note;                 /* as of a path */
    struct source source;             /* its name is the path's; it has no events of its own */
};

extern const struct tool tool_perf_stat;

/* Adds every tool that works here as a path, and the others as absent with the reason. */
int tools_offer(struct offers *offers, const struct probe_kit *kit, struct failure *failure);
/* Who counts a cell on this path; NULL: the path's own windows do. */
const struct source *tool_source(const char *path);

/* A harness that a counting process runs: with a job of its own, so that what it writes there
 * reaches the controller only through the source. */

struct trial {
    const struct source_visit *visit;
    struct workspace workspace; /* .job: the request, to be changed before the start */
    pid_t pid;                  /* 0: none runs */
    bool is_grandchild;         /* set: the command starts the harness as a child of its own */
    int errors;                 /* set: descriptor for what the command says on standard error */
    bool settled; /* set: addresses of stack and mappings are not drawn anew for each process */
};

/* Makes a job that asks for what the visit asks for. May be called again after trial_end. */
int trial_make(struct trial *trial, const struct source_visit *visit);

/* Starts the harness behind the words of command (NULL, or words that end with NULL, the first the
 * path of a program): an emulator, a tool. Descriptor 3 is the job. traced: the process asks to be
 * traced and stops when it has been executed. */
int trial_start(struct trial *trial, const char *const *command, bool traced);

/* Says what became of a harness that ended with this wait status: 0 when it did its job, else the
 * reason is the visit's. */
int trial_judge(const struct trial *trial, int status);

/* Waits for it and judges. */
int trial_await(struct trial *trial);

/* Ends the process if one runs. trial_free also gives the memory back. */
void trial_end(struct trial *trial);
void trial_free(struct trial *trial);
