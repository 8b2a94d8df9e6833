/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The process that is lied to, seen from the liar: its memory, its descriptors, and what the
 * operating system says of it. All return a negative errno on failure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int target_read(pid_t task, uint64_t address, void *bytes, size_t size);
int target_write(pid_t task, uint64_t address, const void *bytes, size_t size);
/* A string with its end, at most size bytes. */
int target_read_string(pid_t task, uint64_t address, char *text, size_t size);
/* What can be read of size bytes: to the end of the page at least, or a negative errno. */
ssize_t target_read_some(pid_t task, uint64_t address, void *bytes, size_t size);

pid_t target_process(pid_t task); /* the process that a thread belongs to */
bool target_has_descriptor(pid_t process, int descriptor);
int target_take_descriptor(pid_t process, int descriptor); /* a copy of it */
/* Is its executable's name the beginning of this one? */
bool target_is_called(pid_t process, const char *name);

/* From /proc: page faults so far, and the CPU it ran on last. */
struct target_account {
    uint64_t minor_faults, major_faults;
    int cpu;
};
int target_account(pid_t task, struct target_account *account);
