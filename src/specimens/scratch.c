/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Maps, touches and unmaps the memory of specimens. */
#include "specimens/scratch.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

int scratch_map(struct specimen_state *state, size_t bytes, struct failure *failure)
{
    struct sysinfo machine;
    state->memory = NULL;
    state->bytes = 0;
    if (sysinfo(&machine) < 0)
        return fail_with(failure, -errno, "the size of this machine's memory cannot be read: %s",
                         strerror(errno));
    if (bytes > (uint64_t)machine.totalram * machine.mem_unit / 2)
        return fail_with(failure, -ENOMEM,
                         "N = %llu takes %zu bytes of memory, more than half of what this machine "
                         "has; take a smaller N",
                         (unsigned long long)state->n, bytes);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail_with(failure, -errno, "%zu bytes of memory cannot be had: %s", bytes,
                         strerror(errno));
    memset(memory, 0, bytes);
    state->memory = memory;
    state->bytes = bytes;
    return 0;
}

int scratch_prepare_page(struct specimen_state *state, struct failure *failure)
{
    return scratch_map(state, (size_t)sysconf(_SC_PAGESIZE), failure);
}

void scratch_unmap(struct specimen_state *state)
{
    if (state->memory)
        munmap(state->memory, state->bytes);
    state->memory = NULL;
}
