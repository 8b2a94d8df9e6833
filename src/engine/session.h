/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The controller's end of a session (docs/protocol.md): hello and catalogue, then plans, samples
 * and further plans, then bye. */
#pragma once

#include <stdbool.h>

#include "engine/via/via.h"
#include "machine/facts.h"
#include "store/store.h"
#include "wire/cell.h"

struct session;

/* What the probe said it can do, and the reason for each absence. */
struct catalogue_truth {
    char *class;
    int64_t base, each;
    char *grade;
    int64_t high_base, high_each; /* bounded: the upper limit; otherwise as base and each */
    char *why;                    /* no more can be said; "" where there is nothing to explain */
    char *sources;                /* that confirmed it, separated by commas; "" for none */
};
struct catalogue_specimen {
    char *name, *summary, *stresses;
    char *needs;      /* what the machine must have, "" for nothing */
    char *parameters; /* keys that can follow its name, separated by spaces; "" for none */
    uint64_t min_n, max_n;
    struct catalogue_truth *truths;
    size_t truth_count;
};
struct catalogue_path {
    char *name;
    char *patterns; /* "ar,ao,rr,ro" */
    char *opts;     /* "O0,O1,O2,O3" */
    char *links;    /* "static,lazy,bind-now" */
    char *sources;  /* "perf_event,step": whose events it can count */
    char *note;     /* what to know when reading its numbers, or NULL */
};
/* Something that counts by executing; its events are written NAME/CLASS/. */
struct catalogue_source {
    char *name, *summary;
    char *classes; /* "instructions,syscalls" */
    uint64_t runs; /* a sensible number of runs */
};
/* A call that can be timed in a tour (wire/cell.h). Operations of one instrument work on the same
 * counters, so that one starts what another reads. */
struct catalogue_operation {
    char *path;       /* "perf-read": path and kind are its name, "perf-read.start" */
    char *kind;       /* "start", "stop", "read", "begin", "end", "nothing", "gauge" … */
    char *instrument; /* "perf", "papi", "assay", "timer" … */
    char *effect;     /* on the instrument: "starts", "stops", "keeps" */
    char *when;       /* makes sense while the instrument is "running", "stopped", "any" */
    char *links;      /* "static,lazy,bind-now" */
    bool binds;       /* calls a library: how that is linked matters */
    bool alone;       /* switches what is not its own: no other instrument beside it */
    char *page;       /* of user reads, the state in which their page is before the first: "cold",
                         "touched", "populated"; "" */
    char *note;       /* what to know when reading its numbers, or "" */
};
/* A clock that can be read there (frames `clock`). */
struct catalogue_clock {
    char *name;
    char *kind;     /* "wall", "cpu-time", "cycles", "place", "stolen" */
    char *way;      /* "instruction", "vdso", "syscall", "read", "device" */
    char *hardware; /* "tsc", "rtc" …: clocks with the same word are one counter, or may be */
    char *claim;    /* who says how fast it runs; "" */
    char *note;     /* or "" */
    uint64_t hz;    /* 0: nobody does */
    uint64_t resolution_ps; /* as the operating system claims, in 1e-12 s; 0: it does not */
    bool slow, steered;
};
/* A way to count whole commands there (frames `counter`). */
struct catalogue_counter {
    char *source; /* "perf_event", "step", "qemu", "valgrind" */
    char
        *classes; /* "instructions,instructions-raw": its events are SOURCE/CLASS/; "" of perf_event
                   */
    char *details; /* "code,calls": what else it gives of an execution; "" */
    char *note;    /* what to know when reading its counts, or "" */
};
/* A program of the kit that shows one thing (frames `subject`), started as "subject:NAME N". */
struct catalogue_subject {
    char *name, *summary;
    char *shows; /* ids of findings, separated by spaces */
    uint64_t n;  /* a sensible argument */
    bool has_truth;
    int64_t base, each; /* instructions that it executes */
    int bits;           /* 64, or 32 */
    bool libc;
};
struct catalogue_absence {
    char *kind, *name, *reason;
    int error;
};
struct catalogue {
    char *version, *build, *isa;
    struct facts facts;
    char fingerprint[17];
    struct catalogue_specimen *specimens;
    size_t specimen_count;
    struct catalogue_path *paths;
    size_t path_count;
    struct catalogue_source *sources;
    size_t source_count;
    struct catalogue_operation *operations;
    size_t operation_count;
    struct catalogue_clock *clocks;
    size_t clock_count;
    struct catalogue_counter *counters;
    size_t counter_count;
    struct catalogue_subject *subjects;
    size_t subject_count;
    struct catalogue_absence *absences;
    size_t absence_count;
};
/* By name, with or without parameters behind it. */
const struct catalogue_specimen *catalogue_specimen(const struct catalogue *, const char *name);
const struct catalogue_path *catalogue_path(const struct catalogue *, const char *name);
const struct catalogue_source *catalogue_source(const struct catalogue *, const char *name);
/* By "PATH.KIND", with or without "*TIMES" behind it. */
const struct catalogue_operation *catalogue_operation(const struct catalogue *, const char *name);
const struct catalogue_clock *catalogue_clock(const struct catalogue *, const char *name);

const struct catalogue_counter *catalogue_counter(const struct catalogue *, const char *source);
const struct catalogue_subject *catalogue_subject(const struct catalogue *, const char *name);

