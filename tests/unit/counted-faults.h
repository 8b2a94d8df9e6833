/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calipers of page faults, and work whose faults the operating system counts a second time
 * (getrusage), so that what a loaded machine adds is no error. Stands after cmocka.h. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "assay.h"

static const char *const fault_events[] = {"page-faults:u"};

/* Calibrated. NULL: they cannot be counted here. */
static inline struct assay_calipers *fault_calipers(void)
{
    struct assay_calipers *calipers = NULL;
    if (assay_calipers_open(&calipers, fault_events, 1, 0) < 0)
        return NULL;
    if (assay_calipers_error(calipers, 0) || assay_calibrate() < 0) {
        assay_calipers_close(calipers);
        return NULL;
    }
    return calipers;
}

/* Declares them, or skips the case. */
#define FAULT_CALIPERS(calipers)                                                                   \
    struct assay_calipers *calipers = fault_calipers();                                            \
    if (!calipers)                                                                                 \
    skip_because("page faults cannot be counted here")

static inline uint64_t faults_so_far(void)
{
    struct rusage usage;
    memset(&usage, 0, sizeof(usage));
    getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

#define FRESH_PAGES 8192

/* Memory of which every page faults once. */
struct fresh {
    volatile char *at;
    size_t left, size;
};

static inline struct fresh fresh_memory(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *pages = mmap(NULL, size * FRESH_PAGES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        abort();
    madvise(pages, size * FRESH_PAGES, MADV_NOHUGEPAGE);
    return (struct fresh){pages, FRESH_PAGES, size};
}

/* What it really faulted, as the operating system says. */
static inline uint64_t fault(struct fresh *fresh, size_t pages)
{
    uint64_t before = faults_so_far();
    for (; pages && fresh->left; pages--, fresh->left--, fresh->at += fresh->size)
        *fresh->at = 1;
    return faults_so_far() - before;
}

static inline void release(struct fresh *fresh)
{
    size_t used = (FRESH_PAGES - fresh->left) * fresh->size;
    munmap((char *)(uintptr_t)fresh->at - used, FRESH_PAGES * fresh->size);
}

/* Of the table of this process: regions and corrected sum of a row, without the commas. */
static inline void row_of(const char *name, uint64_t *regions, uint64_t *sum)
{
    static char text[100000];
    FILE *file = tmpfile();
    *regions = *sum = 0;
    if (!file || assay_table(fileno(file)) < 0)
        abort();
    rewind(file);
    size_t length = fread(text, 1, sizeof(text) - 1, file), out = 0;
    fclose(file);
    for (size_t i = 0; i < length; i++)
        if (text[i] != ',')
            text[out++] = text[i];
    text[out] = '\0';
    const char *at = strstr(text, name);
    if (at && sscanf(at + strlen(name), "%lu %*s %lu", regions, sum) != 2)
        *regions = *sum = 0;
}
