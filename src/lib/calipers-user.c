/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Calipers whose counters the caller's own code reads, from the pages that the operating system
 * maps for them: opening these, what their words come to, and how a disturbance shows. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <sys/syscall.h>

#include "lib/calipers.h"
#include "lib/in-place.h"
#include "lib/set.h"
#include "lib/user-access.h"
#include "lib/user-read.h"

_Static_assert(offsetof(struct perf_event_mmap_page, time_enabled) == 24, "time_enabled");
_Static_assert(offsetof(struct perf_event_mmap_page, time_running) == 32, "time_running");

typedef const volatile struct perf_event_mmap_page user_page;

static user_page *page_of(const struct assay_calipers *calipers, size_t index)
{
    return calipers->here.pages[index];
}

static int request(struct event *event, struct failure *failure)
{
    return user_access_request("", event->name, &event->attr, failure);
}

/* One event tells for all whether the instruction traps. */
static int try_first(const struct assay_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct event *event = &set->members[i].event;
        if (set->descriptors[i] >= 0)
            return user_access_try("", event->name, &event->attr, set_failure());
    }
    return set_fail(-EOPNOTSUPP, "user code can only read counters of the CPU, and %s",
                    assay_set_reason(set, 0));
}

/* Before the events count: see user_sum. */
static int map_pages(struct assay_calipers *calipers)
{
    const struct assay_set *set = calipers->set;
    size_t mapped = 0;
    for (size_t i = 0; i < set->count; i++) {
        user_page *page;
        if (set->descriptors[i] < 0)
            continue;
        int error = user_access_map("", set->members[i].event.name, set->descriptors[i],
                                    USER_MAP_TOUCHED, &page, set_failure());
        if (error < 0)
            return error;
        calipers->here.pages[mapped++] = page;
    }
    return 0;
}

/* Some pages promise a read only while their events count. */
static int check_pages(const struct assay_calipers *calipers)
{
    const struct assay_set *set = calipers->set;
    size_t mapped = 0;
    int error = 0;
    for (size_t i = 0; i < set->count && !error; i++)
        if (set->descriptors[i] >= 0)
            error = user_access_check("", set->members[i].event.name, 0,
                                      page_of(calipers, mapped++), set_failure());
    return error;
}

int calipers_user_open(struct assay_calipers *calipers, const char *const *names, size_t count)
{
    if (!IN_PLACE_USER)
        return set_fail(-EOPNOTSUPP, "assay does not know this ISA's instruction that reads a "
                                     "counter in user code");
    int error = set_open(&calipers->set, names, count, 0, request);
    if (error < 0)
        return error;
    error = try_first(calipers->set);
    if (!error)
        error = map_pages(calipers);
    if (!error)
        error = assay_set_enable(calipers->set);
    if (!error)
        error = check_pages(calipers);
    if (error < 0) {
        calipers_user_close(calipers);
        assay_set_close(calipers->set);
        calipers->set = NULL;
        return error == -EINVAL || error == -ENOENT ? -EOPNOTSUPP : error;
    }
    calipers->here.ways |= ASSAY_WAY_USER;
    calipers->path = ASSAY_PATH_USER;
    return 0;
}

void calipers_user_close(struct assay_calipers *calipers)
{
    calipers->here.ways &= ~(uint32_t)ASSAY_WAY_USER;
    for (size_t i = 0; i < ASSAY_CALIPERS_MOST; i++) {
        user_access_unmap(page_of(calipers, i));
        calipers->here.pages[i] = NULL;
    }
}

uint64_t calipers_user_count(const struct assay_calipers *calipers, const struct assay_frame *frame,
                             size_t word)
{
    unsigned width = page_of(calipers, word / 2)->pmc_width;
    const uint64_t *begun = &frame->user[0][word], *ended = &frame->user[1][word];
    return user_sum(ended[0], ended[1], width) - user_sum(begun[0], begun[1], width);
}

/* The times by the system call, because those in a page are of its last update. A group and a
 * single event report them in the same place. */
void calipers_user_shared(const struct assay_calipers *calipers, struct assay_frame *frame)
{
    uint64_t report[GROUP_COUNTS + ASSAY_CALIPERS_MOST] = {0};
    long size = (long)calipers->set->reader.size;
    long got =
        assay_syscall3(SYS_read, calipers->set->reader.descriptor, (long)(uintptr_t)report, size);
    bool told = got == size && report[GROUP_ENABLED] > frame->enabled_ns;
    frame->enabled_ns = told ? report[GROUP_ENABLED] - frame->enabled_ns : 1;
    frame->running_ns = told ? report[GROUP_RUNNING] - frame->running_ns : 0;
    frame->noticed |= ASSAY_SAW_MULTIPLEXING;
    frame[-1].noticed |= ASSAY_SAW_DISTURBED; /* what stands here is within the region around */
}
