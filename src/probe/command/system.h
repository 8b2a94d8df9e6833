/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the operating system tells of a program beside what is counted. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

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
