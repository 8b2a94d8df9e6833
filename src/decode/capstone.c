/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The back end on Capstone: walks the bytes, and has a table for each ISA. Bytes that Capstone
 * cannot decode come as an unknown instruction of the smallest size. */
#include <capstone/capstone.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "decode/decode.h"

/* ----------------------------------------------------------------------------------------------
 * x86-64 by Capstone's identifiers and operand access. Here and below, address, length and text are
 * filled already, and all is told. */

/* What an instruction does beyond its written operands, or where Capstone 4 misleads. Memory that
 * is written as first of several operands is the destination, which Capstone often calls read. */
enum {
    PUSHES = 1,    /* writes the stack, or memory that is no operand */
    POPS = 2,      /* reads it, the same */
    NO_ACCESS = 4, /* its memory operand is an address, or a hint */
    /* What happens to memory as first operand: */
    READS = 8,
    WRITES = 16,
    MODIFIES = READS | WRITES,
};

static const struct {
    x86_insn id;
    unsigned habits;
} habits[] = {
    {X86_INS_PUSH, PUSHES},
    {X86_INS_PUSHAL, PUSHES},
    {X86_INS_PUSHAW, PUSHES},
    {X86_INS_PUSHF, PUSHES},
    {X86_INS_PUSHFD, PUSHES},
    {X86_INS_PUSHFQ, PUSHES},
    {X86_INS_CALL, PUSHES},
    {X86_INS_LCALL, PUSHES | READS},
    {X86_INS_LJMP, READS},
    {X86_INS_ENTER, PUSHES},
    {X86_INS_MASKMOVQ, PUSHES},
    {X86_INS_MASKMOVDQU, PUSHES},
    {X86_INS_VMASKMOVDQU, PUSHES},
    {X86_INS_POP, POPS},
    {X86_INS_POPAL, POPS},
    {X86_INS_POPAW, POPS},
    {X86_INS_POPF, POPS},
    {X86_INS_POPFD, POPS},
    {X86_INS_POPFQ, POPS},
    {X86_INS_RET, POPS},
    {X86_INS_RETF, POPS},
    {X86_INS_RETFQ, POPS},
    {X86_INS_IRET, POPS},
    {X86_INS_IRETD, POPS},
    {X86_INS_IRETQ, POPS},
    {X86_INS_LEAVE, POPS},
    {X86_INS_XLATB, POPS},
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
    {X86_INS_CMP, READS},
    {X86_INS_TEST, READS},
    {X86_INS_BT, READS},
    {X86_INS_CMPSB, READS},
    {X86_INS_CMPSW, READS},
    {X86_INS_CMPSD, READS},
    {X86_INS_CMPSQ, READS},
    {X86_INS_FRSTOR, READS},
    {X86_INS_STMXCSR, WRITES},
    {X86_INS_VSTMXCSR, WRITES},
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
    {X86_INS_ROL, MODIFIES},
    {X86_INS_ROR, MODIFIES},
    {X86_INS_RCL, MODIFIES},
    {X86_INS_RCR, MODIFIES},
    {X86_INS_CMPXCHG, MODIFIES},
    {X86_INS_CMPXCHG8B, MODIFIES},
    {X86_INS_CMPXCHG16B, MODIFIES},
};

enum x86_shape { SCALAR_SINGLE, SCALAR_DOUBLE, PACKED_SINGLE, PACKED_DOUBLE, X87 };

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
    enum x86_shape shape;
} x86_arithmetic[] = {
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
    {X86_INS_FRNDINT, FP_ROUND, X87},
};

/* Computes in floating point, but not as any class of operations says. */
static bool begins_with(const char *word, const char *const *list, size_t count)
{
    while (count && strncmp(word, list[count - 1], strlen(list[count - 1])) != 0)
        count--;
    return count > 0;
}
#define BEGINS_WITH(word, list) begins_with(word, list, sizeof(list) / sizeof(*(list)))

static const char *const x86_computes[] = {
    "f2xm1",  "fcos",  "fpatan", "fprem",    "fptan", "fscale", "fsin",     "fxtract", "fyl2x",
    "addsub", "dpp",   "exp2p",  "fixupimm", "fmadd", "fmsub",  "fnmadd",   "fnmsub",  "getexp",
    "getman", "haddp", "hsubp",  "range",    "rcp",   "reduce", "rndscale", "rsqrt",   "scalef",
};
static const char *const arm_computes[] = {
    "fabd", "faddp", "fcadd", "fcmla", "fmulx", "frecp", "frsqrt",
};

