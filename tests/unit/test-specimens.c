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

TEST(loops_refuse_to_run_for_ever)
{
    struct specimen_state state = {.n = 0};
    struct failure failure = {0};
    assert_int_equal(specimen_prepare(specimen_find("loop"), &state, &failure), -ERANGE);
    assert_int_equal(specimen_prepare(specimen_find("adds"), &state, &failure), -ERANGE);
    assert_string_equal(failure.text, "specimen adds begins at N = 1");
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
