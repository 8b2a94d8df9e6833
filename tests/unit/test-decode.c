/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Both decoders on instructions assembled by hand from the manuals of the ISAs: what each is stands
 * beside its bytes. Then on bytes that are no code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "case.h"
#include "decode/decode.h"

#define PLACE 0x400000u

/* bytes: as they lie in memory. what: words in the order load store repeat syscall, then where
 * control goes (with the distance of the target), then KIND/PRECISION[*LANES]. */
struct example {
    const char *bytes, *what;
};

static const struct example x86[] = {
    {"4883c001", ""},                 /* add $1,%rax */
    {"488b0f", "load"},               /* mov (%rdi),%rcx */
    {"488907", "store"},              /* mov %rax,(%rdi) */
    {"480107", "load store"},         /* add %rax,(%rdi) */
    {"480307", "load"},               /* add (%rdi),%rax */
    {"483907", "load"},               /* cmp %rax,(%rdi) */
    {"488507", "load"},               /* test %rax,(%rdi) */
    {"488d4708", ""},                 /* lea 8(%rdi),%rax */
    {"0f1f440000", ""},               /* nopl 0(%rax,%rax,1) */
    {"0f180f", ""},                   /* prefetcht0 (%rdi) */
    {"0fae3f", ""},                   /* clflush (%rdi) */
    {"48a10807060504030201", "load"}, /* movabs 0x102030405060708,%rax */
    {"64488b042528000000", "load"},   /* mov %fs:0x28,%rax */
    {"48c7070a000000", "store"},      /* movq $10,(%rdi) */
    {"480fb60f", "load"},             /* movzbq (%rdi),%rcx */
    {"480f4407", "load"},             /* cmove (%rdi),%rax */
    {"0f9407", "store"},              /* sete (%rdi) */
    {"0fc307", "store"},              /* movnti %eax,(%rdi) */
    {"480fab07", "load store"},       /* bts %rax,(%rdi) */
    {"480fa307", "load"},             /* bt %rax,(%rdi) */
    {"8707", "load store"},           /* xchg %eax,(%rdi) */
    {"f0480fb10f", "load store"},     /* lock cmpxchg %rcx,(%rdi) */
    {"f048ff07", "load store"},       /* lock incq (%rdi) */
    {"d307", "load store"},           /* roll %cl,(%rdi) */
    {"50", "store"},                  /* push %rax */
    {"58", "load"},                   /* pop %rax */
    {"ff37", "load store"},           /* push (%rdi) */
    {"8f07", "load store"},           /* pop (%rdi) */
    {"c9", "load"},                   /* leave */
    {"a4", "load store"},             /* movsb */
    {"f3a4", "load store repeat"},    /* rep movsb */
    {"f348ab", "store repeat"},       /* rep stosq */
    {"f348ad", "load repeat"},        /* rep lodsq */
    {"f2ae", "load repeat"},          /* repne scasb */
    {"f3a6", "load repeat"},          /* repe cmpsb */
    {"0f05", "syscall"},
    {"ebfe", "jump+0"}, /* jmp to itself */
    {"e900000000", "jump+5"},
    {"75fe", "cond+0"},         /* jne */
    {"0f8400000000", "cond+6"}, /* je */
    {"e2fe", "cond+0"},         /* loop */
    {"e300", "cond+2"},         /* jrcxz */
    {"e800000000", "store call+5"},
    {"ffd0", "store icall"},      /* call *%rax */
    {"ff17", "load store icall"}, /* call *(%rdi) */
    {"ffe0", "ijump"},            /* jmp *%rax */
    {"ff27", "load ijump"},       /* jmp *(%rdi) */
    {"c3", "load return"},
    {"f3c3", "load return"},         /* the form AMD once recommended */
    {"c20800", "load return"},       /* ret $8 */
    {"f30f58c1", "add/single"},      /* addss */
    {"f20f5807", "load add/double"}, /* addsd (%rdi),%xmm0 */
    {"0f58c1", "add/single*4"},      /* addps */
    {"660f58c1", "add/double*2"},    /* addpd */
    {"f20f5cc1", "add/double"},      /* subsd */
    {"f30f59c1", "mul/single"},
    {"660f59c1", "mul/double*2"},
    {"f20f5ec1", "div/double"},
    {"0f5ec1", "div/single*4"},
    {"f30f51c1", "sqrt/single"},
    {"660f51c1", "sqrt/double*2"},
    {"c5f358c2", "add/double"},          /* vaddsd */
    {"c5f458c2", "add/single*8"},        /* vaddps, ymm */
    {"c5f559c2", "mul/double*4"},        /* vmulpd, ymm */
    {"62f16c4858c2", "add/single*16"},   /* vaddps, zmm */
    {"c4e2f1b9c2", "fma/double"},        /* vfmadd231sd */
    {"c4e27199c2", "fma/single"},        /* vfmadd132ss */
    {"c4e2f5b8c2", "fma/double*4"},      /* vfmadd231pd, ymm */
    {"c4e271aec2", "fma/single*4"},      /* vfnmsub213ps */
    {"c4e2f1aa07", "load fma/double*2"}, /* vfmsub213pd (%rdi),%xmm1,%xmm0 */
    {"d8c1", "add/other"},               /* fadd %st(1),%st */
    {"dec1", "add/other"},               /* faddp */
    {"dc07", "load add/other"},          /* faddl (%rdi) */
    {"d8c9", "mul/other"},
    {"d8f1", "div/other"},
    {"d9fa", "sqrt/other"},
    {"dd07", "load"},      /* fldl (%rdi) */
    {"dd1f", "store"},     /* fstpl (%rdi) */
    {"d92f", "load"},      /* fldcw (%rdi) */
    {"d93f", "store"},     /* fnstcw (%rdi) */
    {"f20f1007", "load"},  /* movsd (%rdi),%xmm0: no string instruction */
    {"f20f1107", "store"}, /* movsd %xmm0,(%rdi) */
    {"0f2907", "store"},   /* movaps %xmm0,(%rdi) */
    {"c5fe7f07", "store"}, /* vmovdqu %ymm0,(%rdi) */
    {"660fefc0", ""},      /* pxor */
    {"f2480f2ac0", ""},    /* cvtsi2sd %rax,%xmm0 */
    {"06", "unknown"},     /* no instruction in 64-bit mode */
    {NULL, NULL},
};

