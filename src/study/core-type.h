/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which kind of core a CPU is, on machines that have several: kinds are told apart by the PMU that
 * covers them, because that is what an event belongs to. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "machine/facts.h"

/* Writes the PMU's name ("cpu_atom"), or "" where all cores are alike, where the process was not
 * pinned (cpu -1), or where the facts do not tell. */
void core_type(const struct facts *facts, int32_t cpu, char *name, size_t size);

/* The last CPU that a process may run on, by the facts, of the first kind where there are several:
 * the first CPUs serve most interrupts. -1: the facts do not tell. */
int32_t core_last(const struct facts *facts);

/* All of them in rising order; the caller frees *cpus. None where the facts do not tell. -ENOMEM.
 */
int core_allowed(const struct facts *facts, int32_t **cpus, size_t *count);
