/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI's callers in this very process: that their calls switch and read counters indeed, beside
 * those of perf, and that what cannot be counted is refused with a sentence. */
#include <errno.h>

#include "case.h"
#include "events/event.h"
#include "probe/harness/papi-set.h"
#include "probe/tour/caller.h"
#include "tour-job.h"

extern const struct caller caller_papi_low, caller_papi_high, caller_perf_read;

#define FAULTS INT64_C(16)

/* Takes that many page faults. */
static void take_faults(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)FAULTS * page;
    volatile char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise((void *)(uintptr_t)memory, bytes, MADV_NOHUGEPAGE);
    for (size_t offset = 0; offset < bytes; offset += page)
        memory[offset] = 1;
    munmap((void *)(uintptr_t)memory, bytes);
}

struct fixture {
    struct tour_state state;
    char folder[64];
};

static int set_up(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.folder = "/tmp/assay-test-papi-XXXXXX"};
    fixture.state.job = tour_job("timer.nothing", 10, false, NULL);
    fixture.state.event_set = PAPI_NULL;
    if (!mkdtemp(fixture.folder))
        return -1;
    snprintf(fixture.state.job->folder, sizeof(fixture.state.job->folder), "%s", fixture.folder);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    caller_papi_low.close(&fixture->state);
    tour_job_free(fixture->state.job);
    return rmdir(fixture->folder);
}

#define SKIP_WITHOUT_PAPI()                                                                        \
    do {                                                                                           \
        char reason[512];                                                                          \
        if (papi_usable(reason, sizeof(reason)) < 0)                                               \
            skip_because("%s", reason);                                                            \
    } while (0)

static void open_or_explain(const struct caller *caller, struct tour_state *state)
{
    int result = caller->open(state);
    if (result < 0)
        print_message("# %s\n", state->job->reason);
    assert_int_equal(result, 0);
}

static void call(const struct caller *caller, struct tour_state *state, enum call_kind kind)
{
    state->status = 0;
    caller->calls[kind].function(state, 1);
    assert_true(state->status >= 0);
}

TEST_WITH(start_read_and_stop_are_those_of_the_counter, set_up, tear_down)
{
    struct tour_state *tour = &((struct fixture *)*state)->state;
    SKIP_WITHOUT_PAPI();
    open_or_explain(&caller_papi_low, tour);
    assert_int_equal(caller_papi_low.settle(tour, false), 0);
    call(&caller_papi_low, tour, CALL_START);
    take_faults();
    call(&caller_papi_low, tour, CALL_READ);
    assert_in_range(tour->values[0], FAULTS, FAULTS + 4);
    take_faults();
    call(&caller_papi_low, tour, CALL_STOP);
    assert_in_range(tour->values[0], 2 * FAULTS, 2 * FAULTS + 8);
    take_faults(); /* nobody counts these */
    call(&caller_papi_low, tour, CALL_START);
    call(&caller_papi_low, tour, CALL_READ);
    assert_in_range(tour->values[0], 0, 4);
}

TEST_WITH(accum_adds_and_starts_again_and_a_check_empties_it, set_up, tear_down)
{
    struct tour_state *tour = &((struct fixture *)*state)->state;
    SKIP_WITHOUT_PAPI();
    open_or_explain(&caller_papi_low, tour);
    assert_int_equal(caller_papi_low.settle(tour, true), 0);
    for (int64_t time = 1; time <= 3; time++) {
        take_faults();
        call(&caller_papi_low, tour, CALL_ACCUM);
        assert_in_range(tour->values[0], time * FAULTS, time * (FAULTS + 4));
    }
    assert_int_equal(caller_papi_low.check(tour), 0);
    assert_int_equal(tour->values[0], 0);
}

/* PAPI takes every name once: 8 counters of one event have 8 names. */
TEST_WITH(all_counters_of_a_set_count_the_event, set_up, tear_down)
{
    struct tour_state *tour = &((struct fixture *)*state)->state;
    SKIP_WITHOUT_PAPI();
    tour->job->tour.open = 8;
    open_or_explain(&caller_papi_low, tour);
    assert_int_equal(caller_papi_low.settle(tour, true), 0);
    take_faults();
    call(&caller_papi_low, tour, CALL_READ);
    for (size_t index = 0; index < 8; index++)
        assert_in_range(tour->values[index], FAULTS, FAULTS + 4);
}

