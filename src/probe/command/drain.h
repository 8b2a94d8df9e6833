/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a program writes: read, counted, summed, and passed on where it is shown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRAIN_PASSED 4096      /* bytes that a pipe takes without blocking when it takes any */
#define DRAIN_ROOM   (1 << 20) /* bytes that a pipe shall hold: more than most programs write */

struct drain {
    int from; /* non-blocking */
    int to;   /* -1: what it writes is dropped */
    char pending[DRAIN_PASSED];
    size_t held, passed; /* bytes of pending, and how many of them were passed on */
    uint64_t bytes, sum;
};

void drain_reset(struct drain *drain);
/* What it waits for now, for poll(2): `from` to be read, or `to` to be written. What is not shown
 * is waited for by nobody (-1): whoever is woken by each piece makes the program wait, too. */
int drain_awaits(const struct drain *drain, short *events);
/* Reads or passes on what can be at once. Returns bytes that were read. */
size_t drain_go_on(struct drain *drain);
/* Reads everything that is there; nobody can write any more. What is shown is passed on, even if
 * that takes a while. */
void drain_finish(struct drain *drain);
/* In 32 bits. */
uint64_t drain_sum(const struct drain *drain);
