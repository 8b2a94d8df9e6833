/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tour through callers that keep a diary: which calls are made, in which order and how often,
 * what is refused before any is, and what becomes of a call that fails. */
#include <stdio.h>

#include <errno.h>
#include <sys/resource.h>

#include "case.h"
#include "probe/tour/caller.h"
#include "tour-job.h"

static char diary[4096];
static int failing; /* which note is the one whose call fails, from 1; 0: none */
static int notes;

static void note(struct tour_state *state, const char *what, uint32_t times)
{
    size_t length = strlen(diary);
    snprintf(diary + length, sizeof(diary) - length, "%s%s*%u", length ? " " : "", what, times);
    if (++notes == failing)
        state->status = -EPERM;
}

static void call_start(struct tour_state *state, uint32_t times)
{
    note(state, "start", times);
}

static void call_stop(struct tour_state *state, uint32_t times)
{
    note(state, "stop", times);
}

static void call_read(struct tour_state *state, uint32_t times)
{
    note(state, "read", times);
}

static int settle(struct tour_state *state, bool running)
{
    note(state, running ? "runs" : "stands", 0);
    return 0;
}

static int prepare(struct tour_state *state)
{
    note(state, "prepared", 0);
    return 0;
}

static int explain(struct tour_state *state)
{
    return state->status < 0 ? job_fail(state->job, (int)state->status, "it was tired") : 0;
}

static const struct caller diarist = {
    .path = "diarist",
    .instrument = "diary",
    .note = "",
    .page = "",
    .settle = settle,
    .calls = {[CALL_START] = {call_start, EFFECT_STARTS, WHEN_STOPPED},
              [CALL_STOP] = {call_stop, EFFECT_STOPS, WHEN_RUNNING},
              [CALL_READ] = {call_read, EFFECT_KEEPS, WHEN_ANY}},
};
static const struct caller talker = {.path = "talker",
                                     .instrument = "diary",
                                     .note = "",
                                     .page = "",
                                     .check = explain,
                                     .calls = {[CALL_READ] = {call_read, EFFECT_KEEPS, WHEN_ANY}}};
static const struct caller loner = {.path = "loner",
                                    .instrument = "loneliness",
                                    .note = "",
                                    .page = "",
                                    .alone = true,
                                    .calls = {[CALL_READ] = {call_read, EFFECT_KEEPS, WHEN_ANY}}};
static const struct caller of_cold_pages = {
    .path = "of-cold",
    .instrument = "pages",
    .note = "",
    .page = "cold",
    .prepare = prepare,
    .settle = settle,
    .calls = {[CALL_READ] = {call_read, EFFECT_KEEPS, WHEN_ANY}},
};
static const struct caller of_touched_pages = {
    .path = "of-touched",
    .instrument = "pages",
    .note = "",
    .page = "touched",
    .calls = {[CALL_READ] = {call_read, EFFECT_KEEPS, WHEN_ANY}},
};
const struct caller *const caller_registry[] = {&diarist,       &talker,           &loner,
                                                &of_cold_pages, &of_touched_pages, NULL};

/* Makes the tour. The job is the caller's. */
static int make(struct job *job)
{
    diary[0] = '\0';
    notes = 0;
    return tour_run(job);
}

static void assert_made(const char *calls, uint32_t runs, bool cold, const char *expected)
{
    struct job *job = tour_job(calls, runs, cold, NULL);
    assert_int_equal(make(job), 0);
    assert_string_equal(diary, expected);
    assert_int_equal(job->runs_done, runs);
    tour_job_free(job);
}

static void assert_refused(const char *calls, uint32_t runs, bool cold, const char *reason)
{
    struct job *job = tour_job(calls, runs, cold, NULL);
    assert_true(make(job) < 0);
    assert_string_equal(job->reason, reason);
    assert_string_equal(diary, "");
    assert_int_equal(job->runs_done, 0);
    tour_job_free(job);
}

#ifdef SANITIZED_ADDRESSES
/* A warm tour brings all of its process into memory, and the sanitizer has reserved terabytes
 * there. Harnesses are never built with it. */
SKIP_CHAPTER("with the address sanitizer a warm tour would fill the machine's memory")
#endif

#define ROOM (1u << 20)

/* Of the program's own, and never written before. */
static char room[ROOM];

static long faults(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_minflt;
}

/* The first: before a tour is warm. */
TEST(own_pages_that_were_touched_take_no_fault)
{
    own_pages_touch();
    long before = faults();
    for (size_t at = 0; at < ROOM; at += 512)
        ((volatile char *)room)[at] = 1;
    assert_int_equal(faults(), before);
}

