/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libpfm4 as a resolver. Its "perf" table is there on every machine; those of CPUs only where the
 * CPU is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recorded.h"

static const struct event_view with_pfm = {
    .root = "/nonexistent",
    .tracefs = -1,
    .tracefs_error = ENOENT,
    .resolver = &event_resolver_libpfm4,
};

static void names_with_two_colons_are_encoded(void **state)
{
    (void)state;
    struct event event = resolved(&with_pfm, "perf::PAGE-FAULTS");
    assert_int_equal(event.kind, EVENT_PFM);
    assert_int_equal(event.attr.type, PERF_TYPE_SOFTWARE);
    assert_int_equal(event.attr.config, PERF_COUNT_SW_PAGE_FAULTS);
    assert_int_equal(event.attr.size, sizeof(event.attr));
    assert_string_equal(event_class(&event), "page-faults");
    event_release(&event);
}

static void modes_exclude_and_their_absence_does_not(void **state)
{
    (void)state;
    struct event event = resolved(&with_pfm, "perf::INSTRUCTIONS:u");
    assert_true(event.attr.exclude_kernel && !event.attr.exclude_user);
    event_release(&event);
    static const char *const everything[] = {"perf::INSTRUCTIONS", "perf::INSTRUCTIONS:u:k"};
    for (size_t i = 0; i < 2; i++) {
        event = resolved(&with_pfm, everything[i]);
        assert_false(event.attr.exclude_kernel || event.attr.exclude_user ||
                     event.attr.exclude_hv || event.attr.exclude_guest || event.attr.exclude_host);
        event_release(&event);
    }
}

static void unknown_names_get_the_nearest(void **state)
{
    (void)state;
    refused(&with_pfm, "perf::PAGE-FAULTZ", -ENOENT, WORDS("libpfm4", "perf::PAGE-FAULTS"));
    refused(&with_pfm, "no_such_pmu::EVENT", -ENOENT, WORDS("libpfm4"));
    refused(&with_pfm, "perf::", -ENOENT, NULL);
    refused(&with_pfm, "::", -ENOENT, NULL);
}

static void attributes_nobody_knows_are_malformed(void **state)
{
    (void)state;
    refused(&with_pfm, "perf::INSTRUCTIONS:zzz", -EINVAL, WORDS("libpfm4"));
}

static void assay_s_own_names_come_first(void **state)
{
    (void)state;
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

static void globs_with_two_colons_list_its_tables(void **state)
{
    (void)state;
    int all = 0, faults = 0, none = 0;
    assert_int_equal(event_list(&with_pfm, "perf::*", count_names, &all), 0);
    assert_int_equal(event_list(&with_pfm, "perf::*FAULTS", count_names, &faults), 0);
    assert_int_equal(event_list(&with_pfm, "nothing::*", count_names, &none), 0);
    assert_true(all > faults && faults > 0);
    assert_int_equal(none, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_with_two_colons_are_encoded),
        cmocka_unit_test(modes_exclude_and_their_absence_does_not),
        cmocka_unit_test(unknown_names_get_the_nearest),
        cmocka_unit_test(attributes_nobody_knows_are_malformed),
        cmocka_unit_test(assay_s_own_names_come_first),
        cmocka_unit_test(globs_with_two_colons_list_its_tables),
    };
    return cmocka_run_group_tests_name("event-pfm", tests, NULL, NULL);
}
