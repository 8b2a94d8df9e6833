/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an instruction is, from a line of disassembly: to a mnemonic and its operands, and on to the
 * table of the ISA. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probe/sources/qemu-plugin/traits.h"

/* For the tables: is word one of the names (NULL ends them)? */
static bool traits_listed(const char *const *names, const char *word)
{
    for (; *names; names++)
        if (strcmp(*names, word) == 0)
            return true;
    return false;
}

/* --- AArch64: the operands say what an arithmetic mnemonic works on --- */

static enum arithmetic arithmetic_of(const char *mnemonic)
{
    static const struct {
        const char *mnemonic;
        enum arithmetic arithmetic;
    } table[] = {
        {"fadd", FP_ADD},      {"fsub", FP_ADD},     {"faddp", FP_ADD},     {"fabd", FP_ADD},
        {"fmul", FP_MUL},      {"fnmul", FP_MUL},    {"fmulx", FP_MUL},     {"fdiv", FP_DIV},
        {"fsqrt", FP_SQRT},    {"fmadd", FP_FMA},    {"fmsub", FP_FMA},     {"fnmadd", FP_FMA},
        {"fnmsub", FP_FMA},    {"fmla", FP_FMA},     {"fmls", FP_FMA},      {"fmin", FP_OTHER},
        {"fmax", FP_OTHER},    {"fminnm", FP_OTHER}, {"fmaxnm", FP_OTHER},  {"frecpe", FP_OTHER},
        {"frsqrte", FP_OTHER}, {"frecps", FP_OTHER}, {"frsqrts", FP_OTHER}, {"frintn", FP_OTHER},
        {"frintm", FP_OTHER},  {"frintp", FP_OTHER}, {"frintz", FP_OTHER},
    };
    for (size_t index = 0; index < sizeof(table) / sizeof(*table); index++)
        if (strcmp(mnemonic, table[index].mnemonic) == 0)
            return table[index].arithmetic;
    return FP_NONE;
}

/* The first operand is the result: s0, d0, h0, or v0.4s, v0.2d. */
static void read_result(const char *operands, struct traits *traits)
{
    char element = *operands;
    if (element == 'v') {
        const char *dot = strchr(operands, '.');
        char *end = NULL;
        unsigned long lanes = dot ? strtoul(dot + 1, &end, 10) : 0;
        if (!end || lanes == 0 || lanes > 16)
            return;
        traits->packed = true;
        traits->lanes = (unsigned)lanes;
        element = *end;
    }
    if (element == 's')
        traits->precision = FP_SINGLE;
    else if (element == 'd')
        traits->precision = FP_DOUBLE;
}

/* ldadd ldaddal stclrb swpa casl casp …: an operation, then how it is ordered, then the size. */
static bool is_atomic(const char *mnemonic)
{
    static const char *const operations[] = {"ldadd",  "ldclr",  "ldeor",  "ldset",  "ldsmax",
                                             "ldsmin", "ldumax", "ldumin", "stadd",  "stclr",
                                             "steor",  "stset",  "stsmax", "stsmin", "stumax",
                                             "stumin", "swp",    "casp",   "cas",    NULL};
    static const char *const endings[] = {"",    "a", "l",  "al", "b",   "ab", "lb",
                                          "alb", "h", "ah", "lh", "alh", NULL};
    for (size_t index = 0; operations[index]; index++)
        if (strncmp(mnemonic, operations[index], strlen(operations[index])) == 0 &&
            traits_listed(endings, mnemonic + strlen(operations[index])))
            return true;
    return false;
}

