/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A shared object for LD_PRELOAD that forbids the program it is loaded into, and all that it
 * starts, to read the CPU's counter of time: once it is loaded, because the loader itself reads it.
 * Beside the tests. */
#include <sys/prctl.h>

__attribute__((constructor)) static void forbid(void)
{
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}
