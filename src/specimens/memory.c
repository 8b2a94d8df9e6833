/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Maps memory for the specimens of page faults. */
#include "specimens/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/cleanup.h"

int mapping_afford(uint64_t bytes, struct failure *failure)
{
    struct sysinfo machine;
    if (sysinfo(&machine) < 0)
        return fail_with(failure, -errno, "the machine does not say how much memory it has: %s",
                         strerror(errno));
    uint64_t half = (uint64_t)machine.totalram * machine.mem_unit / 2;
    if (bytes > half)
        return fail_with(failure, -ENOMEM,
                         "it would take %llu MiB, more than half of this machine's memory: take a "
                         "smaller N",
                         (unsigned long long)(bytes >> 20));
    return 0;
}

static int measure(struct specimen_state *state, struct failure *failure)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes;
    state->memory = NULL;
    state->operands[0] = page;
    if (__builtin_mul_overflow(state->n, page, &bytes))
        return fail_with(failure, -ENOMEM,
                         "so many pages are more than there is memory: take a "
                         "smaller N");
    state->bytes = (size_t)bytes;
    return mapping_afford(bytes, failure);
}

static int map(struct specimen_state *state, int protection, int flags, int file,
               struct failure *failure)
{
    void *memory = mmap(NULL, state->bytes, protection, flags, file, 0);
    if (memory == MAP_FAILED)
        return fail_with(failure, -errno, "no memory for %llu pages: %s",
                         (unsigned long long)state->n, strerror(errno));
    state->memory = memory;
    /* EINVAL: this operating system was built without huge pages, so there is nothing to forbid. */
    if (madvise(memory, state->bytes, MADV_NOHUGEPAGE) < 0 && errno != EINVAL) {
        int result = -errno;
        mapping_release(state);
        return fail_with(failure, result, "huge pages cannot be kept out: %s", strerror(-result));
    }
    return 0;
}

int mapping_fresh(struct specimen_state *state, struct failure *failure)
{
    int result = measure(state, failure);
    if (result < 0)
        return result;
    return map(state, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
               failure);
}

static int make_file(const struct specimen_state *state, struct failure *failure)
{
    int file = memfd_create("assay-pages", MFD_CLOEXEC);
    if (file < 0)
        return fail_with(failure, -errno, "no file in memory: %s", strerror(errno));
    if (ftruncate(file, (off_t)state->bytes) < 0) {
        int result = -errno;
        close(file);
        return fail_with(failure, result, "a file in memory does not grow: %s", strerror(-result));
    }
    return file;
}

int mapping_shared(struct specimen_state *state, struct failure *failure)
{
    int result = measure(state, failure);
    if (result < 0)
        return result;
    AUTO_CLOSE int file = make_file(state, failure);
    return file < 0 ? file : map(state, PROT_READ | PROT_WRITE, MAP_SHARED, file, failure);
}

/* Written through a mapping of its own, so that the one to be counted has seen nothing. */
static int fill(struct specimen_state *state, int file, struct failure *failure)
{
    int result = map(state, PROT_READ | PROT_WRITE, MAP_SHARED, file, failure);
    if (result < 0 || !state->memory)
        return result;
    memset(state->memory, 1, state->bytes);
    mapping_release(state);
    return 0;
}

int mapping_cached(struct specimen_state *state, struct failure *failure)
{
    int result = measure(state, failure);
    if (result < 0)
        return result;
    AUTO_CLOSE int file = make_file(state, failure);
    if (file < 0)
        return file;
    result = fill(state, file, failure);
    return result < 0 ? result : map(state, PROT_READ, MAP_SHARED, file, failure);
}

void mapping_release(struct specimen_state *state)
{
    if (state->memory)
        munmap(state->memory, state->bytes);
    state->memory = NULL;
}