static void traits_aarch64(const char *mnemonic, const char *operands, struct traits *traits)
{
    static const struct {
        const char *mnemonic;
        enum transfer transfer;
        bool indirect;
    } transfers[] = {
        {"b", TRANSFER_JUMP, false},           {"bl", TRANSFER_CALL, false},
        {"br", TRANSFER_JUMP, true},           {"blr", TRANSFER_CALL, true},
        {"braa", TRANSFER_JUMP, true},         {"brab", TRANSFER_JUMP, true},
        {"braaz", TRANSFER_JUMP, true},        {"brabz", TRANSFER_JUMP, true},
        {"blraa", TRANSFER_CALL, true},        {"blrab", TRANSFER_CALL, true},
        {"blraaz", TRANSFER_CALL, true},       {"blrabz", TRANSFER_CALL, true},
        {"ret", TRANSFER_RETURN, false},       {"retaa", TRANSFER_RETURN, false},
        {"retab", TRANSFER_RETURN, false},     {"cbz", TRANSFER_CONDITIONAL, false},
        {"cbnz", TRANSFER_CONDITIONAL, false}, {"tbz", TRANSFER_CONDITIONAL, false},
        {"tbnz", TRANSFER_CONDITIONAL, false},
    };
    if (strncmp(mnemonic, "b.", 2) == 0 || strncmp(mnemonic, "bc.", 3) == 0)
        traits->transfer = TRANSFER_CONDITIONAL;
    for (size_t index = 0; index < sizeof(transfers) / sizeof(*transfers); index++)
        if (strcmp(mnemonic, transfers[index].mnemonic) == 0) {
            traits->transfer = transfers[index].transfer;
            traits->indirect = transfers[index].indirect;
        }
    /* stxr stxrb stlxr stxp … */
    static const char *const names[] = {"stxr",   "stxrb",  "stxrh", "stxp", "stlxr",
                                        "stlxrb", "stlxrh", "stlxp", NULL};
    traits->store_conditional = traits_listed(names, mnemonic);
    traits->atomic = is_atomic(mnemonic);
    traits->arithmetic = arithmetic_of(mnemonic);
    if (traits->arithmetic != FP_NONE)
        read_result(operands, traits);
}

/* Instructions that only access memory, by their encoding: the atomic accesses of ARMv8.1 (ldadd,
 * swp, cas, casp …), for which Capstone 4 has no words. */
static bool traits_aarch64_knows(uint32_t word)
{
    return (word & 0x3b200c00) == 0x38200000 || (word & 0x3fa07c00) == 0x08a07c00 ||
           (word & 0xbfa07c00) == 0x08207c00;
}

/* ----------------------------------------------------------------------------------------------
 * RISC-V: whether a jump calls or returns depends on the link registers ra and t0, as the ISA's own
 * hints for return-address stacks say. */

static bool is_link(const char *operand)
{
    size_t length = strcspn(operand, ", \t(");
    return length == 2 && (strncmp(operand, "ra", 2) == 0 || strncmp(operand, "t0", 2) == 0);
}

static void traits_riscv(const char *mnemonic, const char *operands, struct traits *traits)
{
    static const char *const conditional[] = {"beq",  "bne",  "blt",  "bge",  "bltu", "bgeu",
                                              "beqz", "bnez", "blez", "bgez", "bltz", "bgtz",
                                              "bgt",  "ble",  "bgtu", "bleu", NULL};
    /* What it is with a link register as first operand, and with another. */
    static const struct {
        const char *mnemonic;
        enum transfer linked, other;
        bool indirect;
    } jumps[] = {{"j", TRANSFER_JUMP, TRANSFER_JUMP, false},
                 {"jal", TRANSFER_CALL, TRANSFER_JUMP, false},
                 {"jalr", TRANSFER_CALL, TRANSFER_JUMP, true},
                 {"jr", TRANSFER_RETURN, TRANSFER_JUMP, true},
                 {"ret", TRANSFER_RETURN, TRANSFER_RETURN, false}};
    if (traits_listed(conditional, mnemonic))
        traits->transfer = TRANSFER_CONDITIONAL;
    for (size_t index = 0; index < sizeof(jumps) / sizeof(*jumps); index++)
        if (strcmp(mnemonic, jumps[index].mnemonic) == 0) {
            traits->transfer = is_link(operands) ? jumps[index].linked : jumps[index].other;
            traits->indirect = jumps[index].indirect && traits->transfer != TRANSFER_RETURN;
        }
    /* fadd.d: the operation before the dot, the precision behind it. */
    static const struct {
        const char *stem;
        enum arithmetic arithmetic;
    } table[] = {{"fadd", FP_ADD},   {"fsub", FP_ADD},   {"fmul", FP_MUL},  {"fdiv", FP_DIV},
                 {"fsqrt", FP_SQRT}, {"fmadd", FP_FMA},  {"fmsub", FP_FMA}, {"fnmadd", FP_FMA},
                 {"fnmsub", FP_FMA}, {"fmin", FP_OTHER}, {"fmax", FP_OTHER}};
    size_t length = strcspn(mnemonic, ".");
    const char *precision = mnemonic + length;
    for (size_t index = 0; index < sizeof(table) / sizeof(*table); index++)
        if (strlen(table[index].stem) == length &&
            strncmp(mnemonic, table[index].stem, length) == 0)
            traits->arithmetic = table[index].arithmetic;
    if (strcmp(precision, ".s") == 0)
        traits->precision = FP_SINGLE;
    else if (strcmp(precision, ".d") == 0)
        traits->precision = FP_DOUBLE;
    else if (*precision == '\0')
        traits->arithmetic = FP_NONE;
    traits->store_conditional = strncmp(mnemonic, "sc.", 3) == 0;
    traits->atomic = strncmp(mnemonic, "amo", 3) == 0;
}

