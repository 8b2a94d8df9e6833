/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Subjects with the C library in them. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/subjects/subject.h"

/* Ends the program where there is no decimal number of at least 1. */
static inline uint64_t hosted_number(int count, char **arguments)
{
    const char *text = count > 1 ? arguments[1] : "";
    const size_t digits = strspn(text, "0123456789");
    const uint64_t number = digits <= 19 && !text[digits] ? strtoull(text, NULL, 10) : 0;
    if (number == 0) {
        fputs("a subject takes one number, at least 1\n", stderr);
        exit(2);
    }
    return number;
}
