/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program that emulates: a package of this machine, which the user installs. */
#pragma once

#include <stdbool.h>

#include "base/failure.h"
#include "base/text.h"
#include "lab/cpu-models.h"

/* Its path, to be freed. ASSAY_QEMU names another one than that in PATH. */
int emulator_find(char **path, const char *isa, struct failure *failure);

/* Its version such as "7.2.22", "" when it does not say. */
int emulator_version(const char *path, char *version, size_t size, struct failure *failure);

/* The CPU models it has, one a line, behind an empty one; nothing when it does not say. */
int emulator_cpus(const char *path, struct text *models, struct failure *failure);
/* Is it among them? Where nothing is known, nothing is known against it. */
bool emulator_has(const struct text *models, const char *name);

/* The names of the lab's models that the emulator of this machine has, with commas. */
void emulator_offers(const char *isa, struct text *names);
/* -ENOENT, with what there is instead, when it has no such CPU. */
int emulator_check_cpu(const char *path, const struct cpu_model *cpu, struct failure *failure);
