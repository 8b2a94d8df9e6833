/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A copy of trap whose loop executes one instruction more per iteration than it says. */
#include "window.h"

#undef WINDOW_LOOP
#define WINDOW_LOOP WINDOW_LOOP_WITH("\tnop\n")

#include "trap-flag.h"

#define PATH_LOCALS(w)   (void)(w)
#define PATH_START_group __asm__ volatile(TRAP_FLAG_SET : : : "memory", "cc")
#define PATH_STOP_group  __asm__ volatile(TRAP_FLAG_CLEAR : : : "memory", "cc")

#define PATH            broken_trap
#define PATH_NAME       "broken-trap"
#define PATH_NOTE       ""
#define PATH_OPERATIONS trap_operations
#define PATH_ONLY_AO
#define WINDOW_OPT O2
#include "probe/harness/window-template.h"
