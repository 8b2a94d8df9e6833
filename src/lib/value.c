/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What a count is worth, from the time its counter was enabled and the time it really ran. */
#include "lib/counter.h"

__extension__ typedef unsigned __int128 wide;

enum assay_state counter_state(const struct counter_report *report)
{
    if (report->running_ns >= report->enabled_ns)
        return ASSAY_COUNTED;
    return report->running_ns ? ASSAY_MULTIPLEXED : ASSAY_UNSCHEDULED;
}

double counter_scale(const struct counter_report *report)
{
    if (report->running_ns >= report->enabled_ns)
        return (double)report->count;
    if (!report->running_ns)
        return 0;
    wide product = (wide)report->count * report->enabled_ns;
    wide whole = product / report->running_ns;
    uint64_t rest = (uint64_t)(product % report->running_ns);
    return (double)whole + (double)rest / (double)report->running_ns;
}

const char *assay_state_name(enum assay_state state)
{
    static const char *const names[] = {
        [ASSAY_COUNTED] = "counted",
        [ASSAY_MULTIPLEXED] = "multiplexed",
        [ASSAY_UNSCHEDULED] = "unscheduled",
        [ASSAY_UNSUPPORTED] = "unsupported",
    };
    return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}
