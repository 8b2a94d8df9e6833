/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands in a region that traps: instructions whose traps do not come once each, system
 * calls, code of others. Truths are known texts, and a stepper's count of the same code. */
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "case.h"
#include "trapping.h"

#if defined(__x86_64__)
#include "step.h"

static __attribute__((used)) uint64_t memory[64]; /* by the texts alone */

/* What the texts use. */
#define USED "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r10", "r11", "cc", "memory"
#define TEXT(name, text)                                                                           \
    static __attribute__((noinline)) void name(void)                                               \
    {                                                                                              \
        __asm__ volatile("lea memory(%%rip), %%rdi" : : : USED);                                   \
        assay_begin();                                                                             \
        __asm__ volatile(text : : : USED); /* NOLINT(bugprone-macro-parentheses) */                \
        assay_end();                                                                               \
    }

#define STORE "\tlea memory(%%rip), %%rdi\n\tmov $0, %%eax\n"
TEXT(repeats, STORE "\tmov $500, %%ecx\n\trep stosb\n\tnop")
TEXT(repeats_never, STORE "\txor %%ecx, %%ecx\n\trep stosb\n\tnop")
TEXT(repeats_once, STORE "\tmov $1, %%ecx\n\trep stosb\n\tnop")
TEXT(compares, STORE "\tmov $64, %%ecx\n\trepne scasq\n\tnop")
TEXT(moves_twice, STORE "\tmov $8, %%ecx\n\tmov %%rdi, %%rsi\n\trep movsq\n\tmov $8, %%ecx\n\trep "
                        "stosq")
TEXT(holds_its_trap, "\tmov %%ss, %%eax\n\tmov %%eax, %%ss\n\tnop\n\tnop")
TEXT(calls_the_system, "\tmov $110, %%eax\n\tsyscall\n\tnop\n\tmov $110, %%eax\n\tsyscall\n\tmov "
                       "$110, %%eax\n\tsyscall")
TEXT(calls_the_old_way, "\tmov $64, %%eax\n\tint $0x80\n\tnop\n\tnop")
TEXT(asks_the_cpu, "\txor %%eax, %%eax\n\txor %%ecx, %%ecx\n\tcpuid\n\tnop\n\trdtsc\n\tnop")
TEXT(keeps_its_flags, "\tsub $128, %%rsp\n\tpushfq\n\txor %%eax, %%eax\n\tpopfq\n\tadd $128, "
                      "%%rsp\n\tnop")
TEXT(branches, "\tmov $100, %%ecx\n1:\tdec %%ecx\n\tjnz 1b\n\tcall 2f\n\tjmp 3f\n2:\tret\n3:")
TEXT(waits_for_itself, "\tmov $100, %%ecx\n1:\tloop 1b\n\tnop")

TEST(texts_are_counted_to_the_instruction)
{
    OPEN_OR_SKIP(calibrated);
    static const struct {
        void (*text)(void);
        const char *name;
        double truth;
    } texts[] = TABLE({repeats, "repeats", 5}, {repeats_never, "repeats_never", 5},
                      {repeats_once, "repeats_once", 5}, {compares, "compares", 5},
                      {moves_twice, "moves_twice", 7}, {holds_its_trap, "holds_its_trap", 4},
                      {calls_the_system, "calls_the_system", 7}, {asks_the_cpu, "asks_the_cpu", 6},
                      {keeps_its_flags, "keeps_its_flags", 6}, {branches, "branches", 1 + 200 + 3},
                      {waits_for_itself, "waits_for_itself", 102},
                      {calls_the_old_way, "calls_the_old_way", 4});
    memset(memory, 1, sizeof(memory));
    for (int run = 0; run < 10; run++) {
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
            texts[i].text();
            assert_exact(texts[i].name, texts[i].truth);
        }
    }
    assay_calipers_close(calipers);
}

/* Code of libc, of the vDSO and of this program, between two labels. */
static char copies[2][300];
static size_t volatile copied = sizeof(copies[0]); /* or the compiler would repeat instructions */
static time_t now;

/* Once in the program, or its labels would be there twice. */
extern const char stepped_first[], stepped_last[];
static __attribute__((noinline, used)) void others(void *unused)
{
    (void)unused;
    assay_begin();
    __asm__ volatile(".global stepped_first\nstepped_first:");
    time(&now); /* other clocks of the vDSO read again when the time moved meanwhile */
    strcpy(copies[0], "what is copied");
    memcpy(copies[1], copies[0], copied);
    memset(copies[0], 0, copied);
    getppid();
    __asm__ volatile(".global stepped_last\nstepped_last:");
    assay_end();
}

static void others_alone(void *unused)
{
    assay_calipers_select(NULL); /* two that step would be one too many */
    others(unused);
}

TEST(code_of_others_counts_as_a_stepper_counts_it)
{
    struct steps steps;
    OPEN_OR_SKIP(calibrated);
    others(NULL); /* binds what is bound late */
    if (!step_possible()) {
        assay_calipers_close(calipers);
        skip_because("nothing can be stepped here");
    }
    assert_int_equal(
        step(others_alone, NULL, (uintptr_t)stepped_first, (uintptr_t)stepped_last, &steps), 0);
    assert_true(steps.instructions > 20);
    for (int run = 0; run < 10; run++) {
        others(NULL);
        assert_exact("others", (double)steps.instructions);
    }
    assay_calipers_close(calipers);
}

/* Clears the flag, which nothing sets again. */
TEXT(clears_the_flag, "\tsub $128, %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\tadd $128, "
                      "%%rsp\n\tnop")

static __attribute__((noinline)) void clears_before_another(void)
{
    assay_begin();
    __asm__ volatile("sub $128, %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\tadd $128, "
                     "%%rsp\n\tnop"
                     :
                     :
                     : USED);
    assay_begin();
    __asm__ volatile("nop");
    assay_end();
    assert_exact("inner", 1);
    assay_end();
}

static void assert_lost(void)
{
    struct assay_count count = counted();
    assert_int_equal(count.state, ASSAY_UNSUPPORTED);
    assert_true(count.noticed & ASSAY_NOT_MEASURED && count.noticed & ASSAY_SAW_DISTURBED);
}

TEST(a_flag_that_is_cleared_inside_is_noticed)
{
    OPEN_OR_SKIP(calibrated);
    clears_the_flag();
    assert_lost();
    clears_before_another();
    assert_lost();
    repeats();
    assert_exact("behind", 5);
    assay_calipers_close(calipers);
}
#endif

TEST(nothing_of_this_is_for_other_cpus)
{
    const char *reason = NULL;
    struct assay_calipers *calipers = trapping(&reason);
#if !defined(__x86_64__)
    assert_null(calipers);
    assert_non_null(strstr(reason, "no trap flag"));
#endif
    assay_calipers_close(calipers);
}
