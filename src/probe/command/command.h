/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executing a whole program and counting it. A visit of a command cell is made in a counting
 * process (probe/sources/source.h says what that is): it starts the program under the controls of
 * its cell, counts in the way of the cell's source, and fills the one row. Everything that the
 * program started is gone when the visit ends.
 *
 *   command.h       what a counter is, and what every counter needs: starting, ending, columns
 *   guard.c         the process above the counting one: drains the output, ends what must end
 *   launch.c        starts a program, waits for it, clears up behind it, and fills the row
 *   become.c        finds the program, applies the controls, and becomes it
 *   environment.c   the environment that it gets
 *   system.c        what the operating system tells beside counts: interrupts, tasks that were born
 *   detail.c        the file in which a counting process tells more than counts
 *   executed.c      the detail `code`: instructions, the memory they are in, their functions
 *   calls.c         system calls: names, what they give, the detail `calls`
 *   perf-event.c    counter perf_event: the operating system counts
 *   step.c          counter step: ptrace; step-follow.c waits and follows, step-stop.c says what a
 *                   stop means and counts, step-code.c knows the code that is stepped
 *   qemu.c          counter qemu: QEMU's user mode; qemu-accounts.c reads what its plugin left
 *   valgrind.c      counter valgrind: exp-bbv and lackey; valgrind-log.c reads what they write */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/failure.h"
#include "events/event.h"
#include "probe/harness/job.h"
#include "wire/cell.h"

/* What a counting process of a command has. */
struct command_visit {
    const struct cell *cell;
    const struct event *events; /* [cell->counters]; those of columns run/…/ are not filled */
    struct job *job;            /* rows to fill, and where the reason of a failure is written */
    const char *kit;            /* folder of the kit */
    const char *brought;        /* folder of files that were brought; NULL: none were */
    const char *folder;         /* private, for files that a source needs */
    int outlets[2];             /* where what is shown goes */
    int lent[2];                /* what the program has as standard output and error, nobody between
                                   it and them; -1: what it writes is read */
    int detail; /* descriptor of an empty file for what cell->command.detail asks for, in the form
                   of detail.h; -1: nothing */
    const char *tunables;    /* for glibc, where they are controlled (environment.c); NULL: none */
    struct guard_line *line; /* to the guard; command_start makes it */
};

/* A way to count commands: an object each, registered by one line in the build list. */
struct command_counter {
    const char *source;         /* "perf_event", "step", "qemu", "valgrind" */
    const char *const *classes; /* whose events it has for commands (SOURCE/CLASS/); ends with NULL;
                                   NULL: events of perf_event */
    bool details[DETAIL_COUNT]; /* what else it can give */
    const char *note;           /* what to know when reading its counts: whose CPUID, whose vDSO */
    int (*usable)(const char *kit, char *reason, size_t size); /* 0, or negative errno */
    /* In the counting process. 0, or negative errno with the reason by command_fail(). Threads and
     * children are followed or the visit fails with a sentence: never counted in part. */
    int (*count)(const struct command_visit *visit);
};
extern const struct command_counter *const command_counter_registry[]; /* ends with NULL */

