/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sequences of an exclusive load and its store: stopped in between, the store fails and the loop
 * around both never ends. They run in one go to breakpoints behind them, and what was executed is
 * told from where the task came out. */
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "probe/command/step.h"
#include "stepped-code.h"

#if DECODE_EXCLUSIVES
#include <elf.h>

#define ENDS 2 /* behind the store, and where a branch leaves it */

struct breakpoint {
    uint64_t address;
    long word; /* what stood there */
};

static int peek(pid_t task, uint64_t address, long *word)
{
    errno = 0;
    *word = ptrace(PTRACE_PEEKTEXT, task, (void *)(uintptr_t)address, NULL);
    return -errno;
}

static int poke(pid_t task, uint64_t address, long word)
{
    return ptrace(PTRACE_POKETEXT, task, (void *)(uintptr_t)address, (void *)word) < 0 ? -errno : 0;
}

static int set(pid_t task, struct breakpoint *breakpoint, uint64_t address)
{
    breakpoint->address = address;
    int result = peek(task, address, &breakpoint->word);
    if (result < 0)
        return result;
    uint64_t word =
        ((uint64_t)breakpoint->word & ~(uint64_t)DECODE_BREAKPOINT_MASK) | DECODE_BREAKPOINT;
    return poke(task, address, (long)word);
}

static void read_words(pid_t task, uint64_t address, uint32_t words[DECODE_SEQUENCE])
{
    for (size_t index = 0; index < DECODE_SEQUENCE; index += 2) {
        long word;
        if (peek(task, address + 4 * index, &word) < 0)
            word = 0; /* the end of what is mapped: no such instruction */
        memcpy(words + index, &word, sizeof(word));
    }
}

/* Each of the sequence's instructions was executed once, up to where the task came out. */
static int count_through(struct following *following, struct traced *traced, uint64_t begun,
                         unsigned executed)
{
    for (unsigned index = 0; index < executed; index++) {
        struct instruction *instruction;
        int result =
            code_at(following->visit, traced->code, traced->task, begun + 4 * index, &instruction);
        if (result < 0)
            return result;
        instruction->executions++;
        following->instructions++;
    }
    return 0;
}

/* Runs to one of the breakpoints, or to whatever stops it first. */
static int run(pid_t task, const struct breakpoint *breakpoints, size_t count, int *status)
{
    int result = ptrace(PTRACE_CONT, task, NULL, NULL) < 0 ? -errno : 0;
    while (result == 0 && waitpid(task, status, __WALL) < 0)
        result = errno == EINTR ? 0 : -errno;
    for (size_t index = count; index-- > 0;)
        if (result == 0 && WIFSTOPPED(*status))
            result = poke(task, breakpoints[index].address, breakpoints[index].word);
    return result;
}

int exclusive_run(struct following *following, struct traced *traced, int *status)
{
    uint32_t words[DECODE_SEQUENCE];
    struct decode_sequence sequence;
    struct breakpoint breakpoints[ENDS];
    size_t count = 1;
    pid_t task = traced->task;
    uint64_t begun = traced->begun, here = 0;
    read_words(task, begun, words);
    if (!decode_exclusive(words, &sequence))
        return -ENOTSUP;
    uint64_t branch = begun + (uint64_t)sequence.branch_bytes, end = begun + 4 * sequence.length;
    int result = set(task, &breakpoints[0], end);
    if (result == 0 && sequence.branch)
        result = set(task, &breakpoints[count++], branch);
    if (result == 0)
        result = run(task, breakpoints, count, status);
    if (result < 0 || !WIFSTOPPED(*status))
        return result;
    result = stepped_address(task, &here);
    if (result < 0)
        return result;
    /* A signal may stop it inside: then what stands before was executed. */
    unsigned executed = here == end                         ? sequence.length
                        : sequence.branch && here == branch ? sequence.branch
                        : here > begun && here < end        ? (unsigned)(here - begun) / 4
                                                            : 0;
    traced->begun = here;
    traced->instruction = NULL;
    return count_through(following, traced, begun, executed);
}
#else
int exclusive_run(struct following *following, struct traced *traced, int *status)
{
    (void)following, (void)traced, (void)status;
    return -ENOTSUP;
}
#endif
