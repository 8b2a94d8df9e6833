/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of the paper's Table 3, to be set beside ours: pm is perfmon, pc perfctr, PL and PH
 * PAPI's low and high level on top of them; null error in instructions, one counter. */
#include "studies/error/study.h"

const struct error_table3 error_table3[12] = {
    {"uk", "pm", "direct", PATTERN_RR, 726, 572},
    {"uk", "PLpm", "papi-low", PATTERN_AR, 742, 653},
    {"uk", "PHpm", "papi-high", PATTERN_AR, 844, 755},
    {"uk", "pc", "direct", PATTERN_AR, 163, 74},
    {"uk", "PLpc", "papi-low", PATTERN_AR, 251, 249},
    {"uk", "PHpc", "papi-high", PATTERN_AR, 339, 333},
    {"u", "pm", "direct", PATTERN_RR, 37, 36},
    {"u", "PLpm", "papi-low", PATTERN_AR, 134, 134},
    {"u", "PHpm", "papi-high", PATTERN_AR, 236, 236},
    {"u", "pc", "direct", PATTERN_AR, 67, 56},
    {"u", "PLpc", "papi-low", PATTERN_AR, 152, 144},
    {"u", "PHpc", "papi-high", PATTERN_AR, 236, 230},
};
