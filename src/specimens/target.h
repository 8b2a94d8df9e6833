/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The function and the word that breakpoints and uprobes named `target` watch. Where they stand
 * only the process that holds them knows, so the attr of such an event is completed there. */
#pragma once

#include <linux/perf_event.h>

#include "base/failure.h"

/* Completes the attr of a breakpoint (address) or a uprobe (file and offset) for this process.
 * *file: what a uprobe's config1 must point at. 0 or negative errno. */
int target_settle(struct perf_event_attr *attr, const char **file);
