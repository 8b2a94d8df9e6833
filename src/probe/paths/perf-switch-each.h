/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Start and stop for paths that switch descriptors: the leader alone for a group, each in turn for
 * separate counters. */
#pragma once

#define PATH_SOURCES "perf_event,step"

#define SWITCH_EACH(CALL) CALL_EACH(CALL(descriptors[index]))

#define PATH_START_group    (void)CALL_START(descriptor)
#define PATH_STOP_group     status = (long)CALL_STOP(descriptor)
#define PATH_START_separate SWITCH_EACH(CALL_START)
#define PATH_STOP_separate  SWITCH_EACH(CALL_STOP)