int command_fail(const struct command_visit *visit, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Of counts that can be had, and are of another path than the program takes without the tool: says
 * so in a sentence, with which the visit ends as done. */
void command_remark(const struct command_visit *visit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The remark that a tool of this name deserves: it answered ENOSYS to the call (NULL: to none) that
 * this kernel has, or ENOMEM where memory is limited. */
void command_remark_calls(const struct command_visit *visit, const char *tool, const char *call,
                          bool starved);

/* Forks the guard, and below it the counting process, in which counter->count is called. Returns
 * the guard's process id, which is what the driver (or a test) waits for: it ends when everything
 * below it has, with status 0 where the row is complete, and answers in visit->job as a harness
 * does. Whatever happens to the caller, the guard ends what is below it: SIGTERM asks for that.
 * Of *visit the guard has a copy. */
pid_t command_start(const struct command_counter *counter, const struct command_visit *visit,
                    struct failure *failure);
/* Breaks it off, with everything below it, and waits for it. */
void command_end(pid_t guard, int *status);

/* Is the control asked for? */
static inline bool control_is_on(const struct command_visit *visit, enum control control)
{
    return (visit->cell->command.controls & CONTROL_BIT(control)) != 0;
}

/* --- starting and ending, the same for every counter (launch.c, guard.c) --- */

/* A program that was started. Zero it before launch_prepare. */
struct execution {
    pid_t pid;               /* of the program, or of the tool that runs it; 0: none runs */
    struct guarded *guarded; /* what the guard saw; shared with it */
    uint64_t started, ended; /* ns */
    char *program;           /* the file that is executed, an absolute path */
    char **words;            /* as they are executed, places replaced, without the prefix; the first
                                is argv[0]. Behind a prefix the program's path stands in its place */
    char **environment;      /* as it gets it */
    char *input;             /* the file that it reads, places replaced; NULL: none */
    char *directory;         /* where it works; NULL: where the probe is */
    int bits;                /* 64 or 32: of an ELF file; 0: something else, as a script */
    /* of launch.c alone */
    pid_t feeder;          /* writes the input into a pipe; 0: none */
    int hold, said;        /* pipes to the process that has not executed the program yet */
    bool cleared;          /* nothing of it is left */
    uint64_t left;         /* processes that had to be ended */
    struct account waited; /* for children before it */
    uint64_t waited_ns;    /* of CPU time, the same */
    enum command_rights rights;
    uint64_t interrupts;        /* before it */
    bool interrupts_known;      /* they could be read */
    struct task_records *tasks; /* who was born below it; NULL: cannot be had */
};
struct launch {
    const char *const *prefix; /* words before the program's own: a tool; NULL: none. Controls are
                                  applied to the tool then, and what the tool must be told is up to
                                  the counter (words and environment are ready after launch_prepare)
                                */
    bool traced;      /* the counter traces it from its exec on: it gains no rights by that */
    bool held;        /* does not execute before launch_release: counters can be attached to pid */
    const char *kept; /* a variable NAME=VALUE for the tool alone; NULL: none */
};
/* Replaces places, finds the program (-ENOENT: none of that name, -EACCES: not executable, with the
 * sentence), makes its environment. */
int launch_prepare(const struct command_visit *visit, struct execution *execution);
/* Starts it in a process group of its own, with all controls. A program that cannot be executed is
 * told here as well. */
int launch_start(const struct command_visit *visit, const struct launch *launch,
                 struct execution *execution);
int launch_release(const struct command_visit *visit, struct execution *execution);
/* Waits until it has ended, where the counter does not wait itself; *status as of waitpid. */
int launch_await(struct execution *execution, int *status);
/* It ended: ends whatever it left behind, so that nothing of it counts any more. launch_finish does
 * it too; for counters that read afterwards. */
int launch_clear(const struct command_visit *visit, struct execution *execution);
/* It ended with this wait status: ends whatever it left behind, waits for the guard, fills the
 * columns run/…/ and the account of the row, and the time. tasks and processes: how many a counter
 * that follows saw; 0: it does not know, and the guard's own count is taken. Counters put their own
 * columns (command_put) before this; after it the row is complete. */
int launch_finish(const struct command_visit *visit, struct execution *execution, int status,
                  uint64_t tasks, uint64_t processes);
/* Breaks off: kills all of it. For after a failure; also releases. */
void launch_end(struct execution *execution);
/* Tools that run a program write the memory of one that crashes to a file, where it works. From now
 * on, in this process and below, they do not. */
void launch_forbid_cores(void);
/* Is the program's time over? The guard has ended it then, or is about to. */
bool launch_timed_out(const struct execution *execution);

/* The column of this event, -1: not asked for. "instructions" of the counter's source. */
int command_column(const struct command_visit *visit, const char *class);
void command_put(const struct command_visit *visit, int column, uint64_t value);
/* The same of a counter that was enabled and ran for so many ns. Others ran as long as the program.
 */
void command_put_timed(const struct command_visit *visit, int column, uint64_t value,
                       uint64_t enabled, uint64_t running);

/* Between launch.c, which starts a program and ends it, and become.c, which says what is executed
 * and executes it. */

/* Fills program, words, input and directory of the execution. Negative errno with the reason. */
int places_resolve(const struct command_visit *visit, struct execution *execution);

struct becoming {
    const struct command_visit *visit;
    const struct launch *launch;
    const struct execution *execution;
    pid_t counting; /* its parent: without it the program ends */
    int input;      /* standard input, where a feeder fills it; -1: none does */
    int hold;       /* waits until this pipe ends */
    int said;       /* a struct failure: with code 0 that it is ready, else why it failed. Its end
                       without a word: the program is executed */
};
/* The last that a process of ours does before it is the program. */
void __attribute__((noreturn)) become_program(const struct becoming *becoming);

/* Writes the file to the descriptor, until its reader is gone. */
void __attribute__((noreturn)) become_feeder(const char *file, int to);

/* CPU time, in user mode and out of it. */
static inline uint64_t cpu_ns_of(const struct rusage *usage)
{
    const struct timeval *user = &usage->ru_utime, *system = &usage->ru_stime;
    return ((uint64_t)user->tv_sec + (uint64_t)system->tv_sec) * 1000000000u +
           ((uint64_t)user->tv_usec + (uint64_t)system->tv_usec) * 1000u;
}

/* --- the environment that a command gets (environment.c) --- */

/* As the controls of the command ask for it, from what the probe has (ends with NULL), and with
 * tunables for glibc (NULL: none) where they are controlled. To be freed by words_free; NULL: out
 * of memory. */
char **environment_make(const struct cell_command *command, char *const *inherited,
                        const char *tunables);

/* GLIBC_TUNABLES=… that programs of this machine start with; NULL: there is nothing to settle.
 * loader: that of dynamic programs, NULL for the ISA's own. Asked once in a session. */
const char *tunables_choose(const char *loader);

/* --- what the operating system tells of a program beside what is counted (system.c) --- */

/* --- how many interrupts a CPU has had --- */

/* Of all kinds, since the machine started. -ENOENT: not told, or no such CPU. */
int interrupts_read(int cpu, uint64_t *interrupts);
/* The same from a text like /proc/interrupts. */
int interrupts_parse(FILE *text, int cpu, uint64_t *interrupts);

/* --- threads and processes that are born below a process --- */

struct task_records;

/* From now on; NULL: cannot be had here. cpu: the one that they are held on; -1: on any. */
struct task_records *tasks_watch(pid_t pid, int cpu);
/* How many there were, the first with them, and of these how many processes. -ENOENT: not known,
 * or records were lost. */
int tasks_count(struct task_records *records, uint64_t *tasks, uint64_t *processes);
void tasks_free(struct task_records *records);

/* Between the guard of a visit and the counting process below it. The guard is its parent: whatever
 * becomes of the counting process, or of the driver above, somebody is left who ends the rest. */

#define GUARD_MASK 128 /* words of a set of CPUs */

/* Memory that both see. */
struct guarded {
    uint32_t timed_out;    /* by the guard: its time is over */
    uint32_t killed;       /* by the guard: it had to be ended the hard way */
    bool output_known;     /* by the guard: it reads what the program writes */
    uint64_t output_bytes; /* by the guard, complete when it has answered GUARD_FINISH */
    uint64_t output_sum;   /* of standard output */
    struct account spent;  /* by the process that becomes the program, right before it does */
    uint64_t spent_ns;     /* the same of CPU time */
    unsigned long allowed[GUARD_MASK]; /* CPUs of the driver: counters may restrict their own */
};

enum guard_request {
    GUARD_BEGIN,  /* a program is about to start; what another wrote before is forgotten */
    GUARD_LIMIT,  /* it starts now, and may take until the deadline */
    GUARD_FINISH, /* nothing can write any more: everything is read */
};

struct guard_message {
    uint32_t request;  /* enum guard_request; the answer repeats it */
    uint64_t deadline; /* monotonic ns; 0: none */
};

/* The counting process's end. */
struct guard_line {
    struct guarded *guarded;
    int control;    /* socket for messages */
    int outputs[2]; /* where the program writes */
    uint32_t timed; /* columns whose times were given; a bit each */
};

/* Tells the guard and waits until it has done so. Negative errno: it is gone. */
int guard_tell(const struct guard_line *line, enum guard_request request, uint64_t deadline);

/* --- processes below a process --- */

/* Makes orphans below this process its children. */
void descendants_adopt(void);
/* Ends every child of this process, and theirs as they become its own, until there is none.
 * *ended: how many still ran (may be NULL). 0, or -EPERM when some cannot be ended: they run as
 * another user. */
int descendants_end(uint64_t *ended);
