/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AArch64 by Capstone's identifiers and operands. */
#include "decode/capstone.h"

#include <stdio.h>

static const arm64_insn loads[] = {
    ARM64_INS_LDR,    ARM64_INS_LDRB,   ARM64_INS_LDRH,   ARM64_INS_LDRSB, ARM64_INS_LDRSH,
    ARM64_INS_LDRSW,  ARM64_INS_LDUR,   ARM64_INS_LDURB,  ARM64_INS_LDURH, ARM64_INS_LDURSB,
    ARM64_INS_LDURSH, ARM64_INS_LDURSW, ARM64_INS_LDTR,   ARM64_INS_LDTRB, ARM64_INS_LDTRH,
    ARM64_INS_LDTRSB, ARM64_INS_LDTRSH, ARM64_INS_LDTRSW, ARM64_INS_LDP,   ARM64_INS_LDNP,
    ARM64_INS_LDPSW,  ARM64_INS_LDAR,   ARM64_INS_LDARB,  ARM64_INS_LDARH, ARM64_INS_LDXR,
    ARM64_INS_LDXRB,  ARM64_INS_LDXRH,  ARM64_INS_LDXP,   ARM64_INS_LDAXR, ARM64_INS_LDAXRB,
    ARM64_INS_LDAXRH, ARM64_INS_LDAXP,  ARM64_INS_LD1,    ARM64_INS_LD1R,  ARM64_INS_LD2,
    ARM64_INS_LD2R,   ARM64_INS_LD3,    ARM64_INS_LD3R,   ARM64_INS_LD4,   ARM64_INS_LD4R,
};

static const arm64_insn stores[] = {
    ARM64_INS_STR,    ARM64_INS_STRB,  ARM64_INS_STRH,  ARM64_INS_STUR,  ARM64_INS_STURB,
    ARM64_INS_STURH,  ARM64_INS_STTR,  ARM64_INS_STTRB, ARM64_INS_STTRH, ARM64_INS_STP,
    ARM64_INS_STNP,   ARM64_INS_STLR,  ARM64_INS_STLRB, ARM64_INS_STLRH, ARM64_INS_STXR,
    ARM64_INS_STXRB,  ARM64_INS_STXRH, ARM64_INS_STXP,  ARM64_INS_STLXR, ARM64_INS_STLXRB,
    ARM64_INS_STLXRH, ARM64_INS_STLXP, ARM64_INS_ST1,   ARM64_INS_ST2,   ARM64_INS_ST3,
    ARM64_INS_ST4,
};

static const struct {
    arm64_insn id;
    enum flow flow;
} flows[] = {
    {ARM64_INS_CBZ, FLOW_CONDITIONAL},  {ARM64_INS_CBNZ, FLOW_CONDITIONAL},
    {ARM64_INS_TBZ, FLOW_CONDITIONAL},  {ARM64_INS_TBNZ, FLOW_CONDITIONAL},
    {ARM64_INS_BL, FLOW_CALL},          {ARM64_INS_BLR, FLOW_INDIRECT_CALL},
    {ARM64_INS_BR, FLOW_INDIRECT_JUMP}, {ARM64_INS_RET, FLOW_RETURN},
};

static const struct {
    arm64_insn id;
    enum fp_kind kind;
} arithmetic[] = {
    {ARM64_INS_FADD, FP_ADD},     {ARM64_INS_FSUB, FP_ADD},     {ARM64_INS_FMUL, FP_MUL},
    {ARM64_INS_FNMUL, FP_MUL},    {ARM64_INS_FDIV, FP_DIV},     {ARM64_INS_FSQRT, FP_SQRT},
    {ARM64_INS_FMADD, FP_FMA},    {ARM64_INS_FMSUB, FP_FMA},    {ARM64_INS_FNMADD, FP_FMA},
    {ARM64_INS_FNMSUB, FP_FMA},   {ARM64_INS_FMLA, FP_FMA},     {ARM64_INS_FMLS, FP_FMA},
    {ARM64_INS_FRINTN, FP_ROUND}, {ARM64_INS_FRINTM, FP_ROUND}, {ARM64_INS_FRINTP, FP_ROUND},
    {ARM64_INS_FRINTZ, FP_ROUND},
};

