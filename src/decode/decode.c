/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The contract of a back end, kept in one place: whole or not at all. */
#include "decode/decode.h"

#include <errno.h>

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
    if (status == 0 && decode_resolve(instructions) < 0)
        status = fail_with(failure, -ENOMEM, "no memory to decode with");
    if (status < 0)
        instructions_release(instructions);
    return status;
}
