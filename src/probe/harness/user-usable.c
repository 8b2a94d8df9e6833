/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asked when a harness describes itself, by all that reads counters in user code. */
#include "probe/harness/user-usable.h"

#include <stdint.h>
#include <stdio.h>

#include "lib/user-access.h"

int user_usable(char *reason, size_t size)
{
    static const struct {
        const char *name;
        uint64_t config;
    } candidates[] = {{"instructions:u", PERF_COUNT_HW_INSTRUCTIONS},
                      {"cycles:u", PERF_COUNT_HW_CPU_CYCLES}};
    struct failure first = {0}, other = {0};
    for (size_t index = 0; index < sizeof(candidates) / sizeof(*candidates); index++) {
        struct failure *failure = index ? &other : &first; /* the first reason is the one to give */
        struct perf_event_attr attr = {.size = sizeof(attr),
                                       .type = PERF_TYPE_HARDWARE,
                                       .config = candidates[index].config,
                                       .exclude_kernel = 1,
                                       .exclude_hv = 1};
        if (user_access_request("", candidates[index].name, &attr, failure) == 0 &&
            user_access_try("", candidates[index].name, &attr, failure) == 0)
            return 0;
    }
    snprintf(reason, size, "%s", first.text);
    return first.code;
}
