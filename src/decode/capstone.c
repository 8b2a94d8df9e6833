/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The back end on Capstone: walks the bytes, and leaves what an instruction is to the file of the
 * ISA. Bytes that Capstone cannot decode come as an unknown instruction of the smallest size. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decode/capstone.h"
#include "decode/decode.h"

static const struct isa {
    const char *name;
    cs_arch arch;
    cs_mode mode;
    uint8_t smallest; /* instruction, in bytes */
    capstone_describe *describe;
} isas[] = {
    {"x86_64", CS_ARCH_X86, CS_MODE_64, 1, capstone_describe_x86},
    {"i386", CS_ARCH_X86, CS_MODE_32, 1, capstone_describe_x86}, /* 32-bit programs on x86-64 */
    {"aarch64", CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, 4, capstone_describe_aarch64},
};

static const struct isa *find_isa(const char *name)
{
    for (size_t i = 0; i < sizeof(isas) / sizeof(*isas); i++)
        if (strcmp(isas[i].name, name) == 0)
            return &isas[i];
    return NULL;
}

static void fill(const struct isa *isa, const cs_insn *decoded, struct instruction *instruction)
{
    instruction->address = decoded->address;
    instruction->length = (uint8_t)decoded->size;
    instruction->known = true;
    snprintf(instruction->text, sizeof(instruction->text), "%.31s %.60s", decoded->mnemonic,
             decoded->op_str);
    snprintf(instruction->opcode, sizeof(instruction->opcode), "%.31s", decoded->mnemonic);
    isa->describe(decoded, instruction);
}

/* What cannot be decoded, as one step. */
static void step_over(const struct isa *isa, const uint8_t **bytes, size_t *left, uint64_t *address,
                      struct instruction *instruction)
{
    size_t length = *left < isa->smallest ? *left : isa->smallest;
    instruction->address = *address;
    instruction->length = (uint8_t)length;
    snprintf(instruction->text, sizeof(instruction->text), "(no instruction)");
    *bytes += length;
    *left -= length;
    *address += length;
}

static int walk_bytes(csh handle, const struct isa *isa, const struct code_bytes *code,
                      struct instructions *instructions)
{
    const uint8_t *bytes = code->bytes;
    size_t left = code->length;
    uint64_t address = code->address;
    cs_insn *decoded = cs_malloc(handle);
    int status = decoded ? 0 : -ENOMEM;
    while (status == 0 && left) {
        struct instruction *instruction = instructions_add(instructions);
        if (!instruction)
            status = -ENOMEM;
        else if (cs_disasm_iter(handle, &bytes, &left, &address, decoded))
            fill(isa, decoded, instruction);
        else
            step_over(isa, &bytes, &left, &address, instruction);
    }
    if (decoded)
        cs_free(decoded, 1);
    return status;
}

static int decode_capstone(const struct code_bytes *code, struct instructions *instructions,
                           struct failure *failure)
{
    const struct isa *isa = find_isa(code->isa);
    csh handle;
    if (!isa || !cs_support((int)isa->arch))
        return fail_with(failure, -ENOTSUP, "Capstone is not used for %.32s here", code->isa);
    cs_err error = cs_open(isa->arch, isa->mode, &handle);
    if (error == CS_ERR_OK)
        error = cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    if (error != CS_ERR_OK)
        return fail_with(failure, -ENOTSUP, "Capstone refuses %s: %s", isa->name,
                         cs_strerror(error));
    int status = walk_bytes(handle, isa, code, instructions);
    cs_close(&handle);
    return status < 0 ? fail_with(failure, status, "no memory to decode with") : 0;
}

const struct decoder decoder_capstone = {.name = "capstone", .decode = decode_capstone};
