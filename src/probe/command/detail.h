/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of details: what a counting process tells beside counts, for the driver to pass on when
 * the visit has succeeded. Its lines are frames `ran` and `call` of the wire without cell and
 * process, each whole by itself; their sequence numbers mean nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/failure.h"
#include "base/text.h"
#include "probe/command/command.h"
#include "probe/sources/qemu-plugin/account.h"
#include "stepped-kind.h"
#include "wire/frame.h"

/* Keys of a frame `ran` (struct sent_ran): object function address bytes instructions executions
 * repetitions. Of a frame `call` (struct sent_call): position task name result asked sum what. */
#define DETAIL_RAN  "ran"
#define DETAIL_CALL "call"

/* So many calls are told. Where there were more, one last `call` says so: its name is this, its
 * result how many were left out. */
#define DETAIL_MOST_CALLS 200000u
#define DETAIL_LEFT_OUT   "(left out)"

#define DETAIL_STRETCH_BYTES 4096u /* of code in one frame; what is longer comes in several */

/* Writing: wire_begin, wire_put_…, wire_end on this writer. Several may write one after the other,
 * since each appends. */
static inline struct wire_writer detail_writer(int descriptor)
{
    return (struct wire_writer){.fd = descriptor};
}
/* Sends what waits, and frees: the result of all that was written. 0 or negative errno. */
int detail_finish(struct wire_writer *writer);

/* Reading: *line and *size as of getline, to be freed. 1 with a frame of one of the two types that
 * is valid until the next call, 0 at the end, -EBADMSG for anything else with what is wrong. */
int detail_next(FILE *file, char **line, size_t *size, struct wire_frame *frame,
                struct failure *failure);

/* What was executed, for counters that tell it: instructions, the memory in which they were
 * found, and the functions that they belong to. */

/* --- for the detail `code` --- */

/* One instruction as a counter found it. */
struct executed_instruction {
    uint64_t address;
    uint8_t bytes[16];
    uint8_t length;
    uint64_t executions;  /* a repeated string instruction once */
    uint64_t repetitions; /* of it beyond the first */
};
/* A stretch of memory with the file behind it, as /proc/PID/maps tells; "" for none, "[vdso]". */
struct mapped {
    uint64_t start, end, offset;
    const char *object;
};
/* Writes instructions (in any order, of one process image) to visit->detail: neighbours that were
 * executed equally often joined, with the object and the function (from its symbol tables) that
 * they belong to. */
int executed_write(const struct command_visit *visit, const struct executed_instruction *list,
                   size_t count, const struct mapped *maps, size_t map_count);

/* --- which memory of a process can be executed, from /proc/PID/maps --- */

struct code_map {
    struct mapped mapped; /* object is owned */
    bool changing;        /* can be written without a system call: itself, or at another address */
};

struct code_maps {
    struct code_map *list; /* by address; executable ones only */
    size_t count;
};

/* Reads them of a task that is stopped. 0 or negative errno. */
int code_maps_read(struct code_maps *maps, pid_t task);
/* The same of lines in memory; what is no such line is left out. -ENOMEM. */
int code_maps_parse(struct code_maps *maps, char *line);
const struct code_map *code_maps_find(const struct code_maps *maps, uint64_t address);
/* Does any of them reach into these bytes? */
bool code_maps_touch(const struct code_maps *maps, uint64_t address, uint64_t length);
/* Has an address become another object's code, or another place of it? */
bool code_maps_replaced(const struct code_maps *before, const struct code_maps *now);
void code_maps_free(struct code_maps *maps);

/* --- functions by address, from the symbol tables of an ELF file: the file is whatever a program
 * mapped, so everything in it is doubted, and what makes no sense is a file without symbols --- */

struct symbol {
    uint64_t start, end; /* as the file has addresses */
    uint32_t name;       /* place in names */
    uint8_t rank;        /* of several at one address the lowest is taken */
};

/* Where a part of the file is loaded. */
struct segment {
    uint64_t offset, bytes, address;
};

struct symbols {
    struct symbol *list; /* by start */
    size_t count;
    char *names; /* terminated as a whole */
    size_t name_bytes;
    struct segment *segments;
    size_t segment_count;
};

/* Of a file, or of this process's own vDSO for "[vdso]". A file without any, or that cannot be
 * read, has none: 0. -ENOMEM. */
int symbols_read(struct symbols *symbols, const char *object);
/* The same of bytes in memory, for tests. */
int symbols_read_bytes(struct symbols *symbols, const void *bytes, size_t length);
void symbols_free(struct symbols *symbols);

/* The function that holds this place of the file; NULL: none. */
const char *symbols_find(const struct symbols *symbols, uint64_t offset);

/* System calls of a traced program: their names, what matters about them to who follows it, and
 * what they gave, for the detail `calls`. */

/* What a call does to a program that is followed. */
enum call_role {
    CALL_OTHER,
    CALL_MAPS,        /* (address, length, protection) */
    CALL_UNMAPS,      /* (address, length) */
    CALL_MOVES,       /* (address, length, new length): code, in any case */
    CALL_FORKS,       /* a process of its own memory */
    CALL_CLONES,      /* (flags) */
    CALL_CLONES_BY,   /* (struct whose first field are flags) */
    CALL_VFORKS,      /* a process that shares memory */
    CALL_ASKS_CPUS,   /* (task): sched_getaffinity */
    CALL_CHOOSES_CPUS /* (task): sched_setaffinity */
};
/* One as it is made. */
struct call {
    struct stepped_call made;
    char name[32];
    enum call_role role;
    char *what; /* the file; NULL: none is known yet. Owned */
};

/* Names by number, generated from the operating system's headers (call-names.py). */
#define CALL_NUMBERS 1024 /* those beyond have no name here; the last one stands for none */

