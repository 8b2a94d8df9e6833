/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The list of decoded instructions: it grows at the end, and is searched by address. */
#include "decode/instruction.h"

#include <stdlib.h>
#include <string.h>

struct instruction *instructions_add(struct instructions *instructions)
{
    if (instructions->count == instructions->capacity) {
        size_t capacity = instructions->capacity ? 2 * instructions->capacity : 64;
        struct instruction *grown = realloc(instructions->list, capacity * sizeof(*grown));
        if (!grown)
            return NULL;
        instructions->list = grown;
        instructions->capacity = capacity;
    }
    struct instruction *added = &instructions->list[instructions->count++];
    memset(added, 0, sizeof(*added));
    return added;
}

static int by_address(const void *key, const void *element)
{
    uint64_t address = *(const uint64_t *)key;
    const struct instruction *instruction = element;
    return address < instruction->address ? -1 : address > instruction->address;
}

const struct instruction *instructions_at(const struct instructions *instructions, uint64_t address)
{
    if (!instructions->count)
        return NULL;
    return bsearch(&address, instructions->list, instructions->count, sizeof(*instructions->list),
                   by_address);
}

void instructions_release(struct instructions *instructions)
{
    free(instructions->list);
    *instructions = (struct instructions){0};
}

bool instruction_same(const struct instruction *one, const struct instruction *other)
{
    if (one->address != other->address || one->length != other->length)
        return false;
    if (!one->known || !other->known)
        return one->known == other->known;
    return one->loads == other->loads && one->stores == other->stores &&
           one->repeated == other->repeated && one->system_call == other->system_call &&
           one->flow == other->flow && one->resolved == other->resolved &&
           one->target == other->target && one->fp == other->fp &&
           one->precision == other->precision && one->lanes == other->lanes &&
           one->packed == other->packed;
}
