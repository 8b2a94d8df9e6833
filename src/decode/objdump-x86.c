/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * x86-64 by objdump's words (AT&T syntax, always with suffix): the destination is the last operand,
 * so a memory operand before it is read, and the table says what happens to the last one. */
#include <stdio.h>
#include <string.h>

#include "decode/objdump.h"

enum access {
    UNTOUCHED, /* an address or a hint, whatever operand it is */
    READ,
    WRITTEN,
    MODIFIED,
};

#define PUSHES 1u
#define POPS   2u

/* name: without suffix where `suffixes` has some. last: what happens to memory as last operand. */
static const struct entry {
    const char *name;
    const char *suffixes;
    enum access last;
    unsigned stack;
    enum flow flow;
} entries[] = {
    /* One a line, not in columns. */
    /* clang-format off */
    {"mov", "bwlq", WRITTEN, 0, FLOW_NEXT},
    {"movabs", "bwlq", WRITTEN, 0, FLOW_NEXT},
    {"movs", "bwlq", WRITTEN, 0, FLOW_NEXT}, /* the string instruction */
    {"stos", "bwlq", WRITTEN, 0, FLOW_NEXT},
    {"lods", "bwlq", READ, 0, FLOW_NEXT},
    {"scas", "bwlq", READ, 0, FLOW_NEXT},
    {"cmps", "bwlq", READ, 0, FLOW_NEXT},
    {"movbe", "wlq", WRITTEN, 0, FLOW_NEXT},
    {"movnti", "lq", WRITTEN, 0, FLOW_NEXT},
    {"cmp", "bwlq", READ, 0, FLOW_NEXT},
    {"test", "bwlq", READ, 0, FLOW_NEXT},
    {"bt", "wlq", READ, 0, FLOW_NEXT},
    {"mul", "bwlq", READ, 0, FLOW_NEXT},
    {"imul", "bwlq", READ, 0, FLOW_NEXT},
    {"div", "bwlq", READ, 0, FLOW_NEXT},
    {"idiv", "bwlq", READ, 0, FLOW_NEXT},
    {"add", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"adc", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"sub", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"sbb", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"and", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"or", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"xor", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"inc", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"dec", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"neg", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"not", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"shl", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"shr", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"sar", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"rol", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"rcl", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"rcr", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"ror", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"shld", "wlq", MODIFIED, 0, FLOW_NEXT},
    {"shrd", "wlq", MODIFIED, 0, FLOW_NEXT},
    {"bts", "wlq", MODIFIED, 0, FLOW_NEXT},
    {"btr", "wlq", MODIFIED, 0, FLOW_NEXT},
    {"btc", "wlq", MODIFIED, 0, FLOW_NEXT},
    {"xchg", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"xadd", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"cmpxchg", "bwlq", MODIFIED, 0, FLOW_NEXT},
    {"cmpxchg8b", "", MODIFIED, 0, FLOW_NEXT},
    {"cmpxchg16b", "", MODIFIED, 0, FLOW_NEXT},
    {"lea", "wlq", UNTOUCHED, 0, FLOW_NEXT},
    {"nop", "wlq", UNTOUCHED, 0, FLOW_NEXT},
    {"push", "wlq", READ, PUSHES, FLOW_NEXT},
    {"pushf", "wlq", READ, PUSHES, FLOW_NEXT},
    {"pop", "wlq", WRITTEN, POPS, FLOW_NEXT},
    {"popf", "wlq", WRITTEN, POPS, FLOW_NEXT},
    {"leave", "lq", READ, POPS, FLOW_NEXT},
    {"call", "lq", READ, PUSHES, FLOW_CALL},
    {"ret", "lq", READ, POPS, FLOW_RETURN},
    {"jmp", "lq", READ, 0, FLOW_JUMP},
    {"loop", "lq", READ, 0, FLOW_CONDITIONAL},
    {"loope", "lq", READ, 0, FLOW_CONDITIONAL},
    {"loopne", "lq", READ, 0, FLOW_CONDITIONAL},
    {"jrcxz", "", READ, 0, FLOW_CONDITIONAL},
    {"jecxz", "", READ, 0, FLOW_CONDITIONAL},
    {"popcnt", "wlq", READ, 0, FLOW_NEXT},
    {"lzcnt", "wlq", READ, 0, FLOW_NEXT},
    {"tzcnt", "wlq", READ, 0, FLOW_NEXT},
    {"bsf", "wlq", READ, 0, FLOW_NEXT},
    {"bsr", "wlq", READ, 0, FLOW_NEXT},
    {"bswap", "lq", READ, 0, FLOW_NEXT},
    {"crc32", "bwlq", READ, 0, FLOW_NEXT},
    {"andn", "lq", READ, 0, FLOW_NEXT},
    {"bzhi", "lq", READ, 0, FLOW_NEXT},
    {"bextr", "lq", READ, 0, FLOW_NEXT},
    {"shlx", "lq", READ, 0, FLOW_NEXT},
    {"shrx", "lq", READ, 0, FLOW_NEXT},
    {"sarx", "lq", READ, 0, FLOW_NEXT},
    {"rorx", "lq", READ, 0, FLOW_NEXT},
    {"mulx", "lq", READ, 0, FLOW_NEXT},
    {"blsr", "lq", READ, 0, FLOW_NEXT},
    {"blsi", "lq", READ, 0, FLOW_NEXT},
    {"blsmsk", "lq", READ, 0, FLOW_NEXT},
    {"cvtsi2sd", "lq", READ, 0, FLOW_NEXT},
    {"cvtsi2ss", "lq", READ, 0, FLOW_NEXT},
    {"fld", "slt", READ, 0, FLOW_NEXT},
    {"fst", "sl", WRITTEN, 0, FLOW_NEXT},
    {"fstp", "slt", WRITTEN, 0, FLOW_NEXT},
    {"fild", "sl", READ, 0, FLOW_NEXT},
    {"fildll", "", READ, 0, FLOW_NEXT},
    {"fistp", "sl", WRITTEN, 0, FLOW_NEXT},
    {"fistpll", "", WRITTEN, 0, FLOW_NEXT},
    {"fldcw", "", READ, 0, FLOW_NEXT},
    {"fnstcw", "", WRITTEN, 0, FLOW_NEXT},
    {"fnstsw", "", WRITTEN, 0, FLOW_NEXT},
    {"ldmxcsr", "", READ, 0, FLOW_NEXT},
    {"stmxcsr", "", WRITTEN, 0, FLOW_NEXT},
    {"prefetcht0", "", UNTOUCHED, 0, FLOW_NEXT},
    {"prefetcht1", "", UNTOUCHED, 0, FLOW_NEXT},
    {"prefetcht2", "", UNTOUCHED, 0, FLOW_NEXT},
    {"prefetchnta", "", UNTOUCHED, 0, FLOW_NEXT},
    {"prefetchw", "", UNTOUCHED, 0, FLOW_NEXT},
    {"clflush", "", UNTOUCHED, 0, FLOW_NEXT},
    {"clflushopt", "", UNTOUCHED, 0, FLOW_NEXT},
    {"clwb", "", UNTOUCHED, 0, FLOW_NEXT},
    /* clang-format on */
};

