/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI's two interfaces as peers of calipers: PAPI_start with PAPI_stop, and regions of the
 * high-level one. Software events, which open on every machine. */
#include "caliper-peers.h"

#ifdef HAVE_PAPI
#include <dlfcn.h>
#include <papi.h>
#include <perfmon/pfmlib.h>
#include <string.h>

#define REGION "region"

static const char *const names[PEER_EVENTS_MOST] = {
    "perf::PERF_COUNT_SW_PAGE_FAULTS",
    "perf::PERF_COUNT_SW_PAGE_FAULTS_MIN",
    "perf::PERF_COUNT_SW_PAGE_FAULTS_MAJ",
    "perf::PERF_COUNT_SW_CPU_MIGRATIONS",
};

/* Where libpfm4 knows no PMU of the CPU, PAPI switches its counters off as a whole, those of
 * software with them. The table `perf` then stands in as the CPU's own, which brings them up; what
 * PAPI does to start, stop and read is not touched. Beside a PMU that libpfm4 does know it must
 * not: PAPI would have two defaults, and find no event in either. */
pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *output)
{
    pfm_err_t (*real)(pfm_pmu_t, pfm_pmu_info_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "pfm_get_pmu_info");
    bool known = false;
    for (int other = 0; other < PFM_PMU_MAX && !known; other++) {
        pfm_pmu_info_t info = {.size = sizeof(info)};
        known = real((pfm_pmu_t)other, &info) == PFM_SUCCESS && info.is_present &&
                info.type == PFM_PMU_TYPE_CORE;
    }
    pfm_err_t error = real(pmu, output);
    if (!known && error == PFM_SUCCESS && strcmp(output->name, "perf") == 0) {
        output->type = PFM_PMU_TYPE_CORE;
        output->is_dfl = 1;
    }
    return error;
}

static int refused(int status, const char *what, char *reason, size_t size)
{
    const PAPI_component_info_t *component = PAPI_get_component_info(0);
    snprintf(reason, size, "PAPI refuses: %s: %s%s%s", what, PAPI_strerror(status),
             component && component->disabled_reason[0] ? "; " : "",
             component ? component->disabled_reason : "");
    return -1;
}

static int begin(char *reason, size_t size)
{
    int status = PAPI_library_init(PAPI_VER_CURRENT);
    return status == PAPI_VER_CURRENT ? 0 : refused(status, "PAPI_library_init", reason, size);
}

/* --- low --- */

static int low_set = PAPI_NULL;

static int low_open(size_t events, char *reason, size_t size)
{
    if (begin(reason, size) < 0)
        return -1;
    int status = PAPI_create_eventset(&low_set);
    for (size_t i = 0; i < events && status == PAPI_OK; i++)
        status = PAPI_add_named_event(low_set, names[i]);
    return status == PAPI_OK ? 0 : refused(status, "its software events", reason, size);
}

static void low_region(void)
{
    long long values[PEER_EVENTS_MOST];
    if (PAPI_start(low_set) != PAPI_OK)
        abort();
    (void)getppid();
    if (PAPI_stop(low_set, values) != PAPI_OK)
        abort();
}

/* --- high --- */

/* What cannot be counted it replaces by other events without a word: look whether they are in the
 * set that it keeps running. */
static bool high_counts(size_t events)
{
    for (int set = 0; set < 8; set++) {
        int codes[PEER_EVENTS_MOST], count = PEER_EVENTS_MOST, code = PAPI_NATIVE_MASK;
        if (PAPI_list_events(set, codes, &count) == PAPI_OK && count == (int)events &&
            PAPI_event_name_to_code(names[0], &code) == PAPI_OK && codes[0] == code)
            return true;
    }
    return false;
}

static int high_open(size_t events, char *reason, size_t size)
{
    char list[PEER_EVENTS_MOST * 64] = "";
    for (size_t i = 0; i < events; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%s", i ? "," : "", names[i]);
    }
    setenv("PAPI_EVENTS", list, 1);
    if (begin(reason, size) < 0)
        return -1;
    int status = PAPI_hl_region_begin(REGION);
    if (status == PAPI_OK)
        status = PAPI_hl_region_end(REGION);
    if (status != PAPI_OK)
        return refused(status, "a region", reason, size);
    if (high_counts(events))
        return 0;
    snprintf(reason, size, "PAPI's high-level interface counts other events than were asked for");
    return -1;
}

static void high_region(void)
{
    if (PAPI_hl_region_begin(REGION) != PAPI_OK)
        abort();
    (void)getppid();
    if (PAPI_hl_region_end(REGION) != PAPI_OK)
        abort();
}

#else

static int low_open(size_t events, char *reason, size_t size)
{
    (void)events;
    snprintf(reason, size, "built without PAPI");
    return -1;
}

static void low_region(void)
{
}
#define high_open   low_open
#define high_region low_region

#endif

const struct peer peer_papi_low = {{"PAPI_start and PAPI_stop", low_region, 0.35, 0}, low_open};
const struct peer peer_papi_high = {{"PAPI_hl_region_begin and _end", high_region, 0.35, 0},
                                    high_open};
