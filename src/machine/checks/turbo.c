/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Doctor check: may the CPU run faster while it is cool?
 * Facts: freq.no_turbo (intel_pstate), freq.boost (the others). */
#include "machine/check.h"

#define NO_TURBO "/sys/devices/system/cpu/intel_pstate/no_turbo"
#define BOOST    "/sys/devices/system/cpu/cpufreq/boost"

static void collect(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "freq.no_turbo", NO_TURBO);
    view_read(view, facts, "freq.boost", BOOST);
}

static void judge(const struct facts *facts, struct advice *advice)
{
    long long no_turbo = facts_number(facts, "freq.no_turbo", -1);
    long long boost = facts_number(facts, "freq.boost", -1);
    if (no_turbo < 0 && boost < 0) {
        advise(advice, CHECK_ABSENT, "no setting");
        advise_why(advice, "The kernel offers no switch for it here; if the CPU boosts, it is the "
                           "host's or the firmware's affair.");
    } else if (no_turbo >= 0 ? no_turbo != 0 : boost == 0) {
        advise(advice, CHECK_OK, "off");
        advise_why(advice, "The CPU stays at or below its nominal frequency, so times repeat.");
    } else {
        advise(advice, CHECK_WARN, "on");
        advise_why(advice, "The frequency depends on heat and on how many cores are busy: the same "
                           "cycles take different times from run to run. Counts of instructions do "
                           "not change.");
        advise_fix(advice,
                   no_turbo >= 0 ? "echo 1 | sudo tee " NO_TURBO : "echo 0 | sudo tee " BOOST);
    }
}

const struct check check_turbo = {
    .name = "turbo",
    .title = "turbo and boost",
    .collect = collect,
    .judge = judge,
};