static unsigned habits_of(unsigned id)
{
    for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++)
        if (habits[i].id == id)
            return habits[i].habits;
    return 0;
}

/* lea 8(%rip),%rax and jmp *%rax */
static void take_x86_address(const cs_insn *decoded, const cs_x86 *x86,
                             struct instruction *instruction)
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

static void take_x86_arithmetic(unsigned id, const cs_x86 *x86, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof(x86_arithmetic) / sizeof(*x86_arithmetic); i++) {
        if (x86_arithmetic[i].id != id)
            continue;
        enum x86_shape shape = x86_arithmetic[i].shape;
        bool single = shape == SCALAR_SINGLE || shape == PACKED_SINGLE;
        instruction->fp = x86_arithmetic[i].kind;
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

static void take_x86_access(const cs_x86 *x86, unsigned habit, struct instruction *instruction)
{
    for (uint8_t i = 0; i < x86->op_count && !(habit & NO_ACCESS); i++) {
        bool reads = x86->operands[i].access & CS_AC_READ;
        bool writes = x86->operands[i].access & CS_AC_WRITE;
        if (x86->operands[i].type != X86_OP_MEM)
            continue;
        if (i == 0 && habit & MODIFIES) {
            reads = habit & READS;
            writes = habit & WRITES;
        } else if (i == 0 && x86->op_count > 1) {
            reads = reads && writes;
            writes = true;
        } else if (i > 0)
            reads = true;      /* a source */
        if (!reads && !writes) /* Capstone does not say */
            instruction->told &= (uint8_t)~TOLD_ACCESS;
        instruction->loads |= reads;
        instruction->stores |= writes;
    }
    instruction->loads |= (habit & POPS) != 0;
    instruction->stores |= (habit & PUSHES) != 0;
}

static bool in_group(const cs_insn *decoded, unsigned group)
{
    return memchr(decoded->detail->groups, (int)group, decoded->detail->groups_count) != NULL;
}

static void describe_x86(const cs_insn *decoded, struct instruction *instruction)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    take_x86_access(x86, habits_of(decoded->id), instruction);
    bool direct = x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;
    if (direct)
        instruction->target = (uint64_t)x86->operands[0].imm;
    if (in_group(decoded, X86_GRP_CALL))
        instruction->flow = direct ? FLOW_CALL : FLOW_INDIRECT_CALL;
    else if (decoded->id == X86_INS_JMP || decoded->id == X86_INS_LJMP)
        instruction->flow = direct ? FLOW_JUMP : FLOW_INDIRECT_JUMP;
    else if (in_group(decoded, X86_GRP_JUMP) || in_group(decoded, X86_GRP_BRANCH_RELATIVE))
        instruction->flow = FLOW_CONDITIONAL;
    else if (in_group(decoded, X86_GRP_RET) ||
             (in_group(decoded, X86_GRP_IRET) && decoded->id != X86_INS_SYSRET))
        instruction->flow = FLOW_RETURN;
    if (instruction->flow == FLOW_NEXT || instruction->flow == FLOW_RETURN || !direct)
        instruction->target = 0;

    take_x86_address(decoded, x86, instruction);
    take_x86_arithmetic(decoded->id, x86, instruction);
    const char *word = decoded->mnemonic + (decoded->mnemonic[0] == 'v');
    if (instruction->fp == FP_NONE && BEGINS_WITH(word, x86_computes))
        instruction->told &= (uint8_t)~TOLD_FP;
    instruction->system_call =
        decoded->id == X86_INS_SYSCALL || decoded->id == X86_INS_SYSENTER ||
        (decoded->id == X86_INS_INT && x86->op_count == 1 && x86->operands[0].imm == 0x80);

    instruction->repeated =
        (x86->prefix[0] == X86_PREFIX_REP || x86->prefix[0] == X86_PREFIX_REPNE) &&
        is_string(decoded->id, x86);
}

/* --- AArch64 by Capstone's identifiers and operands --- */

