/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What the header stepped-code.h of an ISA tells about instructions and stops, for who steps
 * through whole programs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What one step of an instruction stands for. */
enum stepped_kind {
    KIND_PLAIN,
    KIND_REPEATED,  /* one repetition */
    KIND_HOLDS,     /* this one and the next: its trap is held back */
    KIND_CALL,      /* a system call */
    KIND_TRAPS,     /* it raises SIGTRAP itself */
    KIND_FAR,       /* it may go on with code of another width */
    KIND_FLAGS,     /* it stores flags, with the one that stepping sets among them */
    KIND_EXCLUSIVE, /* begins a sequence that must not be stopped */
};

/* What a stop by SIGTRAP means. */
enum stepped_stop {
    STOP_EXECUTED, /* an instruction */
    STOP_RETURNED, /* from a system call */
    STOP_ENTERED,  /* a signal's handler, of which nothing was executed yet */
    STOP_TRAPPED,  /* at a breakpoint: the program's own, or one that was set meanwhile */
    STOP_SENT,     /* somebody sent the signal; nothing was executed */
};

/* A system call as registers tell it. */
struct stepped_call {
    int64_t number;
    uint64_t arguments[6];
    bool narrow; /* of the 32-bit interface, which has numbers of its own */
};

#define STOP_CODE_ENTERED 5 /* si_code at a handler's first instruction: SIGTRAP itself */
