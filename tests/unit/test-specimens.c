/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the called specimens claim, against accounts that are not performance counters: the
 * operating system's own (getrusage, resident pages) and ptrace. Each check is also shown a broken
 * copy. */
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "case.h"
#include "specimens/specimen.h"
#include "traced-calls.h"

static int64_t truth_of(const struct specimen *specimen, const char *class, uint64_t n)
{
    for (const struct truth *truth = specimen->truth; truth->class; truth++)
        if (strcmp(truth->class, class) == 0)
            return truth->base + truth->each * (int64_t)n;
    fail_msg("%s says nothing of %s", specimen->name, class);
    return 0;
}

static int64_t minor_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Whether pages are there is asked of the page tables, not of mincore(), which calls anonymous
 * memory resident as a whole. */
static int64_t resident_pages(int pagemap, const struct specimen_state *state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int64_t resident = 0;
    for (size_t offset = 0; offset < state->bytes; offset += page) {
        uint64_t entry = 0;
        uintptr_t address = (uintptr_t)state->memory + offset;
        off_t place = (off_t)(address / page * sizeof(entry));
        assert_int_equal(pread(pagemap, &entry, sizeof(entry), place), sizeof(entry));
        resident += entry >> 63 ? 1 : 0;
    }
    return resident;
}

/* Faults and resident pages of one run of `code` prepared for n. */
static void run_pages(int pagemap, void (*code)(struct specimen_state *state), uint64_t n,
                      int64_t *faults, int64_t *resident)
{
    const struct specimen *pages = specimen_find("pages");
    struct specimen_state state = {.n = n};
    struct failure failure = {0};
    assert_int_equal(specimen_prepare(pages, &state, &failure), 0);
    assert_int_equal(resident_pages(pagemap, &state), 0);
    int64_t before = minor_faults();
    code(&state);
    *faults = minor_faults() - before;
    *resident = resident_pages(pagemap, &state);
    pages->restore(&state);
}

TEST(pages_faults_once_for_each)
{
    AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY);
    if (pagemap < 0)
        skip_because("/proc/self/pagemap cannot be read");
    const struct specimen *pages = specimen_find("pages");
    static const uint64_t counts[] = {1, 10, 1000};
    int64_t faults, resident;
    run_pages(pagemap, pages->code, 1, &faults, &resident); /* brings the code itself in */
    for (size_t index = 0; index < sizeof(counts) / sizeof(*counts); index++) {
        run_pages(pagemap, pages->code, counts[index], &faults, &resident);
        assert_int_equal(faults, truth_of(pages, "page-faults", counts[index]));
        assert_int_equal(resident, truth_of(pages, "page-faults", counts[index]));
    }
}

/* Leaves every other page untouched. */
static void broken_pages(struct specimen_state *state)
{
    volatile char *memory = state->memory;
    for (uint64_t index = 0; index < state->n; index += 2)
        memory[index * (state->bytes / state->n)] = 1;
}

TEST(pages_that_are_not_touched_are_noticed)
{
    AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY);
    if (pagemap < 0)
        skip_because("/proc/self/pagemap cannot be read");
    int64_t faults, resident;
    run_pages(pagemap, broken_pages, 10, &faults, &resident);
    run_pages(pagemap, broken_pages, 10, &faults, &resident);
    assert_int_not_equal(faults, truth_of(specimen_find("pages"), "page-faults", 10));
    assert_int_not_equal(resident, truth_of(specimen_find("pages"), "page-faults", 10));
}

TEST(pages_refuses_more_than_the_machine_has)
{
    struct specimen_state state = {.n = UINT64_MAX / 8192};
    struct failure failure = {0};
    assert_int_equal(specimen_find("pages")->prepare(&state, &failure), -ENOMEM);
    assert_int_equal(specimen_prepare(specimen_find("pages"), &state, &failure), -ERANGE);
}

TEST(loops_refuse_to_run_for_ever)
{
    struct specimen_state state = {.n = 0};
    struct failure failure = {0};
    assert_int_equal(specimen_prepare(specimen_find("loop"), &state, &failure), -ERANGE);
    assert_int_equal(specimen_prepare(specimen_find("adds"), &state, &failure), -ERANGE);
    assert_string_equal(failure.text, "specimen adds begins at N = 1");
}

static void count_calls(void (*code)(struct specimen_state *state), uint64_t n, long number,
                        uint64_t *wanted, uint64_t *others)
{
    struct specimen_state state = {.n = n};
    struct traced_code traced = {code, &state};
    struct traced_calls calls;
    traced_count(&traced, number, &calls);
    *wanted = calls.wanted;
    *others = calls.others;
}

