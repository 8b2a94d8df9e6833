/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the windows of the paths on perf descriptors have in common: how each call is applied to one
 * descriptor, or to every one in turn. The path's file defines CALL_READ(descriptor, buffer, bytes)
 * before the template is included, and before it includes this CALL_START(descriptor) and
 * CALL_STOP(descriptor), unless it starts and stops in a way of its own. */
#pragma once

#define PATH_LOCALS(w)                                                                             \
    const int *const descriptors = (w)->descriptors;                                               \
    const int descriptor = (w)->descriptors[0];                                                    \
    const uint32_t count = (w)->count;                                                             \
    uint64_t *const before = (w)->before;                                                          \
    uint64_t *const after = (w)->after;                                                            \
    const size_t bytes = (w)->bytes;                                                               \
    (void)descriptors, (void)descriptor, (void)count, (void)before, (void)after, (void)bytes

/* There is at least one: a loop that could run zero times would be doubled by the compiler. */
#define CALL_EACH(call)                                                                            \
    do {                                                                                           \
        uint32_t index = 0;                                                                        \
        do                                                                                         \
            status = (long)(call);                                                                 \
        while (++index < count);                                                                   \
    } while (0)

#define READ_EACH(buffer)                                                                          \
    CALL_EACH(CALL_READ(descriptors[index], (buffer) + (size_t)index * READING_SEPARATE,           \
                        READING_SEPARATE * sizeof(uint64_t)))

#define PATH_HAS_SEPARATE
#define PATH_READ_FIRST_group    (void)CALL_READ(descriptor, before, bytes)
#define PATH_READ_LAST_group     status = (long)CALL_READ(descriptor, after, bytes)
#define PATH_READ_FIRST_separate READ_EACH(before)
#define PATH_READ_LAST_separate  READ_EACH(after)

/* Start and stop for paths that switch descriptors: the leader alone for a group, each in turn for
 * separate counters. */
#ifdef CALL_START
#define PATH_SOURCES "perf_event,step"

#define SWITCH_EACH(CALL) CALL_EACH(CALL(descriptors[index]))

#define PATH_START_group    (void)CALL_START(descriptor)
#define PATH_STOP_group     status = (long)CALL_STOP(descriptor)
#define PATH_START_separate SWITCH_EACH(CALL_START)
#define PATH_STOP_separate  SWITCH_EACH(CALL_STOP)
#endif
