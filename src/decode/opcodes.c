/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums of executed instructions by their names. */
#include "decode/opcodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The one of that name, new where there is none; NULL when out of memory. */
static struct opcode *opcode_of(struct opcodes *opcodes, const char *name)
{
    for (size_t i = 0; i < opcodes->count; i++)
        if (strcmp(opcodes->list[i].name, name) == 0)
            return &opcodes->list[i];
    if (opcodes->count == opcodes->capacity) {
        size_t capacity = opcodes->capacity ? 2 * opcodes->capacity : 16;
        struct opcode *grown = reallocarray(opcodes->list, capacity, sizeof(*grown));
        if (!grown)
            return NULL;
        opcodes->list = grown;
        opcodes->capacity = capacity;
    }
    struct opcode *added = &opcodes->list[opcodes->count++];
    *added = (struct opcode){0};
    memcpy(added->name, name, OPCODE_SIZE);
    return added;
}

struct summing {
    const char *isa;
    struct opcodes *opcodes;
};

static int sum(void *context, const struct instructions *code, const struct linear *counts,
               const struct trips *trips, struct failure *failure)
{
    const struct summing *summing = context;
    (void)trips;
    for (size_t i = 0; i < code->count; i++) {
        char name[OPCODE_SIZE];
        if (!code->list[i].known || (!counts[i].base && !counts[i].each))
            continue;
        opcode_name(summing->isa, &code->list[i], name);
        struct opcode *opcode = opcode_of(summing->opcodes, name);
        if (!opcode)
            return fail_with(failure, -ENOMEM, "no memory for the opcodes");
        if (__builtin_add_overflow(opcode->count.base, counts[i].base, &opcode->count.base) ||
            __builtin_add_overflow(opcode->count.each, counts[i].each, &opcode->count.each))
            return fail_with(failure, -ERANGE, "the count of %s leaves 64 bits", name);
    }
    return 0;
}

int opcodes_count_with(const struct decoder *decoder, const struct specimen_code *specimen,
                       struct opcodes *opcodes, struct failure *failure)
{
    struct summing summing = {specimen->code.isa, opcodes};
    *opcodes = (struct opcodes){0};
    int status = count_parts(decoder, specimen, sum, &summing, failure);
    if (status < 0)
        opcodes_release(opcodes);
    return status;
}

int opcodes_count(const struct specimen_code *specimen, struct opcodes *opcodes,
                  const char **decoder, struct failure *failure)
{
    int status = -ENOTSUP;
    for (size_t i = 0; decoders[i] && status < 0 && status != -ENOMEM; i++) {
        status = opcodes_count_with(decoders[i], specimen, opcodes, failure);
        if (status == 0 && decoder)
            *decoder = decoders[i]->name;
    }
    return status;
}

void opcodes_release(struct opcodes *opcodes)
{
    free(opcodes->list);
    *opcodes = (struct opcodes){0};
}
