/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stepping: run to an address by a breakpoint, from there one instruction at a time; and which of
 * the calls and reads that were stepped open and close a counter's window. */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "probe/sources/stepper.h"
#include "trap-flag.h"
#include "user-counter.h"

/* ----------------------------------------------------------------------------------------------
 * A process, stepped. What an instruction is decides what a step stands for; only the ISA's folder
 * knows encodings. */

enum kind {
    KIND_UNKNOWN,
    KIND_PLAIN,
    KIND_REPEATED,  /* a step is one repetition */
    KIND_HOLDS,     /* a step is this and the next */
    KIND_SYSTEM,    /* a system call */
    KIND_COUNTER,   /* reads a counter */
    KIND_EXCLUSIVE, /* begins a sequence that must not be stopped */
};

/* --- the process --- */

static int await_stop(struct stepper *stepper)
{
    while (waitpid(stepper->pid, &stepper->status, __WALL) < 0)
        if (errno != EINTR)
            return -errno;
    return WIFSTOPPED(stepper->status) ? 0 : -ECHILD;
}

#define SIGNAL_CALL (SIGTRAP | 0x80) /* a stop at a system call: PTRACE_O_TRACESYSGOOD */

/* The signal of the last stop, to be passed on: none of those that stepping itself makes. */
static int pending_signal(const struct stepper *stepper)
{
    int number = WSTOPSIG(stepper->status);
    return number == SIGTRAP || number == SIGSTOP || number == SIGNAL_CALL ? 0 : number;
}

static int resume(struct stepper *stepper, enum __ptrace_request how, int number)
{
    if (ptrace(how, stepper->pid, NULL, (void *)(intptr_t)number) < 0)
        return errno == ESRCH ? await_stop(stepper) : -errno;
    return await_stop(stepper);
}

static int get_registers(const struct stepper *stepper, decode_registers *registers)
{
    struct iovec io = {registers, sizeof(*registers)};
    if (ptrace(PTRACE_GETREGSET, stepper->pid, (void *)NT_PRSTATUS, &io) < 0)
        return -errno;
    return 0;
}

static int program_counter(const struct stepper *stepper, uintptr_t *address)
{
    decode_registers registers;
    int result = get_registers(stepper, &registers);
    *address = result < 0 ? 0 : decode_program_counter(&registers);
    return result;
}

/* The registers as they are now; with them where it stands. */
static int look(struct stepper *stepper, uintptr_t *address)
{
    int result = get_registers(stepper, &stepper->registers);
    *address = result < 0 ? 0 : decode_program_counter(&stepper->registers);
    return result;
}

static void note_call(struct stepper *stepper, long number)
{
    stepper->called.number = number;
    for (unsigned index = 0; index < 2; index++)
        stepper->called.arguments[index] = decode_called_argument(&stepper->registers, index);
}

static int go_to(const struct stepper *stepper, uintptr_t address)
{
    decode_registers registers;
    struct iovec io = {&registers, sizeof(registers)};
    int result = get_registers(stepper, &registers);
    if (result < 0)
        return result;
    decode_set_program_counter(&registers, address);
    return ptrace(PTRACE_SETREGSET, stepper->pid, (void *)NT_PRSTATUS, &io) < 0 ? -errno : 0;
}

static int peek(const struct stepper *stepper, uintptr_t address, uint64_t *word)
{
    errno = 0;
    *word = (uint64_t)ptrace(PTRACE_PEEKTEXT, stepper->pid, (void *)address, NULL);
    return -errno;
}

static int poke(const struct stepper *stepper, uintptr_t address, uint64_t word)
{
    return ptrace(PTRACE_POKETEXT, stepper->pid, (void *)address, (void *)(uintptr_t)word) < 0
               ? -errno
               : 0;
}

int stepper_begin(struct stepper *stepper, pid_t pid)
{
    *stepper = (struct stepper){.pid = pid};
    int result = await_stop(stepper);
    if (result < 0)
        return result;
    const uintptr_t options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD;
    return ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)options) < 0 ? -errno : 0;
}

int stepper_run_to_stop(struct stepper *stepper)
{
    int result;
    do
        result = resume(stepper, PTRACE_CONT, pending_signal(stepper));
    while (result == 0 && WSTOPSIG(stepper->status) != SIGSTOP);
    return result;
}

