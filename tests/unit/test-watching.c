/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Watches of clocks that are made up: the order of looks, what rows, steps and edges keep, and what
 * becomes of a clock that stands still, goes back or fails. */
#include <errno.h>
#include <pthread.h>

#include "case.h"
#include "probe/clocks/clock.h"
#include "probe/watch/watch.h"
#include "syscall.h"
#include "watch-job.h"

/* How many readings were made in all, of whatever clock: the time here. */
static uint64_t readings;
static char diary[4096];

static int open_any(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    (void)reader, (void)claim, (void)reason, (void)size;
    return 0;
}

static int open_never(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    (void)reader, (void)claim;
    snprintf(reason, size, "it was sold");
    return -ENODEV;
}

static uint64_t read_counter(struct clock_reader *reader)
{
    size_t length = strlen(diary);
    if (length + 2 < sizeof(diary))
        snprintf(diary + length, 2, "%s", reader->clock->name);
    return __atomic_fetch_add(&readings, 1, __ATOMIC_SEQ_CST);
}

static void fill_by_reading(struct clock_reader *reader, uint64_t *values, size_t count)
{
    for (size_t index = 0; index < count; index++)
        values[index] = reader->clock->read(reader);
}

static uint64_t read_coarse(struct clock_reader *reader)
{
    (void)reader;
    return 100 + ++readings / 10;
}

static uint64_t read_still(struct clock_reader *reader)
{
    (void)reader;
    return 7;
}

/* Goes back by 3 at its fourth reading and by 5 at its seventh, of eight. */
static uint64_t read_backwards(struct clock_reader *reader)
{
    static const uint64_t shown[] = {10, 20, 30, 27, 28, 29, 24, 24};
    return shown[reader->id++ % 8];
}

/* Fails when 20 readings were made. */
static uint64_t read_failing(struct clock_reader *reader)
{
    return ++readings < 20 ? readings : clock_fails(reader, EIO, "it fell down");
}

/* Hesitates for longer than anybody waits, where its thread is not the process's first. */
static uint64_t read_hesitating(struct clock_reader *reader)
{
    (void)reader;
    struct timespec pause = {.tv_sec = 2, .tv_nsec = 300000000};
    if (assay_syscall0(SYS_gettid) != assay_syscall0(SYS_getpid) && ++readings > 4)
        assay_syscall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&pause, 0);
    return readings;
}

#define MADE_UP(symbol, text, opens, reads)                                                        \
    static const struct clock symbol = {.name = (text),                                            \
                                        .way = "test",                                             \
                                        .note = "",                                                \
                                        .open = (opens),                                           \
                                        .read = (reads),                                           \
                                        .fill = fill_by_reading}
MADE_UP(clock_a, "a", open_any, read_counter);
MADE_UP(clock_b, "b", open_any, read_counter);
MADE_UP(clock_c, "c", open_any, read_counter);
MADE_UP(coarse, "coarse", open_any, read_coarse);
MADE_UP(still, "still", open_any, read_still);
MADE_UP(backwards, "backwards", open_any, read_backwards);
MADE_UP(failing, "failing", open_any, read_failing);
MADE_UP(hesitating, "hesitating", open_any, read_hesitating);
MADE_UP(sold, "sold", open_never, read_counter);

const struct clock *const clock_registry[] = {&clock_a,   &clock_b, &clock_c,    &coarse, &still,
                                              &backwards, &failing, &hesitating, &sold,   NULL};

static struct affinity allowed;

/* Some watches pin the thread that runs them, which is this one. */
static int find_places(void **state)
{
    (void)state;
    return affinity_get(&allowed);
}

static int leave_places(void **state)
{
    (void)state;
    return affinity_set(&allowed);
}

static int run(struct job *job)
{
    readings = 0;
    diary[0] = '\0';
    return watch_run(job, false);
}

static void assert_refused(struct job *job, int code, const char *words)
{
    int result = run(job);
    if (result != code || !strstr(job->reason, words))
        print_message("# %d: %s\n", result, job->reason);
    assert_int_equal(result, code);
    assert_int_equal(job->error, -code);
    assert_non_null(strstr(job->reason, words));
    watch_job_free(job);
}

TEST_WITH(looks_go_forwards_and_backwards_in_turn, NULL, leave_places)
{
    struct job *job = watch_job(WATCH_INTERVAL, WATCH_CLOCKS("a", "b", "c"), 12, 0, NULL);
    assert_int_equal(run(job), 0);
    /* A rehearsal, then two intervals of two sides. */
    assert_string_equal(diary, "abccba"
                               "abccbaabcabccbaabc"
                               "abccbaabcabccbaabc");
    assert_int_equal(job->runs_done, 12);
    watch_job_free(job);
}

