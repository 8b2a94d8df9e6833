/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A million regions: no memory is asked for, the process does not grow, and the last of them count
 * what the first did. */
#include <sys/syscall.h>

#include "case.h"
#include "counted-faults.h"
#include "lib/calipers.h"

#define REGIONS 1000000
#define PART    100000

/* The linker has all calls of the library come here first. */
static size_t asked;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    asked++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    asked++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    asked++;
    return __real_realloc(memory, size);
}

/* Pages of the process: mapped, and in memory. */
static void pages_of_process(unsigned long pages[2])
{
    FILE *file = fopen("/proc/self/statm", "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &pages[0], &pages[1]), 2);
    fclose(file);
}

/* Counts that nothing but the program itself makes: faults, and system calls where they can be had.
 */
static const char *const events[] = {"page-faults:u", "raw_syscalls:sys_enter"};

static struct assay_region first = ASSAY_REGION("the first"), middle = ASSAY_REGION("between"),
                           last = ASSAY_REGION("the last"), inner = ASSAY_REGION("million inner");

/* One system call, and a region inside with another one. */
static void one_region(struct assay_region *region)
{
    assay_begin();
    syscall(SYS_getppid);
    assay_begin();
    syscall(SYS_getppid);
    assay_end_in(&inner);
    assay_end_in(region);
}

#define NAMES 100 /* they fill several pages */

/* The first: while there are few. */
TEST(new_names_touch_no_new_page)
{
    FAULT_CALIPERS(calipers);
    static char names[NAMES][8];
    static struct assay_region regions[NAMES];
    for (unsigned i = 0; i < NAMES; i++) {
        snprintf(names[i], sizeof(names[i]), "page %u", i);
        regions[i] = (struct assay_region){.name = names[i]};
    }
    assay_begin();
    assay_end_in(&first);
    assay_begin();
    for (unsigned i = 0; i < NAMES; i++) {
        assay_begin();
        assay_end_in(&regions[i]);
    }
    assay_end();
    struct assay_count count;
    assert_int_equal(assay_counts(&count), 0);
    assert_true(count.corrected == 0);
    assay_calipers_close(calipers);
}

TEST(a_million_regions_need_and_move_nothing)
{
    struct assay_calipers *calipers;
    unsigned long before[2], after[2];
    struct assay_region_total totals[2], inside;
    assert_int_equal(assay_calipers_open(&calipers, events, 2, 0), 0);
    if (assay_calipers_error(calipers, 0))
        skip_because("page faults cannot be counted here");
    assert_int_equal(assay_calibrate(), 0);
    one_region(&first);
    one_region(&middle);
    one_region(&last);
    struct assay_frame *frame = calipers->here.frame;
    pages_of_process(before);
    size_t asked_before = asked;
    for (int i = 0; i < PART; i++)
        one_region(&first);
    for (int i = 0; i < REGIONS / 2 - 2 * PART; i++) /* two regions each */
        one_region(&middle);
    for (int i = 0; i < PART; i++)
        one_region(&last);
    assert_int_equal(asked, asked_before);
    pages_of_process(after);
    assert_int_equal(after[0], before[0]);
    assert_in_range(after[1], 0, before[1] + 128); /* half a byte a region; it is kept by CPU */
    assert_ptr_equal(calipers->here.frame, frame);
    assert_int_equal(calipers->here.depth, 0);
    assert_int_equal(assay_total("million inner", 0, &inside), 0);
    assert_int_equal(inside.regions, REGIONS / 2 + 3);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(assay_total("the first", i, &totals[0]), 0);
        assert_int_equal(assay_total("the last", i, &totals[1]), 0);
        assert_int_equal(totals[0].regions, PART + 1);
        assert_true(totals[0].corrected == totals[1].corrected);
        if (assay_calipers_error(calipers, i))
            print_message("# skip: system calls cannot be counted here: %s\n",
                          assay_calipers_reason(calipers, i));
        else
            assert_true(totals[0].corrected == (i == 0 ? 0 : 2.0 * (PART + 1)));
    }
    assay_calipers_close(calipers);
}
