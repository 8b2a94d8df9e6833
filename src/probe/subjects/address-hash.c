/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps objects of its heap, its stack and its mappings in a table by their addresses, and looks
 * each up N times. Where the operating system or a tool places them decides how long the chains of
 * the table are, and so how many instructions it takes; nothing else does. */
#include "probe/subjects/bare-c.h"

#ifdef SUBJECT_PROGRAM
#include "probe/subjects/chains.h"

SUBJECT_START;

static struct chained *on_heap(void)
{
    const long size = CHAINS_OBJECTS * sizeof(struct chained);
    const long start = assay_syscall1(SYS_brk, 0);
    if (assay_syscall1(SYS_brk, start + size) != start + size)
        bare_exit(1);
    return (struct chained *)start;
}

static struct chained *in_a_mapping(void)
{
    const long place =
        assay_syscall6(SYS_mmap, 0, CHAINS_OBJECTS * sizeof(struct chained), 3, 0x22, -1, 0);
    if (place < 0 && place > -4096)
        bare_exit(1);
    return (struct chained *)place;
}

void subject_main(const uintptr_t *stack)
{
    const uint64_t n = bare_number(stack);
    struct chained on_stack[CHAINS_OBJECTS];
    struct chained *const kinds[] = {on_heap(), in_a_mapping(), on_stack};
    for (unsigned kind = 0; kind < 3; kind++)
        chains_keep(kinds[kind]);
    for (uint64_t round = 0; round < n; round++)
        for (unsigned kind = 0; kind < 3; kind++)
            chains_find(kinds[kind]);
    bare_exit(0);
}
#else
const struct subject subject_address_hash = {
    .name = "address-hash",
    .summary = "finds objects of heap, stack and mappings by hashing their addresses, N times each",
    .shows = "M3 M4 M10",
    .n = 10,
    .bits = 64,
};
#endif