/* No memory operand, or one that is read into a register. */
static const char *const readers[] = {
    "cltq",        "cqto",        "cltd",        "cwtl",        "cbtw",        "cwtd",
    "clc",         "stc",         "cmc",         "cld",         "std",         "pause",
    "lfence",      "mfence",      "sfence",      "cpuid",       "rdtsc",       "rdtscp",
    "xgetbv",      "endbr64",     "syscall",     "emms",        "vzeroupper",  "vzeroall",
    "fld1",        "fldz",        "fldpi",       "fxch",        "fabs",        "fchs",
    "ffree",       "fninit",      "fincstp",     "fdecstp",     "fnclex",      "movzbl",
    "movzbw",      "movzbq",      "movzwl",      "movzwq",      "movsbl",      "movsbw",
    "movsbq",      "movswl",      "movswq",      "movslq",      "cvtss2sd",    "cvtsd2ss",
    "cvttsd2si",   "cvttss2si",   "cvtsd2si",    "cvtss2si",    "cvtdq2pd",    "cvtdq2ps",
    "ucomiss",     "ucomisd",     "comiss",      "comisd",      "minss",       "minsd",
    "maxss",       "maxsd",       "xorps",       "xorpd",       "andps",       "andpd",
    "andnps",      "andnpd",      "orps",        "orpd",        "pxor",        "por",
    "pand",        "pandn",       "paddb",       "paddw",       "paddd",       "paddq",
    "psubb",       "psubw",       "psubd",       "psubq",       "pcmpeqb",     "pcmpeqw",
    "pcmpeqd",     "pcmpeqq",     "pcmpgtb",     "pcmpgtd",     "pminub",      "pmaxub",
    "pminud",      "pshufd",      "pshufb",      "pshuflw",     "pshufhw",     "punpcklbw",
    "punpcklwd",   "punpckldq",   "punpcklqdq",  "punpckhqdq",  "unpcklps",    "unpcklpd",
    "unpckhpd",    "shufps",      "shufpd",      "pmovmskb",    "movmskps",    "movmskpd",
    "ptest",       "pslldq",      "psrldq",      "psllq",       "psrlq",       "pslld",
    "psrld",       "psrad",       "palignr",     "movhlps",     "movlhps",     "movddup",
    "broadcastss", "broadcastsd", "pbroadcastb", "pbroadcastd", "pbroadcastq", "inserti128",
    "insertf128",  "perm2f128",   "ud2",         "int3",        "lahf",        "sahf",
    "fwait",       "hlt",         "fucomi",      "fucomip",     "fcomi",       "fcomip",
    "fxam",        "psllw",       "psrlw",       "punpckhdq",   "int",         "sysenter",
    "endbr32",
};

