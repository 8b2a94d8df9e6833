/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which descriptors of another process are perf events. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

bool perf_descriptor_is(pid_t pid, int descriptor);

/* The lowest one: the event that was opened first. -ENOENT where there is none. */
int perf_descriptor_first(pid_t pid);
