/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The CPU models the lab offers: those that run a 64-bit kernel. Which of them this emulator has is
 * the emulator's to say. */
#pragma once

#include <stdbool.h>

struct cpu_model {
    const char *name;
    const char *summary;
    bool pages_16k; /* can run a kernel with pages of 16 KiB */
};
extern const struct cpu_model cpu_models[]; /* ends with name NULL; the first is the default */
const struct cpu_model *cpu_model_find(const char *name);
