/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libpfm4 as a resolver. Its "perf" table is there on every machine; those of CPUs only where the
 * CPU is. */
#include "case.h"
#include "events/form.h"
#include "recorded.h"

#include <perfmon/pfmlib.h>

static const struct event_view with_pfm = {.root = "/nonexistent",
                                           .tracefs = -1,
                                           .tracefs_error = ENOENT,
                                           .resolver = &event_resolver_libpfm4};

TEST(names_with_two_colons_are_encoded)
{
    struct event event = resolved(&with_pfm, "perf::PAGE-FAULTS");
    assert_int_equal(event.kind, EVENT_PFM);
    assert_int_equal(event.attr.type, PERF_TYPE_SOFTWARE);
    assert_int_equal(event.attr.config, PERF_COUNT_SW_PAGE_FAULTS);
    assert_int_equal(event.attr.size, sizeof(event.attr));
    assert_string_equal(event_class(&event), "page-faults");
    event_release(&event);
}

TEST(unknown_names_get_the_nearest)
{
    refused(&with_pfm, "perf::PAGE-FAULTZ", -ENOENT, WORDS("libpfm4", "perf::PAGE-FAULTS"));
    refused(&with_pfm, "no_such_pmu::EVENT", -ENOENT, WORDS("libpfm4"));
    refused(&with_pfm, "perf::", -ENOENT, NULL);
    refused(&with_pfm, "::", -ENOENT, NULL);
}

TEST(assay_s_own_names_come_first)
{
    struct event event = resolved(&with_pfm, "instructions:uk");
    assert_int_equal(event.kind, EVENT_HARDWARE);
    event_release(&event);
    refused(&with_pfm, "page-faultz", -ENOENT, WORDS("did you mean page-faults"));
}

static int count_names(void *context, const char *name, enum event_kind kind)
{
    assert_int_equal(kind, EVENT_PFM);
    assert_non_null(strstr(name, "::"));
    ++*(int *)context;
    return 0;
}

TEST(globs_with_two_colons_list_its_tables)
{
    int all = 0, faults = 0, none = 0;
    assert_int_equal(event_list(&with_pfm, "perf::*", count_names, &all), 0);
    assert_int_equal(event_list(&with_pfm, "perf::*FAULTS", count_names, &faults), 0);
    assert_int_equal(event_list(&with_pfm, "nothing::*", count_names, &none), 0);
    assert_true(all > faults && faults > 0);
    assert_int_equal(none, 0);
}

/* Calls with "EVENT" or "EVENT:UMASK" for everything in all tables of cores, present or not. */
static void each_core_event(void (*each)(void *context, const char *pmu, const char *name),
                            void *context)
{
    int number;
    assert_int_equal(pfm_initialize(), PFM_SUCCESS);
    pfm_for_all_pmus(number)
    {
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
        if (pfm_get_pmu_info((pfm_pmu_t)number, &pmu) != PFM_SUCCESS ||
            pmu.type != PFM_PMU_TYPE_CORE)
            continue;
        for (int i = pmu.first_event; i != -1; i = pfm_get_event_next(i)) {
            pfm_event_info_t event = {.size = sizeof(event)};
            if (pfm_get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS)
                continue;
            each(context, pmu.name, event.name);
            for (int umask = 0; umask < event.nattrs; umask++) {
                pfm_event_attr_info_t attribute = {.size = sizeof(attribute)};
                char name[256];
                if (pfm_get_event_attr_info(i, umask, PFM_OS_NONE, &attribute) != PFM_SUCCESS)
                    continue;
                snprintf(name, sizeof(name), "%s:%s", event.name, attribute.name);
                each(context, pmu.name, name);
            }
        }
    }
}

struct search {
    const struct class_table *table;
    bool *found;
    bool vendor; /* libpfm4 was built with tables of this vendor */
};

static void look(void *context, const char *pmu, const char *name)
{
    struct search *search = context;
    bool amd = strncmp(pmu, "amd64_", 6) == 0, arm = strncmp(pmu, "arm_", 4) == 0;
    if (amd != (search->table == &class_table_amd) || arm != (search->table == &class_table_arm))
        return;
    search->vendor = true;
    for (size_t i = 0; i < search->table->count; i++) {
        if (strcasecmp(search->table->rows[i].name, name) == 0)
            search->found[i] = true;
    }
}

TEST(names_with_a_class_exist_in_libpfm)
{
    static const struct class_table *const tables[] = {&class_table_intel, &class_table_amd};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        bool found[128] = {false};
        struct search search = {.table = tables[i], .found = found};
        assert_true(tables[i]->count < sizeof(found));
        each_core_event(look, &search);
        if (!search.vendor)
            skip_because("this libpfm4 has no tables for %s", tables[i]->scheme);
        size_t unknown = 0;
        for (size_t row = 0; row < tables[i]->count; row++) {
            if (!found[row])
                print_error("libpfm4 has no %s\n", tables[i]->rows[row].name);
            unknown += !found[row];
        }
        assert_int_equal(unknown, 0);
    }
}
