/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program that emulates: a package of this machine, which the user installs. */
#pragma once

#include <stdbool.h>

#include "base/failure.h"
#include "base/text.h"

/* Its path, to be freed. ASSAY_QEMU names another one than that in PATH. */
int emulator_find(char **path, const char *isa, struct failure *failure);

/* Its version such as "7.2.22", "" when it does not say. */
int emulator_version(const char *path, char *version, size_t size, struct failure *failure);

/* The CPU models it has, one a line. */
int emulator_cpus(const char *path, struct text *models, struct failure *failure);
