/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An allocator that executes the same instructions for every block and gives none back: what varies
 * in a program that is linked with it does not vary by malloc. */
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

static alignas(max_align_t) char pool[256u << 20]; /* touched only as far as it is used */
static size_t used;

void *malloc(size_t size);
void free(void *block);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);

static size_t *size_of(void *block)
{
    return (size_t *)block - 1;
}

void *malloc(size_t size)
{
    const size_t step = alignof(max_align_t), room = (size + 2 * step - 1) / step * step;
    if (size > sizeof(pool) || sizeof(pool) - used < room)
        return NULL;
    char *block = pool + used + step;
    used += room;
    *size_of(block) = size;
    return block;
}

void free(void *block)
{
    (void)block;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size); /* fresh, so zero */
}

void *realloc(void *block, size_t size)
{
    void *moved = malloc(size);
    if (moved && block)
        memcpy(moved, block, *size_of(block) < size ? *size_of(block) : size);
    return moved;
}
