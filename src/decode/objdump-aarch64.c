/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AArch64 by objdump's words, without aliases. */
#include <stdio.h>
#include <string.h>

#include "decode/objdump.h"

/* What an instruction does to memory follows from how its name begins; the first that fits counts.
 */
static const struct {
    const char *begin;
    bool loads, stores;
} accesses[] = {
    /* atomic read-modify-write: ldadd, ldaddal, ldclrb … */
    {"ldadd", true, true},
    {"ldclr", true, true},
    {"ldeor", true, true},
    {"ldset", true, true},
    {"ldsmax", true, true},
    {"ldsmin", true, true},
    {"ldumax", true, true},
    {"ldumin", true, true},
    {"swp", true, true},
    {"cas", true, true},
    /* loads */
    {"ldr", true, false},
    {"ldur", true, false},
    {"ldtr", true, false},
    {"ldp", true, false},
    {"ldnp", true, false},
    {"ldar", true, false},
    {"ldapr", true, false},
    {"ldapur", true, false},
    {"ldxr", true, false},
    {"ldxp", true, false},
    {"ldaxr", true, false},
    {"ldaxp", true, false},
    {"ld1", true, false},
    {"ld2", true, false},
    {"ld3", true, false},
    {"ld4", true, false},
    /* stores */
    {"str", false, true},
    {"stur", false, true},
    {"sttr", false, true},
    {"stp", false, true},
    {"stnp", false, true},
    {"stlr", false, true},
    {"stlur", false, true},
    {"stxr", false, true},
    {"stxp", false, true},
    {"stlxr", false, true},
    {"stlxp", false, true},
    {"st1", false, true},
    {"st2", false, true},
    {"st3", false, true},
    {"st4", false, true},
};

/* target: which operand is the destination, counted from 1. */
static const struct {
    const char *name;
    enum flow flow;
    size_t target;
} flows[] = {
    {"b", FLOW_JUMP, 1},           {"bl", FLOW_CALL, 1},          {"b.eq", FLOW_CONDITIONAL, 1},
    {"b.ne", FLOW_CONDITIONAL, 1}, {"b.cs", FLOW_CONDITIONAL, 1}, {"b.cc", FLOW_CONDITIONAL, 1},
    {"b.mi", FLOW_CONDITIONAL, 1}, {"b.pl", FLOW_CONDITIONAL, 1}, {"b.vs", FLOW_CONDITIONAL, 1},
    {"b.vc", FLOW_CONDITIONAL, 1}, {"b.hi", FLOW_CONDITIONAL, 1}, {"b.ls", FLOW_CONDITIONAL, 1},
    {"b.ge", FLOW_CONDITIONAL, 1}, {"b.lt", FLOW_CONDITIONAL, 1}, {"b.gt", FLOW_CONDITIONAL, 1},
    {"b.le", FLOW_CONDITIONAL, 1}, {"b.al", FLOW_JUMP, 1},        {"b.nv", FLOW_JUMP, 1},
    {"cbz", FLOW_CONDITIONAL, 2},  {"cbnz", FLOW_CONDITIONAL, 2}, {"tbz", FLOW_CONDITIONAL, 3},
    {"tbnz", FLOW_CONDITIONAL, 3}, {"br", FLOW_INDIRECT_JUMP, 0}, {"blr", FLOW_INDIRECT_CALL, 0},
    {"ret", FLOW_RETURN, 0},
};

static const struct {
    const char *name;
    enum fp_kind kind;
} arithmetic[] = {
    {"fadd", FP_ADD},     {"fsub", FP_ADD},     {"fmul", FP_MUL},     {"fnmul", FP_MUL},
    {"fdiv", FP_DIV},     {"fsqrt", FP_SQRT},   {"fmadd", FP_FMA},    {"fmsub", FP_FMA},
    {"fnmadd", FP_FMA},   {"fnmsub", FP_FMA},   {"fmla", FP_FMA},     {"fmls", FP_FMA},
    {"frintn", FP_ROUND}, {"frintm", FP_ROUND}, {"frintp", FP_ROUND}, {"frintz", FP_ROUND},
};