/* hello_timeout_ms: how long the probe may take to say hello (10 000 is a good value). stop: a flag
 * that signal handlers set (NULL: none); at 1 the session asks the probe to stop between visits,
 * and breaks off when the visit under way has not ended SESSION_STOP_MS later; at 2 or more it
 * breaks off at once. */
#define SESSION_STOP_MS 2000
int session_open(struct session **session, const char *via, int hello_timeout_ms,
                 const volatile int *stop, struct failure *failure);
const struct catalogue *session_catalogue(const struct session *session);

/* One event the machine knows. */
struct listed_event {
    const char *name, *kind, *class; /* class NULL: none */
    bool openable;
    int error;          /* errno when not openable */
    const char *reason; /* "" when openable */
    uint64_t matching;  /* how many events the list will have in all; 1 for a single name */
};
typedef int session_event_each(void *context, const struct listed_event *event);
/* Lists events matching glob, each tried by opening it. Returns what `each` returned when that was
 * not 0; it is not called again then. */
int session_list_events(struct session *session, const char *glob, session_event_each *each,
                        void *context, struct failure *failure);
/* Resolves and tries one name; -ENOENT/-EINVAL with the probe's text when the name is wrong.
 * Strings in *event are valid until the next call. */
int session_try_event(struct session *session, const char *name, struct listed_event *event,
                      struct failure *failure);

/* Asks the driver to read these clocks once, in order, while no visits run. sent and received: the
 * controller's CLOCK_MONOTONIC_RAW in ns right before the request was written and right after the
 * answer was read. -ENOENT, -EINVAL with the probe's text when a clock cannot be read there. */
int session_look(struct session *session, const char *const *clocks, size_t count,
                 uint64_t *readings, uint64_t *sent, uint64_t *received, struct failure *failure);

/* A specimen's instructions as they stand on the machine under test. */
struct sent_trip {
    int64_t base, each;
};
struct sent_code {
    uint64_t address;
    uint8_t *bytes;
    size_t length;
    uint64_t call_address; /* of the window's instructions that call it */
    uint8_t call[64];
    size_t call_length;      /* 0: it is not called, but stands in the window itself */
    uint64_t min_n;          /* the smallest N for which trips hold */
    struct sent_trip *trips; /* how often each conditional branch is taken, in order of addresses */
    size_t trip_count;
};
/* -ENOENT, -EINVAL: no such specimen; -ENOTSUP: its code cannot be read; with the probe's text. */
int session_code(struct session *session, const char *specimen, struct sent_code *code,
                 struct failure *failure);
void sent_code_release(struct sent_code *code);

/* Puts a file into the folder of brought files ({brought} in commands) of the machine under test,
 * where it stays until the session ends. name: without slashes, at most BROUGHT_NAME - 1 bytes. */
int session_bring(struct session *session, const char *name, const void *bytes, size_t length,
                  bool executable, struct failure *failure);

/* Is there a program of this name on the machine under test (in PATH there), or a file where it has
 * a slash? -ENOENT with the probe's text when there is none. */
int session_find(struct session *session, const char *name, struct failure *failure);

/* Instructions that a command executed equally often, one after the other in memory. */
struct sent_ran {
    uint32_t cell, process;
    const char *object;   /* file that they are from; "" for none, "[vdso]" */
    const char *function; /* "" where no symbol says */
    uint64_t address;     /* in the process */
    const uint8_t *bytes;
    size_t length;
    uint32_t instructions; /* in these bytes */
    uint64_t executions;   /* of each; a repeated string instruction once */
    uint64_t repetitions;  /* of it beyond the first; then it is alone in its stretch */
};
/* One system call of a command. */
struct sent_call {
    uint32_t cell, process;
    uint64_t position; /* from 0, in the order in which they ended */
    uint32_t task;     /* 0 the first, 1 the next that was made … */
    const char *name;  /* "getrandom" */
    int64_t result;    /* as the operating system gave it: -errno … */
    uint64_t asked;    /* bytes that it was asked for, where that makes sense; else 0 */
    uint64_t sum;      /* of what it gave in memory; 0: nothing */
    const char *what;  /* the file, where there is one; or "" */
};

/* Called as results arrive; each returns 0 or a negative errno that ends the run. */
struct session_sink {
    void *context;
    int (*batch)(void *context, const struct batch *batch, struct failure *failure);
    int (*visit_end)(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                     int error, const char *reason, struct failure *failure);
    /* of commands with a detail, before the end of their visit; NULL: nobody wants them */
    int (*ran)(void *context, const struct sent_ran *ran, struct failure *failure);
    int (*call)(void *context, const struct sent_call *call, struct failure *failure);
    /* output of a child on the machine under test; stream 1 or 2 */
    void (*output)(void *context, int stream, const char *bytes, size_t length);
};

/* Runs the visits in order. budget_ms: milliseconds from now, 0 for no limit. Returns 0 when all
 * ended, -EINTR when stopped by the flag, -ETIME when the budget ran out (both between visits, but
 * for a visit that was broken off by the flag; the session can go on after -ETIME), other negative
 * errno when the probe was lost or the sink failed: then the session is over and only session_close
 * is left. A probe that says nothing at all for 15 s (longer where
 * the transport says so) counts as hung. Samples of a visit come before
 * its end, in order of runs and without gaps. */
int session_run(struct session *session, const struct cell *cells, size_t cell_count,
                const struct visit *visits, size_t visit_count, uint64_t budget_ms,
                const struct session_sink *sink, struct failure *failure);

/* bye; ends the probe and whatever it left. */
void session_close(struct session *session);
