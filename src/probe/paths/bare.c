/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * No way to a count at all: the specimen between two marks, for sources that execute the window
 * themselves and need nobody's counter. A compiler that keeps nothing in registers (clang at -O0)
 * fetches the operands of the slot behind the first mark; the null specimen shows how many. */
#define PATH_LOCALS(w)        (void)(w)
#define PATH_READ_FIRST_group (void)0
#define PATH_READ_LAST_group  (void)0

#define PATH            bare
#define PATH_NAME       "bare"
#define PATH_NOTE       ""
#define PATH_SOURCES    "step,valgrind,qemu"
#define PATH_OPERATIONS bare_operations
#define PATH_EXECUTES   true
#define PATH_ONLY_RR
#include "probe/harness/window-template.h"