/* Between registers, or none. */
static const char *const plain[] = {
    "add",     "adds",   "sub",    "subs",  "and",    "ands",   "orr",     "orn",     "eor",
    "eon",     "bic",    "bics",   "movz",  "movn",   "movk",   "madd",    "msub",    "smaddl",
    "smsubl",  "umaddl", "umsubl", "smulh", "umulh",  "sdiv",   "udiv",    "csel",    "csinc",
    "csinv",   "csneg",  "ccmp",   "ccmn",  "ubfm",   "sbfm",   "bfm",     "extr",    "adr",
    "adrp",    "lslv",   "lsrv",   "asrv",  "rorv",   "clz",    "cls",     "rbit",    "rev",
    "rev16",   "rev32",  "rev64",  "adc",   "adcs",   "sbc",    "sbcs",    "hint",    "nop",
    "isb",     "dsb",    "dmb",    "mrs",   "msr",    "svc",    "fmov",    "scvtf",   "ucvtf",
    "fcvt",    "fcvtzs", "fcvtzu", "fcmp",  "fcmpe",  "fabs",   "fneg",    "fcsel",   "fmax",
    "fmin",    "dup",    "ins",    "movi",  "mvni",   "umov",   "smov",    "prfm",    "prfum",
    "dc",      "ic",     "sys",    "clrex", "yield",  "cmeq",   "cmhi",    "cmhs",    "addv",
    "addp",    "umaxp",  "uminp",  "umaxv", "ext",    "shrn",   "bit",     "bif",     "bsl",
    "not",     "ushr",   "shl",    "sshr",  "uaddlv", "cnt",    "autiasp", "paciasp", "bti",
    "mul",     "xtn",    "zip1",   "zip2",  "crc32b", "crc32w", "crc32x",  "crc32cb", "crc32cw",
    "crc32cx", "tst",    "brk",    "csdb",  "sb",
};

static bool take_flow(const struct wording *words, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof(flows) / sizeof(*flows); i++) {
        if (strcmp(words->mnemonic, flows[i].name) != 0)
            continue;
        size_t target = flows[i].target;
        instruction->flow = flows[i].flow;
        instruction->known =
            !target || (words->count == target &&
                        objdump_target(words->operands[target - 1], &instruction->target));
        return true;
    }
    return false;
}

static const struct {
    const char *shape;
    enum fp_precision precision;
    uint8_t lanes;
} shapes[] = {
    {".2s", FP_SINGLE, 2}, {".4s", FP_SINGLE, 4}, {".2d", FP_DOUBLE, 2},
    {".4h", FP_OTHER, 4},  {".8h", FP_OTHER, 8},
};

static bool take_arithmetic(const struct wording *words, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof(arithmetic) / sizeof(*arithmetic); i++)
        if (strcmp(words->mnemonic, arithmetic[i].name) == 0) {
            instruction->fp = arithmetic[i].kind;
            /* By the destination: d0, s1, h2, v3.4s */
            const char *destination = words->count ? words->operands[0] : "";
            const char *shape = strchr(destination, '.');
            instruction->packed = shape != NULL;
            instruction->known = !shape && strchr("sdh", destination[0]) && destination[0];
            instruction->lanes = 1;
            instruction->precision = destination[0] == 's'   ? FP_SINGLE
                                     : destination[0] == 'd' ? FP_DOUBLE
                                                             : FP_OTHER;
            for (size_t j = 0; shape && j < sizeof(shapes) / sizeof(*shapes); j++)
                if (strcmp(shape, shapes[j].shape) == 0) {
                    instruction->known = true;
                    instruction->precision = shapes[j].precision;
                    instruction->lanes = shapes[j].lanes;
                }

            return true;
        }
    return false;
}

/* Names that begin so and are followed by letters of size and order only. */
static bool take_access(const struct wording *words, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof(accesses) / sizeof(*accesses); i++) {
        size_t length = strlen(accesses[i].begin);
        if (strncmp(words->mnemonic, accesses[i].begin, length) != 0 ||
            words->mnemonic[length + strspn(words->mnemonic + length, "bhswlapr")])
            continue;
        instruction->known = true;
        instruction->loads = accesses[i].loads;
        instruction->stores = accesses[i].stores;
        return true;
    }
    return false;
}

void objdump_describe_aarch64(struct wording *words, struct instruction *instruction)
{
    bool done = take_flow(words, instruction) || take_arithmetic(words, instruction);
    /* adr x3, 0x4008 and br x3 */
    bool indirect =
        instruction->flow == FLOW_INDIRECT_JUMP || instruction->flow == FLOW_INDIRECT_CALL;
    bool sets = strcmp(words->mnemonic, "adr") == 0 && words->count == 2 &&
                objdump_target(words->operands[1], &instruction->formed);
    if (sets)
        instruction->forming = FORMING_SETS;
    if (sets || (indirect && words->count == 1))
        snprintf(instruction->via, sizeof(instruction->via), "%s", words->operands[0]);

    if (done)
        return;
    for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
        if (strcmp(words->mnemonic, plain[i]) == 0) {
            instruction->known = true;
            instruction->system_call = strcmp(plain[i], "svc") == 0;
            /* sys #3, C7, C4, #1, x3: dc zva, which writes a block of zeros */
            instruction->stores =
                strcmp(plain[i], "sys") == 0 && words->count == 5 &&
                strcmp(words->operands[0], "#3") == 0 && strcmp(words->operands[1], "C7") == 0 &&
                strcmp(words->operands[2], "C4") == 0 && strcmp(words->operands[3], "#1") == 0;
            return;
        }
    take_access(words, instruction);
}
