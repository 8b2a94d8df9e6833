/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Commands: cells whose visit is one execution of a whole program, from its first instruction in
 * user mode to its end. What is held constant meanwhile is a setting, made of controls that can be
 * switched one by one. Both sides know from here what each control does, and so does who judges a
 * store. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What can be controlled. Switched off, everything is as whoever started the probe has it. */
enum control {
    CONTROL_ASLR,        /* addresses are not drawn anew for each process (ADDR_NO_RANDOMIZE) */
    CONTROL_ENVIRONMENT, /* the same few variables, and always COMMAND_ENVIRONMENT_BYTES of them */
    CONTROL_ARGV0,       /* argv[0] is the last part of the program's path, however it was given */
    CONTROL_DIRECTORY,   /* works in cell.command.directory; off: where the probe is */
    CONTROL_CPU,         /* runs on cell.cpu, with all of its threads and children */
    CONTROL_STACK,       /* RLIMIT_STACK is COMMAND_STACK_BYTES, which also decides the layout */
    CONTROL_STDIN,       /* reads the file cell.command.input, or nothing; off: a pipe at its end */
    CONTROL_HASH_SEEDS,  /* PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0 PYTHONHASHSEED=0 */
    CONTROL_TUNABLES,    /* GLIBC_TUNABLES: what glibc would choose by the CPU's model and caches */
    CONTROL_LAYOUT, /* the paper's `linux32 -3`: 32-bit programs end at 3 GB; others ignore it */
    CONTROL_COUNT
};
extern const char *const control_names[CONTROL_COUNT + 1]; /* "aslr" "environment" …; NULL */
/* -1 when unknown */
int control_from_name(const char *name);
#define CONTROL_BIT(control) (1u << (control))
#define CONTROLS_ALL         ((1u << CONTROL_COUNT) - 1u)

#define COMMAND_ENVIRONMENT_BYTES 1024u /* of all NAME=VALUE with their ends, where controlled */
#define COMMAND_STACK_BYTES       (8u << 20)

/* The word for a set of controls: "as-is" none, "controlled" all, "only-aslr" one of them,
 * "without-aslr" all but one; any other: "aslr+cpu". Writes at most size bytes; the result is
 * setting. */
char *setting_name(uint32_t controls, char *setting, unsigned long size);
/* The same the other way round; -1: no such setting. */
int64_t setting_from_name(const char *name);

/* What is changed in steps while all else is held. */
enum command_sweep {
    SWEEP_NONE,
    SWEEP_ENVIRONMENT, /* so many bytes more in the environment, in one variable */
    SWEEP_STACK, /* the stack begins so many bytes lower; neither arguments nor environment change
                  */
    SWEEP_ASLR,  /* the value numbers draws: randomised, whatever the control says */
    SWEEP_COUNT
};
extern const char *const sweep_names[SWEEP_COUNT + 1]; /* "" "env" "stack" "aslr" NULL */
enum command_sweep sweep_from_name(const char *name);  /* SWEEP_NONE when unknown */
#define SWEEP_MOST 65536u

/* What of an execution is wanted beside counts. */
enum command_detail {
    DETAIL_NONE,
    DETAIL_CODE,  /* which instructions were executed how often: frames `ran` */
    DETAIL_CALLS, /* its system calls in order, with what they gave: frames `call`. Its counts are
                     those of a program without a vDSO, so that asking for the time is seen too */
    DETAIL_COUNT
};
extern const char *const command_detail_names[DETAIL_COUNT]; /* "" "code" "calls" */
#define DETAIL_MOST_STRETCH 65536u                           /* bytes of code in a frame `ran` */
#define DETAIL_MOST_FRAMES  (1u << 22) /* `ran` or `call`, of a visit; one with more fails */

/* Where a command that is shown writes. On the controller's own machine its transport lends the
 * probe descriptors 1 and 2 of the controller: then nobody stands between the program and whoever
 * reads it, and nothing of that is counted. A probe that was lent none passes everything on. */
enum command_lent {
    LENT_NONE,  /* it is passed on to the controller: frames `output` */
    LENT_BOTH,  /* to the controller's own standard output and error */
    LENT_ERROR, /* both to its standard error */
    LENT_COUNT
};

/* Columns of a command's rows that are no events: they say what became of it. Their names stand
 * among the cell's events. */
#define RUN_STATUS "run/status/" /* see below */
#define RUN_OUTPUT_BYTES                                                                           \
    "run/output-bytes/" /* on its standard output and error; unknown where these were lent */
#define RUN_OUTPUT_SUM "run/output-sum/" /* a checksum of what it wrote on standard output */
#define RUN_TASKS      "run/tasks/"      /* threads and processes that there were; 1: alone */
#define RUN_PROCESSES  "run/processes/"  /* of these, processes */
#define RUN_LEFT       "run/left/"       /* processes that it left behind, and that were ended */
#define RUN_INTERRUPTS                                                                             \
    "run/interrupts/" /* timer ticks and others on the CPU meanwhile, where it                     \
                         is pinned and they are told (/proc/interrupts) */
#define RUN_NANOSECONDS "run/nanoseconds/" /* from its start to its end */
#define RUN_CPU                                                                                    \
    "run/cpu-nanoseconds/" /* that it and all below it were on a CPU, in user mode and out of it,  \
                              by the operating system's account */
#define RUN_RIGHTS "run/rights/" /* what became of rights that its file gives, see below */
/* page faults and context switches are in the row's account (getrusage of all it waited for) */

/* Is the event a column of these? */
bool run_column(const char *event);
/* Who counts an event of a command: the source that stands before its first slash, where that is
 * one ("step", "qemu" …); "" of a column run/…/; else "perf_event". Static. */
const char *command_source(const char *event);

/* How it ended: its exit status; or one of these plus the signal. */
#define STATUS_SIGNAL  256u /* + number: killed by it */
#define STATUS_TIMEOUT 512u /* + number: the time was over, and this ended it */

/* A file may give whoever executes it rights that he has not (set-user-ID, set-group-ID,
 * capabilities), or may be executed and not read. */
enum command_rights {
    RIGHTS_PLAIN,    /* it does not */
    RIGHTS_GAINED,   /* the program got them; the operating system drops counters of perf_event at
                        that exec, and nothing was counted */
    RIGHTS_WITHHELD, /* it was traced or emulated, and did not get them */
};

/* Words that stand for places on the machine under test, replaced there, in every word, input and
 * directory: the folder of the kit, and the folder of files that were brought. The first word may
 * also be "subject:NAME": a program of the kit. */
#define PLACE_KIT     "{kit}"
#define PLACE_BROUGHT "{brought}"
#define SUBJECT_WORD  "subject:"

#define COMMAND_MOST_BYTES 65536u /* of its words */
#define COMMAND_NAME       256    /* bytes of its name, with the end */
#define COMMAND_PLACE      4096   /* of its directory, its input, its kept variables */
#define COMMAND_MOST_MS    (UINT64_C(7) * 24 * 3600 * 1000) /* of its timeout */
#define BROUGHT_NAME       128
#define BROUGHT_MOST_BYTES                                                                         \
    (64u << 20) /* of a file, and of all that a session brings four times                          \
                 */
#define BROUGHT_MOST_FILES 1024u
/* A name that a brought file may have: letters, digits, "._+-", not "." first, not too long. */
bool brought_name_is_plain(const char *name);