/* 32-bit programs, where these differ. */
static const struct example i386[] = {{"41", ""},             /* inc %ecx */
                                      {"48", ""},             /* dec %eax */
                                      {"8b0f", "load"},       /* mov (%edi),%ecx */
                                      {"a108070605", "load"}, /* mov 0x5060708,%eax */
                                      {"50", "store"},        /* push %eax */
                                      {"c3", "load return"},
                                      {"cd80", "syscall"},           /* int $0x80 */
                                      {"0f34", "syscall"},           /* sysenter */
                                      {"cd03", ""},                  /* int $3 */
                                      {"f3a5", "load store repeat"}, /* rep movsl */
                                      {"75fe", "cond+0"},
                                      {"e800000000", "store call+5"},
                                      {"dd07", "load"}, /* fldl (%edi) */
                                      {"d8c9", "mul/other"},
                                      {NULL, NULL}};

static const struct example aarch64[] = {{"00040091", ""},        /* add x0, x0, #1 */
                                         {"010040f9", "load"},    /* ldr x1, [x0] */
                                         {"018440f8", "load"},    /* ldr x1, [x0], #8 */
                                         {"010000f9", "store"},   /* str x1, [x0] */
                                         {"010840a9", "load"},    /* ldp x1, x2, [x0] */
                                         {"010800a9", "store"},   /* stp x1, x2, [x0] */
                                         {"0000c03d", "load"},    /* ldr q0, [x0] */
                                         {"40000058", "load"},    /* ldr x0, . + 8 */
                                         {"017c5fc8", "load"},    /* ldxr x1, [x0] */
                                         {"017c02c8", "store"},   /* stxr w2, x1, [x0] */
                                         {"01fcdfc8", "load"},    /* ldar x1, [x0] */
                                         {"0070404c", "load"},    /* ld1 {v0.16b}, [x0] */
                                         {"0070004c", "store"},   /* st1 {v0.16b}, [x0] */
                                         {"000080f9", ""},        /* prfm pldl1keep, [x0] */
                                         {"1f2003d5", ""},        /* nop */
                                         {"010000d4", "syscall"}, /* svc #0 */
                                         {"02000014", "jump+8"},  /* b */
                                         {"41000054", "cond+8"},  /* b.ne */
                                         {"4e000054", "jump+8"},  /* b.al */
                                         {"400000b4", "cond+8"},  /* cbz x0 */
                                         {"400000b5", "cond+8"},  /* cbnz x0 */
                                         {"40001836", "cond+8"},  /* tbz w0, #3 */
                                         {"40001837", "cond+8"},  /* tbnz w0, #3 */
                                         {"02000094", "call+8"},  /* bl */
                                         {"00003fd6", "icall"},   /* blr x0 */
                                         {"00001fd6", "ijump"},   /* br x0 */
                                         {"c0035fd6", "return"},
                                         {"2028221e", "add/single"}, /* fadd s0, s1, s2 */
                                         {"2028621e", "add/double"},
                                         {"2038221e", "add/single"}, /* fsub */
                                         {"2008621e", "mul/double"},
                                         {"2088621e", "mul/double"}, /* fnmul */
                                         {"2018221e", "div/single"},
                                         {"20c0611e", "sqrt/double"},
                                         {"200c421f", "fma/double"},   /* fmadd */
                                         {"208c021f", "fma/single"},   /* fmsub */
                                         {"200c621f", "fma/double"},   /* fnmadd */
                                         {"20d4224e", "add/single*4"}, /* fadd v0.4s */
                                         {"20d4220e", "add/single*2"},
                                         {"20d4624e", "add/double*2"},
                                         {"20dc226e", "mul/single*4"},
                                         {"20fc626e", "div/double*2"},
                                         {"20f8a16e", "sqrt/single*4"},
                                         {"20cc224e", "fma/single*4"}, /* fmla v0.4s */
                                         {"20cce24e", "fma/double*2"}, /* fmls v0.2d */
                                         {"2040601e", ""},             /* fmov d0, d1 */
                                         {"0000629e", ""},             /* scvtf d0, x0 */
                                         {"00000000", "unknown"},
                                         {NULL, NULL}};

