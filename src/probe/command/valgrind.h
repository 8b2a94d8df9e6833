/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which instructions a program executes under Valgrind: its tool lackey tells every one of them. */
#pragma once

#include "probe/command/command.h"
#include "probe/command/valgrind-counts.h"

/* After launch_prepare: executes it, to its end, and writes the detail. *status as of waitpid. 0
 * with its counts (threads 0: it was killed, and nothing is known), or negative errno with the
 * reason. */
int valgrind_code(const struct command_visit *visit, struct execution *execution, int *status,
                  struct valgrind_counts *counts);
