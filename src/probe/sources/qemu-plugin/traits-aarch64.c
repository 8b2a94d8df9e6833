/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AArch64: the operands say what an arithmetic mnemonic works on. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probe/sources/qemu-plugin/traits.h"

static void read_transfer(const char *mnemonic, struct traits *traits)
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
}

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

/* stxr stxrb stlxr stxp … */
static bool is_store_exclusive(const char *mnemonic)
{
    static const char *const names[] = {"stxr",   "stxrb",  "stxrh", "stxp", "stlxr",
                                        "stlxrb", "stlxrh", "stlxp", NULL};
    return traits_listed(names, mnemonic);
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

void traits_aarch64(const char *mnemonic, const char *operands, struct traits *traits)
{
    read_transfer(mnemonic, traits);
    traits->store_conditional = is_store_exclusive(mnemonic);
    traits->atomic = is_atomic(mnemonic);
    traits->arithmetic = arithmetic_of(mnemonic);
    if (traits->arithmetic != FP_NONE)
        read_result(operands, traits);
}

/* The atomic accesses of ARMv8.1 (ldadd, swp, cas, casp …): Capstone 4 has no words for them. */
bool traits_aarch64_knows(uint32_t word)
{
    return (word & 0x3b200c00) == 0x38200000 || (word & 0x3fa07c00) == 0x08a07c00 ||
           (word & 0xbfa07c00) == 0x08207c00;
}
