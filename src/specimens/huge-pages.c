/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes to every ordinary page of N huge ones: one fault for each huge page that is granted, one
 * for each ordinary page where none is. How many ordinary ones make a huge one differs between
 * machines, so that instructions are not predicted. Nor are context switches: while the operating
 * system clears a huge page it offers the CPU to others, a few times in most runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "specimens/framed.h"
#include "specimens/memory.h"
#include "syscall.h"

#define SETTINGS "/sys/kernel/mm/transparent_hugepage/"
#define MOST     8192 /* ordinary pages of a huge one: 64 KiB of 512 MiB */

static const char granted[] = "the operating system grants huge pages when it can, and ordinary "
                              "ones when it cannot";
static const struct truth truths[] = {
    TRUTH_BETWEEN("page-faults", 0, 1, 0, MOST, granted),
    TRUTH_BETWEEN("minor-faults", 0, 1, 0, MOST, granted),
    TRUTH_ZERO("major-faults"),
    TRUTH_NO_FP,
    TRUTH_NO_SYSCALLS,
    TRUTH_ZERO("cpu-migrations"),
    TRUTH_END,
};

/* Without libc's read(), which some paths measure. */
static bool read_setting(const char *path, char *text, size_t size)
{
    long file = assay_syscall4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return false;
    long got = assay_syscall3(SYS_read, file, (long)text, (long)size - 1);
    assay_syscall1(SYS_close, file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static uint64_t huge_size(void)
{
    char text[64];
    return read_setting(SETTINGS "hpage_pmd_size", text, sizeof(text)) ? strtoull(text, NULL, 10)
                                                                       : 0;
}

static int available(struct failure *failure)
{
    char text[64];
    if (huge_size() == 0 || !read_setting(SETTINGS "enabled", text, sizeof(text)))
        return fail_with(failure, -ENODEV, "this operating system has no transparent huge pages");
    if (strstr(text, "[never]"))
        return fail_with(
            failure, -ENODEV,
            "transparent huge pages are switched off: `echo madvise | sudo tee " SETTINGS
            "enabled`");
    return 0;
}

static void restore(struct specimen_state *state)
{
    if (state->own)
        munmap(state->own, state->bytes);
    state->own = NULL;
    state->memory = NULL;
}

static int prepare(struct specimen_state *state, struct failure *failure)
{
    uint64_t huge = huge_size();
    state->own = NULL;
    state->operands[0] = (uint64_t)sysconf(_SC_PAGESIZE);
    state->operands[1] = state->n * huge;
    state->bytes = (size_t)(state->operands[1] + huge); /* room to begin at a border */
    int result = mapping_afford(state->bytes, failure);
    if (result < 0)
        return result;
    void *mapping = mmap(NULL, state->bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return -errno;
    state->own = mapping;
    state->memory = (char *)mapping + (-(uintptr_t)mapping & (huge - 1));
    if (madvise(state->memory, state->operands[1], MADV_HUGEPAGE) < 0) {
        result = -errno;
        restore(state);
        return fail_with(failure, result, "huge pages are not to be had: %s", strerror(-result));
    }
    return 0;
}

SPECIMEN_CODE static void code(struct specimen_state *state)
{
    volatile char *memory = state->memory;
    for (uint64_t offset = 0; offset < state->operands[1]; offset += state->operands[0])
        memory[offset] = 1;
}

const struct specimen specimen_huge_pages = {
    .name = "huge-pages",
    .summary = "first write to every ordinary page of N huge ones",
    .stresses = "page faults of huge pages",
    .needs = "transparent huge pages",
    .form = SPECIMEN_CALLED,
    .code = code,
    .min_n = 1,
    .max_n = 4096,
    .truth = truths,
    .available = available,
    .prepare = prepare,
    .restore = restore,
};
