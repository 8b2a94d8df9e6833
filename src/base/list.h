/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Lists that grow by one: a pointer and a count, as structs of evidence and plans have them. */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* One more zeroed member of `size` bytes behind those of a list, or NULL when out of memory. list:
 * the address of the pointer. The memory doubles whenever the count is a power of two, so a list
 * that begins with this may be made shorter, but grows by nothing else. */
static inline void *list_add(void *list, size_t *count, size_t size)
{
    void *members;
    memcpy(&members, list, sizeof(members)); /* its type is another one */
    if ((*count & (*count - 1)) == 0) {
        void *grown = reallocarray(members, *count ? *count * 2 : 1, size);
        if (!grown)
            return NULL;
        members = grown;
        memcpy(list, &members, sizeof(members));
    }
    return memset((char *)members + (*count)++ * size, 0, size);
}
