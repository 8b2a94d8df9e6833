/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the collecting process was allowed to do: capabilities by the facts that the check
 * `privileges` gathers. Several judges ask, because root lifts most limits. Pure. */
#pragma once

#include <stdbool.h>

#include "machine/facts.h"

/* Numbers of capabilities(7), the same on every ISA. */
enum privilege {
    PRIVILEGE_IPC_LOCK = 14,
    PRIVILEGE_SYS_PTRACE = 19,
    PRIVILEGE_SYS_ADMIN = 21,
    PRIVILEGE_PERFMON = 38,
};

/* Effective, and in the machine's own user namespace: capabilities of a container's private user
 * namespace mean nothing to perf. */
bool privilege_held(const struct facts *facts, enum privilege privilege);
/* May it count whatever paranoid says? */
bool privilege_perf(const struct facts *facts);
