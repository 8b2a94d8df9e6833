/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decoding, whichever back end does it: the list of instructions, where indirect transfers lead,
 * and the contract. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "decode/decode.h"

/* --- The list of decoded instructions: it grows at the end, and is searched by address --- */

struct instruction *instructions_add(struct instructions *instructions)
{
    return memory_add(instructions->list, instructions->count);
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
    memory_give_back(instructions->list);
    *instructions = (struct instructions){0};
}

/* ----------------------------------------------------------------------------------------------
 * Indirect jumps and calls whose address is formed in the instructions right before them, and
 * nowhere else: where these lead can be read. */

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

/* --- The contract of a back end, kept in one place: whole or not at all --- */

const struct decoder *const decoders[] = {&decoder_capstone, &decoder_objdump, NULL};

static int check_whole(const char *name, const struct code_bytes *code,
                       const struct instructions *instructions, struct failure *failure)
{
    uint64_t expected = code->address;
    const uint64_t end = code->address + code->length;
    for (size_t i = 0; i < instructions->count; i++) {
        const struct instruction *instruction = &instructions->list[i];
        if (instruction->address != expected || !instruction->length)
            return fail_with(failure, -EBADMSG, "%s went on at 0x%llx where 0x%llx was due", name,
                             (unsigned long long)instruction->address,
                             (unsigned long long)expected);
        expected += instruction->length;
    }
    if (expected != end)
        return fail_with(failure, -EBADMSG, "%s ended at 0x%llx, and the code ends at 0x%llx", name,
                         (unsigned long long)expected, (unsigned long long)end);
    return 0;
}

int decode(const struct decoder *decoder, const struct code_bytes *code,
           struct instructions *instructions, struct failure *failure)
{
    *instructions = (struct instructions){0};
    if (code->length > DECODE_MAX_BYTES || code->address > UINT64_MAX - code->length)
        return fail_with(failure, -E2BIG, "%zu bytes at 0x%llx are no code that can be decoded",
                         code->length, (unsigned long long)code->address);
    if (!code->length)
        return 0;
    int status = decoder->decode(code, instructions, failure);
    if (status == 0)
        status = check_whole(decoder->name, code, instructions, failure);
    if (status == 0) {
        /* Fills in where indirect transfers lead, as far as that can be read. */
        AUTO_MEMORY bool *marks = memory_new(instructions->count + 1, sizeof(*marks));
        /* Which instructions are led to by a direct transfer. */
        for (size_t i = 0; i < instructions->count; i++) {
            const struct instruction *instruction = &instructions->list[i];
            if (instruction->flow != FLOW_CONDITIONAL && instruction->flow != FLOW_JUMP &&
                instruction->flow != FLOW_CALL)
                continue;
            const struct instruction *target = instructions_at(instructions, instruction->target);
            if (target)
                marks[target - instructions->list] = true;
        }

        for (size_t i = 0; i < instructions->count; i++) {
            const struct instruction *instruction = &instructions->list[i];
            if ((instruction->flow == FLOW_INDIRECT_JUMP ||
                 instruction->flow == FLOW_INDIRECT_CALL) &&
                *instruction->via)
                resolve(instructions, marks, i);
        }
    } else
        instructions_release(instructions);
    return status;
}

#ifdef DECODE_NO_CAPSTONE
static int decode_absent(const struct code_bytes *code, struct instructions *instructions,
                         struct failure *failure)
{
    (void)code, (void)instructions;
    return fail_with(failure, -ENOTSUP,
                     "this assay was built without Capstone: install libcapstone-dev and build "
                     "again");
}

const struct decoder decoder_capstone = {.name = "capstone", .decode = decode_absent};
#endif