/* Warm tours are made once before they count; an instrument begins as its first switching call
 * wants it, and runs where it is only read; pages are prepared before anything counts in cold
 * tours. */
TEST(tours_are_made_as_they_are_written)
{
    static const struct {
        const char *calls;
        uint32_t runs;
        bool cold;
        const char *diary;
    } tours[] = {
        {"diarist.start,diarist.read*8,diarist.stop", 6, false,
         "stands*0 start*1 read*8 stop*1 start*1 read*8 stop*1 start*1 read*8 stop*1"},
        {"diarist.start,diarist.stop", 2, true, "stands*0 start*1 stop*1"},
        {"diarist.read,diarist.stop,diarist.start", 3, true, "runs*0 read*1 stop*1 start*1"},
        {"diarist.read,diarist.start", 2, true, "stands*0 read*1 start*1"},
        {"diarist.read", 1, true, "runs*0 read*1"},
        {"of-cold.read,of-cold.read", 2, true, "prepared*0 runs*0 read*1 read*1"},
        {"of-cold.read", 1, false, "runs*0 read*1 read*1"},
        {"diarist.start", 1, true, "stands*0 start*1"},
        {"loner.read", 1, true, "read*1"},
        {"of-cold.read,of-touched.read", 2, false, "runs*0 read*1 read*1 read*1 read*1"},
    };
    for (size_t i = 0; i < sizeof(tours) / sizeof(*tours); i++)
        assert_made(tours[i].calls, tours[i].runs, tours[i].cold, tours[i].diary);
}

TEST(tours_that_make_no_sense_are_refused)
{
    static const struct {
        const char *calls;
        uint32_t runs;
        bool cold;
        const char *reason;
    } tours[] = {
        {"diarist.stop,diarist.stop", 2, true,
         "call 2 of the tour, diarist.stop, makes no sense where it stands: diary is stopped then"},
        {"diarist.start,diarist.read,diarist.start", 3, true,
         "call 3 of the tour, diarist.start, makes no sense where it stands: diary is running "
         "then"},
        {"diarist.start", 1, false,
         "the tour begins with diary stopped but leaves it running: its next pass would be another "
         "one"},
        {"diarist.start", 2, true,
         "the tour begins with diary stopped but leaves it running: its next pass would be another "
         "one"},
        {"diarist.read,diarist.read", 3, false, "3 runs are no whole passes of 2 calls"},
        {"diarist.read,nobody.read", 2, false, "this harness has no operation nobody.read"},
        {"diarist.accum", 1, false, "this harness has no operation diarist.accum"},
        {"talker.start", 1, false, "this harness has no operation talker.start"},
        {"loner.read,diarist.read", 2, false,
         "loner switches what is not its own: a tour with it has no other instrument"},
        {"of-cold.read,of-touched.read", 2, true,
         "a cold tour reads pages in one state, but this one both cold and touched ones"},
    };
    for (size_t i = 0; i < sizeof(tours) / sizeof(*tours); i++)
        assert_refused(tours[i].calls, tours[i].runs, tours[i].cold, tours[i].reason);
}

TEST(a_call_that_fails_ends_the_tour_there)
{
    struct job *job = tour_job("diarist.start,diarist.stop", 4, false, NULL);
    failing = 1 + 2 + 2 + 2; /* the state, one pass before, one pass, and the second call */
    int result = make(job);
    failing = 0;
    assert_int_equal(result, -EIO);
    assert_string_equal(job->reason, "call 2 of the tour, diarist.stop, failed: it returned -1");
    assert_string_equal(diary, "stands*0 start*1 stop*1 start*1 stop*1 start*1 stop*1");
    assert_int_equal(job->runs_done, 2);
    tour_job_free(job);
}

TEST(who_knows_why_a_call_failed_says_so)
{
    struct job *job = tour_job("talker.read,talker.read", 2, true, NULL);
    failing = 1;
    int result = make(job);
    failing = 0;
    assert_int_equal(result, -EPERM);
    assert_int_equal(job->error, EPERM);
    assert_string_equal(job->reason, "call 1 of the tour, talker.read, failed: it was tired");
    assert_int_equal(job->runs_done, 0);
    tour_job_free(job);
}