static const arm64_insn arm_loads[] = {
    ARM64_INS_LDR,    ARM64_INS_LDRB,   ARM64_INS_LDRH,   ARM64_INS_LDRSB, ARM64_INS_LDRSH,
    ARM64_INS_LDRSW,  ARM64_INS_LDUR,   ARM64_INS_LDURB,  ARM64_INS_LDURH, ARM64_INS_LDURSB,
    ARM64_INS_LDURSH, ARM64_INS_LDURSW, ARM64_INS_LDTR,   ARM64_INS_LDTRB, ARM64_INS_LDTRH,
    ARM64_INS_LDTRSB, ARM64_INS_LDTRSH, ARM64_INS_LDTRSW, ARM64_INS_LDP,   ARM64_INS_LDNP,
    ARM64_INS_LDPSW,  ARM64_INS_LDAR,   ARM64_INS_LDARB,  ARM64_INS_LDARH, ARM64_INS_LDXR,
    ARM64_INS_LDXRB,  ARM64_INS_LDXRH,  ARM64_INS_LDXP,   ARM64_INS_LDAXR, ARM64_INS_LDAXRB,
    ARM64_INS_LDAXRH, ARM64_INS_LDAXP,  ARM64_INS_LD1,    ARM64_INS_LD1R,  ARM64_INS_LD2,
    ARM64_INS_LD2R,   ARM64_INS_LD3,    ARM64_INS_LD3R,   ARM64_INS_LD4,   ARM64_INS_LD4R,
};

static const arm64_insn arm_stores[] = {
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
} arm_flows[] = {
    {ARM64_INS_CBZ, FLOW_CONDITIONAL},  {ARM64_INS_CBNZ, FLOW_CONDITIONAL},
    {ARM64_INS_TBZ, FLOW_CONDITIONAL},  {ARM64_INS_TBNZ, FLOW_CONDITIONAL},
    {ARM64_INS_BL, FLOW_CALL},          {ARM64_INS_BLR, FLOW_INDIRECT_CALL},
    {ARM64_INS_BR, FLOW_INDIRECT_JUMP}, {ARM64_INS_RET, FLOW_RETURN},
};

static const struct {
    arm64_insn id;
    enum fp_kind kind;
} arm_arithmetic[] = {
    {ARM64_INS_FADD, FP_ADD},     {ARM64_INS_FSUB, FP_ADD},     {ARM64_INS_FMUL, FP_MUL},
    {ARM64_INS_FNMUL, FP_MUL},    {ARM64_INS_FDIV, FP_DIV},     {ARM64_INS_FSQRT, FP_SQRT},
    {ARM64_INS_FMADD, FP_FMA},    {ARM64_INS_FMSUB, FP_FMA},    {ARM64_INS_FNMADD, FP_FMA},
    {ARM64_INS_FNMSUB, FP_FMA},   {ARM64_INS_FMLA, FP_FMA},     {ARM64_INS_FMLS, FP_FMA},
    {ARM64_INS_FRINTN, FP_ROUND}, {ARM64_INS_FRINTM, FP_ROUND}, {ARM64_INS_FRINTP, FP_ROUND},
    {ARM64_INS_FRINTZ, FP_ROUND}, {ARM64_INS_FRINTA, FP_ROUND}, {ARM64_INS_FRINTI, FP_ROUND},
    {ARM64_INS_FRINTX, FP_ROUND},
};

static bool among(unsigned id, const arm64_insn *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == id)
            return true;
    return false;
}

/* adr x3, 8 and br x3 */
static void take_arm_address(unsigned id, const cs_arm64 *arm, struct instruction *instruction)
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
} arm_shapes[] = {
    {ARM64_VAS_2S, FP_SINGLE, 2}, {ARM64_VAS_4S, FP_SINGLE, 4}, {ARM64_VAS_1D, FP_DOUBLE, 1},
    {ARM64_VAS_2D, FP_DOUBLE, 2}, {ARM64_VAS_4H, FP_OTHER, 4},  {ARM64_VAS_8H, FP_OTHER, 8},
};