extern const char *const call_names_native[CALL_NUMBERS];
extern const char *const call_names_narrow[CALL_NUMBERS]; /* of 32-bit programs */

/* Its name, from the headers of the operating system; "call-4000" where they have none, and
 * "32-bit-call-7" of a 32-bit program on an ISA whose header is not known. */
void call_name(const struct stepped_call *made, char *name, size_t size);

enum call_role call_role(const char *name);

/* A tool answered ENOSYS to the call of this name: is that the tool's answer, and not this
 * kernel's, which has the call? Never of what libraries tell the kernel as they start, and can do
 * without. */
bool call_is_missed(const char *name);

/* --- what calls gave: detail `calls` --- */

struct call_record {
    struct wire_writer writer;
    uint64_t told, left_out;
    int result; /* of writing, negative errno */
};

/* The task stands at or in a call: notes what is gone afterwards (a file that it closes). */
void call_begin(pid_t task, struct call *call);
/* It returned with this result: tells it. */
void call_end(struct call_record *record, pid_t task, uint32_t number, struct call *call,
              int64_t result);
/* It never returned, as exit does not. */
void call_gone(struct call_record *record, uint32_t number, struct call *call);
/* How many were left out, and the end of all. 0 or negative errno. */
int call_finish(struct call_record *record);

/* What QEMU's plugin left of an execution: an account for each process and program, read strictly,
 * and all of them together. */

struct qemu_account {
    struct account_header header;
    struct account_map *maps;
    struct account_record *records;
    struct executed_instruction *executed; /* one for each record */
};

/* All that an execution left in a folder. */
struct qemu_accounts {
    struct qemu_account *list;
    size_t count;
    size_t blank; /* accounts that were not begun: nothing was executed */
    bool faulted; /* an instruction that is illegal on any CPU was begun */
    uint64_t instructions, repetitions, calls, tasks, processes;
};
/* 0; or negative errno with the sentence: where one is missing or not whole, nothing is told of the
 * others. */
int qemu_accounts_read(struct qemu_accounts *accounts, const char *folder, const char *target,
                       struct failure *failure);
/* The detail `code`: what came out of one exec together. */
int qemu_accounts_tell(const struct qemu_accounts *accounts, const struct command_visit *visit);
void qemu_accounts_free(struct qemu_accounts *accounts);

/* What Valgrind and its tools say of a whole program: exp-bbv's sums, lackey's trace, and
 * whether Valgrind itself was the trouble. */

/* --- exp-bbv --- */

/* Sums of all threads. */
struct valgrind_counts {
    uint64_t instructions; /* a repeated one once */
    uint64_t repetitions;  /* beyond the first */
    uint64_t threads;      /* at a time: those that came later take the places of others; 0: it
                              was ended before it could tell */
};

/* What Valgrind answered itself to system calls, from its log with --trace-syscalls=yes. */
#define TRACED_REFUSED 16u
#define CALL_CLONE3    435 /* on every ISA */
struct valgrind_calls {
    int64_t last;                    /* number of the call of the latest line */
    int64_t refused[TRACED_REFUSED]; /* that ended in ENOSYS, each once */
    size_t count;
    bool starved; /* some ended in ENOMEM, by whomever */
};

/* Is it a line of this trace? It is taken in then. */
bool valgrind_calls_take(struct valgrind_calls *calls, const char *line);

/* From Valgrind's log: exp-bbv writes a file for each thread, but to the log of all. 0, or -EBADMSG
 * with what is wrong. text need not end with a zero. */
int valgrind_counts_read(const char *text, size_t length, struct valgrind_counts *counts,
                         struct failure *failure);

/* 0 where nothing stands in the log that makes the counts another program's; else negative errno
 * with what. */
int valgrind_log_check(const char *text, size_t length, struct failure *failure);

/* --- lackey: its trace, summed by instruction as it comes: a line says where an instruction lies
 * and how long it is, others which thread goes on --- */

#define SUMMED_LINE    192         /* bytes of a line that are looked at */
#define SUMMED_MOST    20000000u   /* lines of instructions: minutes */
#define SUMMED_THREADS 1024u       /* numbers of threads are used again */
#define SUMMED_WORDS   (64u << 10) /* bytes of Valgrind's own words that are kept */

struct summed {
    /* The bytes of an instruction that was never met before; false: they cannot be had. */
    bool (*look)(void *context, uint64_t address, uint8_t *bytes, size_t length);
    void *context;

    struct executed_instruction *list; /* as they were met */
    size_t count;
    uint64_t lines; /* instructions, each repetition */
    struct valgrind_calls calls;
    bool unreadable;  /* of some instruction there are no bytes */
    bool changed;     /* different instructions lay at an address, or may have */
    struct text said; /* lines that are no trace: Valgrind's own */

    /* of valgrind-log.c alone */
    uint32_t *slots; /* by address; 1 + place in list */
    size_t capacity;
    uint64_t last[SUMMED_THREADS]; /* 1 + place of what each thread executed last; 0: nothing */
    bool runs[SUMMED_THREADS];
    uint32_t thread, running; /* who goes on; how many threads there are */
    char line[SUMMED_LINE];
    size_t length;
    bool damaged;
};

/* Takes the next bytes of the log. -E2BIG: there is more than could be traced; -ENOMEM. */
int summed_feed(struct summed *summed, const char *bytes, size_t length);
/* Every thread came to its end, so nothing is missing. */
bool summed_ended(const struct summed *summed);
/* At its end. 0, or -EBADMSG: it is no trace. */
int summed_check(const struct summed *summed, struct failure *failure);
/* Its sums. */
void summed_sum(const struct summed *summed, uint64_t *instructions, uint64_t *repetitions);
void summed_free(struct summed *summed);
