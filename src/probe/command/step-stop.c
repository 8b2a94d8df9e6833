/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a stop of a stepped task means, and what is counted for it: every instruction that was
 * completed in user mode, once. A fault, a signal that comes and a handler that is entered
 * execute nothing; a system call is the instruction that makes it, and one more each time it is
 * restarted. */
#include "probe/command/step.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>

#include "base/cleanup.h"
#include "stepped-code.h"

/* ----------------------------------------------------------------------------------------------
 * System calls that a signal interrupts. One that the program ignores would not have reached it,
 * had it not been traced: then the call is made once more only because of us, and counts once. */

#define RESTARTED_FIRST (-512)
#define RESTARTED_LAST  (-516)

static uint64_t bit_of(int signal)
{
    return signal > 0 && signal <= 64 ? (uint64_t)1 << (signal - 1) : 0;
}

/* Does the program neither handle the signal nor end or stop by it? */
static bool ignores(pid_t task, int signal)
{
    static const int harmless[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT};
    char path[64], line[256];
    uint64_t ignored = 0, caught = 0;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)task);
    AUTO_FILE FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file)) {
        sscanf(line, "SigIgn: %" SCNx64, &ignored);
        sscanf(line, "SigCgt: %" SCNx64, &caught);
    }
    for (size_t index = 0; index < sizeof(harmless) / sizeof(*harmless); index++)
        if (harmless[index] == signal && !(caught & bit_of(signal)))
            return true;
    return ignored & bit_of(signal);
}

/* What came of it: a signal, or 0 for none. */
static void restart_settle(struct following *following, struct traced *traced, int signal)
{
    if (!traced->restarting)
        return;
    traced->restarting = false;
    if (!signal || !ignores(traced->task, signal)) {
        if (following->telling)
            call_end(&following->record, traced->task, traced->number, &traced->call, -EINTR);
        return;
    }
    following->calls--;
    if (following->stepping)
        following->instructions--;
    if (traced->made_by)
        traced->made_by->executions--;
}

/* --- What every stop means --- */

#ifndef CLONE_UNTRACED
#define CLONE_UNTRACED 0x00800000
#endif

/* --- counting --- */

static void count(struct following *following, struct instruction *instruction)
{
    instruction->executions++;
    following->instructions++;
}

/* Where a task stands after an instruction tells its length, where it was none that jumps. */
static void learn_length(struct instruction *instruction, uint64_t begun, uint64_t address)
{
    if (!instruction->length && address > begun && address - begun <= sizeof(instruction->bytes))
        instruction->length = (uint8_t)(address - begun);
}

/* The flag that makes it stop is nobody's business but ours: takes it out of what was pushed. */
static int clean_flags(const struct traced *traced)
{
    decode_registers registers;
    int result = stepped_registers(traced->task, &registers);
    if (result < 0)
        return result;
    void *place = (void *)(uintptr_t)stepped_stack(&registers);
    errno = 0;
    long word = ptrace(PTRACE_PEEKDATA, traced->task, place, NULL);
    if (errno)
        return -errno;
    word &= ~(long)STEPPED_TRAP_FLAG;
    return ptrace(PTRACE_POKEDATA, traced->task, place, (void *)word) < 0 ? -errno : 0;
}

/* --- system calls --- */

static int read_call(struct following *following, struct traced *traced, bool before)
{
    static const uint8_t unknown[16];
    decode_registers registers;
    int result = stepped_registers(traced->task, &registers);
    if (result < 0)
        return result;
    const uint8_t *code = traced->instruction ? traced->instruction->bytes : unknown;
    uint8_t made_by[16] = {0};
    if (!before) { /* what made it stands before the task */
        errno = 0;
        long word = ptrace(PTRACE_PEEKTEXT, traced->task,
                           (void *)(uintptr_t)(decode_program_counter(&registers) - 2), NULL);
        if (!errno)
            memcpy(made_by, &word, sizeof(word));
        code = made_by;
    }
    stepped_call(&registers, code, before, &traced->call.made);
    call_name(&traced->call.made, traced->call.name, sizeof(traced->call.name));
    traced->call.role = call_role(traced->call.name);
    traced->calling = true;
    if (following->telling)
        call_begin(traced->task, &traced->call);
    return 0;
}

