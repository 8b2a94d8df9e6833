/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * System calls: alone, and in turn with work. */
#include <errno.h>
#include <link.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "specimens/framed.h"
#include "syscall.h"

/* ----------------------------------------------------------------------------------------------
 * N times a system call that no library answers on its own and that does next to nothing. Two of
 * them, because an event that counts one must not count the other. */

SPECIMEN_ASSEMBLY(specimen_getppid_code,
                  CODE_SYSTEM_COUNT CODE_SYSTEM_LOOP(CODE_SYSTEM_CALL(SYS_getppid)) CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_getuid_code,
                  CODE_SYSTEM_COUNT CODE_SYSTEM_LOOP(CODE_SYSTEM_CALL(SYS_getuid)) CODE_RETURN);

#define TRUTH_CALLS                                                                                \
    TRUTH_FRAMED(0, 0, 2, 0, 0), TRUTH_CALLING_BRANCHES(1), TRUTH_NO_FP, TRUTH_NO_FAULTS,          \
        TRUTH_NO_SCHEDULING, TRUTH_EXACT("syscalls", 0, 1)

static const struct truth getppid_truths[] = {
    TRUTH_CALLS,
    TRUTH_EXACT("getppid-calls", 0, 1),
    TRUTH_ZERO("getuid-calls"),
    TRUTH_END,
};

static const struct truth getuid_truths[] = {
    TRUTH_CALLS,
    TRUTH_EXACT("getuid-calls", 0, 1),
    TRUTH_ZERO("getppid-calls"),
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

#define CALLS(symbol)                                                                              \
    .stresses = "system calls", SPECIMEN_CODE_OF(symbol), SPECIMEN_TRIPS(trips), .min_n = 1,       \
    .max_n = 1000000000

const struct specimen specimen_getppid = {
    .name = "getppid",
    .summary = "N getppid system calls, each one instruction in the specimen's own code",
    CALLS(specimen_getppid_code),
    .truth = getppid_truths,
};

const struct specimen specimen_getuid = {
    .name = "getuid",
    .summary = "N getuid system calls, each one instruction in the specimen's own code",
    CALLS(specimen_getuid_code),
    .truth = getuid_truths,
};

/* ----------------------------------------------------------------------------------------------
 * A program that alternates between computing and calling the operating system: N steps of work and
 * N of system calls, in blocks of `period` steps each, work first. Who counts it all the time
 * counts the same for every period. Who counts a part of the time and takes the rest for the same,
 * as multiplexed counters do, is right only if the blocks are short against its turns. */

/* Iterations of the loop of a step's work: about as long as the shortest system call takes. */
#define WORK              200
#define WORK_INSTRUCTIONS (1 + INT64_C(2) * WORK)

SPECIMEN_ASSEMBLY(specimen_phases_code,
                  CODE_SYSTEM_COUNT CODE_TURN_SETUP CODE_SYSTEM_DOUBLE_COUNT CODE_SYSTEM_LOOP(
                      CODE_TURN CODE_BRANCH_IF_CALL("3f") CODE_LOOP_OF(WORK)
                          CODE_JUMP("4f") "3:\n" CODE_SYSTEM_CALL(SYS_getppid) "4:\n") CODE_RETURN);

/* What both kinds of steps execute; then a step of work with its jump over the call, and a call. */
#define STEP_INSTRUCTIONS                                                                          \
    (CODE_TURN_INSTRUCTIONS + CODE_BRANCH_IF_CALL_INSTRUCTIONS + FRAME_LOOP_INSTRUCTIONS)
#define INSTRUCTIONS (INT64_C(2) * STEP_INSTRUCTIONS + WORK_INSTRUCTIONS + 1 + 2)
/* Conditional ones: those on the kind and those back, twice N; those of the work. */
#define TAKEN     (1 + INT64_C(2) + WORK - 1)
#define NOT_TAKEN (INT64_C(1) + 1)
#define BRANCHES  (TAKEN + NOT_TAKEN + 1)

static const struct truth phase_truths[] = {
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + 3 + 1, INSTRUCTIONS),
    TRUTH_EXACT("loads", FRAME_LOADS + 1, 0),
    TRUTH_EXACT("stores", FRAME_STORES, 0),
    TRUTH_BETWEEN("branches", FRAME_BRANCHES, BRANCHES, FRAME_BRANCHES, BRANCHES + 1,
                  "some CPUs count the instruction of a system call as a branch and others do "
                  "not, and neither is wrong"),
    TRUTH_EXACT("cond-branches", 0, TAKEN + NOT_TAKEN),
    TRUTH_EXACT("cond-branches-taken", -1, TAKEN),
    TRUTH_EXACT("cond-branches-not-taken", 1, NOT_TAKEN),
    TRUTH_EXACT("jumps", 0, 1),
    TRUTH_EXACT("calls", 1, 0),
    TRUTH_EXACT("returns", 1, 0),
    TRUTH_EXACT("indirect-branches", 1, 0),
    TRUTH_NO_FP,
    TRUTH_NO_FAULTS,
    TRUTH_NO_SCHEDULING,
    TRUTH_EXACT("syscalls", 0, 1),
    TRUTH_EXACT("getppid-calls", 0, 1),
    TRUTH_ZERO("getuid-calls"),
    TRUTH_END,
};