static bool among(unsigned id, const arm64_insn *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == id)
            return true;
    return false;
}

static void take_flow(unsigned id, const cs_arm64 *arm, struct instruction *instruction)
{
    if (id == ARM64_INS_B) /* b.al and b.nv always go */
        instruction->flow =
            arm->cc == ARM64_CC_INVALID || arm->cc == ARM64_CC_AL || arm->cc == ARM64_CC_NV
                ? FLOW_JUMP
                : FLOW_CONDITIONAL;
    for (size_t i = 0; i < sizeof(flows) / sizeof(*flows); i++)
        if (flows[i].id == id)
            instruction->flow = flows[i].flow;
    bool direct = instruction->flow == FLOW_CONDITIONAL || instruction->flow == FLOW_JUMP ||
                  instruction->flow == FLOW_CALL;
    /* Its destination is the last operand of each. */
    if (direct && arm->op_count && arm->operands[arm->op_count - 1].type == ARM64_OP_IMM)
        instruction->target = (uint64_t)arm->operands[arm->op_count - 1].imm;
    else if (direct)
        instruction->known = false;
}

/* adr x3, 8 and br x3 */
static void take_address(unsigned id, const cs_arm64 *arm, struct instruction *instruction)
{
    bool indirect =
        instruction->flow == FLOW_INDIRECT_JUMP || instruction->flow == FLOW_INDIRECT_CALL;
    if (id == ARM64_INS_ADR && arm->op_count == 2 && arm->operands[1].type == ARM64_OP_IMM) {
        instruction->forming = FORMING_SETS;
        instruction->formed = (uint64_t)arm->operands[1].imm;
    } else if (!indirect || !arm->op_count) {
        return;
    }
    snprintf(instruction->via, sizeof(instruction->via), "%u", (unsigned)arm->operands[0].reg);
}

static const struct {
    arm64_vas shape;
    enum fp_precision precision;
    uint8_t lanes;
} shapes[] = {
    {ARM64_VAS_2S, FP_SINGLE, 2}, {ARM64_VAS_4S, FP_SINGLE, 4}, {ARM64_VAS_1D, FP_DOUBLE, 1},
    {ARM64_VAS_2D, FP_DOUBLE, 2}, {ARM64_VAS_4H, FP_OTHER, 4},  {ARM64_VAS_8H, FP_OTHER, 8},
};

/* By the destination, which comes first. */
static void take_shape(const cs_arm64_op *destination, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        if (shapes[i].shape == destination->vas) {
            instruction->precision = shapes[i].precision;
            instruction->lanes = shapes[i].lanes;
            instruction->packed = true;
            return;
        }
    arm64_reg reg = destination->reg;
    instruction->lanes = 1;
    if (reg >= ARM64_REG_S0 && reg <= ARM64_REG_S31)
        instruction->precision = FP_SINGLE;
    else if (reg >= ARM64_REG_D0 && reg <= ARM64_REG_D31)
        instruction->precision = FP_DOUBLE;
    else
        instruction->precision = FP_OTHER;
}

void capstone_describe_aarch64(const cs_insn *decoded, struct instruction *instruction)
{
    const cs_arm64 *arm = &decoded->detail->arm64;
    instruction->loads = among(decoded->id, loads, sizeof(loads) / sizeof(*loads));
    instruction->stores = among(decoded->id, stores, sizeof(stores) / sizeof(*stores));
    instruction->system_call = decoded->id == ARM64_INS_SVC;
    take_flow(decoded->id, arm, instruction);
    take_address(decoded->id, arm, instruction);
    for (size_t i = 0; i < sizeof(arithmetic) / sizeof(*arithmetic); i++)
        if (arithmetic[i].id == decoded->id) {
            instruction->fp = arithmetic[i].kind;
            take_shape(&arm->operands[0], instruction);
        }
}
