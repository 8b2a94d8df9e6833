/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The specimens of page faults, against accounts that share no code: the faults getrusage() counts,
 * the pages that the page tables hold afterwards, and perf's own count. A copy that leaves out a
 * page must be noticed by each of them. */
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <unistd.h>

#include "called.h"
#include "case.h"
#include "syscall.h"

#define ATTEMPTS 20
static const uint64_t counts[] = {1, 2, 10, 500};
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static const char *const names[] = {"pages",           "zero-pages",   "read-then-write",
                                    "populated-pages", "shared-pages", "file-pages",
                                    "disk-pages",      "huge-pages"};
#define NAMES (sizeof(names) / sizeof(names[0]))

/* What one run came to; -1 where the machine does not tell. */
struct seen {
    int64_t minor, major, resident, perf;
};

static int open_perf(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_PAGE_FAULTS,
                                   .exclude_kernel = 1};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int64_t read_perf(int perf)
{
    int64_t count = -1;
    return perf >= 0 && read(perf, &count, sizeof(count)) == sizeof(count) ? count : -1;
}

/* Bit 63 of an entry: the page is there. mincore() would call anonymous memory resident as a
 * whole. */
static int64_t resident_pages(const struct specimen_state *state)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    int64_t resident = pagemap < 0 ? -1 : 0;
    for (uint64_t offset = 0; pagemap >= 0 && offset < state->n * page; offset += page) {
        uint64_t entry = 0;
        uintptr_t address = (uintptr_t)state->memory + offset;
        assert_int_equal(
            pread(pagemap, &entry, sizeof(entry), (off_t)(address / page * sizeof(entry))),
            sizeof(entry));
        resident += entry >> 63 ? 1 : 0;
    }
    if (pagemap >= 0)
        close(pagemap);
    return resident;
}

/* Runs the specimen for n with its code told n - missing. */
static struct seen run(const struct specimen *specimen, uint64_t n, uint64_t missing)
{
    struct specimen_state state = {.n = n};
    struct failure failure = {0};
    struct rusage before, after;
    int perf = open_perf();
    assert_int_equal(specimen_prepare(specimen, &state, &failure), 0);
    memset(&after, 0, sizeof(after));
    state.n = n - missing;
    state.operands[1] -= state.operands[1] * missing / n; /* huge-pages: bytes to write */
    int64_t first = read_perf(perf);
    getrusage(RUSAGE_THREAD, &before);
    specimen->code(&state);
    getrusage(RUSAGE_THREAD, &after);
    struct seen seen = {.minor = after.ru_minflt - before.ru_minflt,
                        .major = after.ru_majflt - before.ru_majflt,
                        .perf = first < 0 ? -1 : read_perf(perf) - first};
    state.n = n;
    seen.resident = resident_pages(&state);
    specimen->restore(&state);
    if (perf >= 0)
        close(perf);
    return seen;
}

static const struct truth *truth_of(const struct specimen *specimen, const char *class)
{
    const struct truth *truth = specimen->truth;
    while (truth->class && strcmp(truth->class, class) != 0)
        truth++;
    assert_non_null(truth->class);
    return truth;
}

static bool within(const struct truth *truth, uint64_t n, int64_t count)
{
    int64_t low = truth->base + truth->each * (int64_t)n;
    int64_t high =
        truth->grade == TRUTH_BOUNDED ? truth->high_base + truth->high_each * (int64_t)n : low;
    return count >= low && count <= high;
}

static bool as_predicted(const struct specimen *specimen, uint64_t n, const struct seen *seen)
{
    return within(truth_of(specimen, "page-faults"), n, seen->minor + seen->major) &&
           within(truth_of(specimen, "minor-faults"), n, seen->minor) &&
           within(truth_of(specimen, "major-faults"), n, seen->major) &&
           (seen->perf < 0 || seen->perf == seen->minor + seen->major);
}

