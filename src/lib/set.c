/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Switching a set on and off, and what it says about its members. */
#include "lib/set.h"

#include <errno.h>
#include <string.h>

#include "syscall.h"

/* One request to the leader of a group, which its siblings follow, or to every counter. */
static int request(const struct assay_set *set, unsigned long what, const char *verb)
{
    int error = 0;
    for (size_t i = 0; i < set->count && !error; i++) {
        if (set->descriptors[i] < 0 || (set->grouped && set->descriptors[i] != set->leader))
            continue;
        error = (int)assay_syscall3(SYS_ioctl, set->descriptors[i], (long)what, 0);
        if (error < 0)
            return set_fail(error, "cannot %s %s: %s", verb, set->members[i].event.name,
                            strerror(-error));
    }
    return 0;
}

int assay_set_enable(struct assay_set *set)
{
    return request(set, PERF_EVENT_IOC_ENABLE, "enable");
}

int assay_set_disable(struct assay_set *set)
{
    return request(set, PERF_EVENT_IOC_DISABLE, "disable");
}

size_t assay_set_size(const struct assay_set *set)
{
    return set->count;
}

const char *assay_set_event(const struct assay_set *set, size_t index)
{
    return index < set->count ? set->members[index].event.name : NULL;
}

int assay_set_error(const struct assay_set *set, size_t index)
{
    return index < set->count ? set->members[index].error : EINVAL;
}

const char *assay_set_reason(const struct assay_set *set, size_t index)
{
    if (index >= set->count)
        return "there is no such event in the set";
    const struct set_member *member = &set->members[index];
    return member->reason ? member->reason : member->error ? strerror(member->error) : "";
}
