/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Major page faults: one read from each of N pages of a file that is on a disk and, as far as
 * memory goes, nowhere else. Whether a file system forgets pages on request and reads one at a time
 * is tried out beforehand: on those that live in memory nothing of it is true. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "code-system.h"
#include "specimens/framed.h"
#include "specimens/memory.h"

SPECIMEN_ASSEMBLY(specimen_disk_pages_code,
                  CODE_COUNT CODE_MEMORY CODE_STEP CODE_LOOP(CODE_LOOK CODE_ADVANCE) CODE_RETURN);

static const struct truth truths[] = {
    TRUTH_FRAMED(2, 2, 2, 1, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_NO_FP,
    TRUTH_EXACT("page-faults", 0, 1),
    TRUTH_EXACT("major-faults", 0, 1),
    TRUTH_ZERO("minor-faults"),
    TRUTH_NO_SYSCALLS,
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

/* A file without a name, so that nothing is left behind, in the first place that can have one. */
static int make_file(struct failure *failure)
{
    static const char *const places[] = {"/var/tmp", "/tmp", "."};
    int error = ENOENT;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        int file = open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (file >= 0)
            return file;
        error = errno;
    }
    return fail_with(failure, -error, "no place for a temporary file: %s", strerror(error));
}

/* Pages of nothing are no pages: every one gets a byte. */
static int fill_file(int file, const struct specimen_state *state, struct failure *failure)
{
    AUTO_FREE char *page = calloc(1, state->operands[0]);
    if (!page)
        return -ENOMEM;
    page[0] = 1;
    for (uint64_t offset = 0; offset < state->bytes; offset += state->operands[0])
        if (pwrite(file, page, state->operands[0], (off_t)offset) != (ssize_t)state->operands[0])
            return fail_with(failure, errno ? -errno : -ENOSPC, "a temporary file cannot grow: %s",
                             strerror(errno ? errno : ENOSPC));
    return 0;
}

/* Clean pages that nobody maps are given up when asked. */
static int forget(int file, struct failure *failure)
{
    if (fdatasync(file) < 0)
        return fail_with(failure, -errno, "a temporary file does not reach its disk: %s",
                         strerror(errno));
    int error = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    return error ? fail_with(failure, -error, "pages cannot be given up: %s", strerror(error)) : 0;
}

static uint64_t pages_in_memory(const struct specimen_state *state)
{
    unsigned char present[256];
    uint64_t count = 0, page = state->operands[0];
    for (uint64_t offset = 0; offset < state->bytes; offset += sizeof(present) * page) {
        uint64_t rest = state->bytes - offset;
        size_t span = rest < sizeof(present) * page ? (size_t)rest : sizeof(present) * page;
        if (mincore((char *)state->memory + offset, span, present) < 0)
            return UINT64_MAX;
        for (size_t i = 0; i < span / page; i++)
            count += present[i] & 1;
    }
    return count;
}

static int map_forgotten(int file, struct specimen_state *state, struct failure *failure)
{
    void *memory = mmap(NULL, state->bytes, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return fail_with(failure, -errno, "a temporary file cannot be mapped: %s", strerror(errno));
    state->memory = memory;
    /* No reading ahead: every page is to be missed on its own. */
    if (madvise(memory, state->bytes, MADV_RANDOM) < 0)
        return fail_with(failure, -errno, "reading ahead cannot be kept out: %s", strerror(errno));
    if (pages_in_memory(state) != 0)
        return fail_with(failure, -ENODEV,
                         "the file system for temporary files keeps pages in memory: it needs one "
                         "on a disk at /var/tmp or /tmp");
    return 0;
}

static int prepare(struct specimen_state *state, struct failure *failure)
{
    state->memory = NULL;
    state->operands[0] = (uint64_t)sysconf(_SC_PAGESIZE);
    state->bytes = (size_t)(state->n * state->operands[0]);
    int result = mapping_afford(state->bytes, failure);
    AUTO_CLOSE int file = result < 0 ? -1 : make_file(failure);
    if (file < 0)
        return result < 0 ? result : file;
    result = fill_file(file, state, failure);
    if (result == 0)
        result = forget(file, failure);
    if (result == 0)
        result = map_forgotten(file, state, failure);
    if (result < 0)
        mapping_release(state);
    return result;
}

static int64_t major_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) < 0 ? -1 : usage.ru_majflt;
}

/* The proof of the pudding: three pages, three major faults. */
static int available(struct failure *failure)
{
    struct specimen_state trial = {.n = 3};
    int result = prepare(&trial, failure);
    if (result < 0)
        return result;
    int64_t before = major_faults();
    specimen_disk_pages_code(&trial);
    int64_t seen = major_faults() - before;
    mapping_release(&trial);
    if (seen != 3)
        return fail_with(failure, -ENODEV,
                         "three pages of a temporary file that were given up came back with %lld "
                         "major faults: the file system reads more than it is asked for",
                         (long long)seen);
    return 0;
}

const struct specimen specimen_disk_pages = {
    .name = "disk-pages",
    .summary = "first read from each of N pages of a file that must come from its disk",
    .stresses = "major page faults",
    .needs = "a disk for temporary files",
    SPECIMEN_CODE_OF(specimen_disk_pages_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 10000,
    .truth = truths,
    .available = available,
    .prepare = prepare,
    .restore = mapping_release,
};
