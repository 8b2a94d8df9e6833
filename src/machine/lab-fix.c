/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Advice for a machine of the lab: it lives for one command and is booted anew for the next, so a
 * command typed there mends nothing. Its settings stand behind --via lab:. Pure. */
#include "machine/lab-fix.h"

#include <string.h>

static const struct {
    const char *check, *setting;
} fixes[] = {
    {"perf-syscall", "paranoid=1"},    {"pmu", "without pmu=off"},
    {"paranoid", "paranoid=1"},        {"privileges", "without user=nobody"},
    {"user-access", "user-access=on"}, {"tracefs", "without user=nobody"},
};

bool lab_is(const struct facts *facts)
{
    const char *declared = facts_get(facts, "emulated.declared");
    return declared && strcmp(declared, "lab") == 0;
}

void lab_fix(const struct check *check, const struct facts *facts, struct advice *advice)
{
    const char *isa = facts_get(facts, "isa");
    if (!lab_is(facts) || !advice->fix[0])
        return;
    advice->fix[0] = '\0';
    for (size_t i = 0; i < sizeof(fixes) / sizeof(*fixes); i++)
        if (strcmp(fixes[i].check, check->name) == 0)
            advise_fix(advice, "in the settings behind --via lab:%s, here and for measuring: %s",
                       isa ? isa : "aarch64", fixes[i].setting);
}
