/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work whose software events are known, and sets to count it with. Stands after cmocka.h. */
#pragma once

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "assay.h"

/* Touches n fresh pages: n page faults, all of them minor. The memory is mapped before and
 * unmapped after the window by the caller's two calls. */
static inline char *fresh_pages(size_t n)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE) * n;
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    madvise(pages, size, MADV_NOHUGEPAGE);
    return pages;
}

static inline void touch_pages(char *pages, size_t n)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < n; i++)
        ((volatile char *)pages)[i * size] = 1;
}

static inline void drop_pages(char *pages, size_t n)
{
    munmap(pages, (size_t)sysconf(_SC_PAGESIZE) * n);
}

/* Enables the set while n fresh pages are touched. Returns false when the thread had other page
 * faults meanwhile (a loaded machine does that now and then): then the counts say nothing about
 * the library, and the caller tries again. */
static inline bool count_touches(struct assay_set *set, size_t n)
{
    struct rusage before, after;
    char *pages = fresh_pages(n + 1);
    memset(&after, 0, sizeof(after));
    getrusage(RUSAGE_THREAD, &before);
    assert_int_equal(assay_set_enable(set), 0);
    touch_pages(pages, n);
    assert_int_equal(assay_set_disable(set), 0);
    getrusage(RUSAGE_THREAD, &after);
    drop_pages(pages, n + 1);
    return after.ru_minflt - before.ru_minflt == (long)n;
}
#define ATTEMPTS 20

static inline struct assay_set *opened(const char *const *names, size_t count, unsigned flags)
{
    struct assay_set *set = NULL;
    int error = assay_set_open(&set, names, count, flags);
    if (error)
        print_error("%s\n", assay_last_error());
    assert_int_equal(error, 0);
    assert_non_null(set);
    return set;
}
#define OPENED(flags, ...)                                                                         \
    opened((const char *const[]){__VA_ARGS__},                                                     \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), flags)

/* Opens name alone; NULL and the reason when this machine refuses it. */
static inline struct assay_set *opened_or_reason(const char *name, char reason[1024])
{
    struct assay_set *set = NULL;
    reason[0] = '\0';
    if (assay_set_open(&set, &name, 1, 0) < 0) {
        strncat(reason, assay_last_error(), 1023);
        return NULL;
    }
    if (!assay_set_error(set, 0))
        return set;
    strncat(reason, assay_set_reason(set, 0), 1023);
    assay_set_close(set);
    return NULL;
}