/* Capstone 4 does not know these. */
static const struct example aarch64_atomics[] = {
    {"020021f8", "load store"}, /* ldadd x1, x2, [x0] */
    {"0200e1f8", "load store"}, /* ldaddal x1, x2, [x0] */
    {"0280a1f8", "load store"}, /* swpa x1, x2, [x0] */
    {"027ca1c8", "load store"}, /* cas x1, x2, [x0] */
    {NULL, NULL},
};

static const struct example riscv64[] = {{"93821200", ""},           /* addi t0, t0, 1 */
                                         {"03330500", "load"},       /* ld t1, 0(a0) */
                                         {"23306500", "store"},      /* sd t1, 0(a0) */
                                         {"0c61", "load"},           /* c.ld a1, 0(a0) */
                                         {"0ce1", "store"},          /* c.sd a1, 0(a0) */
                                         {"a260", "load"},           /* c.ldsp ra, 8(sp) */
                                         {"06e4", "store"},          /* c.sdsp ra, 8(sp) */
                                         {"07350500", "load"},       /* fld fa0, 0(a0) */
                                         {"2730a500", "store"},      /* fsd fa0, 0(a0) */
                                         {"af320510", "load"},       /* lr.d t0, (a0) */
                                         {"af320514", "load"},       /* lr.d.aq t0, (a0) */
                                         {"2f335518", "store"},      /* sc.d t1, t0, (a0) */
                                         {"af220510", "load"},       /* lr.w t0, (a0) */
                                         {"2f235518", "store"},      /* sc.w t1, t0, (a0) */
                                         {"2f335500", "load store"}, /* amoadd.d t1, t0, (a0) */
                                         {"63949200", "cond+8"},     /* bne t0, s1 */
                                         {"01e5", "cond+8"},         /* c.bnez a0 */
                                         {"6f008000", "jump+8"},     /* j */
                                         {"21a0", "jump+8"},         /* c.j */
                                         {"ef008000", "call+8"},     /* jal ra */
                                         {"67800000", "return"},     /* jalr zero, 0(ra) */
                                         {"8280", "return"},         /* c.jr ra */
                                         {"0285", "ijump"},          /* c.jr a0 */
                                         {"67000e00", "ijump"},      /* jalr zero, 0(t3) */
                                         {"e7000900", "icall"},      /* jalr ra, 0(s2) */
                                         {"0299", "icall"},          /* c.jalr s2 */
                                         {"73000000", "syscall"},    /* ecall */
                                         {"5375b500", "add/single"},
                                         {"5375b502", "add/double"},
                                         {"5375b50a", "add/double"}, /* fsub.d */
                                         {"5375b510", "mul/single"},
                                         {"5375b51a", "div/double"},
                                         {"53f5055a", "sqrt/double"},
                                         {"53f50558", "sqrt/single"},
                                         {"4375b562", "fma/double"}, /* fmadd.d */
                                         {"4375b560", "fma/single"},
                                         {"4f75b562", "fma/double"}, /* fnmadd.d */
                                         {"530505f2", ""},           /* fmv.d.x fa0, a0 */
                                         {"0100", ""},               /* c.nop */
                                         {"0f00f00f", ""},           /* fence */
                                         {"732510c0", ""},           /* rdtime a0 */
                                         {"ffff", "unknown"},
                                         {NULL, NULL}};

