/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processes of cold tours of PAPI, looked into from outside: its functions are bound by the
 * calls that are metered, and by nothing before. */
#include <sys/syscall.h>

#include "case.h"
#include "tour-process.h"

#define LOW  "timer.nothing,papi-low.start,papi-low.read,papi-low.accum,papi-low.stop"
#define READ "timer.nothing,papi-low.read,papi-low.read"
#define HIGH "timer.nothing,papi-high.begin,papi-high.end,papi-high.begin,papi-high.end"

static const char *const low[] = {"PAPI_start", "PAPI_read", "PAPI_accum", "PAPI_stop"};
static const char *const high[] = {"PAPI_hl_region_begin", "PAPI_hl_region_end"};

static int why_not(void)
{
    struct job *job = tour_job("timer.nothing", 1, false, NULL);
    long fd = syscall(SYS_perf_event_open, &job->tour.counted.attr, 0, -1, -1, 0);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0)
        close((int)fd);
    tour_job_free(job);
    return error;
}

/* The line in which its harness says that PAPI cannot count here; "" where it can. */
static const char *papi_absence(void)
{
    static char line[512];
    char command[4200];
    const char *build = getenv("ASSAY_BUILD");
    snprintf(command, sizeof(command), "'%s/src/probe/tour/harness-tour-papi-lazy' --describe",
             build ? build : "build");
    FILE *said = popen(command, "r"); // NOLINT(cert-env33-c): a build folder of our own
    assert_non_null(said);
    const char *found = "";
    while (!*found && fgets(line, sizeof(line), said))
        if (strncmp(line, "lacking papi-", strlen("lacking papi-")) == 0)
            found = line;
    line[strcspn(line, "\n")] = '\0';
    pclose(said);
    return found;
}

#define SKIP_WITHOUT_COUNTERS()                                                                    \
    do {                                                                                           \
        int error = why_not();                                                                     \
        if (error)                                                                                 \
            skip_because("page-faults:u cannot be opened here: %s", strerror(error));              \
        if (!tour_processes_open())                                                                \
            skip_because("processes of our own cannot be looked into here");                       \
        if (*papi_absence())                                                                       \
            skip_because("%s", papi_absence());                                                    \
    } while (0)

/* Where a report would go, which no tour writes. */
static const char folder[] = "/nowhere";

static void assert_slots(const struct tour_process *process, const char *const *symbols,
                         size_t count, bool unbound)
{
    for (size_t index = 0; index < count; index++)
        assert_int_equal(tour_process_unbound(process, symbols[index]), unbound);
}

static void travel(const char *harness, const char *calls, uint32_t runs,
                   const char *const *symbols, size_t count, bool unbound_before)
{
    struct tour_process process;
    tour_process_start_in(&process, harness, calls, runs, true, folder);
    assert_slots(&process, symbols, count, unbound_before);
    tour_process_travel(&process);
    assert_slots(&process, symbols, count, false);
    tour_process_end(&process);
}

TEST(calls_of_a_cold_lazy_tour_bind_themselves)
{
    SKIP_WITHOUT_COUNTERS();
    travel("harness-tour-papi-lazy", LOW, 5, low, 4, true);
    travel("harness-tour-papi-lazy", HIGH, 5, high, 2, true);
}

TEST(what_is_bound_at_the_start_is_bound_before)
{
    SKIP_WITHOUT_COUNTERS();
    travel("harness-tour-papi-bind-now", LOW, 5, low, 4, false);
    travel("harness-tour-papi-bind-now", HIGH, 5, high, 2, false);
}

/* The counters run before the first read: started without binding what a tour would measure. */
TEST(a_tour_that_reads_first_has_bound_no_start)
{
    SKIP_WITHOUT_COUNTERS();
    struct tour_process process;
    tour_process_start_in(&process, "harness-tour-papi-lazy", READ, 3, true, folder);
    assert_slots(&process, low, 4, true);
    tour_process_travel(&process);
    assert_false(tour_process_unbound(&process, "PAPI_read"));
    assert_true(tour_process_unbound(&process, "PAPI_start"));
    assert_true(tour_process_unbound(&process, "PAPI_stop"));
    tour_process_end(&process);
}

/* The library starts within the first region: its faults are that call's. */
TEST(the_first_region_starts_the_library)
{
    SKIP_WITHOUT_COUNTERS();
    struct tour_process process;
    tour_process_start_in(&process, "harness-tour-papi-lazy", HIGH, 5, true, folder);
    tour_process_travel(&process);
    const struct account *accounts = job_accounts(process.job);
    assert_true(accounts[1].minor_faults > 20);
    assert_true(accounts[1].minor_faults > 5 * accounts[3].minor_faults);
    tour_process_end(&process);
}
