/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lists of planted reports, which grow one by one. Memory that runs out ends the test. */
#pragma once

#include <stdlib.h>
#include <string.h>

static inline char *shown_copy(const char *string)
{
    char *copy = strdup(string);
    if (!copy)
        abort();
    return copy;
}

/* Room for one more at the end of a list, zeroed. */
static inline void *shown_grow(void *list, size_t *count, size_t size)
{
    char *grown = reallocarray(list, *count + 1, size);
    if (!grown)
        abort();
    memset(grown + *count * size, 0, size);
    (*count)++;
    return grown;
}
#define SHOWN_ADD(list, count, ...)                                                                \
    do {                                                                                           \
        (list) = shown_grow(list, &(count), sizeof(*(list)));                                      \
        (list)[(count)-1] = (__typeof__(*(list)))__VA_ARGS__;                                      \
    } while (0)