/* --- x86-64 in AT&T's syntax --- */

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Bytes of the widest vector register among the operands. */
static unsigned vector_bytes(const char *operands)
{
    if (strstr(operands, "%zmm"))
        return 64;
    return strstr(operands, "%ymm") ? 32 : 16;
}

/* The part of an SSE or AVX mnemonic between "v" and "sd". */
static enum arithmetic stem_arithmetic(const char *stem, size_t length)
{
    static const struct {
        const char *stem;
        enum arithmetic arithmetic;
    } stems[] = {
        {"add", FP_ADD},     {"sub", FP_ADD},       {"addsub", FP_ADD}, {"hadd", FP_ADD},
        {"hsub", FP_ADD},    {"mul", FP_MUL},       {"div", FP_DIV},    {"sqrt", FP_SQRT},
        {"min", FP_OTHER},   {"max", FP_OTHER},     {"rcp", FP_OTHER},  {"rsqrt", FP_OTHER},
        {"rcp14", FP_OTHER}, {"rsqrt14", FP_OTHER}, {"dp", FP_OTHER},   {"round", FP_OTHER}};
    for (size_t index = 0; index < sizeof(stems) / sizeof(*stems); index++)
        if (strlen(stems[index].stem) == length && strncmp(stem, stems[index].stem, length) == 0)
            return stems[index].arithmetic;
    /* fmadd231 fnmsub132 fmaddsub213 … */
    if (length > 5 && (begins(stem, "fmadd") || begins(stem, "fmsub") || begins(stem, "fnmadd") ||
                       begins(stem, "fnmsub")))
        return FP_FMA;
    return FP_NONE;
}

/* One table each. operands: what follows the mnemonic, never NULL. */
static void traits_x86(const char *mnemonic, const char *operands, struct traits *traits)
{
    traits->atomic |= begins(mnemonic, "xchg"); /* with memory it is locked without saying so */
    static const char *const loops[] = {"loop", "loope", "loopne", "loopz", "loopnz", NULL};
    static const char *const returns[] = {"ret",   "retq",  "retw",  "lret",
                                          "lretq", "iretq", "iretd", NULL};
    bool far = begins(mnemonic, "ljmp") || begins(mnemonic, "lcall");
    if (begins(mnemonic, "jmp") || begins(mnemonic, "ljmp"))
        traits->transfer = TRANSFER_JUMP;
    else if (begins(mnemonic, "call") || begins(mnemonic, "lcall"))
        traits->transfer = TRANSFER_CALL;
    else if (*mnemonic == 'j' || traits_listed(loops, mnemonic))
        traits->transfer = TRANSFER_CONDITIONAL;
    else if (traits_listed(returns, mnemonic))
        traits->transfer = TRANSFER_RETURN;
    traits->indirect = (traits->transfer == TRANSFER_JUMP || traits->transfer == TRANSFER_CALL) &&
                       (far || *operands == '*');
    if (traits->transfer != TRANSFER_NONE)
        return;
    if (*mnemonic == 'f') {
        /* x87: a precision of its own. The operand's size and "reversed" and "pop" follow the
         * stem. */
        static const char *const tails[] = {"",   "s",  "l",  "p",  "r",   "rp",
                                            "rs", "rl", "ll", "ps", "rps", NULL};
        static const struct {
            const char *stem;
            enum arithmetic arithmetic;
        } stems[] = {{"fiadd", FP_ADD}, {"fisub", FP_ADD}, {"fimul", FP_MUL},
                     {"fidiv", FP_DIV}, {"fadd", FP_ADD},  {"fsub", FP_ADD},
                     {"fmul", FP_MUL},  {"fdiv", FP_DIV},  {"fsqrt", FP_SQRT}};
        for (size_t index = 0; index < sizeof(stems) / sizeof(*stems); index++)
            if (begins(mnemonic, stems[index].stem) &&
                traits_listed(tails, mnemonic + strlen(stems[index].stem)))
                traits->arithmetic = stems[index].arithmetic;
    } else {
        size_t length = strlen(mnemonic);
        if (length >= 4) {
            const char *suffix = mnemonic + length - 2;
            char kind = suffix[0], width = suffix[1];
            if (!((kind != 's' && kind != 'p') || (width != 's' && width != 'd'))) {
                const char *stem = *mnemonic == 'v' ? mnemonic + 1 : mnemonic;
                traits->arithmetic = stem_arithmetic(stem, (size_t)(suffix - stem));
                if (traits->arithmetic != FP_NONE) {
                    traits->precision = width == 's' ? FP_SINGLE : FP_DOUBLE;
                    traits->packed = kind == 'p';
                    if (traits->packed)
                        traits->lanes = vector_bytes(operands) / (width == 's' ? 4 : 8);
                }
            }
        }
    }
}

