/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads with regions of the same names, with calipers closed and left open: what the process has
 * in the end is what they did. Also compiled with ThreadSanitizer. */
#include <errno.h>
#include <pthread.h>

#include "case.h"
#include "counted-faults.h"

#define THREADS 8u
#define TIMES   200ul

static struct assay_region outer = ASSAY_REGION("outer"), inner = ASSAY_REGION("inner"),
                           first = ASSAY_REGION("first one"), last = ASSAY_REGION("last one");

/* The sanitizer's own memory faults anywhere in a region, and not only where the truth is taken. */
#ifdef SANITIZED_THREADS
#define assert_sum(sum, truth) assert_true((sum) >= (truth))
#else
#define assert_sum(sum, truth) assert_int_equal(sum, truth)
#endif

struct work {
    pthread_t thread;
    unsigned number;
    uint64_t faulted[2]; /* inner and outer */
    struct assay_calipers *calipers;
    int refused;
};

static void *work(void *argument)
{
    struct work *mine = argument;
    struct assay_calipers *calipers = fault_calipers();
    struct fresh fresh = fresh_memory();
    if (!calipers)
        return NULL;
    mine->calipers = calipers;
    fault(&fresh, 1); /* what the first call of it and the first name touch is not in the truth */
    assay_begin();
    assay_end_in(&first);
    for (unsigned i = 0; i < TIMES; i++) {
        assay_begin();
        uint64_t inside = fault(&fresh, 1);
        assay_begin();
        uint64_t deeper = fault(&fresh, mine->number % 3);
        assay_end_in(&inner);
        assay_end_in(&outer);
        mine->faulted[0] += deeper;
        mine->faulted[1] += inside + deeper;
    }
    release(&fresh);
    /* Names that all of them meet at the same moment, most of them new. */
    for (unsigned i = 0; i < 50; i++) {
        char text[16];
        snprintf(text, sizeof(text), "new %u", i);
        struct assay_region own = {text, 0};
        assay_begin();
        assay_end_in(&own);
    }
    assay_begin();
    if (mine->number % 2 == 0) {
        assay_end_in(&last);
        assay_calipers_close(calipers);
    } /* else the thread ends in a region, and its calipers are closed for it */
    return NULL;
}

TEST(merged_sums_are_what_all_threads_did)
{
    FAULT_CALIPERS(probe);
    assay_calipers_close(probe);
    struct work works[THREADS] = {0};
    uint64_t faulted[2] = {0, 0}, regions, sum;
    for (unsigned i = 0; i < THREADS; i++) {
        works[i].number = i;
        assert_int_equal(pthread_create(&works[i].thread, NULL, work, &works[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(works[i].thread, NULL);
        assert_non_null(works[i].calipers);
        faulted[0] += works[i].faulted[0];
        faulted[1] += works[i].faulted[1];
    }
    assert_true(faulted[1] >= THREADS * TIMES);
    row_of("inner", &regions, &sum);
    assert_int_equal(regions, THREADS * TIMES);
    assert_sum(sum, faulted[0]);
    row_of("outer", &regions, &sum);
    assert_int_equal(regions, THREADS * TIMES);
    assert_sum(sum, faulted[1]);
    row_of("last one", &regions, &sum);
    assert_int_equal(regions, THREADS / 2);
    for (unsigned i = 0; i < 50; i++) {
        char name[32];
        snprintf(name, sizeof(name), "\nnew %u ", i);
        row_of(name, &regions, &sum);
        assert_int_equal(regions, THREADS);
    }
}

static void *meddle(void *argument)
{
    struct work *mine = argument;
    mine->refused = assay_calipers_select(mine->calipers);
    assay_calipers_close(mine->calipers);
    if (!strstr(assay_last_error(), "thread"))
        mine->refused = 0;
    assay_begin(); /* without calipers: nothing */
    assay_begin();
    assay_end_in(&outer);
    assay_end();
    assay_end();
    struct assay_count count;
    if (assay_counts(&count) != -ENODEV)
        mine->refused = 0;
    return NULL;
}

TEST(threads_keep_their_hands_off_others_calipers)
{
    struct work mine = {.calipers = fault_calipers()};
    struct assay_count count;
    if (!mine.calipers)
        skip_because("page faults cannot be counted here");
    struct fresh fresh = fresh_memory();
    assay_begin();
    assert_int_equal(pthread_create(&mine.thread, NULL, meddle, &mine), 0);
    pthread_join(mine.thread, NULL);
    assay_end();
    assert_int_equal(mine.refused, -EPERM);
    assay_begin();
    uint64_t truth = fault(&fresh, 5);
    assay_end();
    assert_int_equal(assay_counts(&count), 0);
    assert_sum((uint64_t)count.corrected, truth);
    release(&fresh);
    assay_calipers_close(mine.calipers);
}
