/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What can be chosen about a machine of the lab, as it stands behind `lab:` and in the options of
 * `assay lab run`: aarch64,cpu=neoverse-n1,paranoid=3,user=nobody. */
#pragma once

#include <stdbool.h>

#include "base/failure.h"
#include "base/text.h"
#include "lab/cpu-models.h"
#include "lab/place.h"

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