int stepper_run_to_end(struct stepper *stepper)
{
    int result;
    do
        result = resume(stepper, PTRACE_CONT, pending_signal(stepper));
    while (result == 0);
    return result;
}

/* --- breakpoints --- */

struct breakpoint {
    uintptr_t address;
    uint64_t word; /* what stood there */
};

static int breakpoint_set(const struct stepper *stepper, struct breakpoint *breakpoint,
                          uintptr_t address)
{
    breakpoint->address = address;
    int result = peek(stepper, address, &breakpoint->word);
    if (result < 0)
        return result;
    return poke(stepper, address,
                (breakpoint->word & ~(uint64_t)DECODE_BREAKPOINT_MASK) | DECODE_BREAKPOINT);
}

static int breakpoint_clear(const struct stepper *stepper, const struct breakpoint *breakpoint)
{
    return poke(stepper, breakpoint->address, breakpoint->word);
}

/* Runs until the process stands on one of the breakpoints, and clears them. */
static int run_to_either(struct stepper *stepper, const struct breakpoint *breakpoints,
                         size_t count)
{
    uintptr_t address = 0, hit = 0;
    int result = 0;
    while (result == 0 && !hit) {
        result = resume(stepper, PTRACE_CONT, pending_signal(stepper));
        if (result == 0 && WSTOPSIG(stepper->status) == SIGTRAP)
            result = program_counter(stepper, &address);
        for (size_t index = 0; index < count && result == 0; index++)
            if (address == breakpoints[index].address + DECODE_BREAKPOINT_ADVANCE)
                hit = breakpoints[index].address;
    }
    for (size_t index = count; index-- > 0 && result == 0;)
        result = breakpoint_clear(stepper, &breakpoints[index]);
    return result < 0 ? result : go_to(stepper, hit);
}

int stepper_run_to(struct stepper *stepper, uintptr_t address)
{
    struct breakpoint breakpoint;
    int result = breakpoint_set(stepper, &breakpoint, address);
    return result < 0 ? result : run_to_either(stepper, &breakpoint, 1);
}

/* At the entry to a system call: sees which, and lets it return. */
static int pass_call(struct stepper *stepper)
{
    uintptr_t address;
    int result = look(stepper, &address);
    if (result < 0)
        return result;
    note_call(stepper, decode_system_call_number(&stepper->registers));
    do
        result = resume(stepper, PTRACE_SYSCALL, pending_signal(stepper));
    while (result == 0 && WSTOPSIG(stepper->status) != SIGNAL_CALL);
    return result;
}

int stepper_run_to_call(struct stepper *stepper, uintptr_t address, bool *called)
{
    struct breakpoint breakpoint;
    uintptr_t here = 0, reached = address + DECODE_BREAKPOINT_ADVANCE;
    int result = breakpoint_set(stepper, &breakpoint, address);
    *called = false;
    while (result == 0 && !*called && here != reached) {
        result = resume(stepper, PTRACE_SYSCALL, pending_signal(stepper));
        if (result == 0 && WSTOPSIG(stepper->status) == SIGNAL_CALL) {
            result = pass_call(stepper);
            *called = true;
        } else if (result == 0 && WSTOPSIG(stepper->status) == SIGTRAP) {
            result = program_counter(stepper, &here);
        }
    }
    if (result == 0)
        result = breakpoint_clear(stepper, &breakpoint);
    return result < 0 || *called ? result : go_to(stepper, address);
}

/* --- sequences that must not be stopped --- */

#if DECODE_EXCLUSIVES
static int run_exclusive(struct stepper *stepper, uintptr_t address, struct steps *steps)
{
    uint32_t words[DECODE_SEQUENCE];
    struct decode_sequence sequence;
    struct breakpoint breakpoints[2];
    size_t count = 1;
    uintptr_t out = 0;
    for (size_t index = 0; index < DECODE_SEQUENCE; index += 2) {
        uint64_t word;
        if (peek(stepper, address + 4 * index, &word) < 0)
            word = 0; /* the end of what is mapped: no such instruction */
        memcpy(words + index, &word, sizeof(word));
    }
    if (!decode_exclusive(words, &sequence))
        return -ENOTSUP;
    uintptr_t branch = address + (uintptr_t)sequence.branch_bytes;
    int result = breakpoint_set(stepper, &breakpoints[0], address + 4 * sequence.length);
    if (result == 0 && sequence.branch)
        result = breakpoint_set(stepper, &breakpoints[count++], branch);
    if (result == 0)
        result = run_to_either(stepper, breakpoints, count);
    if (result == 0)
        result = program_counter(stepper, &out);
    if (result < 0)
        return result;
    bool branched = sequence.branch && out == branch;
    steps->steps++;
    steps->instructions += branched ? sequence.branch : sequence.length;
    return 0;
}
#else
static int run_exclusive(struct stepper *stepper, uintptr_t address, struct steps *steps)
{
    (void)stepper, (void)address, (void)steps;
    return -ENOTSUP;
}
#endif

