/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The windows of trap, run in this process: what the handler makes of traps that do not stand for
 * one instruction each, and that nothing lost goes unnoticed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "probe/harness/path.h"
#include "trap-flag.h"

extern const struct path path_trap_O0, path_trap_O1, path_trap_O2, path_trap_O3;
extern const struct path path_broken_trap_O2;

struct counts {
    uint64_t instructions, raw;
};

static struct job *make_job(void)
{
    struct job *job = calloc(1, job_size(1, 2));
    assert_non_null(job);
    job->runs = 1;
    job->counters = 2;
    job->pattern = PATTERN_AO;
    strcpy(job->events[0].counts, "instructions");
    strcpy(job->events[1].counts, "instructions-raw");
    return job;
}

/* One run; the result of release. */
static int run(const struct path *path, enum specimen_form form, uintptr_t first,
               specimen_function *code, struct counts *counts)
{
    static struct instrument instrument;
    struct job *job = make_job();
    job->closed = window_mark_address(path, PATTERN_AO, form, LAYOUT_GROUP, MARK_CLOSED);
    instrument = (struct instrument){.job = job, .path = path};
    instrument.window.first = first;
    instrument.window.second = code;
    const struct path_operations *operations = path->operations;
    assert_int_equal(operations->open(&instrument), 0);
    assert_int_equal(operations->arm(&instrument), 0);
    path->windows[PATTERN_AO][form][LAYOUT_GROUP](&instrument.window);
    int result = operations->release(&instrument, 0);
    operations->close(&instrument);
    *counts = (struct counts){job_values(job)[0], job_values(job)[1]};
    free(job);
    return result;
}

static void need_trap_flag(void)
{
    char reason[512] = "";
    if (path_trap_O2.operations->usable(reason, sizeof(reason)) < 0)
        skip_because("%s", reason);
}

static int64_t loop_truth(uint64_t n)
{
    const struct truth *truth = specimen_find("loop")->truth;
    while (strcmp(truth->class, "instructions") != 0)
        truth++;
    return truth->base + truth->each * (int64_t)n;
}

TEST(a_loop_with_one_instruction_more_is_noticed)
{
    need_trap_flag();
    struct counts counts;
    assert_int_equal(run(&path_broken_trap_O2, SPECIMEN_LOOP, 1000, NULL, &counts), 0);
    assert_int_equal(counts.instructions, loop_truth(1000) + 1000);
}

#if TRAP_FLAG && defined(__x86_64__)
/* Called by two instructions and left by one. */
#define AROUND 3
#define CODE(name, text)                                                                           \
    void name(struct specimen_state *state);                                                       \
    __asm__(".pushsection .text\n.global " #name "\n" #name ":\n" text "\n\tret\n.popsection")

CODE(repeats, "\tlea 64(%rdi), %rdi\n\tmov $5, %ecx\n\tmov $0, %eax\n\trep stosb\n\tnop");
CODE(holds_its_trap, "\tmov %ss, %eax\n\tmov %eax, %ss\n\tnop\n\tnop");
CODE(calls_the_system, "\tmov $110, %eax\n\tsyscall\n\tnop\n\tmov $110, %eax\n\tsyscall\n\tmov $3, "
                       "%ecx\n\tlea 64(%rdi), %rdi\n\trep stosb");
CODE(clears_the_flag, "\tpushfq\n\tandq $~0x100, (%rsp)\n\tpopfq\n\tnop");

/* Lost reasons cannot be had at will: seen once in some hundred thousand traps of a virtual
 * machine. */
TEST(a_trap_whose_reason_was_lost_is_the_flags)
{
    static const unsigned char nop[DECODE_LONGEST] = {0x90}, int1[DECODE_LONGEST] = {0xf1},
                               prefixed[DECODE_LONGEST] = {0x66, 0xf1};
    assert_true(trap_flag_made(TRAP_TRACE, nop, true));
    assert_true(trap_flag_made(TRAP_BRKPT, nop, true));
    assert_true(trap_flag_made(TRAP_BRKPT, nop, false)); /* the last one, behind popf */
    assert_true(trap_flag_made(TRAP_BRKPT, NULL, true));
    assert_false(trap_flag_made(TRAP_BRKPT, NULL, false)); /* int1 in code without the flag */
    assert_false(trap_flag_made(TRAP_BRKPT, int1, true));
    assert_false(trap_flag_made(TRAP_BRKPT, prefixed, true));
    assert_false(trap_flag_made(TRAP_HWBKPT, nop, true));
    assert_false(trap_flag_made(SI_KERNEL, nop, true)); /* int3 */
    assert_false(trap_flag_made(SI_USER, nop, true));
}

static struct counts count_code(specimen_function *code)
{
    static uint64_t memory[32];
    struct counts counts;
    assert_int_equal(run(&path_trap_O2, SPECIMEN_CALLED, (uintptr_t)memory, code, &counts), 0);
    return counts;
}

TEST(repetitions_are_one_instruction)
{
    need_trap_flag();
    struct counts counts = count_code(repeats);
    assert_int_equal(counts.instructions, AROUND + 5);
    assert_int_equal(counts.raw, AROUND + 4 + 5);
}

TEST(a_trap_that_is_held_back_stands_for_two)
{
    need_trap_flag();
    struct counts counts = count_code(holds_its_trap);
    assert_int_equal(counts.instructions, AROUND + 4);
    assert_int_equal(counts.raw, AROUND + 3);
}

TEST(system_calls_are_instructions_whether_they_trap_or_not)
{
    need_trap_flag();
    struct counts counts = count_code(calls_the_system);
    assert_int_equal(counts.instructions, AROUND + 8);
}

TEST(a_flag_that_is_cleared_inside_fails_the_run)
{
    need_trap_flag();
    struct counts counts;
    uint64_t memory[32] = {0};
    assert_int_equal(
        run(&path_trap_O2, SPECIMEN_CALLED, (uintptr_t)memory, clears_the_flag, &counts), -EIO);
}
#endif
