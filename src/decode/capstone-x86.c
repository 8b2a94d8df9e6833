/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * x86-64 by Capstone's identifiers and operand access. */
#include "decode/capstone.h"

#include <stdio.h>

/* What an instruction does beyond its written operands, or where these mislead. */
enum {
    PUSHES = 1,    /* writes the stack */
    POPS = 2,      /* reads it */
    NO_ACCESS = 4, /* its memory operand is an address, or a hint */
    CONDITIONAL = 8,
    /* Where Capstone 4 does not say right what happens to memory as first operand: */
    READS = 16,
    WRITES = 32,
    MODIFIES = 64,
};

static const struct {
    x86_insn id;
    unsigned habits;
} habits[] = {
    {X86_INS_PUSH, PUSHES},
    {X86_INS_PUSHF, PUSHES},
    {X86_INS_PUSHFD, PUSHES},
    {X86_INS_PUSHFQ, PUSHES},
    {X86_INS_CALL, PUSHES},
    {X86_INS_ENTER, PUSHES},
    {X86_INS_POP, POPS},
    {X86_INS_POPF, POPS},
    {X86_INS_POPFD, POPS},
    {X86_INS_POPFQ, POPS},
    {X86_INS_RET, POPS},
    {X86_INS_LEAVE, POPS},
    {X86_INS_LEA, NO_ACCESS},
    {X86_INS_NOP, NO_ACCESS},
    {X86_INS_PREFETCH, NO_ACCESS},
    {X86_INS_PREFETCHNTA, NO_ACCESS},
    {X86_INS_PREFETCHT0, NO_ACCESS},
    {X86_INS_PREFETCHT1, NO_ACCESS},
    {X86_INS_PREFETCHT2, NO_ACCESS},
    {X86_INS_PREFETCHW, NO_ACCESS},
    {X86_INS_CLFLUSH, NO_ACCESS},
    {X86_INS_CLFLUSHOPT, NO_ACCESS},
    {X86_INS_CLWB, NO_ACCESS},
    {X86_INS_INVLPG, NO_ACCESS},
    {X86_INS_JAE, CONDITIONAL},
    {X86_INS_JA, CONDITIONAL},
    {X86_INS_JBE, CONDITIONAL},
    {X86_INS_JB, CONDITIONAL},
    {X86_INS_JCXZ, CONDITIONAL},
    {X86_INS_JECXZ, CONDITIONAL},
    {X86_INS_JRCXZ, CONDITIONAL},
    {X86_INS_JE, CONDITIONAL},
    {X86_INS_JGE, CONDITIONAL},
    {X86_INS_JG, CONDITIONAL},
    {X86_INS_JLE, CONDITIONAL},
    {X86_INS_JL, CONDITIONAL},
    {X86_INS_JNE, CONDITIONAL},
    {X86_INS_JNO, CONDITIONAL},
    {X86_INS_JNP, CONDITIONAL},
    {X86_INS_JNS, CONDITIONAL},
    {X86_INS_JO, CONDITIONAL},
    {X86_INS_JP, CONDITIONAL},
    {X86_INS_JS, CONDITIONAL},
    {X86_INS_LOOP, CONDITIONAL},
    {X86_INS_LOOPE, CONDITIONAL},
    {X86_INS_LOOPNE, CONDITIONAL},
    {X86_INS_MOVAPS, WRITES},
    {X86_INS_VMOVAPS, WRITES},
    {X86_INS_MOVUPS, WRITES},
    {X86_INS_VMOVUPS, WRITES},
    {X86_INS_MOVAPD, WRITES},
    {X86_INS_VMOVAPD, WRITES},
    {X86_INS_MOVUPD, WRITES},
    {X86_INS_VMOVUPD, WRITES},
    {X86_INS_MOVDQA, WRITES},
    {X86_INS_VMOVDQA, WRITES},
    {X86_INS_MOVDQU, WRITES},
    {X86_INS_VMOVDQU, WRITES},
    {X86_INS_MOVSS, WRITES},
    {X86_INS_VMOVSS, WRITES},
    {X86_INS_MOVSD, WRITES},
    {X86_INS_VMOVSD, WRITES},
    {X86_INS_MOVD, WRITES},
    {X86_INS_VMOVD, WRITES},
    {X86_INS_MOVQ, WRITES},
    {X86_INS_VMOVQ, WRITES},
    {X86_INS_MOVHPS, WRITES},
    {X86_INS_VMOVHPS, WRITES},
    {X86_INS_MOVLPS, WRITES},
    {X86_INS_VMOVLPS, WRITES},
    {X86_INS_MOVHPD, WRITES},
    {X86_INS_VMOVHPD, WRITES},
    {X86_INS_MOVLPD, WRITES},
    {X86_INS_VMOVLPD, WRITES},
    {X86_INS_MOVNTPS, WRITES},
    {X86_INS_VMOVNTPS, WRITES},
    {X86_INS_MOVNTPD, WRITES},
    {X86_INS_VMOVNTPD, WRITES},
    {X86_INS_MOVNTDQ, WRITES},
    {X86_INS_VMOVNTDQ, WRITES},
    {X86_INS_VMOVDQA32, WRITES},
    {X86_INS_VMOVDQA64, WRITES},
    {X86_INS_VMOVDQU8, WRITES},
    {X86_INS_VMOVDQU16, WRITES},
    {X86_INS_VMOVDQU32, WRITES},
    {X86_INS_VMOVDQU64, WRITES},
    {X86_INS_VEXTRACTI128, WRITES},
    {X86_INS_VEXTRACTF128, WRITES},
    {X86_INS_MOVNTI, WRITES},
    {X86_INS_STMXCSR, WRITES},
    {X86_INS_FNSTCW, WRITES},
    {X86_INS_FNSTSW, WRITES},
    {X86_INS_FST, WRITES},
    {X86_INS_FSTP, WRITES},
    {X86_INS_FIST, WRITES},
    {X86_INS_FISTP, WRITES},
    {X86_INS_FISTTP, WRITES},
    {X86_INS_SETAE, WRITES},
    {X86_INS_SETA, WRITES},
    {X86_INS_SETBE, WRITES},
    {X86_INS_SETB, WRITES},
    {X86_INS_SETE, WRITES},
    {X86_INS_SETGE, WRITES},
    {X86_INS_SETG, WRITES},
    {X86_INS_SETLE, WRITES},
    {X86_INS_SETL, WRITES},
    {X86_INS_SETNE, WRITES},
    {X86_INS_SETNO, WRITES},
    {X86_INS_SETNP, WRITES},
    {X86_INS_SETNS, WRITES},
    {X86_INS_SETO, WRITES},
    {X86_INS_SETP, WRITES},
    {X86_INS_SETS, WRITES},
    {X86_INS_TEST, READS},
    {X86_INS_ROL, MODIFIES},
    {X86_INS_ROR, MODIFIES},
    {X86_INS_RCL, MODIFIES},
    {X86_INS_RCR, MODIFIES},
    {X86_INS_CMPXCHG, MODIFIES},
    {X86_INS_CMPXCHG8B, MODIFIES},
    {X86_INS_CMPXCHG16B, MODIFIES},
};