/* By the destination, which comes first. */
static void take_arm_shape(const cs_arm64_op *destination, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof(arm_shapes) / sizeof(*arm_shapes); i++)
        if (arm_shapes[i].shape == destination->vas) {
            instruction->precision = arm_shapes[i].precision;
            instruction->lanes = arm_shapes[i].lanes;
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

static void describe_aarch64(const cs_insn *decoded, struct instruction *instruction)
{
    const cs_arm64 *arm = &decoded->detail->arm64;
    instruction->loads = among(decoded->id, arm_loads, sizeof(arm_loads) / sizeof(*arm_loads));
    instruction->stores = among(decoded->id, arm_stores, sizeof(arm_stores) / sizeof(*arm_stores));
    if (decoded->id == ARM64_INS_DC && strncmp(decoded->op_str, "zva", 3) == 0)
        instruction->stores = true; /* a block of zeros */
    instruction->system_call = decoded->id == ARM64_INS_SVC;
    if (decoded->id == ARM64_INS_B) /* b.al and b.nv always go */
        instruction->flow =
            arm->cc == ARM64_CC_INVALID || arm->cc == ARM64_CC_AL || arm->cc == ARM64_CC_NV
                ? FLOW_JUMP
                : FLOW_CONDITIONAL;
    for (size_t i = 0; i < sizeof(arm_flows) / sizeof(*arm_flows); i++)
        if (arm_flows[i].id == decoded->id)
            instruction->flow = arm_flows[i].flow;
    bool direct = instruction->flow == FLOW_CONDITIONAL || instruction->flow == FLOW_JUMP ||
                  instruction->flow == FLOW_CALL;
    /* Its destination is the last operand of each. */
    if (direct && arm->op_count && arm->operands[arm->op_count - 1].type == ARM64_OP_IMM)
        instruction->target = (uint64_t)arm->operands[arm->op_count - 1].imm;
    else if (direct || (instruction->flow == FLOW_NEXT && decoded->id != ARM64_INS_B &&
                        (in_group(decoded, CS_GRP_JUMP) || in_group(decoded, CS_GRP_CALL) ||
                         in_group(decoded, CS_GRP_RET))))
        instruction->told &= (uint8_t)~TOLD_FLOW;
    /* Memory of which no list says what happens to it. */
    for (uint8_t i = 0; i < arm->op_count && !instruction->loads && !instruction->stores; i++)
        if (arm->operands[i].type == ARM64_OP_MEM && decoded->id != ARM64_INS_PRFM &&
            decoded->id != ARM64_INS_PRFUM)
            instruction->told &= (uint8_t)~TOLD_ACCESS;

    take_arm_address(decoded->id, arm, instruction);
    for (size_t i = 0; i < sizeof(arm_arithmetic) / sizeof(*arm_arithmetic); i++)
        if (arm_arithmetic[i].id == decoded->id) {
            instruction->fp = arm_arithmetic[i].kind;
            take_arm_shape(&arm->operands[0], instruction);
        }
    if (instruction->fp == FP_NONE && BEGINS_WITH(decoded->mnemonic, arm_computes))
        instruction->told &= (uint8_t)~TOLD_FP;
}

/* --- The walk over the bytes --- */

/* From Capstone's identifiers and operands to what an instruction is. */
typedef void describe_instruction(const cs_insn *decoded, struct instruction *instruction);

static const struct isa {
    const char *name;
    cs_arch arch;
    cs_mode mode;
    uint8_t smallest; /* instruction, in bytes */
    describe_instruction *describe;
} isas[] = {
    {"x86_64", CS_ARCH_X86, CS_MODE_64, 1, describe_x86},
    {"i386", CS_ARCH_X86, CS_MODE_32, 1, describe_x86}, /* 32-bit programs on x86-64 */
    {"aarch64", CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, 4, describe_aarch64},
};

static const struct isa *find_isa(const char *name)
{
    for (size_t i = 0; i < sizeof(isas) / sizeof(*isas); i++)
        if (strcmp(isas[i].name, name) == 0)
            return &isas[i];
    return NULL;
}

/* What cannot be decoded, as one step. */
static void step_over(const struct isa *isa, const uint8_t **bytes, size_t *left, uint64_t *address,
                      struct instruction *instruction)
{
    size_t length = *left < isa->smallest ? *left : isa->smallest;
    instruction->address = *address;
    instruction->length = (uint8_t)length;
    instruction->told = isa->smallest > 1 ? TOLD_LENGTH : 0;
    snprintf(instruction->text, sizeof(instruction->text), "(no instruction)");
    *bytes += length;
    *left -= length;
    *address += length;
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
    const uint8_t *bytes = code->bytes;
    size_t left = code->length;
    uint64_t address = code->address;
    cs_insn *decoded = cs_malloc(handle);
    if (!decoded)
        memory_end();
    while (left) {
        struct instruction *instruction = instructions_add(instructions);
        if (cs_disasm_iter(handle, &bytes, &left, &address, decoded)) {
            instruction->address = decoded->address;
            instruction->length = (uint8_t)decoded->size;
            instruction->told = TOLD_ALL;
            snprintf(instruction->text, sizeof(instruction->text), "%.31s %.60s", decoded->mnemonic,
                     decoded->op_str);
            snprintf(instruction->opcode, sizeof(instruction->opcode), "%.31s", decoded->mnemonic);
            isa->describe(decoded, instruction);
            instruction->known = instruction->told == TOLD_ALL;
        } else
            step_over(isa, &bytes, &left, &address, instruction);
    }
    cs_free(decoded, 1);

    cs_close(&handle);
    return 0;
}

const struct decoder decoder_capstone = {.name = "capstone", .decode = decode_capstone};
