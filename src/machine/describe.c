/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers everything a machine says of itself: first who it is, then what each doctor check wants
 * to know. Runs on the machine under test; whatever cannot be read becomes a fact with an errno. */
#include "machine/describe.h"

#include "machine/check.h"

void machine_describe(const struct machine_view *view, struct facts *facts)
{
    describe_cpu(view, facts);
    describe_system(view, facts);
    describe_hypervisor(view, facts);
    describe_emulation(view, facts);
    describe_container(view, facts);
    describe_caches(view, facts);
    describe_clock(view, facts);
}

void machine_collect(const struct machine_view *view, struct facts *facts)
{
    machine_describe(view, facts);
    for (const struct check *const *check = check_registry; *check; check++)
        if ((*check)->collect)
            (*check)->collect(view, facts);
}
