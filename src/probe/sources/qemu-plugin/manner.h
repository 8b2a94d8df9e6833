/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What must be known of an instruction to count it once: in what manner QEMU executes it. Told from
 * its bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum manner {
    MANNER_PLAIN,
    MANNER_REPEATED, /* one repetition at a time, each in a block of its own */
    MANNER_ACCESS,   /* ends a block and comes to its end with its one access to memory */
    MANNER_STORE,    /* ends a block and comes to its end with a store, which follows a load */
    MANNER_FAULT,    /* never comes to its end */
};

/* isa: QEMU's name of its target. */
enum manner manner_of(const char *isa, const uint8_t *bytes, size_t length);

/* The numbers of execve and execveat; false: nothing is known of this ISA. */
bool manner_leaves(const char *isa, int64_t numbers[2]);
