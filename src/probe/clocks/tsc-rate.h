/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who says how many ticks of the time stamp counter make a second. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Ticks a second, and who says so; 0 and "" where nobody does. */
uint64_t tsc_rate(char *claim, size_t size);