TEST_WITH(names_of_copies_differ_in_every_mode, set_up, tear_down)
{
    struct tour_state *tour = &((struct fixture *)*state)->state;
    static char names[CELL_MAX_COUNTERS][PAPI_NAME];
    struct job_event *event = &tour->job->tour.counted;
    for (unsigned mode = 0; mode < 3; mode++) {
        event->attr.exclude_kernel = mode == 0;
        event->attr.exclude_user = mode == 1;
        for (uint32_t copy = 0; copy < CELL_MAX_COUNTERS; copy++) {
            assert_int_equal(papi_copy_name(tour->job, event, copy, names[copy], PAPI_NAME), 0);
            for (uint32_t before = 0; before < copy; before++)
                assert_string_not_equal(names[copy], names[before]);
        }
    }
    char name[PAPI_NAME];
    assert_int_equal(papi_copy_name(tour->job, event, 1000, name, sizeof(name)), -E2BIG);
    assert_non_null(strstr(tour->job->reason, "takes every name once"));
}

TEST_WITH(perf_and_papi_count_side_by_side, set_up, tear_down)
{
    struct tour_state *tour = &((struct fixture *)*state)->state;
    SKIP_WITHOUT_PAPI();
    enum { VALUE = 0 }; /* where the count stands in a reading of one counter of perf */
    open_or_explain(&caller_papi_low, tour);
    open_or_explain(&caller_perf_read, tour);
    assert_int_equal(caller_papi_low.settle(tour, true), 0);
    assert_int_equal(caller_perf_read.settle(tour, true), 0);
    call(&caller_papi_low, tour, CALL_READ);
    call(&caller_perf_read, tour, CALL_READ);
    int64_t papi = tour->values[0], perf = (int64_t)tour->reading[VALUE];
    take_faults();
    call(&caller_perf_read, tour, CALL_READ);
    call(&caller_papi_low, tour, CALL_READ);
    assert_in_range(tour->values[0] - papi, FAULTS, FAULTS + 4);
    assert_in_range((int64_t)tour->reading[VALUE] - perf, FAULTS, FAULTS + 4);
    /* Stopping one leaves the other running. */
    call(&caller_perf_read, tour, CALL_STOP);
    take_faults();
    call(&caller_perf_read, tour, CALL_READ);
    call(&caller_papi_low, tour, CALL_READ);
    assert_true((int64_t)tour->reading[VALUE] - perf < 2 * FAULTS);
    assert_true(tour->values[0] - papi >= 2 * FAULTS);
    caller_perf_read.close(tour);
}

TEST_WITH(regions_count_and_stay_in_bounds, set_up, tear_down)
{
    struct tour_state *tour = &((struct fixture *)*state)->state;
    SKIP_WITHOUT_PAPI();
    long long values[CELL_MAX_COUNTERS] = {0};
    open_or_explain(&caller_papi_high, tour);
    assert_int_equal(caller_papi_high.settle(tour, false), 0);
    for (int region = 0; region < 2000; region++) {
        call(&caller_papi_high, tour, CALL_BEGIN);
        call(&caller_papi_high, tour, CALL_END);
    }
    assert_int_equal(caller_papi_high.check(tour), 0);
    /* What its set counts goes on counting. */
    for (int event_set = 0; event_set < 8; event_set++) {
        int now = 0;
        if (PAPI_state(event_set, &now) != PAPI_OK || !(now & PAPI_RUNNING))
            continue;
        assert_int_equal(PAPI_read(event_set, values), PAPI_OK);
        long long before = values[0];
        take_faults();
        assert_int_equal(PAPI_read(event_set, values), PAPI_OK);
        assert_in_range(values[0] - before, FAULTS, FAULTS + 4);
    }
    assert_true(values[0] > 0);
    assert_int_equal(PAPI_hl_stop(), PAPI_OK);
    /* Then it counts nothing, and that is seen. */
    assert_int_equal(caller_papi_high.check(tour), -ENOENT);
    assert_non_null(strstr(tour->job->reason, "does not count"));
}

TEST_WITH(a_region_that_was_not_begun_cannot_end, set_up, tear_down)
{
    struct tour_state *tour = &((struct fixture *)*state)->state;
    SKIP_WITHOUT_PAPI();
    open_or_explain(&caller_papi_high, tour);
    tour->status = 0;
    caller_papi_high.calls[CALL_END].function(tour, 1);
    assert_true(tour->status < 0);
    assert_true(caller_papi_high.check(tour) < 0);
    assert_true(tour->job->reason[0] != '\0');
}

TEST_WITH(more_regions_than_memory_is_kept_for_are_refused, set_up, tear_down)
{
    struct tour_state *tour = &((struct fixture *)*state)->state;
    SKIP_WITHOUT_PAPI();
    uint32_t runs = tour->job->runs;
    tour->job->runs = CELL_MAX_RUNS;
    assert_int_equal(caller_papi_high.open(tour), -E2BIG);
    assert_non_null(strstr(tour->job->reason, "ask for more processes"));
    tour->job->runs = runs;
}
