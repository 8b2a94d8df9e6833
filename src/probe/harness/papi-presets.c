/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of PAPI's presets can be counted here, in the description of the harness. PAPI answers a
 * query for a preset even where no counter is; only adding it to a set opens something. */
#include <stdio.h>

#include "probe/harness/papi-operations.h"
#include "probe/harness/papi-set.h"

static int try_preset(int code)
{
    int event_set = PAPI_NULL;
    int status = PAPI_create_eventset(&event_set);
    if (status == PAPI_OK)
        status = PAPI_add_event(event_set, code);
    papi_destroy_set(&event_set);
    return status;
}

void papi_describe_presets(void)
{
    int code = PAPI_PRESET_MASK;
    do {
        char name[PAPI_MAX_STR_LEN];
        if (PAPI_event_code_to_name(code, name) != PAPI_OK)
            continue;
        int status = try_preset(code);
        printf("preset %s %d %s\n", name, status == PAPI_OK ? 0 : -papi_errno(status),
               status == PAPI_OK ? "-" : PAPI_strerror(status));
    } while (PAPI_enum_event(&code, PAPI_ENUM_ALL) == PAPI_OK);
}
