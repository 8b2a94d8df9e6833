/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From one program to the next: where the program that QEMU runs executes another one, QEMU is
 * executed again in its place, with the same options, to run that. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct chain {
    char **words; /* QEMU's own before the program's; NULL: it was started in another way */
    char emulator[4096];
    char *program;    /* that QEMU runs; NULL: not known */
    size_t pointer;   /* bytes of one of the program's */
    uint16_t machine; /* of programs that this QEMU runs: of their ELF header */
    uint64_t base;    /* what QEMU adds to the program's addresses */
};

/* QEMU must have been started with -0 as the last of its options. */
void chain_open(struct chain *chain, const char *isa);

/* A string of the program's, cut where it is too long or not there. */
void chain_read_name(const struct chain *chain, uint64_t address, char *name, size_t size);

/* Executes it with these arguments and this environment, addresses of the program's. Returns where
 * that cannot be done: the operating system then says what is wrong, or it leaves QEMU. */
void chain_execute(const struct chain *chain, const char *path, uint64_t arguments,
                   uint64_t environment);