/* Moves between vector registers and memory, in either direction. */
static const char *const movers[] = {
    "movaps",   "movups",   "movapd",   "movupd",      "movdqa",      "movdqu",   "movss",
    "movsd",    "movd",     "movq",     "movhps",      "movlps",      "movhpd",   "movlpd",
    "movntps",  "movntpd",  "movntdq",  "lddqu",       "movdqa32",    "movdqa64", "movdqu8",
    "movdqu16", "movdqu32", "movdqu64", "extracti128", "extractf128",
};

static const char *const conditions[] = {
    "o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g",
};

static const char *const prefixes[] = {
    "rep", "repz", "repnz", "lock", "bnd",   "notrack", "data16", "addr32",   "cs",       "ds",
    "es",  "ss",   "fs",    "gs",   "rex.W", "{vex}",   "{evex}", "xacquire", "xrelease",
};

static bool in_list(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}
#define IN(word, list) in_list(word, list, sizeof(list) / sizeof(*(list)))

/* Memory is what is neither register nor number nor the `*` of an indirect transfer. A bare number
 * is an address, except as the target of a branch. */
static bool is_memory(const char *operand)
{
    if (*operand == '$' || *operand == '{')
        return false;
    if (*operand == '%')
        return strchr(operand, ':') != NULL; /* %fs:…, and not %st(1) */
    return true;
}

static void touch_operands(const struct wording *words, enum access last,
                           struct instruction *instruction)
{
    for (size_t i = 0; i < words->count && last != UNTOUCHED; i++)
        if (is_memory(words->operands[i])) {
            const enum access access = i + 1 == words->count ? last : READ;
            instruction->loads |= access == READ || access == MODIFIED;
            instruction->stores |= access == WRITTEN || access == MODIFIED;
        }
}

static bool matches(const struct entry *entry, const char *word)
{
    size_t length = strlen(entry->name);
    if (strncmp(word, entry->name, length) != 0)
        return false;
    /* Without a suffix where no memory operand needs one (fld %st(0)), or where it has none. */
    if (word[length] && strchr(entry->suffixes, word[length]))
        length++;
    /* .s: the other of two encodings. */
    return !word[length] || strcmp(word + length, ".s") == 0;
}

static void take_transfer(const struct wording *words, enum flow flow,
                          struct instruction *instruction)
{
    const char *operand = words->count ? words->operands[0] : "";
    instruction->flow = flow;
    if (flow == FLOW_NEXT || flow == FLOW_RETURN)
        return;
    if (*operand != '*') {
        instruction->known = objdump_target(operand, &instruction->target);
        return;
    }
    instruction->flow = flow == FLOW_CALL ? FLOW_INDIRECT_CALL : FLOW_INDIRECT_JUMP;
    instruction->known = flow != FLOW_CONDITIONAL;
    instruction->loads |= is_memory(operand + 1);
}

/* A displacement as objdump writes it, with or without a sign: 0x12, -0x8. */
static bool take_displacement(const char *text, size_t length, uint64_t *value)
{
    char digits[20];
    bool negative = *text == '-';
    if (length - negative >= sizeof(digits))
        return false;
    memcpy(digits, text + negative, length - negative);
    digits[length - negative] = '\0';
    if (!objdump_target(digits, value))
        return false;
    *value = negative ? -*value : *value;
    return true;
}

/* Its name without a suffix of size: the first letters of a word. */
static void put_name(struct instruction *instruction, const char *word, size_t length)
{
    snprintf(instruction->opcode, sizeof(instruction->opcode), "%.*s", (int)length, word);
}

static bool is_string(const char *word)
{
    static const char *const strings[] = {"movs", "stos", "lods", "scas", "cmps"};
    for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
        if (strncmp(word, strings[i], 4) == 0 && strlen(word) == 5)
            return true;
    return false;
}

