/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * x86-64 in AT&T's syntax. */
#include <stdlib.h>
#include <string.h>

#include "probe/sources/qemu-plugin/traits.h"

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void read_transfer(const char *mnemonic, const char *operands, struct traits *traits)
{
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

static void read_vector(const char *mnemonic, const char *operands, struct traits *traits)
{
    size_t length = strlen(mnemonic);
    if (length < 4)
        return;
    const char *suffix = mnemonic + length - 2;
    char kind = suffix[0], width = suffix[1];
    if ((kind != 's' && kind != 'p') || (width != 's' && width != 'd'))
        return;
    const char *stem = *mnemonic == 'v' ? mnemonic + 1 : mnemonic;
    traits->arithmetic = stem_arithmetic(stem, (size_t)(suffix - stem));
    if (traits->arithmetic == FP_NONE)
        return;
    traits->precision = width == 's' ? FP_SINGLE : FP_DOUBLE;
    traits->packed = kind == 'p';
    if (traits->packed)
        traits->lanes = vector_bytes(operands) / (width == 's' ? 4 : 8);
}

/* x87: a precision of its own. The operand's size and "reversed" and "pop" follow the stem. */
static void read_x87(const char *mnemonic, struct traits *traits)
{
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
}

void traits_x86(const char *mnemonic, const char *operands, struct traits *traits)
{
    traits->atomic |= begins(mnemonic, "xchg"); /* with memory it is locked without saying so */
    read_transfer(mnemonic, operands, traits);
    if (traits->transfer != TRANSFER_NONE)
        return;
    if (*mnemonic == 'f')
        read_x87(mnemonic, traits);
    else
        read_vector(mnemonic, operands, traits);
}
