/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processes of cold tours, looked into from outside: what the loader has bound before the first
 * call and behind the last, and that the harness itself takes no fault while it meters. */
#include "case.h"
#include "tour-process.h"

#define SWITCHES                                                                                   \
    "timer.nothing,timer.nothing,perf-read.start,perf-read.read,perf-read.stop,perf-read.start,"   \
    "perf-read.read,perf-read.stop"
#define SWITCHES_RUNS 8
#define OF_ASSAY      "timer.nothing,timer.nothing,assay.start,assay.read,assay.stop"
#define OF_ASSAY_RUNS 5

static const char *const measured[] = {"ioctl", "read", NULL};
static const char *const of_assay[] = {"assay_set_enable", "assay_set_disable", "assay_set_take",
                                       NULL};

/* A cold lazy tour binds what it measures in its calls; a warm one, and one that was bound at the
 * start, has bound it before. */
TEST(only_a_cold_lazy_tour_binds_what_it_measures_in_its_calls)
{
    SKIP_WITHOUT_COUNTERS();
    static const struct travel travels[] = {
        {"harness-tour-lazy", SWITCHES, SWITCHES_RUNS, true, measured, true},
        {"harness-tour-lazy", OF_ASSAY, OF_ASSAY_RUNS, true, of_assay, true},
        {"harness-tour-lazy", SWITCHES, SWITCHES_RUNS, false, measured, false},
        {"harness-tour-lazy", OF_ASSAY, OF_ASSAY_RUNS, false, of_assay, false},
        {"harness-tour-bind-now", SWITCHES, SWITCHES_RUNS, true, measured, false},
        {"harness-tour-bind-now", OF_ASSAY, OF_ASSAY_RUNS, true, of_assay, false},
    };
    for (size_t i = 0; i < sizeof(travels) / sizeof(*travels); i++)
        tour_process_travels(&travels[i], "");
}

TEST(only_what_is_called_is_bound)
{
    SKIP_WITHOUT_COUNTERS();
    struct tour_process process;
    tour_process_start(&process, "harness-tour-lazy", "timer.nothing,perf-read.read", 2, true);
    tour_process_travel(&process);
    assert_true(tour_process_unbound(&process, "ioctl"));
    assert_false(tour_process_unbound(&process, "read"));
    assert_true(tour_process_unbound(&process, "prctl"));
    tour_process_end(&process);
}

TEST(a_static_tour_binds_nothing)
{
    struct tour_process process;
    tour_process_start(&process, "harness-tour-static", "timer.nothing", 1, true);
    for (size_t index = 0; index < 2; index++)
        assert_int_equal(tour_file_slot(process.file, measured[index]), 0);
    tour_process_travel(&process);
    tour_process_end(&process);
}

/* Accounts stand around every call of a cold tour. From its second call on they show no fault. */
static void assert_no_faults(const char *harness, const char *calls, uint32_t runs)
{
    struct tour_process process;
    tour_process_start(&process, harness, calls, runs, true);
    tour_process_travel(&process);
    for (uint32_t run = 1; run < runs; run++) {
        assert_int_equal(job_accounts(process.job)[run].minor_faults, 0);
        assert_int_equal(job_accounts(process.job)[run].major_faults, 0);
    }
    tour_process_end(&process);
}

/* So many runs that their rows need many pages. */
TEST(metering_takes_no_fault)
{
    static const char *const harnesses[] = {"harness-tour-static", "harness-tour-lazy",
                                            "harness-tour-bind-now"};
    for (size_t index = 0; index < 3; index++)
        assert_no_faults(harnesses[index], "timer.nothing,timer.gauge,timer.nothing,timer.gauge",
                         4000);
}

TEST(nor_does_a_call_within_the_program)
{
    SKIP_WITHOUT_COUNTERS();
    assert_no_faults("harness-tour-static", SWITCHES, SWITCHES_RUNS);
    assert_no_faults("harness-tour-static", OF_ASSAY, OF_ASSAY_RUNS);
    assert_no_faults("harness-tour-lazy", "timer.nothing,perf-syscall.start,perf-syscall.read", 3);
}
