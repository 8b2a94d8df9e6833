/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands around the calls of each caller: how its instrument is opened, switched, looked after
 * and closed. For struct caller, where nothing else is said. An instrument must not call what is
 * measured, nor touch a page of it. */
#pragma once

#include <dlfcn.h>
#include <sys/types.h>

#include "probe/tour/caller.h"

/* ----------------------------------------------------------------------------------------------
 * Instrument perf, which the callers on perf descriptors share: job->tour.open counters of one
 * event, as a group or each by itself. Everything by inline system calls. */

int perf_instrument_open(struct tour_state *state);
int perf_instrument_settle(struct tour_state *state, bool running);
void perf_instrument_close(struct tour_state *state);

/* Reads the counters by itself: every one must have counted all the time that it was enabled. A
 * negative state->status is a failed call's, a negative errno; libc's -1 stands for errno. */
int perf_instrument_check(struct tour_state *state);
int perf_instrument_check_libc(struct tour_state *state);

/* --- The pages of instrument perf, for the callers that read counters in user code --- */

/* Can user code read any counter here? */
int user_pages_usable(char *reason, size_t size);

/* Before cold tours: mapped, and in the state that the caller's name says. Nobody looks at them:
 * what they cannot keep shows when they are read. */
int user_pages_prepare_cold(struct tour_state *state);
int user_pages_prepare_touched(struct tour_state *state);
int user_pages_prepare_populated(struct tour_state *state);

/* After a pass: did the pages go on being readable? */
int user_pages_check(struct tour_state *state);

/* --- The set of libassay's that the caller of the same name switches and reads --- */

int assay_instrument_open(struct tour_state *state);
int assay_instrument_settle(struct tour_state *state, bool running);
int assay_instrument_check(struct tour_state *state);
void assay_instrument_close(struct tour_state *state);

/* ----------------------------------------------------------------------------------------------
 * PAPI's two levels. One process has one of them: of all event sets of a thread PAPI runs one at a
 * time. */

int papi_low_open(struct tour_state *state);
int papi_low_settle(struct tour_state *state, bool running);
int papi_low_check(struct tour_state *state);
void papi_low_close(struct tour_state *state);

int papi_high_open(struct tour_state *state);
int papi_high_settle(struct tour_state *state, bool running);
int papi_high_check(struct tour_state *state);

/* --- LIKWID's marker interface --- */

#define LIKWID_REGION "window"

int likwid_usable(char *reason, size_t size);
int likwid_open(struct tour_state *state);
int likwid_settle(struct tour_state *state, bool running);
int likwid_check(struct tour_state *state);

/* ----------------------------------------------------------------------------------------------
 * Trying LIKWID: does it count here, how does it reach the counters, and what does it call the
 * event? Found out by a child, because the library prints, starts processes and may end the one it
 * is in. */

struct likwid_way {
    const char *mode;  /* how the registers are reached, as LIKWID_MODE says it */
    const char *event; /* with its counter, as LIKWID_EVENTS says it */
};

/* event: what is to be counted; NULL: anything. cpu: where. 0, or a negative errno with LIKWID's
 * own reason. */
int likwid_try(const struct job_event *event, int cpu, struct likwid_way *way, char *reason,
               size_t size);

/* The child's part of it alone: likwid_try asks first whether LIKWID can have access at all. */
int likwid_trial(const struct job_event *event, int cpu, struct likwid_way *way, char *reason,
                 size_t size);

/* ----------------------------------------------------------------------------------------------
 * Instrument command: one whole command that does nothing, from its start to its end, plain and
 * under `perf stat`. */

#define COMMAND_WORDS 16
#define COMMAND_PATH  512

/* What both callers share; state->own. */
struct tour_command {
    char nothing[COMMAND_PATH];         /* the program that ends at once */
    char output[COMMAND_PATH];          /* of perf stat */
    char errors[COMMAND_PATH];          /* what the programs say */
    char *perf;                         /* NULL: there is none, or it is not asked for */
    const char *plain[COMMAND_WORDS];   /* words; end with NULL */
    const char *counted[COMMAND_WORDS]; /* the same under perf stat */
    int said;                           /* descriptor of errors */
    pid_t self;
};

/* Starts the command and waits for its end: 0; a negative errno when it cannot be started;
 * COMMAND_ENDED - its wait status when that is another one than 0. The command ends with this
 * process, however that ends. said: descriptor for what it says; self: this process. */
#define COMMAND_ENDED (-65536L)
long command_run(const char *const *words, int said, pid_t self);

int command_usable(char *reason, size_t size);
int command_open(struct tour_state *state);
int command_check(struct tour_state *state);
void command_close(struct tour_state *state);

/* The same open and close: the instrument is one. */
int perf_stat_usable(char *reason, size_t size);
int perf_stat_check(struct tour_state *state);

/* Takes a variable over from the process that started this one; leaves things as they are where
 * that has none, or may not be looked at. */
void adopt_driver_variable(const char *name);

/* ----------------------------------------------------------------------------------------------
 * A measured function for what stands around a tour: looked up by its name instead of being called
 * like others, so that the harness's own entry for it in the table of the linker stays unresolved
 * until a call of the tour resolves it. Its address may not be taken either: the linker would then
 * bind the calls at start. A static harness has no such table, and no loader that could be asked:
 * it just calls. */

/* A pointer to the function; NULL where the library lacks it. */
#ifdef HARNESS_STATIC
#define UNBOUND(function) (&(function))
#else
#define UNBOUND(function) ((__typeof__(function) *)dlsym(RTLD_DEFAULT, #function))
#endif
