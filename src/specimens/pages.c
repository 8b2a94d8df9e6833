/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes one byte into each of N pages nobody has touched: N minor page faults. The memory is
 * mapped anew for every run and kept from becoming huge pages, which would fault once for many. */
#include "specimens/framed.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static const struct truth truths[] = {
    TRUTH_EXACT("page-faults", 0, 1),
    TRUTH_EXACT("minor-faults", 0, 1),
    TRUTH_ZERO("major-faults"),
    TRUTH_NO_SYSCALLS,
    TRUTH_NO_SCHEDULING,
    TRUTH_END,
};

/* Half of the machine's memory at most: a specimen must not wake the out-of-memory killer. */
static int affordable(uint64_t bytes)
{
    struct sysinfo machine;
    if (sysinfo(&machine) < 0)
        return -errno;
    return bytes <= (uint64_t)machine.totalram * machine.mem_unit / 2 ? 0 : -ENOMEM;
}

static int prepare(struct specimen_state *state, struct failure *failure)
{
    (void)failure;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    state->bytes = (size_t)state->n * page;
    state->memory = NULL;
    if (state->bytes == 0)
        return 0;
    int result = affordable(state->bytes);
    if (result < 0)
        return result;
    void *memory = mmap(NULL, state->bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return -errno;
    /* EINVAL: this operating system was built without huge pages, so there is nothing to forbid. */
    if (madvise(memory, state->bytes, MADV_NOHUGEPAGE) < 0 && errno != EINVAL) {
        result = -errno;
        munmap(memory, state->bytes);
        return result;
    }
    state->memory = memory;
    return 0;
}

static void restore(struct specimen_state *state)
{
    if (state->memory)
        munmap(state->memory, state->bytes);
    state->memory = NULL;
}

SPECIMEN_CODE static void code(struct specimen_state *state)
{
    volatile char *memory = state->memory;
    if (state->n == 0)
        return;
    size_t page = state->bytes / state->n;
    for (uint64_t index = 0; index < state->n; index++)
        memory[index * page] = 1;
}

const struct specimen specimen_pages = {
    .name = "pages",
    .summary = "first write to each of N fresh pages",
    .stresses = "page faults",
    .form = SPECIMEN_CALLED,
    .max_n = 1000000,
    .truth = truths,
    .prepare = prepare,
    .restore = restore,
    .code = code,
};
