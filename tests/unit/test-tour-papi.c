/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI's callers in this very process: that their calls switch and read counters indeed, beside
 * those of perf, and that what cannot be counted is refused with a sentence. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "events/event.h"
#include "probe/harness/papi-set.h"
#include "probe/tour/caller.h"
#include "skip.h"
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

static void start_read_and_stop_are_those_of_the_counter(void **context)
{
    struct tour_state *state = &((struct fixture *)*context)->state;
    SKIP_WITHOUT_PAPI();
    open_or_explain(&caller_papi_low, state);
    assert_int_equal(caller_papi_low.settle(state, false), 0);
    call(&caller_papi_low, state, CALL_START);
    take_faults();
    call(&caller_papi_low, state, CALL_READ);
    assert_in_range(state->values[0], FAULTS, FAULTS + 4);
    take_faults();
    call(&caller_papi_low, state, CALL_STOP);
    assert_in_range(state->values[0], 2 * FAULTS, 2 * FAULTS + 8);
    take_faults(); /* nobody counts these */
    call(&caller_papi_low, state, CALL_START);
    call(&caller_papi_low, state, CALL_READ);
    assert_in_range(state->values[0], 0, 4);
}

static void accum_adds_and_starts_again_and_a_check_empties_it(void **context)
{
    struct tour_state *state = &((struct fixture *)*context)->state;
    SKIP_WITHOUT_PAPI();
    open_or_explain(&caller_papi_low, state);
    assert_int_equal(caller_papi_low.settle(state, true), 0);
    for (int64_t time = 1; time <= 3; time++) {
        take_faults();
        call(&caller_papi_low, state, CALL_ACCUM);
        assert_in_range(state->values[0], time * FAULTS, time * (FAULTS + 4));
    }
    assert_int_equal(caller_papi_low.check(state), 0);
    assert_int_equal(state->values[0], 0);
}

/* PAPI takes every name once: 8 counters of one event have 8 names. */
static void all_counters_of_a_set_count_the_event(void **context)
{
    struct tour_state *state = &((struct fixture *)*context)->state;
    SKIP_WITHOUT_PAPI();
    state->job->tour.open = 8;
    open_or_explain(&caller_papi_low, state);
    assert_int_equal(caller_papi_low.settle(state, true), 0);
    take_faults();
    call(&caller_papi_low, state, CALL_READ);
    for (size_t index = 0; index < 8; index++)
        assert_in_range(state->values[index], FAULTS, FAULTS + 4);
}

static void names_of_copies_differ_in_every_mode(void **context)
{
    struct tour_state *state = &((struct fixture *)*context)->state;
    static char names[CELL_MAX_COUNTERS][PAPI_NAME];
    struct job_event *event = &state->job->tour.counted;
    for (unsigned mode = 0; mode < 3; mode++) {
        event->attr.exclude_kernel = mode == 0;
        event->attr.exclude_user = mode == 1;
        for (uint32_t copy = 0; copy < CELL_MAX_COUNTERS; copy++) {
            assert_int_equal(papi_copy_name(state->job, event, copy, names[copy], PAPI_NAME), 0);
            for (uint32_t before = 0; before < copy; before++)
                assert_string_not_equal(names[copy], names[before]);
        }
    }
    char name[PAPI_NAME];
    assert_int_equal(papi_copy_name(state->job, event, 1000, name, sizeof(name)), -E2BIG);
    assert_non_null(strstr(state->job->reason, "takes every name once"));
}

static void perf_and_papi_count_side_by_side(void **context)
{
    struct tour_state *state = &((struct fixture *)*context)->state;
    SKIP_WITHOUT_PAPI();
    enum { VALUE = 0 }; /* where the count stands in a reading of one counter of perf */
    open_or_explain(&caller_papi_low, state);
    open_or_explain(&caller_perf_read, state);
    assert_int_equal(caller_papi_low.settle(state, true), 0);
    assert_int_equal(caller_perf_read.settle(state, true), 0);
    call(&caller_papi_low, state, CALL_READ);
    call(&caller_perf_read, state, CALL_READ);
    int64_t papi = state->values[0], perf = (int64_t)state->reading[VALUE];
    take_faults();
    call(&caller_perf_read, state, CALL_READ);
    call(&caller_papi_low, state, CALL_READ);
    assert_in_range(state->values[0] - papi, FAULTS, FAULTS + 4);
    assert_in_range((int64_t)state->reading[VALUE] - perf, FAULTS, FAULTS + 4);
    /* Stopping one leaves the other running. */
    call(&caller_perf_read, state, CALL_STOP);
    take_faults();
    call(&caller_perf_read, state, CALL_READ);
    call(&caller_papi_low, state, CALL_READ);
    assert_true((int64_t)state->reading[VALUE] - perf < 2 * FAULTS);
    assert_true(state->values[0] - papi >= 2 * FAULTS);
    caller_perf_read.close(state);
}

