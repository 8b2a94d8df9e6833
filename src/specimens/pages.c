/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Page faults: minor ones, major ones, and those of huge pages. Which accesses fault follows from
 * what the operating system has to do; how large a page is it says itself. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "specimens/framed.h"
#include "syscall.h"

static const struct trip trips[] = {TRIP_LOOP};

/* ----------------------------------------------------------------------------------------------
 * Memory that is mapped for one run, none of it touched yet. All put the mapping into
 * state->memory, its length into state->bytes and the size of a page into operands[0], where
 * CODE_STEP finds it; 0, or negative errno with a sentence. */

/* Half of the machine's memory at most: a specimen must not wake the out-of-memory killer. */
static int mapping_afford(uint64_t bytes, struct failure *failure)
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

static int measure_pages(struct specimen_state *state, struct failure *failure)
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

static void mapping_release(struct specimen_state *state)
{
    if (state->memory)
        munmap(state->memory, state->bytes);
    state->memory = NULL;
}

static int map_pages(struct specimen_state *state, int protection, int flags, int file,
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

/* N pages of the process's own, kept from becoming huge pages, which would fault once for many. */
static int mapping_fresh(struct specimen_state *state, struct failure *failure)
{
    int result = measure_pages(state, failure);
    if (result < 0)
        return result;
    return map_pages(state, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                     failure);
}

static int make_file_in_memory(const struct specimen_state *state, struct failure *failure)
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

/* N pages of a file in memory that has none yet, mapped to be written by many. */
static int mapping_shared(struct specimen_state *state, struct failure *failure)
{
    int result = measure_pages(state, failure);
    if (result < 0)
        return result;
    AUTO_CLOSE int file = make_file_in_memory(state, failure);
    return file < 0 ? file : map_pages(state, PROT_READ | PROT_WRITE, MAP_SHARED, file, failure);
}

/* N pages of a file that are in memory already, mapped to be read. */
static int mapping_cached(struct specimen_state *state, struct failure *failure)
{
    int result = measure_pages(state, failure);
    if (result < 0)
        return result;
    AUTO_CLOSE int file = make_file_in_memory(state, failure);
    if (file < 0)
        return file;
    /* Written through a mapping of its own, so that the one to be counted has seen nothing. */
    result = map_pages(state, PROT_READ | PROT_WRITE, MAP_SHARED, file, failure);
    if (result >= 0 && state->memory) {
        memset(state->memory, 1, state->bytes);
        mapping_release(state);
        result = 0;
    }
    return result < 0 ? result : map_pages(state, PROT_READ, MAP_SHARED, file, failure);
}

/* ----------------------------------------------------------------------------------------------
 * One access to each of N pages, which are fresh, only read, read first and then written, there
 * already, or a file's. */

#define PAGES_MAX 1000000u

/* Setup is two loads: where the memory begins, how far apart pages are. */
#define WALK(access) CODE_COUNT CODE_MEMORY CODE_STEP CODE_LOOP(access CODE_ADVANCE) CODE_RETURN

SPECIMEN_ASSEMBLY(specimen_pages_write, WALK(CODE_TOUCH));
SPECIMEN_ASSEMBLY(specimen_pages_read, WALK(CODE_LOOK));
SPECIMEN_ASSEMBLY(specimen_pages_both, WALK(CODE_LOOK CODE_TOUCH));

#define TRUTH_WRITES TRUTH_FRAMED(2, 2, 2, 0, 1), TRUTH_FRAMED_BRANCHES
#define TRUTH_READS  TRUTH_FRAMED(2, 2, 2, 1, 0), TRUTH_FRAMED_BRANCHES
#define TRUTH_BOTH   TRUTH_FRAMED(2, 2, 3, 1, 1), TRUTH_FRAMED_BRANCHES

#define TRUTH_MINOR(each)                                                                          \
    TRUTH_EXACT("page-faults", 0, each), TRUTH_EXACT("minor-faults", 0, each),                     \
        TRUTH_ZERO("major-faults")

#define TRUTH_OTHERWISE_QUIET TRUTH_NO_FP, TRUTH_NO_SYSCALLS, TRUTH_NO_SCHEDULING, TRUTH_END

static const struct truth fresh[] = {TRUTH_WRITES, TRUTH_MINOR(1), TRUTH_OTHERWISE_QUIET};
static const struct truth zero[] = {TRUTH_READS, TRUTH_MINOR(1), TRUTH_OTHERWISE_QUIET};
static const struct truth twice[] = {TRUTH_BOTH, TRUTH_MINOR(2), TRUTH_OTHERWISE_QUIET};
static const struct truth none[] = {TRUTH_WRITES, TRUTH_NO_FAULTS, TRUTH_OTHERWISE_QUIET};

static const char around[] = "a fault also maps neighbours that are in memory already, and how "
                             "many is the operating system's choice";
static const struct truth cached[] = {
    TRUTH_READS,
    TRUTH_BETWEEN("page-faults", 1, 0, 0, 1, around),
    TRUTH_BETWEEN("minor-faults", 1, 0, 0, 1, around),
    TRUTH_ZERO("major-faults"),
    TRUTH_OTHERWISE_QUIET,
};

static int prepare_populated(struct specimen_state *state, struct failure *failure)
{
    int result = mapping_fresh(state, failure);
    if (result == 0)
        memset(state->memory, 1, state->bytes);
    return result;
}

#define WALKS(symbol)                                                                              \
    SPECIMEN_CODE_OF(symbol), SPECIMEN_TRIPS(trips), .min_n = 1, .max_n = PAGES_MAX,               \
                                                     .restore = mapping_release

const struct specimen specimen_pages = {
    .name = "pages",
    .summary = "first write to each of N fresh pages",
    .stresses = "page faults",
    WALKS(specimen_pages_write),
    .truth = fresh,
    .prepare = mapping_fresh,
};

const struct specimen specimen_zero_pages = {
    .name = "zero-pages",
    .summary = "first read from each of N fresh pages: all get the page of zeros",
    .stresses = "page faults of reads",
    WALKS(specimen_pages_read),
    .truth = zero,
    .prepare = mapping_fresh,
};

const struct specimen specimen_read_then_write = {
    .name = "read-then-write",
    .summary = "a read from each of N fresh pages and then a write to it: two faults a page",
    .stresses = "page faults of pages that must be copied",
    WALKS(specimen_pages_both),
    .truth = twice,
    .prepare = mapping_fresh,
};

const struct specimen specimen_populated_pages = {
    .name = "populated-pages",
    .summary = "a write to each of N pages that are there already: no fault",
    .stresses = "page faults that must not be counted",
    WALKS(specimen_pages_write),
    .truth = none,
    .prepare = prepare_populated,
};

const struct specimen specimen_shared_pages = {
    .name = "shared-pages",
    .summary = "first write to each of N pages of a file in memory that is shared",
    .stresses = "page faults of shared mappings",
    WALKS(specimen_pages_write),
    .truth = fresh,
    .prepare = mapping_shared,
};

const struct specimen specimen_file_pages = {
    .name = "file-pages",
    .summary = "first read from each of N pages of a file that is in memory",
    .stresses = "page faults that map more than they were asked for",
    WALKS(specimen_pages_read),
    .truth = cached,
    .prepare = mapping_cached,
};

/* ----------------------------------------------------------------------------------------------
 * Major page faults: one read from each of N pages of a file that is on a disk and, as far as
 * memory goes, nowhere else. Whether a file system forgets pages on request and reads one at a time
 * is tried out beforehand: on those that live in memory nothing of it is true. */

SPECIMEN_ASSEMBLY(specimen_disk_pages_code,
                  CODE_COUNT CODE_MEMORY CODE_STEP CODE_LOOP(CODE_LOOK CODE_ADVANCE) CODE_RETURN);

static const struct truth disk_truths[] = {
    TRUTH_FRAMED(2, 2, 2, 1, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_NO_FP,
    TRUTH_EXACT("page-faults", 0, 1),
    TRUTH_EXACT("major-faults", 0, 1),
    TRUTH_ZERO("minor-faults"),
    TRUTH_NO_SYSCALLS,
    TRUTH_END,
};

/* A file without a name, so that nothing is left behind, in the first place that can have one. */
static int make_file_on_disk(struct failure *failure)
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

static int prepare_disk(struct specimen_state *state, struct failure *failure)
{
    state->memory = NULL;
    state->operands[0] = (uint64_t)sysconf(_SC_PAGESIZE);
    state->bytes = (size_t)(state->n * state->operands[0]);
    int result = mapping_afford(state->bytes, failure);
    AUTO_CLOSE int file = result < 0 ? -1 : make_file_on_disk(failure);
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
static int disk_available(struct failure *failure)
{
    struct specimen_state trial = {.n = 3};
    int result = prepare_disk(&trial, failure);
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
    SPECIMEN_REPEATS(specimen_disk_pages_code, trips, 10000),
    .truth = disk_truths,
    .available = disk_available,
    .prepare = prepare_disk,
    .restore = mapping_release,
};

/* ----------------------------------------------------------------------------------------------
 * Writes to every ordinary page of N huge ones: one fault for each huge page that is granted, one
 * for each ordinary page where none is. How many ordinary ones make a huge one differs between
 * machines, so that instructions are not predicted. Nor are context switches: while the operating
 * system clears a huge page it offers the CPU to others, a few times in most runs. */

#define SETTINGS "/sys/kernel/mm/transparent_hugepage/"
#define MOST     8192 /* ordinary pages of a huge one: 64 KiB of 512 MiB */

static const char granted[] = "the operating system grants huge pages when it can, and ordinary "
                              "ones when it cannot";
static const struct truth huge_truths[] = {
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

static int huge_available(struct failure *failure)
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

static void restore_huge(struct specimen_state *state)
{
    if (state->own)
        munmap(state->own, state->bytes);
    state->own = NULL;
    state->memory = NULL;
}

static int prepare_huge(struct specimen_state *state, struct failure *failure)
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
        restore_huge(state);
        return fail_with(failure, result, "huge pages are not to be had: %s", strerror(-result));
    }
    return 0;
}

SPECIMEN_CODE static void write_ordinary_pages(struct specimen_state *state)
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
    .code = write_ordinary_pages,
    .min_n = 1,
    .max_n = 4096,
    .truth = huge_truths,
    .available = huge_available,
    .prepare = prepare_huge,
    .restore = restore_huge,
};
