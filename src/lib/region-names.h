/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: the names of regions, numbered for the whole process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "assay.h"

/* Numbers begin with 1. The last one stands for all names behind the first ASSAY_REGIONS_MOST. */
#define REGION_FURTHER (ASSAY_REGIONS_MOST + 1)

/* The number of a name, given to it now if it has none: in no lock and without memory, because
 * regions end in signal handlers. The name is copied: who named it may be unloaded. */
uint32_t region_number(const char *name);
/* 0: no region has ended under it. REGION_FURTHER: it is one of those that are added up together.
 */
uint32_t region_number_of(const char *name);

/* Is it the one of the empty regions that calibrating measures? */
bool region_is_own(uint32_t number);

/* What is printed for it: harmless, on one line, at most 63 bytes. */
#define REGION_SHOWN 64
void region_shown(uint32_t number, char *text);
