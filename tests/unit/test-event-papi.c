/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Presets of PAPI as event names, and their classes against the PAPI that is installed. */
#include <sys/syscall.h>

#include "case.h"
#include "events/form.h"
#include "recorded.h"

#include <papi.h>

static const struct event_view nowhere = {.root = "/nonexistent", .tracefs = -1};

TEST(presets_are_events_of_their_own_kind)
{
    struct event event = resolved(&nowhere, "PAPI_TOT_INS:u");
    assert_int_equal(event.kind, EVENT_PAPI);
    assert_string_equal(event_kind_name(event.kind), "papi");
    assert_string_equal(event_class(&event), "instructions");
    assert_true(event.attr.exclude_kernel && !event.attr.exclude_user);
    event_release(&event);
    event = resolved(&nowhere, "PAPI_RES_STL");
    assert_null(event_class(&event));
    event_release(&event);
}

TEST(perf_never_opens_a_preset_and_says_which_paths_do)
{
    char reason[512];
    struct event event = resolved(&nowhere, "PAPI_TOT_CYC");
    long descriptor = syscall(SYS_perf_event_open, &event.attr, 0, -1, -1, 0);
    assert_int_equal(descriptor, -1);
    event_open_reason(&nowhere, &event, errno, reason, sizeof(reason));
    assert_non_null(strstr(reason, "papi-low"));
    assert_non_null(strstr(reason, "papi-high"));
    event_release(&event);
}

TEST(every_preset_with_a_class_exists_in_papi)
{
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        skip_because("PAPI does not start here");
    size_t unknown = 0;
    for (size_t i = 0; i < class_table_papi.count; i++) {
        char name[64];
        int code = 0;
        snprintf(name, sizeof(name), "%s", class_table_papi.rows[i].name);
        if (PAPI_event_name_to_code(name, &code) != PAPI_OK || (code & PAPI_PRESET_MASK) == 0) {
            print_error("PAPI does not know %s\n", name);
            unknown++;
        }
    }
    assert_int_equal(unknown, 0);
    char name[] = "PAPI_TOT_INZ"; /* and would say so */
    int code = 0;
    assert_int_not_equal(PAPI_event_name_to_code(name, &code), PAPI_OK);
}

TEST(the_paper_s_events_have_classes)
{
    static const char *const names[] = {
        "PAPI_BR_MSP", "PAPI_FSQ_INS", "PAPI_FP_INS",  "PAPI_L1_DCM",  "PAPI_L1_ICM",
        "PAPI_L2_DCM", "PAPI_L2_ICM",  "PAPI_LD_INS",  "PAPI_SR_INS",  "PAPI_TLB_DM",
        "PAPI_TLB_TL", "PAPI_TOT_IIS", "PAPI_TOT_INS", "PAPI_TOT_CYC",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct event event = resolved(&nowhere, names[i]);
        assert_non_null(event_class(&event));
        event_release(&event);
    }
}