static size_t unhex(const char *digits, uint8_t *bytes)
{
    size_t count = 0;
    for (; *digits; digits += 2)
        bytes[count++] = (uint8_t)strtoul((const char[]){digits[0], digits[1], 0}, NULL, 16);
    return count;
}

static void describe(const struct instruction *instruction, struct text *out)
{
    static const char *const flows[] = {"", "cond", "jump", "call", "return", "ijump", "icall"};
    static const char *const kinds[] = {"", "add", "mul", "div", "sqrt", "fma"};
    static const char *const precisions[] = {"single", "double", "other"};
    if (!instruction->known)
        text_puts(out, " unknown");
    text_puts(out, instruction->loads ? " load" : "");
    text_puts(out, instruction->stores ? " store" : "");
    text_puts(out, instruction->repeated ? " repeat" : "");
    text_puts(out, instruction->system_call ? " syscall" : "");
    if (instruction->flow != FLOW_NEXT)
        text_printf(out, " %s", flows[instruction->flow]);
    if (instruction->flow == FLOW_CONDITIONAL || instruction->flow == FLOW_JUMP ||
        instruction->flow == FLOW_CALL)
        text_printf(out, "+%llu", (unsigned long long)(instruction->target - PLACE));
    if (instruction->fp)
        text_printf(out, " %s/%s", kinds[instruction->fp], precisions[instruction->precision]);
    if (instruction->packed)
        text_printf(out, "*%u", instruction->lanes);
    else if (instruction->fp)
        assert_int_equal(instruction->lanes, 1);
    else
        assert_int_equal(instruction->lanes, 0);
}

static void check(const struct decoder *decoder, const char *isa, const struct example *examples)
{
    struct failure failure = {0};
    for (; examples->bytes; examples++) {
        uint8_t bytes[16];
        struct code_bytes code = {.isa = isa, .address = PLACE, .bytes = bytes};
        struct instructions found;
        AUTO_TEXT struct text what = {0};
        code.length = unhex(examples->bytes, bytes);
        int status = decode(decoder, &code, &found, &failure);
        if (status == -ENOTSUP)
            skip_because("%s", failure.text);
        if (status < 0)
            fail_msg("%s %s: %s", decoder->name, examples->bytes, failure.text);
        describe(&found.list[0], &what);
        if (found.count != 1 || found.list[0].length != code.length ||
            strcmp(text_string(&what) + (what.length != 0), examples->what) != 0)
            fail_msg("%s takes %s for '%s', %zu instructions,%s; it is '%s'", decoder->name,
                     examples->bytes, found.list[0].text, found.count, text_string(&what),
                     examples->what);
        instructions_release(&found);
    }
}

