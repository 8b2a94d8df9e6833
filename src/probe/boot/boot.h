/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `assay-probe boot`: the first process of an emulated machine of the lab. The plan it follows is
 * /lab/plan (src/lab/plan.h); the controller wrote it. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/failure.h"

/* Never returns where this is the first process: it turns the machine off. */
int boot_machine(void);

/* --- the steps, one file each --- */

/* /proc, /sys, /dev and what else programs expect; what cannot be had is said on the console. */
void boot_mounts(void);
/* The modules in /lab/modules, in the order of their names. */
void boot_modules(void);

#define BOOT_WORDS 4096 /* most words of a command */

struct boot_plan {
    char *bytes;                 /* the file; what follows points into it */
    char *words[BOOT_WORDS + 1]; /* what to run */
    size_t word_count;
    const char *in, *out, *errors, *status; /* names of ports; NULL: none */
    const char *folder;
    uid_t user;
    int rows, columns; /* of the terminal to give it; 0: none */
};
/* Reads the plan; its sysctl and env entries take effect here. */
int boot_plan_read(struct boot_plan *plan, struct failure *failure);

struct boot_ports {
    int in, out, errors, status; /* -1: none */
};
int boot_ports_open(struct boot_ports *ports, const struct boot_plan *plan,
                    struct failure *failure);

/* Becomes the command, looked up in PATH; what is no program is never taken for a script of the
 * shell. Returns only when that fails, with errno. */
void boot_exec(char *const *words);
/* Why it failed, from errno; the code is -ENOENT only when there is no such file. */
int boot_exec_explain(const struct boot_plan *plan, int error, struct failure *failure);

/* Runs the command to its end and returns the wait status, or negative errno: -ENOENT, -EACCES …
 * when it could not be run. */
int boot_run(const struct boot_plan *plan, const struct boot_ports *ports, struct failure *failure);