/* --- one instruction at a time --- */

/* Reads as much of the instruction as there is: the rest of a page may be the last one. */
static size_t read_code(const struct stepper *stepper, uintptr_t address, unsigned char code[16])
{
    uint64_t word;
    size_t length = 0;
    for (; length < 16; length += sizeof(word)) {
        if (peek(stepper, address + length, &word) < 0)
            break;
        memcpy(code + length, &word, sizeof(word));
    }
    return length;
}

static enum kind find_kind(const struct stepper *stepper, uintptr_t address)
{
    unsigned char code[16] __attribute__((aligned(8))) = {0};
    size_t length = read_code(stepper, address, code);
    if (length > DECODE_LONGEST)
        length = DECODE_LONGEST;
    if (!length)
        return KIND_PLAIN;
    if (decode_is_repeated(code, length))
        return KIND_REPEATED;
    if (decode_holds_trap(code, length))
        return KIND_HOLDS;
#if DECODE_EXCLUSIVES
    if (decode_begins_exclusive(code))
        return KIND_EXCLUSIVE;
#endif
    if (user_counter_instruction(code))
        return KIND_COUNTER;
    return decode_is_system_call_at(code) ? KIND_SYSTEM : KIND_PLAIN;
}

static enum kind kind_at(struct stepper *stepper, uintptr_t address)
{
    size_t place = (address ^ address >> 10) % STEPPER_CACHE;
    if (stepper->cache[place].address != address || stepper->cache[place].kind == KIND_UNKNOWN) {
        stepper->cache[place].address = address;
        stepper->cache[place].kind = find_kind(stepper, address);
    }
    return (enum kind)stepper->cache[place].kind;
}

/* Does the process have a handler for the signal? */
static bool catches(const struct stepper *stepper, int number)
{
    char path[64], line[256];
    unsigned long long mask = 0;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)stepper->pid);
    AUTO_FILE FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "SigCgt: %llx", &mask) == 1)
            break;
    return number > 0 && number <= 64 && (mask >> (number - 1) & 1);
}

int stepper_find(struct stepper *stepper, uintptr_t *address)
{
    memset(stepper->cache, 0, sizeof(stepper->cache)); /* code may be made between two windows */
    stepper->after_call = DECODE_SYSTEM_CALL_STOPS > 1 && WSTOPSIG(stepper->status) == SIGNAL_CALL;
    return look(stepper, address);
}

/* int1 never advances under some hypervisors (lib/trap.c), and its signal is not passed on. */
static bool is_stuck(struct stepper *stepper, uintptr_t address, const decode_registers *before)
{
    unsigned char code[16] __attribute__((aligned(8))) = {0};
    bool changed = memcmp(before, &stepper->registers, sizeof(*before)) != 0;
    bool stays = read_code(stepper, address, code) && !trap_flag_may_stay(code, changed);
    stepper->stuck = stays ? stepper->stuck + 1 : 0;
    return stepper->stuck >= TRAP_STUCK_MOST;
}

