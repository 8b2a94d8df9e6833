/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Controls that a process applies to itself before it becomes the program. */
#pragma once

#include "probe/command/guard.h"

/* In the process that becomes the program. Negative errno with the reason. */
int controls_apply(const struct command_visit *visit, const struct execution *execution,
                   struct failure *failure);

/* Is it asked for? */
static inline bool control_is_on(const struct command_visit *visit, enum control control)
{
    return (visit->cell->command.controls & CONTROL_BIT(control)) != 0;
}
