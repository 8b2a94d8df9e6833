/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which system calls give data to a program, and where: what makes two runs differ comes in by
 * these. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum given_size {
    GIVEN_NOTHING,
    GIVEN_RESULT,   /* as many bytes as the result says */
    GIVEN_FIXED,    /* `size` bytes, of 64-bit programs */
    GIVEN_COUNTED,  /* argument `counter` times `size` */
    GIVEN_RESULTED, /* the result times `size` */
    GIVEN_VECTOR,   /* a list of places, as readv has it; argument `counter` says how many */
    GIVEN_MESSAGE,  /* such a list in the header of a message */
};

#define NO_ARGUMENT (-1)

struct given {
    const char *name;
    enum given_size kind;
    int8_t place;   /* argument that points to it */
    int8_t counter; /* argument that says how many */
    uint16_t size;
    int8_t asked; /* argument that says how many bytes were asked for */
    int8_t file;  /* argument that is a descriptor */
    int8_t path;  /* argument that points to a path */
};

/* NULL: nothing is known of it. */
const struct given *given_find(const char *name);
