/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hides the vDSO from a program that has just been executed: it is told of it by two entries of the
 * auxiliary vector, which then say nothing. Asking for the time is a system call afterwards. */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>

#include "probe/command/calls.h"
#include "stepped-code.h"

#define WORDS_MOST (64u << 20) /* of arguments and environment: more than can be */

/* The stack: a count, arguments, 0, environment, 0, then pairs of which the last is AT_NULL. */
struct stack {
    pid_t task;
    uint64_t at;
    size_t width; /* bytes of a word */
    uint64_t read;
};

static int word_here(struct stack *stack, uint64_t *word)
{
    if (stack->read++ > WORDS_MOST)
        return -E2BIG;
    errno = 0;
    long found = ptrace(PTRACE_PEEKDATA, stack->task, (void *)(uintptr_t)stack->at, NULL);
    if (errno)
        return -errno;
    *word = stack->width == 4 ? (uint32_t)found : (uint64_t)found;
    return 0;
}

static int skip_list(struct stack *stack)
{
    uint64_t word = 1;
    int result = 0;
    while (result == 0 && word) {
        result = word_here(stack, &word);
        stack->at += stack->width;
    }
    return result;
}

/* The whole machine word is written back, with the lower part of it replaced where words are
 * shorter. */
static int overwrite(const struct stack *stack, uint64_t value)
{
    errno = 0;
    long word = ptrace(PTRACE_PEEKDATA, stack->task, (void *)(uintptr_t)stack->at, NULL);
    if (errno)
        return -errno;
    memcpy(&word, &value, stack->width); /* ISAs with a kit are little-endian */
    return ptrace(PTRACE_POKEDATA, stack->task, (void *)(uintptr_t)stack->at, (void *)word) < 0
               ? -errno
               : 0;
}

int call_hide_vdso(pid_t task)
{
    decode_registers registers;
    int result = stepped_registers(task, &registers);
    if (result < 0)
        return result;
    struct stack stack = {.task = task,
                          .at = stepped_stack(&registers),
                          .width = stepped_is_narrow(&registers) ? 4 : 8};
    stack.at += stack.width;
    result = skip_list(&stack);
    if (result == 0)
        result = skip_list(&stack);
    uint64_t type = AT_IGNORE;
    while (result == 0 && type != AT_NULL) {
        result = word_here(&stack, &type);
        if (result == 0 && (type == AT_SYSINFO_EHDR || type == AT_SYSINFO))
            result = overwrite(&stack, AT_IGNORE);
        stack.at += 2 * stack.width;
    }
    return result;
}
