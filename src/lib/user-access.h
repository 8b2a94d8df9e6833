/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * May user code read this event's counter itself, and if not, why? Asked before lib/user-read.h
 * reads. Needs no libc function that opens, reads or maps: harnesses measure those. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/perf_event.h>

#include "base/failure.h"

/* Whether the machine's settings allow it. */
enum user_setting {
    USER_SETTING_UNKNOWN, /* there is no such setting, or it cannot be read */
    USER_SETTING_OFF,
    USER_SETTING_ON,
};
enum user_setting user_access_setting(const char *root); /* root: "", or a recorded tree */

/* Changes attr so that user code will be able to read the counter, where the PMU must be told
 * (AArch64): the whole 64 bits where the core has counters of that width. Fails with -EOPNOTSUPP
 * and the reason where user code can never read this event here. name is for the sentence. */
int user_access_request(const char *root, const char *name, struct perf_event_attr *attr,
                        struct failure *failure);

enum user_mapping {
    USER_MAP_COLD,      /* the first read finds it unmapped, where the operating system maps late */
    USER_MAP_POPULATED, /* mapped in, not read since */
    USER_MAP_TOUCHED,   /* read once */
};

/* Maps the page of an open event. */
int user_access_map(const char *root, const char *name, int descriptor, enum user_mapping how,
                    const volatile struct perf_event_mmap_page **page, struct failure *failure);
void user_access_unmap(const volatile struct perf_event_mmap_page *page);

/* Brings a mapping back into that state: without mapping it anew where the operating system can (a
 * new mapping waits for every CPU), else by that, and *page changes. To be called while the event
 * does not count: see user_sum. */
int user_access_renew(const char *root, const char *name, int descriptor, enum user_mapping how,
                      const volatile struct perf_event_mmap_page **page, struct failure *failure);

/* Does this page promise a read from user code, now and to this thread? pid is the one the event
 * was opened for (0: the calling thread). Reads the page and the settings only. */
int user_access_check(const char *root, const char *name, pid_t pid,
                      const volatile struct perf_event_mmap_page *page, struct failure *failure);

/* Tries all of it with an event of its own, the instruction in a child process: a trap ends that,
 * and shows as a reason here. attr is one that was requested above. No signal handler of the
 * caller's is touched, no SIGCHLD sent. 0 also when the event got no counter at the moment, so that
 * nothing could be tried. */
int user_access_try(const char *root, const char *name, const struct perf_event_attr *attr,
                    struct failure *failure);
