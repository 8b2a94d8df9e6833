/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a specimen is: code whose counts are known for every N. Registered by one word in the build
 * list. `null` and `loop` stand inside the window as bare instructions; every other specimen is
 * called there by two instructions (its argument is moved, its code called), which its truth
 * includes. So a truth is what is executed between opening and closing.
 *
 * What specimens rest on:
 *   specimen.c        finds them by name, reads their parameters, asks the machine for its caches
 *   framed.h          how most are written: the frame around their code, and what it counts; in
 *                     which order they go through memory, and rings of pointers
 *   floating-point.h  the same for those of floating point
 *   region.c          memory, which is there already or is larger than any cache, and orders in it
 *   affinity.h        which CPUs the thread may use; watching harnesses take it too
 *   proof.c           who has confirmed a truth (proof.table), and whether that is enough
 * The specimens, a family a file:
 *   straight.c        nothing, the loop of windows, and that loop at another place; instructions
 *                     one after the other
 *   accesses.c        loads and stores that hit: plain, misaligned, atomic
 *   branches.c        every kind of branch, and those that nobody can predict
 *   floating-point.c  operations in all forms, roundings, x87
 *   data-misses.c     latency, along a ring of pointers; misses of caches and TLBs by loads, and
 * flushed lines code-misses.c     the same by code pages.c           page faults system-calls.c
 * system calls, alone and in turn with work; what breakpoints and uprobes watch scheduling.c
 * context switches and migrations */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

struct perf_event_attr;

enum truth_grade { TRUTH_PROVEN, TRUTH_BOUNDED, TRUTH_MODEL };
extern const char *const truth_grade_names[]; /* proven bounded model */

/* count(N) = base + each * N. A bounded truth gives limits: the count lies between base + each * N
 * and high_base + high_each * N, both included. */
struct truth {
    const char *class; /* NULL ends a table */
    int64_t base;
    int64_t each;
    enum truth_grade
        grade; /* as claimed here; `proven` holds only with the proofs in proof.table */
    int64_t high_base;
    int64_t high_each;
    const char *why; /* bounded and model: why no more can be said; one sentence, no full stop */
};

/* How often one conditional branch of the code is taken: base + each * N. */
struct trip {
    int64_t base;
    int64_t each;
};

/* How the window holds the specimen. */
enum specimen_form {
    SPECIMEN_NULL,   /* nothing between opening and closing */
    SPECIMEN_LOOP,   /* the paper's loop, inline */
    SPECIMEN_CALLED, /* one call of `code` */
    SPECIMEN_FORMS,
};

/* What can follow a specimen's name: NAME/key=value,key=value/. 0: not given. What a specimen takes
 * and nobody gave is filled in from what the machine claims (geometry_complete). */
struct specimen_parameters {
    uint64_t line;              /* bytes of a cache line */
    uint64_t l1d, l1i, l2, llc; /* bytes */
    uint64_t l1d_ways, l1i_ways, l2_ways, llc_ways;
    uint64_t dtlb, itlb; /* entries */
    uint64_t bytes;      /* of the memory it works on */
    uint64_t stride;     /* bytes from one access to the next */
    uint64_t huge;       /* 1: on huge pages */
    /* rings of pointers, see framed.h */
    uint64_t spread;  /* bytes by which each node is moved on against the one before */
    uint64_t pair;    /* bytes from a node to its second half */
    uint64_t cluster; /* bytes within which the order is random */
    uint64_t seed;    /* of whatever is random in it */
    uint64_t offset;  /* bytes from the beginning of a page */
    uint64_t period;  /* steps of one kind in a row */
};

/* What prepare made for one run; passed to code unchanged. n and memory stay first: code in
 * assembly reads them there (arch code.h). */
struct specimen_state {
    uint64_t n;
    void *memory;
    uint64_t operands[6]; /* whatever else the code needs, by agreement with its prepare */
    size_t bytes;         /* of memory */
    struct specimen_parameters parameters;
    void *own; /* of prepare, for restore */
    /* Set by prepare where a run executes a copy of the code elsewhere; NULL: the specimen's own.
     */
    void (*copy)(struct specimen_state *state);
};

struct specimen {
    const char *name;
    const char *summary;    /* one line: what it does N times */
    const char *stresses;   /* what it is meant to exercise */
    const char *needs;      /* what the machine must have, in words; NULL: nothing */
    const char *parameters; /* keys it takes, separated by spaces; NULL: none */
    enum specimen_form form;
    bool takes_cpu;        /* while it is prepared, a second task never leaves its CPU to others */
    uint64_t min_n, max_n; /* beyond these it refuses (what its loop can do; memory, time) */
    const struct truth *truth;
    /* Where its instructions stand and how often each conditional branch among them, in order of
     * addresses, is taken: from this its counts are decoded. NULL: they are not there to be read
     * (the compiler's). Text without trips: parts of it are copied, and nobody can say in which
     * order they are executed. */
    const char *text_begin, *text_end;
    const struct trip *trips;
    size_t trip_count;
    /* Can this machine run it? May be NULL: yes. 0 or negative errno with the reason. */
    int (*available)(struct failure *failure);
    /* Called outside the window before and after every run; may be NULL. 0 or negative errno, with
     * a sentence where errno does not say it. */
    int (*prepare)(struct specimen_state *state, struct failure *failure);
    void (*restore)(struct specimen_state *state);
    void (*code)(struct specimen_state *state); /* SPECIMEN_CALLED only */
};

