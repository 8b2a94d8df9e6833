/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exit code of commands that run another one (repeat, truth, stat): that of the command, as
 * timeout(1) passes it on. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    EXIT_TIMED_OUT = 124,
    EXIT_OURS = 125,    /* assay itself failed */
    EXIT_NOT_RUN = 126, /* it was found, but cannot be executed */
    EXIT_NOT_FOUND = 127,
    EXIT_BY_SIGNAL = 128, /* + the signal */
};

/* From a status of wire/command.h. */
int command_exit(uint64_t status);
/* From the error of a visit that failed: -ENOENT, -EACCES, … */
int command_exit_of_error(int error);
/* "ended with status 3", "was killed by SIGSEGV", "did not end within 10 s, and was killed by
 * SIGKILL" */
void command_ending(uint64_t status, uint64_t timeout_ms, char *words, size_t size);