TEST_WITH(every_thread_has_looks_of_its_own, NULL, leave_places)
{
    struct job *job = watch_job(WATCH_INTERVAL, WATCH_CLOCKS("a"), 36, 100, NULL);
    bool seen[36 + 6] = {false};
    job->watch.threads = 3;
    assert_int_equal(run(job), 0);
    assert_int_equal(job->runs_done, 36);
    for (uint32_t run_ = 0; run_ < 36; run_++) {
        uint64_t value = watch_value(job, run_, 0);
        assert_in_range(value, 6, 41); /* behind the rehearsals of three threads */
        assert_false(seen[value]);
        seen[value] = true;
        if (run_ % 6)
            assert_true(value > watch_value(job, run_ - 1, 0));
    }
    /* The second interval begins when the first has ended in all threads. */
    for (uint32_t thread = 0; thread < 3; thread++)
        assert_true(watch_value(job, 18, 0) > watch_value(job, thread * 6 + 5, 0));
    watch_job_free(job);
}

TEST_WITH(an_interval_can_be_handed_over, NULL, leave_places)
{
    struct job *job = watch_job(WATCH_INTERVAL, WATCH_CLOCKS("a", "b"), 12, 0, NULL);
    job->watch.handover = 1;
    assert_int_equal(run(job), 0);
    assert_string_equal(diary, "abba"
                               "abbaababbaab"
                               "abbaababbaab");
    assert_int_equal(job->runs_done, 12);
    job->watch.threads = 2;
    assert_refused(job, -EINVAL, "one thread hands an interval over");
}

TEST_WITH(a_row_keeps_its_ends_and_every_step_back, NULL, leave_places)
{
    struct job *job = watch_job(
        WATCH_ROW, WATCH_CLOCKS("backwards", "backwards", "backwards", "backwards", "a", "a"), 3, 8,
        NULL);
    const uint64_t expected[ROW_WORST + 1] = {10, 24, 2, 5};
    assert_int_equal(run(job), 0);
    for (uint32_t block = 0; block < 3; block++) {
        for (uint32_t column = 0; column <= ROW_WORST; column++)
            assert_int_equal(watch_value(job, block, column), expected[column]);
        assert_int_equal(watch_value(job, block, ROW_AFTER),
                         watch_value(job, block, ROW_BEFORE) + 1);
    }
    assert_int_equal(job->runs_done, 3);
    watch_job_free(job);
}

TEST_WITH(every_step_is_another_value, NULL, leave_places)
{
    struct job *job = watch_job(WATCH_STEPS, WATCH_CLOCKS("coarse", "a"), 4, 1000000, NULL);
    assert_int_equal(run(job), 0);
    for (uint32_t step = 0; step < 4; step++) {
        assert_int_equal(watch_value(job, step, 0), 101 + step);
        assert_true(watch_value(job, step, 1) >= UINT64_C(10) * (step + 1));
        assert_true(watch_value(job, step, 1) <= UINT64_C(10) * (step + 1) + 2);
    }
    assert_int_equal(job->runs_done, 4);
    watch_job_free(job);
}

TEST_WITH(a_clock_that_stands_still_has_no_steps, NULL, leave_places)
{
    assert_refused(watch_job(WATCH_STEPS, WATCH_CLOCKS("still", "a"), 1, 500, NULL), -ETIME,
                   "still showed 7 for 500 µs");
    assert_refused(watch_job(WATCH_EDGES, WATCH_CLOCKS("still", "a"), 2, 500, NULL), -ETIME,
                   "still showed 7 for 500 µs");
}

/* Readings of both clocks make one time here, in which the coarse one changes at every tenth. */
TEST_WITH(an_edge_lies_between_its_two_looks, NULL, leave_places)
{
    struct job *job = watch_job(WATCH_EDGES, WATCH_CLOCKS("coarse", "a"), 6, 1000000, NULL);
    assert_int_equal(run(job), 0);
    for (uint32_t run_ = 0; run_ < 6; run_ += 2) {
        uint64_t old = watch_value(job, run_, 0), new = watch_value(job, run_ + 1, 0);
        uint64_t before = watch_value(job, run_, 1), after = watch_value(job, run_ + 1, 1);
        uint64_t edge = (new - 100) * 10;
        assert_int_equal(new, old + 1);
        assert_true(before < edge && edge <= after);
        /* A look, the last old reading, a look, the first new one, a look. */
        assert_int_equal(after - before, 4);
        if (run_)
            assert_int_equal(old, watch_value(job, run_ - 1, 0));
    }
    watch_job_free(job);
}

TEST_WITH(a_reading_that_fails_fails_the_visit, NULL, leave_places)
{
    struct job *job = watch_job(WATCH_INTERVAL, WATCH_CLOCKS("failing"), 30, 0, NULL);
    assert_int_equal(run(job), -EIO);
    assert_int_equal(job->runs_done, 12); /* what was whole before */
    assert_refused(job, -EIO, "a reading of the clock failing failed: it fell down");
    assert_refused(watch_job(WATCH_ROW,
                             WATCH_CLOCKS("failing", "failing", "failing", "failing", "a", "a"), 1,
                             30, NULL),
                   -EIO, "it fell down");
}

