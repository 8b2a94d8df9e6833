/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The row of a command: what became of it, in its columns run/…/. */
#pragma once

#include "probe/command/guarded.h"

struct outcome {
    int status; /* as of waitpid */
    const struct guarded *guarded;
    struct account account;
    uint64_t nanoseconds, left;
    bool tasks_known, interrupts_known;
    uint64_t tasks, processes, interrupts;
};

/* Completes the row. What is not known reads 0 and has a running time of 0. */
void row_fill(const struct command_visit *visit, const struct outcome *outcome);