/* --- From the line to the table --- */

#define MNEMONIC 32

/* Takes the next word; returns what follows it and the blanks behind. */
static const char *take_word(const char *text, char word[MNEMONIC])
{
    size_t length = strcspn(text, " \t");
    size_t kept = length < MNEMONIC ? length : MNEMONIC - 1;
    memcpy(word, text, kept);
    word[kept] = '\0';
    text += length;
    return text + strspn(text, " \t");
}

/* RISC-V's disassembler begins with the encoding. ("fadd" of other ISAs looks like one, too.) */
static bool is_encoding(const char *word)
{
    size_t length = strlen(word);
    return (length == 4 || length == 8) && strspn(word, "0123456789abcdef") == length;
}

static bool is_prefix(const char *word)
{
    static const char *const prefixes[] = {"lock",     "rep",      "repe",    "repne",  "repz",
                                           "repnz",    "bnd",      "notrack", "data16", "addr32",
                                           "xacquire", "xrelease", NULL};
    return traits_listed(prefixes, word);
}

/* ".byte 0x23, 0x00, 0x22, 0xf8" as a little-endian word; 0 for other words. */
static uint32_t listed_bytes(const char *operands)
{
    uint32_t word = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        char *end;
        unsigned long byte = strtoul(operands, &end, 16);
        if (end == operands || byte > 0xff)
            return 0;
        word |= (uint32_t)byte << shift;
        operands = end + strspn(end, ", ");
    }
    return *operands ? 0 : word;
}

static const struct table {
    const char *isa;
    bool encoding_first;
    void (*read)(const char *mnemonic, const char *operands, struct traits *traits);
    bool (*knows)(uint32_t word); /* what older disassemblers do not; NULL: nothing */
} tables[] = {{"x86_64", false, traits_x86, NULL},
              {"aarch64", false, traits_aarch64, traits_aarch64_knows},
              {"riscv64", true, traits_riscv, NULL}};

static const struct table *table_for(const char *isa)
{
    for (size_t index = 0; index < sizeof(tables) / sizeof(*tables); index++)
        if (strcmp(tables[index].isa, isa) == 0)
            return &tables[index];
    return NULL;
}

bool traits_of(const char *isa, const char *text, struct traits *traits)
{
    char mnemonic[MNEMONIC];
    *traits = (struct traits){0};
    const struct table *table = table_for(isa);
    if (!table || !text)
        return table != NULL;
    const char *operands = take_word(text + strspn(text, " \t"), mnemonic);
    while (is_prefix(mnemonic) || (table->encoding_first && is_encoding(mnemonic))) {
        traits->atomic |= strcmp(mnemonic, "lock") == 0;
        operands = take_word(operands, mnemonic);
    }
    /* ".byte 0x23, …", "(bad)", "illegal": QEMU runs it, its disassembler does not know it. */
    if (!isalpha((unsigned char)*mnemonic) || strcmp(mnemonic, "illegal") == 0) {
        traits->known =
            table->knows && strcmp(mnemonic, ".byte") == 0 && table->knows(listed_bytes(operands));
        return true;
    }
    traits->known = true;
    traits->lanes = 1;
    table->read(mnemonic, operands, traits);
    if (traits->transfer == TRANSFER_CONDITIONAL) {
        /* The number behind the last "0x": where a branch goes. */
        const char *found = NULL;
        for (const char *at = operands; (at = strstr(at, "0x")); at += 2)
            found = at;
        traits->target = found ? strtoull(found, NULL, 16) : 0;
    }
    return true;
}