/* Times stand where an account stands. */
TEST(every_pass_of_a_warm_tour_has_an_account_and_every_call_of_a_cold_one)
{
    for (int cold = 0; cold < 2; cold++) {
        struct job *job = tour_job("diarist.read,diarist.read", 4, cold, NULL);
        assert_int_equal(make(job), 0);
        for (uint32_t run = 0; run < 4; run++) {
            assert_int_equal(job_enabled(job)[run] != 0, cold || run % 2 == 0);
            assert_int_equal(job_enabled(job)[run], job_running(job)[run]);
        }
        tour_job_free(job);
    }
}

/* A page that names no counter says all it knows in its offset: a meter that the calls can turn. */
static struct perf_event_mmap_page pages[METERS_MOST];

static void call_turn(struct tour_state *state, uint32_t times)
{
    (void)state;
    for (unsigned index = 0; index < METERS_MOST; index++)
        pages[index].offset += (int64_t)(times * (index + 1));
}

static void turn_and_fail(struct tour_state *state, uint32_t times)
{
    call_turn(state, times);
    state->status = -EPERM;
}

static const struct meter turned = {.count = METERS_MOST,
                                    .pages = {&pages[0], &pages[1], &pages[2]}};

TEST(what_a_call_turns_a_meter_by_is_in_its_own_span)
{
    static span_loop *const loops[] = {spans_one, spans_two, spans_three};
    const struct span spans[] = {{call_turn, 7}, {call_turn, 1}, {call_turn, 100}};
    struct tour_state tour = {0};
    for (size_t meters = 1; meters <= METERS_MOST; meters++) {
        uint64_t values[3 * METERS_MOST] = {0};
        assert_int_equal(loops[meters - 1](&tour, &turned, spans, 3, values), 0);
        for (size_t row = 0; row < 3; row++)
            for (size_t index = 0; index < meters; index++)
                assert_int_equal(values[row * meters + index], spans[row].times * (index + 1));
    }
}

TEST(spans_end_behind_the_call_that_failed)
{
    const struct span spans[] = {{call_turn, 7}, {turn_and_fail, 3}, {call_turn, 1}};
    struct tour_state tour = {0};
    uint64_t values[3] = {0};
    assert_int_equal(spans_one(&tour, &turned, spans, 3, values), 2);
    assert_int_equal(values[0], 7);
    assert_int_equal(values[1], 3);
    assert_int_equal(values[2], 0);
    assert_int_equal(spans_ticks(&tour, &turned, spans, 3, values), 2);
    assert_int_equal(values[2], 0);
}

TEST(a_meter_that_wraps_counts_on)
{
    struct job *job = tour_job("diarist.read", 1, false, NULL);
    struct meter narrow = {.count = 1, .pages = {&pages[0]}};
    uint64_t values[] = {5, UINT64_C(5) - (UINT64_C(1) << 32)};
    pages[0].pmc_width = 32;
    pages[0].index = 1;
    assert_int_equal(meter_settle(&narrow, job, values, 2), 0);
    assert_int_equal(values[0], 5);
    assert_int_equal(values[1], 5);
    pages[0].index = 0;
    assert_int_equal(meter_settle(&narrow, job, values, 2), -EBUSY);
    tour_job_free(job);
}

/* By some events, as corrections of the operating system may: that is a little less than nothing,
 * not all that the counter can hold. */
TEST(a_meter_that_goes_back_says_so)
{
    struct job *job = tour_job("diarist.read", 1, false, NULL);
    struct meter narrow = {.count = 1, .pages = {&pages[0]}};
    uint64_t values[] = {(uint64_t)-3, (UINT64_C(1) << 48) - 3, (UINT64_C(1) << 47) - 1};
    pages[0].pmc_width = 48;
    pages[0].index = 1;
    assert_int_equal(meter_settle(&narrow, job, values, 3), 0);
    assert_true((int64_t)values[0] == -3 && (int64_t)values[1] == -3);
    assert_true(values[2] == (UINT64_C(1) << 47) - 1);
    pages[0].index = 0;
    tour_job_free(job);
}

TEST(a_meter_that_could_not_be_read_is_no_number)
{
    struct job *job = tour_job("diarist.read", 1, false, NULL);
    struct meter one = {.count = 1, .pages = {&pages[0]}};
    uint64_t values[] = {5, METER_UNREAD};
    pages[0].index = 1;
    assert_int_equal(meter_settle(&one, job, values, 2), -EOPNOTSUPP);
    assert_non_null(strstr(job->reason, "no instruction reads"));
    pages[0].index = 0;
    tour_job_free(job);
}
