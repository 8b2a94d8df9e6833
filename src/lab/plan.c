/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the plan of a boot. */
#include "lab/plan.h"

#include <stdio.h>

void plan_put(struct text *plan, const char *key, const char *value)
{
    text_printf(plan, "%s=%s", key, value);
    text_putc(plan, '\0');
}

void plan_settings(struct text *plan, const struct lab_settings *settings)
{
    char value[64];
    if (settings->pmu) {
        snprintf(value, sizeof(value), "kernel/perf_user_access=%d", settings->user_access);
        plan_put(plan, "sysctl", value);
    }
    if (settings->paranoid != LAB_PARANOID_UNSET) {
        snprintf(value, sizeof(value), "kernel/perf_event_paranoid=%d", settings->paranoid);
        plan_put(plan, "sysctl", value);
    }
    if (settings->nobody)
        plan_put(plan, "user", "65534");
    plan_put(plan, "env", "ASSAY_EMULATED=lab");
}