static void regions_count_and_stay_in_bounds(void **context)
{
    struct tour_state *state = &((struct fixture *)*context)->state;
    SKIP_WITHOUT_PAPI();
    long long values[CELL_MAX_COUNTERS] = {0};
    open_or_explain(&caller_papi_high, state);
    assert_int_equal(caller_papi_high.settle(state, false), 0);
    for (int region = 0; region < 2000; region++) {
        call(&caller_papi_high, state, CALL_BEGIN);
        call(&caller_papi_high, state, CALL_END);
    }
    assert_int_equal(caller_papi_high.check(state), 0);
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
    assert_int_equal(caller_papi_high.check(state), -ENOENT);
    assert_non_null(strstr(state->job->reason, "does not count"));
}

static void a_region_that_was_not_begun_cannot_end(void **context)
{
    struct tour_state *state = &((struct fixture *)*context)->state;
    SKIP_WITHOUT_PAPI();
    open_or_explain(&caller_papi_high, state);
    state->status = 0;
    caller_papi_high.calls[CALL_END].function(state, 1);
    assert_true(state->status < 0);
    assert_true(caller_papi_high.check(state) < 0);
    assert_true(state->job->reason[0] != '\0');
}

static void more_regions_than_memory_is_kept_for_are_refused(void **context)
{
    struct tour_state *state = &((struct fixture *)*context)->state;
    SKIP_WITHOUT_PAPI();
    uint32_t runs = state->job->runs;
    state->job->runs = CELL_MAX_RUNS;
    assert_int_equal(caller_papi_high.open(state), -E2BIG);
    assert_non_null(strstr(state->job->reason, "ask for more processes"));
    state->job->runs = runs;
}

static void what_papi_cannot_name_is_refused(void **context)
{
    static const struct caller *const callers[] = {&caller_papi_low, &caller_papi_high};
    struct tour_state *state = &((struct fixture *)*context)->state;
    SKIP_WITHOUT_PAPI();
    snprintf(state->job->tour.counted.name, JOB_NAME, "msr/tsc/");
    state->job->tour.counted.attr.type = 4711;
    for (size_t index = 0; index < 2; index++) {
        state->job->reason[0] = '\0';
        assert_int_equal(callers[index]->open(state), -ENOTSUP);
        assert_non_null(strstr(state->job->reason, "PAPI has no name for msr/tsc/"));
    }
    snprintf(state->job->tour.counted.name, JOB_NAME, "perf::NO_SUCH_EVENT:u");
    for (size_t index = 0; index < 2; index++) {
        assert_true(callers[index]->open(state) < 0);
        assert_non_null(strstr(state->job->reason, "PAPI does not know perf::NO_SUCH_EVENT"));
    }
}

static void a_set_cannot_be_opened_one_by_one(void **context)
{
    struct tour_state *state = &((struct fixture *)*context)->state;
    state->job->separate = 1;
    state->job->tour.open = 2;
    assert_int_equal(caller_papi_low.open(state), -ENOTSUP);
    assert_int_equal(caller_papi_high.open(state), -ENOTSUP);
    assert_non_null(strstr(state->job->reason, "in one set"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(start_read_and_stop_are_those_of_the_counter),
        CASE(accum_adds_and_starts_again_and_a_check_empties_it),
        CASE(all_counters_of_a_set_count_the_event),
        CASE(names_of_copies_differ_in_every_mode),
        CASE(perf_and_papi_count_side_by_side),
        CASE(what_papi_cannot_name_is_refused),
        CASE(a_set_cannot_be_opened_one_by_one),
        CASE(more_regions_than_memory_is_kept_for_are_refused),
        CASE(a_region_that_was_not_begun_cannot_end),
        CASE(regions_count_and_stay_in_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
