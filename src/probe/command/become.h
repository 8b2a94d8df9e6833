/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last that a process of ours does before it is the program. */
#pragma once

#include "probe/command/command.h"

struct becoming {
    const struct command_visit *visit;
    const struct launch *launch;
    const struct execution *execution;
    pid_t counting; /* its parent: without it the program ends */
    int input;      /* standard input, where a feeder fills it; -1: none does */
    int hold;       /* waits until this pipe ends */
    int said;       /* a struct failure: with code 0 that it is ready, else why it failed. Its end
                       without a word: the program is executed */
};
void __attribute__((noreturn)) become_program(const struct becoming *becoming);

/* Writes the file to the descriptor, until its reader is gone. */
void __attribute__((noreturn)) become_feeder(const char *file, int to);
