/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is laid before the judge of repetition: programs, and for each the executions under every
 * setting and source, with what they counted. Nothing here knows a machine, a store or a tool, so a
 * test can plant any program. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cell.h"

/* A machine whose store is part of the case; one in most cases, several for M11. */
struct repeat_machine {
    char *name;        /* "AMD EPYC (x86_64)" */
    char *fingerprint; /* the same machine measured twice is one machine */
    bool emulated;
    bool pmu; /* has a hardware PMU that perf_event can use */
};

struct repeat_program {
    char *name;  /* cell.command.name */
    char *words; /* cell.command.words */
    /* of subjects; the others have neither */
    bool subject;
    char *subject_name; /* "" */
    char *shows;        /* ids of findings; "" */
    int bits;           /* 32, 64; 0: unknown */
    bool libc;
    bool has_truth;
    int64_t truth; /* instructions, of the N that stands in its words */
};

/* One execution that ended by itself. */
struct repeat_run {
    uint32_t process;
    uint64_t status; /* wire/command.h */
    uint64_t output_bytes, output_sum;
    uint64_t tasks, processes, left;
    bool has_interrupts;
    uint64_t interrupts;
    uint64_t nanoseconds;
    struct account account;
};

/* A function (or opcode, or class) of one execution. */
struct repeat_executed {
    char *object, *name;
    uint64_t count, repetitions;
};
struct repeat_call {
    uint64_t position;
    uint32_t task;
    char *name, *what;
    int64_t result;
    uint64_t asked, sum;
};

/* All executions of one cell. */
struct repeat_cell {
    size_t machine, program; /* indexes */
    char *source;            /* "perf_event", "step", "qemu", "valgrind" */
    uint32_t controls;
    enum command_sweep sweep;
    uint64_t swept;
    enum command_detail detail;
    uint32_t events; /* without the columns run/…/ */
    char **event;    /* [events]: "instructions:u", "qemu/instructions/", as in the cell */
    char **class;    /* [events]: "instructions"; "" unknown. Of a source the class of its event */
    size_t runs;
    struct repeat_run *list; /* [runs], in the order in which they were made */
    uint64_t *counts;        /* [run * events + event] */
    double *scheduled;       /* [run * events + event]: running / enabled time; 1: all the time */
    /* DETAIL_CODE, of the first run */
    struct repeat_executed *functions;
    size_t function_count;
    /* DETAIL_CALLS, of each run: calls of run r are [call_begins[r], call_begins[r + 1]) */
    struct repeat_call *calls;
    size_t *call_begins;           /* [runs + 1]; NULL: none */
    uint32_t failed;               /* executions that could not be counted */
    uint32_t timed_out, signalled; /* of the runs */
    int error;
    char *reason; /* NULL: none failed */
};

struct repeat_absence {
    char *what, *reason;
    int error;
};

struct repeat_case {
    struct repeat_machine *machines;
    size_t machine_count;
    struct repeat_program *programs; /* the same name and words on two machines are one program */
    size_t program_count;
    struct repeat_cell *cells;
    size_t cell_count;
    struct repeat_absence *absences;
    size_t absence_count;
};

/* Grow by one, zeroed; NULL when out of memory. */
struct repeat_machine *repeat_case_add_machine(struct repeat_case *file);
struct repeat_program *repeat_case_add_program(struct repeat_case *file);
struct repeat_cell *repeat_case_add_cell(struct repeat_case *file);
struct repeat_absence *repeat_case_add_absence(struct repeat_case *file);
void repeat_case_release(struct repeat_case *file);

/* Is it a command, a subject or a workload that was made to show something? By finding: "M9". */
bool repeat_program_shows(const struct repeat_program *program, const char *finding);
/* The event's column, or -1. */
int repeat_event(const struct repeat_cell *cell, const char *event);
/* The first event of that class, or -1: "instructions" is instructions:u as well as
 * qemu/instructions/. */
int repeat_class(const struct repeat_cell *cell, const char *class);
/* The cell of this program, source and setting, not swept and without detail, that has the event;
 * NULL: none. */
const struct repeat_cell *repeat_find(const struct repeat_case *file, size_t machine,
                                      size_t program, const char *source, uint32_t controls,
                                      const char *event);
