/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs of the machine that a source needs: where they are, and for which CPU they are made. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/failure.h"

/* Path of a program looked up in PATH, to be freed; NULL: there is none. */
char *program_find(const char *name);

/* The machine number of an ELF file (EM_X86_64, …); -1: no such file, or no ELF. */
int program_machine(const char *path);

/* The QEMU that runs programs of this kit's ISA, to be freed: the one that runs this probe, where
 * one does, else the one in PATH. NULL: there is none. */
char *program_emulator(void);

/* Is this probe itself run by an emulator of programs? */
bool program_emulated(void);

/* The words that make this QEMU run a program: its path, and the CPU where the default one lacks
 * what specimens use. Ends with NULL; returns their number. */
#define EMULATOR_WORDS 4
size_t program_emulator_words(const char *emulator, const char *words[EMULATOR_WORDS]);

/* The words before a program of this kit, as above; none where the machine runs it by itself. */
size_t program_prefix(const char *words[EMULATOR_WORDS]);

/* Does the program, run with one argument, write this word on its standard output? */
bool program_says(const char *program, const char *argument, const char *word);
/* The same of any words (NULL ends them), the first the program's path. */
bool program_answers(const char *const *words, const char *word);

/* Can no program of the machine be run, because those that are linked dynamically die where reading
 * the CPU's counter of time is forbidden? Then the reason is written. */
bool programs_die(char *reason, size_t size);

/* From now on, what this process or one below it mounts is seen by nobody else: perf, as root,
 * mounts tracefs whenever it starts. Does what it may: without the right, nobody can mount. */
void program_keep_mounts(void);

/* perf(1) as a program of the machine: whether it works here, whether it can be given an event by
 * its name, what it left in its files. For who counts with `perf stat`, and for who times it. */

/* Between the fields of its output, and as a word: "-x;". No name of an event holds one. */
#define PERF_STAT_SEPARATOR ';'
extern const char perf_separated[];

/* Can it be run here? Negative errno with the reason. */
int perf_usable(char *reason, size_t size);

/* Does the name of this event mean to perf what it means to us? -EINVAL with the reason. */
int perf_takes_event(const char *event, struct failure *failure);

/* At most 64 KiB of a regular file, to be freed; NULL with errno. Not terminated. */
char *perf_read_file(const char *path, size_t *length);

/* What perf said in this file, in one line; "" where it said nothing. */
#define PERF_WORDS 300
void perf_read_words(const char *path, char words[PERF_WORDS]);

/* ----------------------------------------------------------------------------------------------
 * What `perf stat` writes with a separator, read strictly: whatever is not exactly the one count
 * that was asked for is refused. */

struct perf_stat_count {
    uint64_t value;            /* clocks in ns, else as counted */
    uint64_t enabled, running; /* ns */
};

/* event: the name that was asked for. 0, or negative errno with what is wrong: -ENOENT the machine
 * has no such event, -EBUSY it got no counter, -EACCES perf took another mode, -EBADMSG what is
 * there is no such output. text need not end with a zero. */
int perf_stat_read(const char *text, size_t length, const char *event,
                   struct perf_stat_count *count, struct failure *failure);

/* A stretch of text that is read strictly from its front: what tools wrote. */

struct stretch {
    const char *at, *end;
};

static inline bool take(struct stretch *span, const char *words)
{
    size_t length = strlen(words);
    if ((size_t)(span->end - span->at) < length || memcmp(span->at, words, length) != 0)
        return false;
    span->at += length;
    return true;
}

/* Digits. False: none, or too many. */
static inline bool take_number(struct stretch *span, uint64_t *number)
{
    const char *start = span->at;
    *number = 0;
    for (; span->at < span->end && *span->at >= '0' && *span->at <= '9'; span->at++) {
        unsigned digit = (unsigned)(*span->at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return span->at > start;
}