/* On the kind: N of the 2N steps are calls. The work's own. Back: all 2N times but the last. */
static const struct trip phase_trips[] = {{0, 1}, {0, WORK - 1}, {-1, 2}};

/* operands[0]: the period. */
static int prepare_phases(struct specimen_state *state, struct failure *failure)
{
    uint64_t period = state->parameters.period ? state->parameters.period : 1;
    if (state->n % period)
        return fail_with(failure, -EINVAL,
                         "specimen phases alternates in whole blocks: N = %llu is no multiple of "
                         "period=%llu; give an N that is",
                         (unsigned long long)state->n, (unsigned long long)period);
    state->operands[0] = period;
    return 0;
}

const struct specimen specimen_phases = {
    .name = "phases",
    .summary = "N steps of work and N getppid system calls, alternating in blocks of `period` "
               "steps (1 where none is given; N is a multiple of it)",
    .stresses = "counters that take turns: multiplexing",
    .parameters = "period",
    SPECIMEN_REPEATS(specimen_phases_code, phase_trips, 1000000000u),
    .truth = phase_truths,
    .prepare = prepare_phases,
};

/* A function that is called N times and a word that is written N times, for events that watch an
 * address: hardware breakpoints on execution and on data, uprobes at the entry and at the return.
 */

/* The target stands behind the return of the code that calls it, so that both are decoded. It
 * begins with a no-op: a probe is cheapest there, and no return is what a probe stands on. */
SPECIMEN_ASSEMBLY(specimen_target_calls_code,
                  CODE_COUNT CODE_KEEP_RETURN CODE_LOOP(CODE_CALL("specimen_target_function"))
                      CODE_TAKE_RETURN CODE_RETURN
                  "\t.balign 8\n"
                  "\t.globl specimen_target_function\n"
                  "\t.hidden specimen_target_function\n"
                  "\t.type specimen_target_function, %function\n"
                  "specimen_target_function:\n" CODE_NOP CODE_RETURN);
extern const char specimen_target_function[];

SPECIMEN_ASSEMBLY(specimen_target_writes_code,
                  CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_STORE) CODE_RETURN);

static volatile uint64_t word;

/* Call, no-op, return. */
static const struct truth call_truths[] = {
    TRUTH_FRAMED(CODE_KEEP_INSTRUCTIONS, 0, 3, CODE_RETURN_LOADS, CODE_CALL_STORES),
    TRUTH_BODY_BRANCHES(0, 0, 0, 1, 0),
    TRUTH_EXACT("breakpoint-exec", 0, 1),
    TRUTH_EXACT("uprobe-hits", 0, 1),
    TRUTH_EXACT("uprobe-returns", 0, 1),
    TRUTH_ZERO("breakpoint-write"),
    TRUTH_ZERO("breakpoint-access"),
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct truth write_truths[] = {
    TRUTH_FRAMED(1, 1, 1, 0, 1),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_EXACT("breakpoint-write", 0, 1),
    TRUTH_EXACT("breakpoint-access", 0, 1),
    TRUTH_ZERO("breakpoint-exec"),
    TRUTH_ZERO("uprobe-hits"),
    TRUTH_ZERO("uprobe-returns"),
    TRUTH_QUIET,
    TRUTH_END,
};

/* Where in the program's file an address of its lies: the first object is the program itself. */
struct place {
    uintptr_t address;
    uint64_t offset;
    bool found;
};

static int find_offset(struct dl_phdr_info *program, size_t size, void *context)
{
    (void)size;
    struct place *place = context;
    for (size_t i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
        uintptr_t start = program->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || place->address < start ||
            place->address - start >= segment->p_filesz)
            continue;
        place->offset = place->address - start + segment->p_offset;
        place->found = true;
    }
    return 1; /* no further objects */
}

int target_settle(struct perf_event_attr *attr, const char **file)
{
    uintptr_t function = (uintptr_t)specimen_target_function;
    if (attr->type == PERF_TYPE_BREAKPOINT) {
        attr->bp_addr = attr->bp_type == HW_BREAKPOINT_X ? function : (uintptr_t)&word;
        return 0;
    }
    struct place place = {.address = function};
    dl_iterate_phdr(find_offset, &place);
    if (!place.found)
        return -ENOENT;
    attr->probe_offset = place.offset;
    *file = "/proc/self/exe";
    return 0;
}

static int prepare_writes(struct specimen_state *state, struct failure *failure)
{
    (void)failure;
    word = 0; /* brings its page in */
    state->memory = (void *)(uintptr_t)&word;
    state->bytes = sizeof(word);
    return 0;
}

const struct specimen specimen_target_calls = {
    .name = "target-calls",
    .summary = "N calls of a function that mem:target:x, uprobe:target and uretprobe:target watch",
    .stresses = "breakpoints on execution, uprobes",
    SPECIMEN_REPEATS(specimen_target_calls_code, trips, 1000000000),
    .truth = call_truths,
};

const struct specimen specimen_target_writes = {
    .name = "target-writes",
    .summary = "N writes to a word that mem:target:w watches",
    .stresses = "breakpoints on data",
    SPECIMEN_REPEATS(specimen_target_writes_code, trips, 1000000000),
    .truth = write_truths,
    .prepare = prepare_writes,
};
