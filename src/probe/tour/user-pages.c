/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Maps the pages of the counters of instrument perf. Always while nothing counts: see user_sum in
 * lib/user-read.h. */
#include "probe/tour/pages.h"

#include <errno.h>
#include <string.h>

#include "lib/user-access.h"
#include "lib/user-read.h"
#include "probe/harness/user-usable.h"
#include "syscall.h"

int user_pages_usable(char *reason, size_t size)
{
    return user_usable(reason, size);
}

static int map_all(struct tour_state *state, enum user_mapping how)
{
    struct failure failure = {0};
    for (uint32_t index = 0; index < state->count; index++)
        if (user_access_renew("", state->job->tour.counted.name, state->descriptors[index], how,
                              &state->pages[index], &failure) < 0)
            return job_fail(state->job, failure.code, "%s", failure.text);
    return 0;
}

/* A page says what it promises only while its event counts. */
static int check_page(struct tour_state *state, uint32_t index)
{
    const char *name = state->job->tour.counted.name;
    struct failure failure = {0};
    int switched = state->descriptors[state->separate ? index : 0];
    long result = assay_syscall3(SYS_ioctl, switched, (long)PERF_EVENT_IOC_ENABLE, 0);
    if (result < 0)
        return job_fail(state->job, (int)result, "%s could not be started: %s", name,
                        strerror((int)-result));
    int checked = user_access_check("", name, 0, state->pages[index], &failure);
    assay_syscall3(SYS_ioctl, switched, (long)PERF_EVENT_IOC_DISABLE, 0);
    return checked < 0 ? job_fail(state->job, checked, "%s", failure.text) : 0;
}

int user_pages_map(struct tour_state *state)
{
    int result = map_all(state, USER_MAP_TOUCHED);
    for (uint32_t index = 0; index < state->count && result == 0; index++)
        result = check_page(state, index);
    return result;
}

int user_pages_prepare_cold(struct tour_state *state)
{
    return map_all(state, USER_MAP_COLD);
}

int user_pages_prepare_touched(struct tour_state *state)
{
    return map_all(state, USER_MAP_TOUCHED);
}

int user_pages_prepare_populated(struct tour_state *state)
{
    return map_all(state, USER_MAP_POPULATED);
}

int user_pages_check(struct tour_state *state)
{
    struct job *job = state->job;
    if (state->status < 0)
        return job_fail(
            job, -EOPNOTSUPP,
            "%s came to sit on a counter that no instruction reads. Read it by a system "
            "call (perf-read, perf-syscall)",
            job->tour.counted.name);
    if (user_access_setting("") == USER_SETTING_OFF)
        return job_fail(job, -EACCES,
                        "user code can no longer read %s: such reads were switched off while the "
                        "visit ran. Switch them on again (`assay doctor`, user-access)",
                        job->tour.counted.name);
    return 0;
}
