/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Maps, touches and unmaps the memory of specimens, within what the machine or a container allows.
 */
#include "specimens/region.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/cleanup.h"

/* --- Scratch: memory that no longer faults --- */

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

/* --- Regions: large memory --- */

#define ALIGNMENT (UINT64_C(2) << 20) /* of huge pages on most machines */
#define SHARE     4                   /* of memory: this part at most */

uint64_t region_product(uint64_t left, uint64_t right)
{
    uint64_t product;
    return __builtin_mul_overflow(left, right, &product) ? UINT64_MAX : product;
}

/* A container may use less than the machine has. UINT64_MAX where nothing is said ("max"). */
static uint64_t container_limit(const char *path)
{
    uint64_t limit = 0;
    AUTO_FILE FILE *file = fopen(path, "re");
    return file && fscanf(file, "%20" SCNu64, &limit) == 1 && limit ? limit : UINT64_MAX;
}

static int check_size(const struct region *region, struct failure *failure)
{
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    struct sysinfo machine;
    uint64_t usable = UINT64_MAX;
    if (sysinfo(&machine) == 0)
        usable = (uint64_t)machine.totalram * machine.mem_unit;
    for (size_t index = 0; index < sizeof(limits) / sizeof(*limits); index++) {
        uint64_t limit = container_limit(limits[index]);
        usable = limit < usable ? limit : usable;
    }
    if (region->used <= usable / SHARE && region->bytes < SIZE_MAX / 2)
        return 0;
    return fail_with(failure, -ENOMEM,
                     "specimen %s would work on %" PRIu64 " MiB, which follows from its %s, and a "
                     "quarter of the %" PRIu64 " MiB of memory here is the most it takes: give a "
                     "smaller %s (%s/%s=VALUE/), or measure where there is more memory",
                     region->specimen, region->used >> 20, region->key, usable >> 20, region->key,
                     region->specimen, region->key);
}

int region_map(struct specimen_state *state, const struct region *region, struct failure *failure)
{
    state->memory = state->own = NULL;
    int result = check_size(region, failure);
    if (result < 0)
        return result;
    /* Where a huge page is wanted, a whole one: rounded up at both ends. */
    size_t whole = (region->bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *mapping = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return fail_with(failure, -errno, "%zu MiB of memory for specimen %s cannot be had: %s",
                         whole >> 20, region->specimen, strerror(errno));
    /* Refused where the operating system was built without huge pages: then there are none. */
    (void)madvise(mapping, whole, region->huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    state->own = mapping;
    state->bytes = whole;
    state->memory = (char *)mapping + (-(uintptr_t)mapping & (ALIGNMENT - 1));
    return 0;
}

int region_make_executable(const struct specimen_state *state, const char *specimen,
                           struct failure *failure)
{
    if (mprotect(state->own, state->bytes, PROT_READ | PROT_EXEC) == 0)
        return 0;
    return fail_with(failure, -errno,
                     "specimen %s makes its code at run time, and this system lets no memory be "
                     "executed that was written (%s): a security policy forbids it to this program",
                     specimen, strerror(errno));
}

void region_unmap(struct specimen_state *state)
{
    if (state->own)
        munmap(state->own, state->bytes);
    state->memory = state->own = NULL;
}