static int word_at(pid_t task, uint64_t address, uint64_t *word)
{
    errno = 0;
    *word = (uint64_t)ptrace(PTRACE_PEEKDATA, task, (void *)(uintptr_t)address, NULL);
    return -errno;
}

int stop_clone_flags(struct following *following, const struct traced *traced, uint64_t *flags)
{
    const uint64_t *arguments = traced->call.made.arguments;
    *flags = 0;
    switch (traced->call.role) {
    case CALL_VFORKS:
        *flags = CLONE_VM;
        break;
    case CALL_CLONES:
        *flags = arguments[0];
        break;
    case CALL_CLONES_BY:
        if (word_at(traced->task, arguments[0], flags) < 0)
            *flags = 0; /* the call fails */
        break;
    default:
        break;
    }
    if (!(*flags & CLONE_UNTRACED))
        return 0;
    return command_fail(following->visit, -ENOTSUP,
                        "it starts a process that must not be traced (CLONE_UNTRACED), which would "
                        "be missing in the count");
}

static int before_call(struct following *following, struct traced *traced)
{
    uint64_t flags;
    int result = read_call(following, traced, true);
    if (result < 0)
        return result;
    cpu_before_call(following, traced);
    return stop_clone_flags(following, traced, &flags);
}

/* again: it stands where the call is made, as some ISAs show one that is made again. */
static void tell_call(struct following *following, struct traced *traced, int64_t result,
                      bool again)
{
    /* A call came back with a result that programs never see: it is made again, or ends with
     * EINTR. */
    if (again || (result <= RESTARTED_FIRST && result >= RESTARTED_LAST)) {
        traced->restarting = true;
    } else if (following->telling)
        call_end(&following->record, traced->task, traced->number, &traced->call, result);
}

/* By an instruction that may not be known. */
static void count_call(struct following *following, struct instruction *instruction)
{
    if (instruction)
        count(following, instruction);
    else
        following->instructions++;
}

/* The one that was made last is over, or made again: then registers still tell it. */
static int after_call(struct following *following, struct traced *traced)
{
    decode_registers registers;
    int result = stepped_registers(traced->task, &registers);
    if (result < 0)
        return result;
    following->calls++;
    bool here = traced->instruction && traced->instruction->kind == KIND_CALL;
    if (here)
        traced->made_by = traced->instruction; /* else the last one, which was made again */
    count_call(following, traced->made_by);
    bool again = here && traced->here == traced->instruction->address;
    tell_call(following, traced, stepped_result(&registers), again);
    const uint64_t *arguments = traced->call.made.arguments;
    switch (traced->call.role) {
    case CALL_MAPS:
        code_mapped(traced->code, arguments[0], arguments[1], arguments[2] & PROT_EXEC);
        break;
    case CALL_UNMAPS:
        code_mapped(traced->code, arguments[0], arguments[1], false);
        break;
    case CALL_MOVES:
        traced->code->stale = true;
        break;
    default:
        break;
    }
    cpu_after_call(following, traced);
    traced->calling = false;
    return 0;
}

int stop_call(struct following *following, struct traced *traced)
{
    decode_registers registers;
    if (traced->executed) { /* the return from the call that began it */
        traced->executed = false;
        return 0;
    }
    if (!traced->calling) {
        restart_settle(following, traced, 0);
        following->calls++;
        return read_call(following, traced, false);
    }
    traced->calling = false;
    int result = stepped_registers(traced->task, &registers);
    if (result == 0)
        tell_call(following, traced, stepped_result(&registers), false);
    return result;
}

void stop_executed(struct following *following, struct traced *traced)
{
    if (following->stepping) {
        following->calls++;
        count_call(following, traced->instruction);
    }
    if (following->telling)
        call_end(&following->record, traced->task, traced->number, &traced->call, 0);
}

void stop_ended(struct following *following, struct traced *traced, int killed)
{
    if (!traced->calling || (killed && killed == traced->passed)) {
        free(traced->call.what);
        traced->call.what = NULL;
        return;
    }
    if (following->stepping) {
        following->calls++;
        count_call(following, traced->instruction);
    }
    call_gone(following->telling ? &following->record : NULL, traced->number, &traced->call);
}

void stop_forget(struct following *following, struct traced *traced, int signal)
{
    traced->calling = false;
    restart_settle(following, traced, signal);
}

