/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * RISC-V by objdump's words, without aliases: a compressed instruction is named c.NAME. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/objdump.h"

static const char *const loads[] = {
    "lb",   "lh",   "lw",     "ld",     "lbu",   "lhu",     "lwu",  "flw",  "fld",
    "c.lw", "c.ld", "c.lwsp", "c.ldsp", "c.fld", "c.fldsp", "lr.w", "lr.d", "flh",
};

static const char *const stores[] = {
    "sb",     "sh",     "sw",    "sd",      "fsw",  "fsd",  "c.sw", "c.sd",
    "c.swsp", "c.sdsp", "c.fsd", "c.fsdsp", "sc.w", "sc.d", "fsh",
};

static const char *const branches[] = {
    "beq", "bne", "blt", "bge", "bltu", "bgeu", "c.beqz", "c.bnez",
};

/* Between registers, or none. What may end in an order or a size is compared up to its dot. */
static const char *const plain[] = {
    "add",        "addi",       "addw",   "addiw",  "sub",     "subw",      "and",    "andi",
    "or",         "ori",        "xor",    "xori",   "sll",     "slli",      "srl",    "srli",
    "sra",        "srai",       "sllw",   "slliw",  "srlw",    "srliw",     "sraw",   "sraiw",
    "slt",        "slti",       "sltu",   "sltiu",  "lui",     "auipc",     "mul",    "mulh",
    "mulhu",      "mulhsu",     "mulw",   "div",    "divu",    "divw",      "divuw",  "rem",
    "remu",       "remw",       "remuw",  "fence",  "fence.i", "fence.tso", "ecall",  "ebreak",
    "csrrw",      "csrrs",      "csrrc",  "csrrwi", "csrrsi",  "csrrci",    "c.addi", "c.addiw",
    "c.addi16sp", "c.addi4spn", "c.li",   "c.lui",  "c.mv",    "c.add",     "c.addw", "c.sub",
    "c.subw",     "c.and",      "c.andi", "c.or",   "c.xor",   "c.slli",    "c.srli", "c.srai",
    "c.nop",      "c.ebreak",   "pause",
};
static const char *const plain_families[] = {
    "fsgnj", "fsgnjn", "fsgnjx", "fmv", "fcvt", "feq", "flt", "fle", "fmin", "fmax", "fclass",
};

static const struct {
    const char *name;
    enum fp_kind kind;
} arithmetic[] = {
    {"fadd", FP_ADD},  {"fsub", FP_ADD},   {"fmul", FP_MUL},
    {"fdiv", FP_DIV},  {"fsqrt", FP_SQRT}, {"fmadd", FP_FMA},
    {"fmsub", FP_FMA}, {"fnmadd", FP_FMA}, {"fnmsub", FP_FMA},
};

static bool in_list(const char *word, size_t length, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(word, list[i], length) == 0 && !list[i][length])
            return true;
    return false;
}
#define IN(word, length, list) in_list(word, length, list, sizeof(list) / sizeof(*(list)))

static const char *operand(const struct wording *words, size_t index)
{
    return index < words->count ? words->operands[index] : "";
}

static bool is_link(const char *reg)
{
    return strcmp(reg, "ra") == 0 || strcmp(reg, "t0") == 0;
}

/* A number with an optional sign, decimal or 0x…, that ends where `end` stands. */
static bool take_number(const char *text, char end, int64_t *value)
{
    char *rest;
    *value = strtoll(text, &rest, 0);
    return rest != text && *rest == end;
}

/* auipc t3,0x0 and addi t3,t3,12 */
static void take_address(const struct wording *words, struct instruction *instruction)
{
    int64_t value;
    const char *last = words->count ? words->operands[words->count - 1] : "";
    if (!words->count || !take_number(last, '\0', &value))
        return;
    if (strcmp(words->mnemonic, "auipc") == 0 && words->count == 2) {
        instruction->forming = FORMING_SETS;
        instruction->formed = instruction->address + ((uint64_t)value << 12);
    } else if (strcmp(words->mnemonic, "addi") == 0 && words->count == 3 &&
               strcmp(words->operands[0], words->operands[1]) == 0) {
        instruction->forming = FORMING_ADDS;
        instruction->formed = (uint64_t)value;
    } else {
        return;
    }
    snprintf(instruction->via, sizeof(instruction->via), "%s", words->operands[0]);
}

