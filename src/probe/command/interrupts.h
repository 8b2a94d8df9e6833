/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many interrupts a CPU has had. */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* Of all kinds, since the machine started. -ENOENT: not told, or no such CPU. */
int interrupts_read(int cpu, uint64_t *interrupts);

/* The same from a text like /proc/interrupts. */
int interrupts_parse(FILE *text, int cpu, uint64_t *interrupts);
