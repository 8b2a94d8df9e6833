/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A function that is called N times and a word that is written N times, for events that watch an
 * address: hardware breakpoints on execution and on data, uprobes at the entry and at the return.
 */
#include <errno.h>
#include <link.h>
#include <stdbool.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "specimens/framed.h"

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

static const struct trip trips[] = {TRIP_LOOP};

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