TEST_WITH(a_clock_that_cannot_be_opened_fails_the_visit, NULL, leave_places)
{
    struct job *job = watch_job(WATCH_INTERVAL, WATCH_CLOCKS("a", "sold"), 18, 0, NULL);
    job->watch.threads = 3;
    assert_refused(job, -ENODEV, "the clock sold cannot be read here: it was sold");
    job = watch_job(WATCH_INTERVAL, WATCH_CLOCKS("unheard"), 6, 0, NULL);
    assert_int_equal(run(job), -ENOENT);
    watch_job_free(job);
}

TEST_WITH(what_makes_no_sense_is_refused, NULL, leave_places)
{
    assert_refused(watch_job(WATCH_INTERVAL, WATCH_CLOCKS("a"), 7, 0, NULL), -EINVAL,
                   "7 runs of a watch of interval are no multiple of 6");
    struct job *job = watch_job(WATCH_INTERVAL, WATCH_CLOCKS("a"), 6, 0, NULL);
    job->watch.threads = 2;
    assert_refused(job, -EINVAL, "no multiple of 12");
    job = watch_job(WATCH_INTERVAL, WATCH_CLOCKS("a"), 6, 0, NULL);
    job->watch.threads = 0;
    assert_refused(job, -EINVAL, "1 to 64 threads, not 0");
    job = watch_job(WATCH_INTERVAL, WATCH_CLOCKS("a"), 6, 0, NULL);
    snprintf(job->watch.workload, sizeof(job->watch.workload), "dance");
    assert_refused(job, -ENOENT, "no workload dance");
    job = watch_job(WATCH_INTERVAL, WATCH_CLOCKS("a"), 6, 0, NULL);
    memset(job->watch.workload, 'x', sizeof(job->watch.workload));
    assert_refused(job, -EINVAL, "no kind of watch");
    assert_refused(watch_job(WATCH_STEPS, WATCH_CLOCKS("a"), 1, 1, NULL), -EINVAL, "columns");
    assert_refused(watch_job(WATCH_ROW, WATCH_CLOCKS("a", "a", "a", "a", "b", "b"), 1, 0, NULL),
                   -EINVAL, "the length 0");
    assert_refused(watch_job(WATCH_ROW, WATCH_CLOCKS("a", "a", "a", "a", "b", "b"), 1, 65537, NULL),
                   -EINVAL, "the length 65537");
    assert_refused(watch_job(WATCH_OUTSIDE, WATCH_CLOCKS("a", "b", "a"), 1, 0, NULL), -EINVAL,
                   "no kind of watch");
    assert_refused(watch_job((enum watch_kind)99, WATCH_CLOCKS("a"), 1, 0, NULL), -EINVAL,
                   "no kind of watch");
}

TEST_WITH(trips_need_two_cpus, NULL, leave_places)
{
    struct job *job = watch_job(WATCH_TRIPS, WATCH_CLOCKS("a"), 3, 0, NULL);
    job->cpu = job->watch.partner = place_now();
    assert_refused(job, -EINVAL, "trips need two CPUs");
    job = watch_job(WATCH_TRIPS, WATCH_CLOCKS("a"), 3, 0, NULL);
    job->cpu = place_now();
    job->watch.partner = 8000;
    assert_refused(job, -EINVAL, "cannot pin to CPU 8000");
}

TEST_WITH(a_partner_that_does_not_answer_is_given_up, NULL, leave_places)
{
    struct places places;
    struct failure failure;
    assert_int_equal(places_find(&places, -1, &failure), 0);
    if (places.count < 2) {
        print_message("# only one CPU is allowed here\n");
        skip();
    }
    struct job *job = watch_job(WATCH_TRIPS, WATCH_CLOCKS("hesitating"), 300, 0, NULL);
    job->cpu = (int)affinity_nth(&places.allowed, 0);
    job->watch.partner = (int)affinity_nth(&places.allowed, 1);
    assert_int_equal(run(job), -ETIMEDOUT);
    assert_non_null(strstr(job->reason, "gave up"));
    watch_job_free(job);
}

/* With a made-up set of CPUs; nothing is moved. */
TEST_WITH(moves_go_round_and_end_elsewhere, NULL, leave_places)
{
    struct places three = {.count = 3, .home = -1}, two = {.count = 2, .home = -1};
    three.allowed.words[0] = 1u << 1 | 1u << 4 | 1u << 7;
    two.allowed.words[0] = 1u << 2 | 1u << 5;
    assert_int_equal(places_next(&three, 1), 4);
    assert_int_equal(places_next(&three, 7), 1);
    assert_int_equal(places_next(&three, 5), 7); /* not one of its own */
    assert_int_equal(places_target(&three, 1, 1, 0, 3), 4);
    assert_int_equal(places_target(&three, 1, 4, 1, 3), 7);
    assert_int_equal(places_target(&three, 1, 7, 2, 3), 4);
    assert_int_equal(places_target(&two, 2, 5, 1, 2), 2);
}

GROUP(find_places, NULL)