/* A loaded machine adds a fault now and then: once in a few attempts it must be the truth. */
TEST(faults_are_as_predicted)
{
    for (size_t name = 0; name < NAMES; name++) {
        const struct specimen *specimen = specimen_find(names[name]);
        if (!called_can_run(specimen))
            continue;
        for (size_t index = 0; index < COUNTS; index++) {
            uint64_t n =
                strcmp(names[name], "huge-pages") == 0 && counts[index] > 10 ? 10 : counts[index];
            struct seen seen = {0};
            bool right = false;
            for (unsigned attempt = 0; attempt < ATTEMPTS && !right; attempt++) {
                seen = run(specimen, n, 0);
                right = as_predicted(specimen, n, &seen);
            }
            if (!right)
                print_error("%s, N = %d: %d minor, %d major, perf %d\n", names[name], (int)n,
                            (int)seen.minor, (int)seen.major, (int)seen.perf);
            assert_true(right);
        }
    }
}

/* Every page that was touched is in the page tables, and nothing else of the mapping is. */
TEST(pages_are_there_afterwards)
{
    static const char *const exact[] = {"pages", "zero-pages", "read-then-write", "shared-pages"};
    for (size_t name = 0; name < sizeof(exact) / sizeof(exact[0]); name++) {
        struct seen whole = run(specimen_find(exact[name]), 100, 0);
        if (whole.resident < 0)
            skip_because("/proc/self/pagemap cannot be read");
        assert_int_equal(whole.resident, 100);
        assert_int_equal(run(specimen_find(exact[name]), 100, 1).resident, 99);
    }
}

TEST(a_page_left_out_is_noticed)
{
    static const char *const exact[] = {"pages", "zero-pages", "read-then-write", "shared-pages",
                                        "disk-pages"};
    for (size_t name = 0; name < sizeof(exact) / sizeof(exact[0]); name++) {
        const struct specimen *specimen = specimen_find(exact[name]);
        unsigned noticed = 0;
        for (unsigned attempt = 0; called_can_run(specimen) && attempt < ATTEMPTS; attempt++) {
            struct seen seen = run(specimen, 100, 1);
            noticed += !as_predicted(specimen, 100, &seen);
        }
        if (called_can_run(specimen))
            assert_true(noticed > ATTEMPTS / 2);
    }
}

/* A page that is read before it is populated would fault: what populated-pages forbids. */
TEST(a_page_that_is_not_populated_is_noticed)
{
    const struct specimen *fresh = specimen_find("pages"), *none = specimen_find("populated-pages");
    struct seen seen = run(fresh, 10, 0);
    assert_false(as_predicted(none, 10, &seen));
}

TEST(instructions_are_as_stepped)
{
    if (!step_possible())
        skip_because("this machine cannot single-step");
    for (size_t name = 0; name < NAMES; name++) {
        const struct specimen *specimen = specimen_find(names[name]);
        for (uint64_t n = 1; n <= 8; n += 7) {
            struct specimen_state prepared = {.n = n};
            struct failure failure = {0};
            if (!specimen->text_begin || !called_can_run(specimen))
                continue;
            assert_int_equal(specimen_prepare(specimen, &prepared, &failure), 0);
            assert_int_equal(called_instructions(&prepared, specimen->code),
                             called_truth(specimen, "instructions", n));
            specimen->restore(&prepared);
        }
    }
}

TEST(too_many_pages_are_refused_with_a_sentence)
{
    struct specimen_state prepared = {.n = UINT64_MAX / 8192};
    struct failure failure = {0};
    assert_int_equal(specimen_find("pages")->prepare(&prepared, &failure), -ENOMEM);
    assert_non_null(strstr(failure.text, "smaller N"));
    assert_int_equal(specimen_find("file-pages")->prepare(&prepared, &failure), -ENOMEM);
    prepared.n = UINT64_MAX / 2;
    assert_int_equal(specimen_find("shared-pages")->prepare(&prepared, &failure), -ENOMEM);
}
