/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads capability facts. Pure. */
#include "machine/privilege.h"

#include <stdlib.h>
#include <string.h>

bool privilege_held(const struct facts *facts, enum privilege privilege)
{
    const char *capabilities = facts_get(facts, "process.capabilities");
    const char *namespace = facts_get(facts, "process.user_namespace");
    if (!capabilities || (namespace && strcmp(namespace, "own") == 0))
        return false;
    return strtoull(capabilities, NULL, 16) >> privilege & 1;
}

bool privilege_perf(const struct facts *facts)
{
    return privilege_held(facts, PRIVILEGE_PERFMON) || privilege_held(facts, PRIVILEGE_SYS_ADMIN);
}