enum shape { SCALAR_SINGLE, SCALAR_DOUBLE, PACKED_SINGLE, PACKED_DOUBLE, X87 };

#define SHAPES(name, kind)                                                                         \
    {X86_INS_##name##SS, kind, SCALAR_SINGLE}, {X86_INS_##name##SD, kind, SCALAR_DOUBLE},          \
        {X86_INS_##name##PS, kind, PACKED_SINGLE},                                                 \
    {                                                                                              \
        X86_INS_##name##PD, kind, PACKED_DOUBLE                                                    \
    }
#define BOTH(name, kind) SHAPES(name, kind), SHAPES(V##name, kind)
#define ORDERS(name)     SHAPES(name##132, FP_FMA), SHAPES(name##213, FP_FMA), SHAPES(name##231, FP_FMA)

static const struct {
    x86_insn id;
    enum fp_kind kind;
    enum shape shape;
} arithmetic[] = {
    BOTH(ADD, FP_ADD),
    BOTH(SUB, FP_ADD),
    BOTH(MUL, FP_MUL),
    BOTH(DIV, FP_DIV),
    BOTH(SQRT, FP_SQRT),
    BOTH(ROUND, FP_ROUND),
    ORDERS(VFMADD),
    ORDERS(VFMSUB),
    ORDERS(VFNMADD),
    ORDERS(VFNMSUB),
    {X86_INS_FADD, FP_ADD, X87},
    {X86_INS_FADDP, FP_ADD, X87},
    {X86_INS_FIADD, FP_ADD, X87},
    {X86_INS_FSUB, FP_ADD, X87},
    {X86_INS_FSUBP, FP_ADD, X87},
    {X86_INS_FSUBR, FP_ADD, X87},
    {X86_INS_FSUBRP, FP_ADD, X87},
    {X86_INS_FISUB, FP_ADD, X87},
    {X86_INS_FISUBR, FP_ADD, X87},
    {X86_INS_FMUL, FP_MUL, X87},
    {X86_INS_FMULP, FP_MUL, X87},
    {X86_INS_FIMUL, FP_MUL, X87},
    {X86_INS_FDIV, FP_DIV, X87},
    {X86_INS_FDIVP, FP_DIV, X87},
    {X86_INS_FDIVR, FP_DIV, X87},
    {X86_INS_FDIVRP, FP_DIV, X87},
    {X86_INS_FIDIV, FP_DIV, X87},
    {X86_INS_FIDIVR, FP_DIV, X87},
    {X86_INS_FSQRT, FP_SQRT, X87},
};

static unsigned habits_of(unsigned id)
{
    for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++)
        if (habits[i].id == id)
            return habits[i].habits;
    return 0;
}

static void take_access(const cs_x86_op *operand, bool first, unsigned habit,
                        struct instruction *instruction)
{
    bool reads = operand->access & CS_AC_READ;
    bool writes = operand->access & CS_AC_WRITE;
    if (first && habit & (READS | WRITES | MODIFIES)) {
        reads = habit & (READS | MODIFIES);
        writes = habit & (WRITES | MODIFIES);
    }
    if (!reads && !writes)
        instruction->known = false; /* Capstone does not say */
    instruction->loads |= reads;
    instruction->stores |= writes;
}

static void take_operands(const cs_x86 *x86, unsigned habit, struct instruction *instruction)
{
    for (uint8_t i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_MEM && !(habit & NO_ACCESS))
            take_access(&x86->operands[i], i == 0, habit, instruction);
    instruction->loads |= (habit & POPS) != 0;
    instruction->stores |= (habit & PUSHES) != 0;
}

static void take_flow(unsigned id, const cs_x86 *x86, unsigned habit,
                      struct instruction *instruction)
{
    bool direct = x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;
    if (direct)
        instruction->target = (uint64_t)x86->operands[0].imm;
    if (habit & CONDITIONAL)
        instruction->flow = FLOW_CONDITIONAL;
    else if (id == X86_INS_JMP)
        instruction->flow = direct ? FLOW_JUMP : FLOW_INDIRECT_JUMP;
    else if (id == X86_INS_CALL)
        instruction->flow = direct ? FLOW_CALL : FLOW_INDIRECT_CALL;
    else if (id == X86_INS_RET)
        instruction->flow = FLOW_RETURN;
    if (instruction->flow == FLOW_NEXT || instruction->flow == FLOW_RETURN || !direct)
        instruction->target = 0;
}

/* lea 8(%rip),%rax and jmp *%rax */
static void take_address(const cs_insn *decoded, const cs_x86 *x86, struct instruction *instruction)
{
    const cs_x86_op *first = &x86->operands[0];
    const cs_x86_op *second = &x86->operands[1];
    bool indirect =
        instruction->flow == FLOW_INDIRECT_JUMP || instruction->flow == FLOW_INDIRECT_CALL;
    if (!x86->op_count || first->type != X86_OP_REG)
        return;
    bool sets = decoded->id == X86_INS_LEA && second->mem.base == X86_REG_RIP && first->size == 8;
    if (sets) {
        instruction->forming = FORMING_SETS;
        instruction->formed = decoded->address + decoded->size + (uint64_t)second->mem.disp;
    }
    if (sets || indirect)
        snprintf(instruction->via, sizeof(instruction->via), "%u", (unsigned)first->reg);
}

static void take_arithmetic(unsigned id, const cs_x86 *x86, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof(arithmetic) / sizeof(*arithmetic); i++) {
        if (arithmetic[i].id != id)
            continue;
        enum shape shape = arithmetic[i].shape;
        bool single = shape == SCALAR_SINGLE || shape == PACKED_SINGLE;
        instruction->fp = arithmetic[i].kind;
        instruction->precision = shape == X87 ? FP_OTHER : single ? FP_SINGLE : FP_DOUBLE;
        instruction->packed = shape == PACKED_SINGLE || shape == PACKED_DOUBLE;
        instruction->lanes = 1;
        if (instruction->packed) /* the destination, always a register, comes first */
            instruction->lanes = (uint8_t)(x86->operands[0].size / (single ? 4 : 8));
        return;
    }
}