static const struct known {
    const char *name;
    const struct decoder *decoder;
    const char *isa;
    const struct example *examples;
} known[] = {
    {"capstone_knows_x86_64", &decoder_capstone, "x86_64", x86},
    {"objdump_knows_x86_64", &decoder_objdump, "x86_64", x86},
    {"capstone_knows_32_bit_code", &decoder_capstone, "i386", i386},
    {"objdump_knows_32_bit_code", &decoder_objdump, "i386", i386},
    {"capstone_knows_aarch64", &decoder_capstone, "aarch64", aarch64},
    {"objdump_knows_aarch64", &decoder_objdump, "aarch64", aarch64},
    {"objdump_knows_atomics_of_aarch64", &decoder_objdump, "aarch64", aarch64_atomics},
    {"objdump_knows_riscv64", &decoder_objdump, "riscv64", riscv64},
};

static void is_known(void **state)
{
    const struct known *one = *state;
    check(one->decoder, one->isa, one->examples);
}

EXAMPLES(decoders_know)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        unit_example(known[i].name, is_known, &known[i]);
}

/* Where an indirect jump leads whose address was formed right before it: the distance from the
 * beginning, or -1. */
static int64_t led_to(const struct decoder *decoder, const char *isa, const char *digits)
{
    uint8_t bytes[64];
    struct failure failure = {0};
    struct instructions found;
    struct code_bytes code = {.isa = isa, .address = PLACE, .bytes = bytes};
    code.length = unhex(digits, bytes);
    int status = decode(decoder, &code, &found, &failure);
    if (status == -ENOTSUP)
        return -2;
    assert_int_equal(status, 0);
    int64_t distance = -3;
    for (size_t i = 0; i < found.count; i++)
        if (found.list[i].flow == FLOW_INDIRECT_JUMP)
            distance = found.list[i].resolved ? (int64_t)(found.list[i].target - PLACE) : -1;
    instructions_release(&found);
    return distance;
}

TEST(an_address_formed_right_before_a_jump_is_read)
{
    static const struct {
        const char *isa, *bytes;
        int64_t distance;
    } examples[] = {
        {"x86_64", "488d0502000000ffe0", 9},         /* lea 2(%rip),%rax; jmp *%rax */
        {"x86_64", "488d05f9ffffffffe0", 0},         /* lea -7(%rip),%rax */
        {"x86_64", "488d0d02000000ffe0", -1},        /* lea 2(%rip),%rcx: another register */
        {"x86_64", "488d0502000000ff20", -1},        /* jmp *(%rax) */
        {"x86_64", "488d050200000090ffe0", -1},      /* something in between */
        {"x86_64", "eb07488d0502000000ffe0", -1},    /* jumped to from elsewhere */
        {"x86_64", "8d0502000000ffe0", -1},          /* lea to %eax: cut to 32 bits */
        {"aarch64", "4300001060001fd6", 8},          /* adr x3, . + 8; br x3 */
        {"aarch64", "4400001060001fd6", -1},         /* adr x4 */
        {"riscv64", "170e0000130ece0067000e00", 12}, /* auipc t3; addi t3,t3,12; jr t3 */
        {"riscv64", "170e000067000e00", 0},          /* without the addition */
        {"riscv64", "130ece0067000e00", -1},         /* without the beginning */
        {"riscv64", "170e000067004e00", -1},         /* jr 4(t3) */
    };
    for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
        for (size_t j = 0; decoders[j]; j++) {
            int64_t distance = led_to(decoders[j], examples[i].isa, examples[i].bytes);
            if (distance != -2 && distance != examples[i].distance)
                fail_msg("%s: %s leads to %lld instead of %lld", decoders[j]->name,
                         examples[i].bytes, (long long)distance, (long long)examples[i].distance);
        }
}

TEST(an_isa_nobody_knows_is_refused_with_a_reason)
{
    for (size_t i = 0; decoders[i]; i++) {
        struct failure failure = {0};
        struct instructions found;
        struct code_bytes code = {.isa = "vax", .address = PLACE, .bytes = "abcd", .length = 4};
        assert_int_equal(decode(decoders[i], &code, &found, &failure), -ENOTSUP);
        assert_true(*failure.text);
    }
}

