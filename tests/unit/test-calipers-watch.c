/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What regions notice on this machine: faults inside them, where calipers watch for them or count
 * them anyway, and nothing where nothing happened. */
#include <sys/mman.h>

#include "assay.h"
#include "case.h"

#define PAGES ((size_t)7)

static struct assay_count counts[2];

/* Counts both events in a region that touches so many pages for the first time. */
static void measure(const char *const *events, unsigned flags, size_t pages)
{
    struct assay_calipers *calipers;
    assert_int_equal(assay_calipers_open(&calipers, events, 2, ASSAY_READ | flags), 0);
    assert_int_equal(assay_calibrate(), 0);
    if (assay_calipers_error(calipers, 0) || assay_calipers_error(calipers, 1))
        skip_because("%s%s", assay_calipers_reason(calipers, 0),
                     assay_calipers_reason(calipers, 1));
    volatile char *memory =
        mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise((void *)memory, PAGES * 4096, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++) /* what a sanitizer keeps about it faults here, once */
        memory[i * 4096] = 1;
    madvise((void *)memory, PAGES * 4096, MADV_DONTNEED);
    assay_begin();
    for (size_t i = 0; i < pages; i++)
        memory[i * 4096] = 1;
    assay_end();
    assert_int_equal(assay_counts(counts), 0);
    munmap((void *)memory, PAGES * 4096);
    assay_calipers_close(calipers);
}

TEST(faults_are_noticed_where_they_are_watched)
{
    static const char *const events[] = {"minor-faults:u", "task-clock:u"};
    measure(events, ASSAY_WATCH, PAGES);
    assert_true(counts[0].corrected == PAGES && counts[0].uncertainty == 0);
    assert_false(counts[0].noticed & ASSAY_SAW_FAULTS); /* it does not suffer from what it counts */
    assert_true(counts[1].noticed & ASSAY_SAW_FAULTS);
}

TEST(faults_that_are_counted_anyway_are_noticed_too)
{
    static const char *const events[] = {"page-faults:u", "task-clock:u"};
    measure(events, 0, PAGES);
    assert_true(counts[0].corrected == PAGES && counts[0].uncertainty == 0);
    assert_true(counts[1].noticed & ASSAY_SAW_FAULTS);
}

TEST(a_region_without_faults_is_not_accused)
{
    static const char *const events[] = {"minor-faults:u", "task-clock:u"};
    measure(events, ASSAY_WATCH, 0);
    assert_true(counts[0].corrected == 0 && counts[0].uncertainty == 0);
    assert_false(counts[1].noticed & ASSAY_SAW_FAULTS);
    measure(events, 0, PAGES); /* nobody watched */
    assert_true(counts[0].corrected == PAGES);
    assert_false(counts[1].noticed & ASSAY_SAW_FAULTS);
}