/* A repeat prefix means repetition before string instructions only. Capstone has one identifier for
 * movsd (and cmpsd) the string instruction and the one on SSE registers, whose opcode begins with
 * 0f. */
static bool is_string(unsigned id, const cs_x86 *x86)
{
    static const x86_insn strings[] = {
        X86_INS_MOVSB, X86_INS_MOVSW, X86_INS_MOVSD, X86_INS_MOVSQ, X86_INS_STOSB,
        X86_INS_STOSW, X86_INS_STOSD, X86_INS_STOSQ, X86_INS_LODSB, X86_INS_LODSW,
        X86_INS_LODSD, X86_INS_LODSQ, X86_INS_SCASB, X86_INS_SCASW, X86_INS_SCASD,
        X86_INS_SCASQ, X86_INS_CMPSB, X86_INS_CMPSW, X86_INS_CMPSD, X86_INS_CMPSQ,
    };
    for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
        if (strings[i] == id)
            return x86->opcode[0] != 0x0f;
    return false;
}

static bool is_system_call(x86_insn id, const cs_x86 *x86)
{
    return id == X86_INS_SYSCALL || id == X86_INS_SYSENTER ||
           (id == X86_INS_INT && x86->op_count == 1 && x86->operands[0].imm == 0x80);
}

void capstone_describe_x86(const cs_insn *decoded, struct instruction *instruction)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    unsigned habit = habits_of(decoded->id);
    take_operands(x86, habit, instruction);
    take_flow(decoded->id, x86, habit, instruction);
    take_address(decoded, x86, instruction);
    take_arithmetic(decoded->id, x86, instruction);
    instruction->system_call = is_system_call(decoded->id, x86);
    instruction->repeated =
        (x86->prefix[0] == X86_PREFIX_REP || x86->prefix[0] == X86_PREFIX_REPNE) &&
        is_string(decoded->id, x86);
}