/* Whatever the bytes: an answer that covers them, or an error in words. */
static void check_hostile(const char *isa, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; decoders[i]; i++) {
        struct failure failure = {0};
        struct instructions found;
        struct code_bytes code = {.isa = isa, .address = PLACE, .bytes = bytes, .length = length};
        int status = decode(decoders[i], &code, &found, &failure);
        if (status < 0 && status != -ENOTSUP)
            fail_msg("%s on %s: %s", decoders[i]->name, isa, failure.text);
        instructions_release(&found);
    }
}

TEST(bytes_that_are_no_code_break_nothing)
{
    static const char *const isas[] = {"x86_64", "aarch64", "riscv64"};
    static uint8_t bytes[20000];
    uint64_t random = 88172645463325252u; /* xorshift: the same bytes every time */
    for (size_t i = 0; i < sizeof(bytes); i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        bytes[i] = (uint8_t)(random >> 32);
    }
    for (size_t isa = 0; isa < 3; isa++) {
        check_hostile(isas[isa], bytes, sizeof(bytes));
        for (size_t length = 0; length < 18; length++) /* cut within an instruction */
            check_hostile(isas[isa], bytes + 777, length);
    }
}

TEST(too_much_code_is_refused)
{
    struct failure failure = {0};
    struct instructions found;
    struct code_bytes code = {.isa = "x86_64", .address = 0, .bytes = "", .length = SIZE_MAX};
    assert_int_equal(decode(&decoder_objdump, &code, &found, &failure), -E2BIG);
    code = (struct code_bytes){.isa = "x86_64", .address = UINT64_MAX, .bytes = "ab", .length = 2};
    assert_int_equal(decode(&decoder_objdump, &code, &found, &failure), -E2BIG);
}

/* --- an objdump that lies --- */
static void answer_with(const char *lines, int expected, const char *words)
{
    char folder[] = "/tmp/assay-objdump-XXXXXX";
    char program[64];
    AUTO_TEXT struct text old = {0};
    text_puts(&old, getenv("PATH"));
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof(program), "%s/x86_64-linux-gnu-objdump", folder);
    FILE *script = fopen(program, "w");
    assert_non_null(script);
    fprintf(script, "#!/bin/sh\n/usr/bin/printf '%s'\n", lines);
    fclose(script);
    chmod(program, 0755);
    setenv("PATH", folder, 1);
    struct failure failure = {0};
    struct instructions found;
    struct code_bytes code = {.isa = "x86_64", .address = 0x1000, .bytes = "\x90\xc3", .length = 2};
    int status = decode(&decoder_objdump, &code, &found, &failure);
    setenv("PATH", text_string(&old), 1);
    unlink(program);
    rmdir(folder);
    instructions_release(&found);
    if (status != expected || !strstr(failure.text, words))
        fail_msg("%d instead of %d: %s", status, expected, failure.text);
}

TEST(what_objdump_prints_is_held_to_the_bytes)
{
    answer_with("x: file\\n\\n  1000:\\t90    \\tnop\\n  1001:\\tc3   \\tretq\\n", 0, "");
    answer_with("  1000:\\t90    \\tnop\\n", -EBADMSG, "ended at 0x1001");
    answer_with("  1000:\\t90    \\tnop\\n  1001:\\t90   \\tnop\\n", -EBADMSG, "not what was due");
    answer_with("  1001:\\t90    \\tnop\\n  1002:\\tc3   \\tretq\\n", -EBADMSG, "not what was due");
    answer_with("  1000:\\t90 c3 90   \\tnop\\n", -EBADMSG, "not what was due");
    answer_with("  1000:\\t9   \\tnop\\n", -EBADMSG, "not what was due");
    answer_with("  1000:\\tzz   \\tnop\\n", -EBADMSG, "not what was due");
    answer_with("  1000:\\t90\\n", -EBADMSG, "not what was due");
    answer_with("", -EBADMSG, "ended at 0x1000");
    answer_with("  1000:\\t90   \\tnop\\n  1001:\\tAddress 0x1001 is out of bounds.\\n", 0, "");
    answer_with("  1001:\\tAddress 0x1001 is out of bounds.\\n", -EBADMSG, "not what was due");
    answer_with("  1000:\\t90 c3\\t,,((,,[{,,},,,,,,,,\\n", 0, "");
    answer_with("  1000:\\t90 c3\\trep rep rep\\n", 0, "");
}
