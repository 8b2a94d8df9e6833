/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * RISC-V: whether a jump calls or returns depends on the link registers ra and t0, as the ISA's own
 * hints for return-address stacks say. */
#include <string.h>

#include "probe/sources/qemu-plugin/traits.h"

static bool is_link(const char *operand)
{
    size_t length = strcspn(operand, ", \t(");
    return length == 2 && (strncmp(operand, "ra", 2) == 0 || strncmp(operand, "t0", 2) == 0);
}

static void read_transfer(const char *mnemonic, const char *operands, struct traits *traits)
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
}

/* fadd.d: the operation before the dot, the precision behind it. */
static void read_arithmetic(const char *mnemonic, struct traits *traits)
{
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
}

void traits_riscv(const char *mnemonic, const char *operands, struct traits *traits)
{
    read_transfer(mnemonic, operands, traits);
    read_arithmetic(mnemonic, traits);
    traits->store_conditional = strncmp(mnemonic, "sc.", 3) == 0;
    traits->atomic = strncmp(mnemonic, "amo", 3) == 0;
}
