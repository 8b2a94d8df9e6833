/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The zeros that hold for every specimen that neither touches memory of its own nor enters the
 * operating system: what is counted there was added by measuring, or by somebody else. */
#pragma once

#include "specimens/specimen.h"

#define TRUTH_NO_FAULTS                                                                            \
    {"page-faults", 0, 0, TRUTH_PROVEN}, {"minor-faults", 0, 0, TRUTH_PROVEN},                     \
    {                                                                                              \
        "major-faults", 0, 0, TRUTH_PROVEN                                                         \
    }

#define TRUTH_NO_SYSCALLS                                                                          \
    {"syscalls", 0, 0, TRUTH_PROVEN},                                                              \
    {                                                                                              \
        "getppid-calls", 0, 0, TRUTH_PROVEN                                                        \
    }

/* Nothing in the code asks for a switch or a migration; the scheduler may, and the account of the
 * run then shows it. */
#define TRUTH_NO_SCHEDULING                                                                        \
    {"context-switches", 0, 0, TRUTH_PROVEN},                                                      \
    {                                                                                              \
        "cpu-migrations", 0, 0, TRUTH_PROVEN                                                       \
    }
