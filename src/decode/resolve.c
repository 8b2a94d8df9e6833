/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Indirect jumps and calls whose address is formed in the instructions right before them, and
 * nowhere else: where these lead can be read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "decode/decode.h"

/* Which instructions are led to by a direct transfer. */
static void mark_targets(const struct instructions *instructions, bool *marks)
{
    for (size_t i = 0; i < instructions->count; i++) {
        const struct instruction *instruction = &instructions->list[i];
        if (instruction->flow != FLOW_CONDITIONAL && instruction->flow != FLOW_JUMP &&
            instruction->flow != FLOW_CALL)
            continue;
        const struct instruction *target = instructions_at(instructions, instruction->target);
        if (target)
            marks[target - instructions->list] = true;
    }
}

/* Goes back from the transfer as long as the instructions work on its register, up to the one that
 * sets it. */
static void resolve(struct instructions *instructions, const bool *marks, size_t index)
{
    struct instruction *transfer = &instructions->list[index];
    uint64_t address = 0;
    for (size_t i = index; i > 0 && !marks[i]; i--) {
        const struct instruction *before = &instructions->list[i - 1];
        if (before->forming == FORMING_NONE || strcmp(before->via, transfer->via) != 0)
            return;
        address += before->formed;
        if (before->forming == FORMING_SETS) {
            transfer->resolved = true;
            transfer->target = address;
            return;
        }
    }
}

int decode_resolve(struct instructions *instructions)
{
    AUTO_FREE bool *marks = calloc(instructions->count + 1, sizeof(*marks));
    if (!marks)
        return -ENOMEM;
    mark_targets(instructions, marks);
    for (size_t i = 0; i < instructions->count; i++) {
        const struct instruction *instruction = &instructions->list[i];
        if ((instruction->flow == FLOW_INDIRECT_JUMP || instruction->flow == FLOW_INDIRECT_CALL) &&
            *instruction->via)
            resolve(instructions, marks, i);
    }
    return 0;
}