/* jalr rd,offset(base): a return when it goes back by a link register and keeps none. */
static void take_jalr(const char *link, const char *to, struct instruction *instruction)
{
    char base[16];
    int64_t offset = 0;
    /* The register of "ra" or "0(ra)"; copied to name. */
    const size_t size = sizeof(base);
    const char *open = strchr(to, '(');
    const char *begin = open ? open + 1 : to;
    size_t length = strcspn(begin, ")");
    length = length < size ? length : size - 1;
    memcpy(base, begin, length);
    base[length] = '\0';

    instruction->known = *base != '\0';
    if (!strchr(to, '(') || (take_number(to, '(', &offset) && !offset))
        snprintf(instruction->via, sizeof(instruction->via), "%.7s", base);
    if (strcmp(link, "zero") != 0)
        instruction->flow = FLOW_INDIRECT_CALL;
    else
        instruction->flow = is_link(base) ? FLOW_RETURN : FLOW_INDIRECT_JUMP;
}

static bool take_flow(const struct wording *words, struct instruction *instruction)
{
    const char *word = words->mnemonic;
    const char *last = words->count ? words->operands[words->count - 1] : "";
    if (IN(word, strlen(word), branches))
        instruction->flow = FLOW_CONDITIONAL;
    else if (strcmp(word, "c.j") == 0)
        instruction->flow = FLOW_JUMP;
    else if (strcmp(word, "jal") == 0)
        instruction->flow = strcmp(operand(words, 0), "zero") == 0 ? FLOW_JUMP : FLOW_CALL;
    else if (strcmp(word, "jalr") == 0)
        take_jalr(operand(words, 0), operand(words, 1), instruction);
    else if (strcmp(word, "c.jr") == 0)
        take_jalr("zero", operand(words, 0), instruction);
    else if (strcmp(word, "c.jalr") == 0)
        take_jalr("ra", operand(words, 0), instruction);
    if (instruction->flow == FLOW_CONDITIONAL || instruction->flow == FLOW_JUMP ||
        instruction->flow == FLOW_CALL)
        instruction->known = objdump_target(last, &instruction->target);
    return instruction->flow != FLOW_NEXT;
}

/* fadd.s, fmadd.d: a name, a dot, a precision. */
static bool take_arithmetic(const char *word, size_t stem, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof(arithmetic) / sizeof(*arithmetic); i++) {
        if (strncmp(word, arithmetic[i].name, stem) != 0 || arithmetic[i].name[stem] ||
            word[stem] != '.')
            continue;
        const char *precision = word + stem + 1;
        instruction->known = strchr("sdh", *precision) && strlen(precision) == 1;
        instruction->fp = arithmetic[i].kind;
        instruction->lanes = 1;
        instruction->precision = *precision == 's'   ? FP_SINGLE
                                 : *precision == 'd' ? FP_DOUBLE
                                                     : FP_OTHER;
        return true;
    }
    return false;
}

/* Length of an atomic's name without its order: lr.w of lr.w.aq */
static size_t without_order(const char *word)
{
    size_t length = strlen(word);
    static const char *const orders[] = {".aqrl", ".aq", ".rl"};
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
        size_t order = strlen(orders[i]);
        if (length > order && strcmp(word + length - order, orders[i]) == 0)
            return length - order;
    }
    return length;
}

void objdump_describe_riscv64(struct wording *words, struct instruction *instruction)
{
    const char *word = words->mnemonic;
    size_t stem = strcspn(word, ".");
    size_t name = without_order(word);
    take_address(words, instruction);
    if (take_flow(words, instruction) || take_arithmetic(word, stem, instruction))
        return;
    bool amo = strncmp(word, "amo", 3) == 0;
    instruction->loads = amo || IN(word, name, loads);
    instruction->stores = amo || IN(word, name, stores);
    instruction->system_call = strcmp(word, "ecall") == 0;
    instruction->known = instruction->loads || instruction->stores ||
                         IN(word, strlen(word), plain) ||
                         (word[stem] == '.' && IN(word, stem, plain_families));
}