int stepper_step(struct stepper *stepper, uintptr_t *address, struct steps *steps,
                 enum stepped *stepped)
{
    enum kind kind = kind_at(stepper, *address);
    uintptr_t begun = *address;
    const decode_registers before = stepper->registers;
    *stepped = STEPPED_PLAIN;
    if (kind == KIND_EXCLUSIVE) {
        int result = run_exclusive(stepper, begun, steps);
        return result < 0 ? result : look(stepper, address);
    }
    if (kind == KIND_SYSTEM)
        note_call(stepper, decode_called_number(&stepper->registers));
    int number = pending_signal(stepper);
    bool enters_handler = number && catches(stepper, number);
    int result = resume(stepper, PTRACE_SINGLESTEP, number);
    if (result == 0)
        result = look(stepper, address);
    if (result < 0)
        return result;
    /* A signal came before the instruction, and is passed on with the next step; that one then ends
     * where its handler begins, before anything was executed. */
    if (WSTOPSIG(stepper->status) != SIGTRAP || enters_handler)
        return 0;
    bool second_stop = stepper->after_call && *address == begun;
    stepper->after_call = DECODE_SYSTEM_CALL_STOPS > 1 && kind == KIND_SYSTEM;
    if (second_stop)
        return 0;
    if (*address == begun && is_stuck(stepper, begun, &before))
        return -ENOEXEC;
    steps->steps++;
    steps->system_calls += kind == KIND_SYSTEM;
    if (kind == KIND_HOLDS)
        steps->instructions += 2;
    else if (kind != KIND_REPEATED || (*address != begun))
        steps->instructions++;
    *stepped = kind == KIND_SYSTEM    ? STEPPED_CALL
               : kind == KIND_COUNTER ? STEPPED_COUNTER_READ
                                      : STEPPED_PLAIN;
    return 0;
}

int stepper_step_to(struct stepper *stepper, uintptr_t address, struct steps *steps)
{
    uintptr_t here;
    enum stepped stepped;
    int result = stepper_find(stepper, &here);
    while (result == 0 && here != address)
        result = stepper_step(stepper, &here, steps, &stepped);
    return result;
}

/* --- The edges of a window, from the calls that can be one --- */

/* Which calls begin a count and which end one. */
static const struct edge_call {
    long number;
    bool on_descriptor; /* the first argument is one, and the request the second; else the
                           request is the first and all counters of the task are meant */
    uint64_t request;   /* 0: none is looked at */
    bool opens, closes;
} edge_calls[] = {
    {SYS_read, true, 0, true, true},
    {SYS_ioctl, true, PERF_EVENT_IOC_ENABLE, true, false},
    {SYS_ioctl, true, PERF_EVENT_IOC_RESET, true, false},
    {SYS_ioctl, true, PERF_EVENT_IOC_DISABLE, false, true},
    {SYS_prctl, false, PR_TASK_PERF_EVENTS_ENABLE, true, false},
    {SYS_prctl, false, PR_TASK_PERF_EVENTS_DISABLE, false, true},
};

static const struct edge_call *find_call(const struct edges *edges,
                                         const struct system_call *called)
{
    for (size_t index = 0; index < sizeof(edge_calls) / sizeof(*edge_calls); index++) {
        const struct edge_call *call = &edge_calls[index];
        uint64_t request = called->arguments[call->on_descriptor ? 1 : 0];
        if (call->number != called->number || (call->request && call->request != request))
            continue;
        if (!call->on_descriptor || edges->own(edges->context, (int)called->arguments[0]))
            return call;
    }
    return NULL;
}

/* Counter 0 is read first: the further reads of the same opening are those of other counters. */
static bool note_opening(struct edges *edges, bool by_read, const struct steps *executed)
{
    if (by_read && edges->opened_by_read)
        return false;
    edges->opened = true;
    edges->opened_by_read = by_read;
    edges->opening = *executed;
    return true;
}

static bool note_closing(struct edges *edges, const struct steps *executed)
{
    edges->closed = true;
    edges->closing = *executed;
    return true;
}

bool edges_note(struct edges *edges, enum stepped stepped, const struct system_call *called,
                const struct steps *executed)
{
    if (stepped == STEPPED_PLAIN || edges->place == EDGES_INSIDE || edges->closed)
        return false;
    const struct edge_call *call = stepped == STEPPED_CALL ? find_call(edges, called) : NULL;
    bool read = stepped == STEPPED_COUNTER_READ;
    if (edges->place == EDGES_BEFORE)
        return (read || (call && call->opens)) && note_opening(edges, read, executed);
    return (read || (call && call->closes)) && note_closing(edges, executed);
}

struct steps edges_between(const struct edges *edges)
{
    return (struct steps){
        .steps = edges->closing.steps - edges->opening.steps,
        .instructions = edges->closing.instructions - edges->opening.instructions,
        .system_calls = edges->closing.system_calls - edges->opening.system_calls,
    };
}