/* --- stops --- */

static int meaning_of(const struct traced *traced, uint64_t address, enum stepped_stop *stop)
{
    siginfo_t information;
    unsigned kind = traced->instruction ? traced->instruction->kind : KIND_CALL;
    *stop = STOP_EXECUTED;
    /* Anything else than a plain step leaves it where it was, or was expected. */
    if (address != traced->begun && !traced->passed && !traced->executed && kind != KIND_CALL &&
        kind != KIND_TRAPS)
        return 0;
    if (ptrace(PTRACE_GETSIGINFO, traced->task, NULL, &information) < 0)
        return -errno;
    *stop = stepped_stop(&information);
    if (*stop == STOP_RETURNED && kind == KIND_TRAPS)
        *stop = STOP_TRAPPED; /* int1 */
    else if (*stop == STOP_RETURNED && kind != KIND_CALL && !traced->executed && !traced->passed)
        *stop = STOP_EXECUTED; /* its reason was lost by the hypervisor (trap-flag.h) */
    return 0;
}

int stop_stepped(struct following *following, struct traced *traced, int *signal)
{
    uint64_t address;
    enum stepped_stop stop = STOP_EXECUTED;
    int result = stepped_address(traced->task, &address);
    if (result == 0)
        result = meaning_of(traced, address, &stop);
    if (result < 0)
        return result;
    *signal = 0;
    traced->here = address;
    traced->here_known = true;
    if (traced->restarting && stop != STOP_SENT && !(STEPPED_EXTRA_STOP && traced->returned))
        restart_settle(following, traced, 0);
    switch (stop) {
    case STOP_EXECUTED: {
        bool again = traced->returned && address == traced->begun;
        traced->returned = traced->executed = false;
        if (again || !traced->instruction)
            return 0;
        if (traced->instruction->kind == KIND_CALL)
            return after_call(following, traced);
        struct instruction *instruction = traced->instruction;
        bool moved = address != traced->begun;
        if (instruction->kind == KIND_REPEATED && !moved) {
            instruction->repetitions++;
            following->repetitions++;
            return 0;
        }
        if (instruction->kind == KIND_HOLDS) {
            /* The next one was executed with it. */
            struct instruction *held = traced->instruction, *next;
            held->length = (uint8_t)stepped_held_length(held->bytes, held->narrow);
            uint64_t second = held->address + held->length;
            int error = code_at(following->visit, traced->code, traced->task, second, &next);
            if (error < 0)
                return error;
            count(following, held);
            count(following, next);
            learn_length(next, second, address);
            return 0;
        }
        learn_length(instruction, instruction->address, address);
        count(following, instruction);
        if (instruction->kind == KIND_FAR)
            traced->code->width_known = false;
        return instruction->kind == KIND_FLAGS ? clean_flags(traced) : 0;
    }
    case STOP_RETURNED: {
        bool executed = traced->executed;
        traced->executed = false;
        traced->returned = STEPPED_EXTRA_STOP;
        return executed ? 0 : after_call(following, traced);
    }
    case STOP_TRAPPED:
        if (!traced->instruction || traced->instruction->kind != KIND_TRAPS)
            return 0;
        count(following, traced->instruction);
        *signal = SIGTRAP;
        return 0;
    case STOP_SENT:
        *signal = SIGTRAP;
        break;
    case STOP_ENTERED:
        break;
    }
    stop_forget(following, traced, *signal);
    return 0;
}

int stop_prepare(struct following *following, struct traced *traced)
{
    int result;
    if (!following->stepping)
        return 0;
    result = traced->here_known ? 0 : stepped_address(traced->task, &traced->here);
    traced->here_known = false;
    if (result < 0)
        return result == -ESRCH ? 0 : result;
    uint64_t address = traced->begun = traced->here;
    if (stepped_is_emulated(address)) {
        decode_registers registers;
        result = stepped_registers(traced->task, &registers);
        if (result == 0)
            result = word_at(traced->task, stepped_stack(&registers), &address);
    }
    if (result == 0)
        result =
            code_at(following->visit, traced->code, traced->task, address, &traced->instruction);
    if (result == 0 && traced->instruction->kind == KIND_CALL)
        result = before_call(following, traced);
    return result == -ESRCH ? 0 : result;
}
