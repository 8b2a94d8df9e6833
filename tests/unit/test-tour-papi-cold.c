/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processes of cold tours of PAPI, looked into from outside: its functions are bound by the
 * calls that are metered, and by nothing before. */
#include "case.h"
#include "tour-process.h"

#define LOW  "timer.nothing,papi-low.start,papi-low.read,papi-low.accum,papi-low.stop"
#define READ "timer.nothing,papi-low.read,papi-low.read"
#define HIGH "timer.nothing,papi-high.begin,papi-high.end,papi-high.begin,papi-high.end"

static const char *const low[] = {"PAPI_start", "PAPI_read", "PAPI_accum", "PAPI_stop", NULL};
static const char *const high[] = {"PAPI_hl_region_begin", "PAPI_hl_region_end", NULL};

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

#define SKIP_WITHOUT_PAPI()                                                                        \
    do {                                                                                           \
        SKIP_WITHOUT_COUNTERS();                                                                   \
        if (*papi_absence())                                                                       \
            skip_because("%s", papi_absence());                                                    \
    } while (0)

/* Where a report would go, which no tour writes. */
static const char folder[] = "/nowhere";

TEST(calls_bind_themselves_where_nothing_bound_them_before)
{
    SKIP_WITHOUT_PAPI();
    static const struct travel travels[] = {
        {"harness-tour-papi-lazy", LOW, 5, true, low, true},
        {"harness-tour-papi-lazy", HIGH, 5, true, high, true},
        {"harness-tour-papi-bind-now", LOW, 5, true, low, false},
        {"harness-tour-papi-bind-now", HIGH, 5, true, high, false},
    };
    for (size_t i = 0; i < sizeof(travels) / sizeof(*travels); i++)
        tour_process_travels(&travels[i], folder);
}

/* The counters run before the first read: started without binding what a tour would measure. */
TEST(a_tour_that_reads_first_has_bound_no_start)
{
    SKIP_WITHOUT_PAPI();
    struct tour_process process;
    tour_process_start_in(&process, "harness-tour-papi-lazy", READ, 3, true, folder);
    tour_process_assert(&process, low, 4, true);
    tour_process_travel(&process);
    assert_false(tour_process_unbound(&process, "PAPI_read"));
    assert_true(tour_process_unbound(&process, "PAPI_start"));
    assert_true(tour_process_unbound(&process, "PAPI_stop"));
    tour_process_end(&process);
}

/* The library starts within the first region: its faults are that call's. */
TEST(the_first_region_starts_the_library)
{
    SKIP_WITHOUT_PAPI();
    struct tour_process process;
    tour_process_start_in(&process, "harness-tour-papi-lazy", HIGH, 5, true, folder);
    tour_process_travel(&process);
    const struct account *accounts = job_accounts(process.job);
    assert_true(accounts[1].minor_faults > 20);
    assert_true(accounts[1].minor_faults > 5 * accounts[3].minor_faults);
    tour_process_end(&process);
}
