/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The trap flag: opening sets it, and from then on the CPU traps after every instruction until
 * closing clears it. A signal handler counts (trap-operations.c). */
#include "trap-flag.h"

#define PATH_LOCALS(w)   (void)(w)
#define PATH_START_group __asm__ volatile(TRAP_FLAG_SET : : : "memory", "cc")
#define PATH_STOP_group  __asm__ volatile(TRAP_FLAG_CLEAR : : : "memory", "cc")

#define PATH            trap
#define PATH_NAME       "trap"
#define PATH_NOTE       ""
#define PATH_SOURCES    "trap"
#define PATH_OPERATIONS trap_operations
#define PATH_EXECUTES   true
#define PATH_ONLY_AO
#include "probe/harness/window-template.h"