extern const struct specimen *const specimen_registry[]; /* generated; ends with NULL */
const struct specimen *specimen_find(const char *name);

/* Does anybody else (a tracer) get turns while it is prepared, on a machine with so many CPUs? */
bool specimen_leaves_turns(const struct specimen *specimen, long cpus);

/* Is the key one of its parameters? */
bool specimen_takes(const struct specimen *specimen, const char *key);

/* Takes a name with or without parameters apart. -ENOENT no such specimen, -EINVAL parameters that
 * are malformed or not its own; the sentence in failure. Parameters not given are 0. */
int specimen_parse(const char *name, const struct specimen **specimen,
                   struct specimen_parameters *parameters, struct failure *failure);

/* What a window calls once `state` is prepared: the code, or its copy. */
static inline void (*specimen_entry(const struct specimen *specimen,
                                    const struct specimen_state *state))(struct specimen_state *)
{
    return state->copy ? state->copy : specimen->code;
}

/* prepare with the checks that hold for all: N within its range, parameters filled in. */
int specimen_prepare(const struct specimen *specimen, struct specimen_state *state,
                     struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * What the machine claims of its caches, for specimens whose work depends on it: of the CPU this
 * thread is bound to, or of each cache the largest among the CPUs it may use. A claim may be
 * wrong, in virtual machines above all: what `assay caches` measured is given as parameters, and
 * those win. */

/* Fills in every field of the geometry that is still 0 and that the machine claims. */
void geometry_complete(struct specimen_parameters *parameters);

/* 0, or -ENODATA with a sentence that says which parameter is missing and how to give it. */
int geometry_require(const char *specimen, const char *key, uint64_t value,
                     struct failure *failure);

/* --- Where code of specimens stands in this process, for who reads it or watches it --- */

/* The instructions with which every window calls a specimen, to be read and decoded: they are part
 * of its truth. */
extern const char specimen_call_text[], specimen_call_text_end[];

/* Breakpoints and uprobes named `target` watch a function and a word. Where they stand only the
 * process that holds them knows, so the attr of such an event is completed there: of a breakpoint
 * (address) or a uprobe (file and offset). *file: what a uprobe's config1 must point at. 0 or
 * negative errno. */
int target_settle(struct perf_event_attr *attr, const char **file);

/* Memory for specimens, of two kinds: scratch that is read and written without faulting, and
 * regions that are larger than a cache or a TLB holds. */

/* --- Scratch: page-aligned, and every page of it written once before the window opens --- */

/* Sets memory and bytes. -ENOMEM with a sentence where it would take more than half of what the
 * machine has: a specimen must not wake the out-of-memory killer. */
int scratch_map(struct specimen_state *state, size_t bytes, struct failure *failure);

/* prepare of a specimen that a page is enough for. */
int scratch_prepare_page(struct specimen_state *state, struct failure *failure);

/* restore of a specimen whose memory is from here. */
void scratch_unmap(struct specimen_state *state);

/* --- Regions: none of it touched yet --- */

struct region {
    const char *specimen; /* for the sentence when it cannot be had */
    const char *key;      /* the parameter that made it so large */
    uint64_t bytes;       /* of address space */
    uint64_t used;        /* bytes of it that will be touched */
    bool huge;            /* on huge pages if the operating system grants them; else never */
};

/* Sets memory, bytes and own of state; memory begins at a multiple of 2 MiB. -ENOMEM with a
 * sentence where more would be touched than a quarter of the memory this process may use. */
int region_map(struct specimen_state *state, const struct region *region, struct failure *failure);

/* restore of a specimen whose memory is from here. */
void region_unmap(struct specimen_state *state);

/* Memory of state that was written may now be executed, and no longer be written. A system that
 * forbids that is named in the sentence. */
int region_make_executable(const struct specimen_state *state, const char *specimen,
                           struct failure *failure);

/* left * right, or UINT64_MAX: sizes come from parameters that anybody may give. */
uint64_t region_product(uint64_t left, uint64_t right);

/* Which sources have confirmed a truth, and whether they suffice to call it proven. The record is
 * proof.table; the rows of this ISA are built in. */

/* One row: sources is a list separated by commas. */
struct proof {
    const char *specimen, *class, *sources;
};
extern const struct proof proof_records[]; /* generated; sorted by specimen, then class */
extern const size_t proof_record_count;

/* "" when nothing has confirmed it. */
const char *proof_sources(const char *specimen, const char *class);

/* Are there two among these sources that share no code where they count this class? */
bool proof_suffices(const char *class, const char *sources);

/* Has this source a place in the rule above? What has none proves nothing. */
bool proof_knows(const char *source, size_t length);

/* The grade under which a truth may be told, and why (printed into words, "" when there is nothing
 * to say): what is claimed exact and not proven is a model. */
enum truth_grade proof_grade(const struct specimen *specimen, const struct truth *truth,
                             char *words, size_t size);