TEST(getppid_calls_n_times_and_nothing_else)
{
    const struct specimen *getppid_specimen = specimen_find("getppid");
    static const uint64_t counts[] = {1, 10, 500};
    uint64_t wanted, others;
    for (size_t index = 0; index < sizeof(counts) / sizeof(*counts); index++) {
        count_calls(getppid_specimen->code, counts[index], SYS_getppid, &wanted, &others);
        assert_int_equal(wanted, truth_of(getppid_specimen, "getppid-calls", counts[index]));
        assert_int_equal(wanted + others, truth_of(getppid_specimen, "syscalls", counts[index]));
    }
}

static void broken_getppid(struct specimen_state *state)
{
    for (uint64_t index = 1; index < state->n; index++)
        assay_syscall0(SYS_getppid);
    assay_syscall0(SYS_getuid);
}

TEST(a_wrong_system_call_is_noticed)
{
    uint64_t wanted, others;
    count_calls(broken_getppid, 10, SYS_getppid, &wanted, &others);
    assert_int_not_equal(wanted, truth_of(specimen_find("getppid"), "getppid-calls", 10));
    assert_int_equal(others, 1);
}

/* The random bytes of one run of n. */
static void take_random(struct specimen_state *state, unsigned char *bytes, size_t n)
{
    const struct specimen *specimen = specimen_find("random-branches");
    struct failure failure = {0};
    state->n = n;
    assert_int_equal(specimen_prepare(specimen, state, &failure), 0);
    assert_int_equal(state->bytes, 2 * n);
    memcpy(bytes, state->memory, 2 * n);
    specimen->restore(state);
}

#define RANDOM_N 4096
TEST(random_bits_differ_between_runs_and_seeds_and_come_with_their_complement)
{
    static unsigned char first[2 * RANDOM_N], again[2 * RANDOM_N], other[2 * RANDOM_N];
    struct specimen_state state = {.parameters = {.seed = 7}}, same = state,
                          another = {.parameters = {.seed = 8}};
    int set[8] = {0};
    take_random(&state, first, RANDOM_N);
    take_random(&same, again, RANDOM_N);
    assert_memory_equal(first, again, sizeof(first));
    take_random(&same, again, RANDOM_N);
    assert_memory_not_equal(first, again, sizeof(first));
    take_random(&another, other, RANDOM_N);
    assert_memory_not_equal(first, other, sizeof(first));
    for (size_t index = 0; index < sizeof(first); index += 2) {
        assert_int_equal(first[index] ^ first[index + 1], 0xff);
        for (int bit = 0; bit < 8; bit++)
            set[bit] += first[index] >> bit & 1;
    }
    for (int bit = 0; bit < 8; bit++) /* half of 4096, within six standard deviations */
        assert_in_range(set[bit], RANDOM_N / 2 - 192, RANDOM_N / 2 + 192);
}

TEST(every_specimen_is_well_formed)
{
    for (size_t index = 0; specimen_registry[index]; index++) {
        const struct specimen *specimen = specimen_registry[index];
        assert_ptr_equal(specimen_find(specimen->name), specimen);
        assert_true(specimen->summary[0] && specimen->stresses[0]);
        assert_true(specimen->text_begin || !specimen->trips);
        assert_true(specimen->text_begin <= specimen->text_end);
        assert_true((specimen->form == SPECIMEN_CALLED) == (specimen->code != NULL));
        for (const struct truth *truth = specimen->truth; truth->class; truth++) {
            assert_true((truth->grade == TRUTH_PROVEN) == (truth->why == NULL));
            for (const struct truth *other = truth + 1; other->class; other++)
                assert_string_not_equal(truth->class, other->class);
        }
    }
    assert_null(specimen_find("no-such-specimen"));
}

TEST(parameters_follow_a_name)
{
    const struct specimen *specimen;
    struct specimen_parameters parameters;
    struct failure failure = {0};
    assert_int_equal(specimen_parse("adds", &specimen, &parameters, &failure), 0);
    assert_ptr_equal(specimen, specimen_find("adds"));
    assert_int_equal(specimen_parse("adds/", &specimen, &parameters, &failure), -EINVAL);
    assert_int_equal(specimen_parse("adds/line=64/", &specimen, &parameters, &failure), -EINVAL);
    assert_string_equal(failure.text, "specimen adds takes no parameters");
    assert_int_equal(specimen_parse("ad/line=64/", &specimen, &parameters, &failure), -ENOENT);
}
