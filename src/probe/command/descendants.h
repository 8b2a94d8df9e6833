/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Processes below a process, to be ended whatever they did to escape: sessions, groups, orphans. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Makes orphans below this process its children. */
void descendants_adopt(void);

/* Sends a signal to everything below root, but not to root itself. */
void descendants_signal(pid_t root, int signal);

/* Ends every child of this process, and theirs as they become its own, until there is none.
 * *ended: how many still ran (may be NULL). 0, or -EPERM when some cannot be ended: they run as
 * another user. */
int descendants_end(uint64_t *ended);
