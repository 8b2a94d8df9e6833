/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What can be chosen about a machine of the lab, as it stands behind `lab:` and in the options of
 * `assay lab run`: aarch64,cpu=neoverse-n1,paranoid=3,user=nobody. Among it the CPU, which the
 * program that emulates must have. */
#pragma once

#include <stdbool.h>

#include "base/failure.h"
#include "base/text.h"
#include "lab/place.h"

/* ----------------------------------------------------------------------------------------------
 * The CPU models the lab offers: those that run a 64-bit kernel. Which of them this emulator has is
 * the emulator's to say. */

struct cpu_model {
    const char *name;
    const char *summary;
    bool pages_16k; /* can run a kernel with pages of 16 KiB */
};
extern const struct cpu_model cpu_models[]; /* ends with name NULL; the first is the default */

/* --- The program that emulates: a package of this machine, which the user installs --- */

/* Its path, to be freed. ASSAY_QEMU names another one than that in PATH. */
int emulator_find(char **path, const char *isa, struct failure *failure);

/* Its version such as "7.2.22", "" when it does not say. */
int emulator_version(const char *path, char *version, size_t size, struct failure *failure);

/* The CPU models it has, one a line, behind an empty one; nothing when it does not say. */
int emulator_cpus(const char *path, struct text *models, struct failure *failure);
/* Is it among them? Where nothing is known, nothing is known against it. */
bool emulator_has(const struct text *models, const char *name);

/* -ENOENT, with what there is instead, when it has no such CPU. */
int emulator_check_cpu(const char *path, const struct cpu_model *cpu, struct failure *failure);

/* --- The settings --- */

#define LAB_PARANOID_UNSET (-100) /* leave what the kernel chose */

struct lab_settings {
    const char *isa; /* constant: one of those the lab has */
    const struct cpu_model *cpu;
    char kernel[LAB_KERNEL_NAME_MAX]; /* "": the preferred one */
    bool pmu;
    bool user_access; /* may programs read counters without a system call? */
    int paranoid;
    bool nobody; /* run as the user nobody instead of root */
    unsigned memory_mb;
    unsigned given; /* bit N: the key lab_keys[N] was set */
};

/* The names of the machines, NULL-terminated. */
extern const char *const lab_isas[];

/* Takes `ISA[,key=value…]`; -EINVAL with the list of what there is. */
int lab_settings_parse(struct lab_settings *settings, const char *words, struct failure *failure);

/* One key; -EINVAL says what its values are, or that it was set before. */
int lab_settings_set(struct lab_settings *settings, const char *key, const char *value,
                     struct failure *failure);

struct lab_key {
    const char *name;
    const char *values; /* "on|off" */
    const char *summary;
    const char *initial;
    bool (*set)(struct lab_settings *settings, const char *value);
};
extern const struct lab_key lab_keys[]; /* ends with name NULL */
