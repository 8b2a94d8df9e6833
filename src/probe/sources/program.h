/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs of the machine that a source needs: where they are, and for which CPU they are made. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
