/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A hash table whose records never move: QEMU keeps pointers to them. */
#include "probe/sources/qemu-plugin/instructions.h"

#include <stdlib.h>

#define FIRST_CAPACITY 4096u

static size_t home(uint64_t address, size_t capacity)
{
    return (size_t)((address * 0x9e3779b97f4a7c15u) >> 20) & (capacity - 1);
}

static struct instruction **slot_of(const struct instructions *instructions, uint64_t address)
{
    size_t place = home(address, instructions->capacity);
    while (instructions->slots[place] && instructions->slots[place]->address != address)
        place = (place + 1) & (instructions->capacity - 1);
    return &instructions->slots[place];
}

static bool make_room(struct instructions *instructions)
{
    if (2 * instructions->count < instructions->capacity)
        return true;
    struct instructions grown = {.count = instructions->count};
    grown.capacity = instructions->capacity ? 2 * instructions->capacity : FIRST_CAPACITY;
    grown.slots = calloc(grown.capacity, sizeof(struct instruction *));
    if (!grown.slots)
        return false;
    for (size_t place = 0; place < instructions->capacity; place++)
        if (instructions->slots[place])
            *slot_of(&grown, instructions->slots[place]->address) = instructions->slots[place];
    free(instructions->slots);
    *instructions = grown;
    return true;
}

static bool same(const struct traits *one, const struct traits *two)
{
    return one->known == two->known && one->indirect == two->indirect &&
           one->store_conditional == two->store_conditional && one->transfer == two->transfer &&
           one->target == two->target && one->arithmetic == two->arithmetic &&
           one->precision == two->precision && one->packed == two->packed &&
           one->lanes == two->lanes;
}

struct instruction *instructions_at(struct instructions *instructions, uint64_t address,
                                    uint64_t next, const struct traits *traits)
{
    if (!make_room(instructions))
        return NULL;
    struct instruction **slot = slot_of(instructions, address);
    if (*slot && (*slot)->next == next && same(&(*slot)->traits, traits))
        return *slot;
    struct instruction *fresh = calloc(1, sizeof(*fresh));
    if (!fresh)
        return NULL;
    fresh->address = address;
    fresh->next = next;
    fresh->traits = *traits;
    instructions->count += *slot == NULL;
    *slot = fresh; /* an old record may still be on the list of a pass: it is not freed */
    return fresh;
}
