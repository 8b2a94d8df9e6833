/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What QEMU must be told of a program: which QEMU runs it, and with which words. */
#pragma once

#include "base/text.h"
#include "probe/command/command.h"

#define QEMU_RUN_PLUGIN "assay-qemu-run.so"
#define QEMU_WORDS      16

struct qemu_program {
    char *emulator;                /* path */
    const char *target;            /* its name of the ISA */
    struct text option;            /* of the plugin */
    const char *words[QEMU_WORDS]; /* before the program; end with NULL */
};

/* After launch_prepare: execution becomes what QEMU can execute as the operating system would. 0,
 * or negative errno with the reason. */
int qemu_program_prepare(struct qemu_program *program, const struct command_visit *visit,
                         struct execution *execution);
void qemu_program_free(struct qemu_program *program);