/* An exchange of the same 16 bits: 66 90, the no-op with a prefix. */
static bool is_two_byte_nop(const struct wording *words)
{
    return strcmp(words->mnemonic, "xchgw") == 0 && words->count == 2 &&
           strcmp(words->operands[0], "%ax") == 0 && strcmp(words->operands[1], "%ax") == 0;
}

static bool take_entry(const struct wording *words, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
        const struct entry *entry = &entries[i];
        if (!matches(entry, words->mnemonic))
            continue;
        instruction->known = true;
        if (is_two_byte_nop(words))
            put_name(instruction, "nop", 3);
        else if (!is_string(words->mnemonic)) /* their suffix is part of the name */
            put_name(instruction, entry->name, strlen(entry->name));
        if (entry->flow == FLOW_NEXT)
            touch_operands(words, entry->last, instruction);
        instruction->stores |= (entry->stack & PUSHES) != 0;
        instruction->loads |= (entry->stack & POPS) != 0;
        take_transfer(words, entry->flow, instruction);
        /* leaq 0x8(%rip),%rax and jmpq *%rax */
        const char *first = words->count ? words->operands[0] : "";
        const char *rip = strstr(first, "(%rip)");
        uint64_t distance;
        if (strncmp(first, "*%", 2) == 0 && !strchr(first, ':') && instruction->flow != FLOW_NEXT) {
            snprintf(instruction->via, sizeof(instruction->via), "%s", first + 2);
        } else if (strcmp(words->mnemonic, "leaq") == 0 && words->count == 2 && rip &&
                   take_displacement(first, (size_t)(rip - first), &distance)) {
            instruction->forming = FORMING_SETS;
            instruction->formed = instruction->address + instruction->length + distance;
            snprintf(instruction->via, sizeof(instruction->via), "%s", words->operands[1] + 1);
        }

        return true;
    }
    return false;
}

/* setCC, cmovCC, jCC */
static bool take_conditional(const struct wording *words, struct instruction *instruction)
{
    const char *word = words->mnemonic;
    if (word[0] == 'j' && IN(word + 1, conditions)) {
        instruction->known = true;
        take_transfer(words, FLOW_CONDITIONAL, instruction);
        return true;
    }
    bool sets = strncmp(word, "set", 3) == 0;
    char bare[16];
    size_t length = strlen(word);
    if ((!sets && strncmp(word, "cmov", 4) != 0) || length >= sizeof(bare))
        return false;
    strcpy(bare, word + (sets ? 3 : 4));
    bool found = IN(bare, conditions);
    length = strlen(bare);
    if (!found && !sets && length && strchr("wlq", bare[length - 1])) {
        bare[length - 1] = '\0';
        found = IN(bare, conditions);
        if (found)
            put_name(instruction, word, strlen(word) - 1);
    }
    if (found) {
        instruction->known = true;
        touch_operands(words, sets ? WRITTEN : READ, instruction);
    }
    return found;
}

/* The rest of a mnemonic behind its stem: ss sd ps pd. */
static bool take_shape(const char *rest, enum fp_kind kind, const struct wording *words,
                       struct instruction *instruction)
{
    if (strlen(rest) != 2 || !strchr("sp", rest[0]) || !strchr("sd", rest[1]))
        return false;
    bool single = rest[1] == 's';
    /* Bytes of the register that is the destination: 16, 32, 64. */
    const char *last = words->count ? words->operands[words->count - 1] : "";
    uint8_t bytes = strncmp(last, "%xmm", 4) == 0   ? 16
                    : strncmp(last, "%ymm", 4) == 0 ? 32
                    : strncmp(last, "%zmm", 4) == 0 ? 64
                                                    : 0;

    instruction->packed = rest[0] == 'p';
    instruction->lanes = instruction->packed ? (uint8_t)(bytes / (single ? 4 : 8)) : 1;
    instruction->precision = single ? FP_SINGLE : FP_DOUBLE;
    instruction->fp = kind;
    instruction->known = bytes != 0;
    touch_operands(words, READ, instruction);
    return true;
}

static const struct stem {
    const char *name;
    enum fp_kind kind;
} stems[] = {
    {"add", FP_ADD}, {"sub", FP_ADD},   {"mul", FP_MUL},
    {"div", FP_DIV}, {"sqrt", FP_SQRT}, {"round", FP_ROUND},
};

static bool take_sse(const char *word, const struct wording *words, struct instruction *instruction)
{
    for (size_t i = 0; i < sizeof(stems) / sizeof(*stems); i++) {
        size_t length = strlen(stems[i].name);
        if (strncmp(word, stems[i].name, length) == 0 &&
            take_shape(word + length, stems[i].kind, words, instruction))
            return true;
    }
    return false;
}

/* vfmadd132sd, vfnmsub231ps … */
static bool take_fused(const char *word, const struct wording *words,
                       struct instruction *instruction)
{
    static const char *const names[] = {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub"};
    static const char *const orders[] = {"132", "213", "231"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        size_t length = strlen(names[i]);
        if (strncmp(word, names[i], length) != 0)
            continue;
        for (size_t order = 0; order < 3; order++)
            if (strncmp(word + length, orders[order], 3) == 0)
                return take_shape(word + length + 3, FP_FMA, words, instruction);
    }
    return false;
}

/* fadd, faddp, fadds, fiaddl, fsubrp, fsqrt … */
static bool take_x87(const char *word, const struct wording *words, struct instruction *instruction)
{
    if (*word++ != 'f')
        return false;
    word += *word == 'i';
    for (size_t i = 0; i < sizeof(stems) / sizeof(*stems); i++) {
        size_t length = strlen(stems[i].name);
        if (strncmp(word, stems[i].name, length) != 0)
            continue;
        const char *rest = word + length;
        rest += *rest == 'r';
        if (*rest && (rest[1] || !strchr("psl", *rest)))
            return false;
        rest += *rest == 'p';
        put_name(instruction, words->mnemonic, (size_t)(rest - words->mnemonic));
        instruction->known = true;
        instruction->fp = stems[i].kind;
        instruction->precision = FP_OTHER;
        instruction->lanes = 1;
        touch_operands(words, READ, instruction);
        return true;
    }
    return false;
}

static bool has_vector(const struct wording *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (strncmp(words->operands[i], "%xmm", 4) == 0 ||
            strncmp(words->operands[i], "%mm", 3) == 0)
            return true;
    return false;
}

static bool take_vector(const struct wording *words, struct instruction *instruction)
{
    const char *word = words->mnemonic + (words->mnemonic[0] == 'v');
    bool moves = IN(word, movers);
    if (!moves && !IN(word, readers) && !IN(words->mnemonic, readers))
        return false;
    instruction->known = true;
    /* movq between general registers and memory is but a mov with a suffix. */
    if (strcmp(words->mnemonic, "movq") == 0 && !has_vector(words))
        put_name(instruction, "mov", 3);
    touch_operands(words, moves ? WRITTEN : READ, instruction);
    return true;
}

/* objdump writes a prefix as a word of its own; the mnemonic follows among the operands' words. */
static bool shift_prefix(struct wording *words)
{
    if (!words->count)
        return false;
    char *first = (char *)(uintptr_t)words->operands[0];
    char *blank = first + strcspn(first, " \t");
    words->mnemonic = first;
    bool more = *blank != '\0';
    if (more) {
        *blank++ = '\0';
        words->operands[0] = blank + strspn(blank, " \t");
    } else {
        for (size_t i = 1; i < words->count; i++)
            words->operands[i - 1] = words->operands[i];
        words->count--;
    }
    return true;
}

void objdump_describe_x86(struct wording *words, struct instruction *instruction)
{
    bool repeats = false;
    char before[OPCODE_SIZE] = "";
    size_t used = 0;
    while (IN(words->mnemonic, prefixes)) {
        repeats |= strncmp(words->mnemonic, "rep", 3) == 0;
        if (used < sizeof(before))
            used += (size_t)snprintf(before + used, sizeof(before) - used, "%s ", words->mnemonic);
        if (!shift_prefix(words))
            return; /* a prefix before nothing */
    }
    const char *word = words->mnemonic;
    put_name(instruction, word, strlen(word));
    if (!take_sse(word + (word[0] == 'v'), words, instruction) &&
        !take_fused(word, words, instruction) && !take_x87(word, words, instruction) &&
        !take_vector(words, instruction) && !take_conditional(words, instruction))
        take_entry(words, instruction);
    instruction->system_call =
        strcmp(word, "syscall") == 0 || strcmp(word, "sysenter") == 0 ||
        (strcmp(word, "int") == 0 && words->count == 1 && strcmp(words->operands[0], "$0x80") == 0);
    instruction->repeated = repeats && is_string(word);
    char bare[OPCODE_SIZE];
    memcpy(bare, instruction->opcode, sizeof(bare));
    snprintf(instruction->opcode, sizeof(instruction->opcode), "%.15s%.16s", before, bare);
}
