/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The floating-point specimens: stepped to the instruction, and what tools that count cannot see,
 * that their values stay where they are and nothing exceptional happens. */
#include <string.h>

#include <fenv.h>

#include "called.h"
#include "case.h"

extern const struct specimen specimen_broken_fadd_double;

static const char *const operations[] = {"fp-adds", "fp-muls", "fp-divs", "fp-sqrts", "fp-fmas"};
static const char *const forms[] = {"fp-scalar-single", "fp-scalar-double", "fp-packed-single",
                                    "fp-packed-double"};
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool is_floating_point(const struct specimen *specimen)
{
    return called_truth(specimen, "fp-instructions", 1) == 1;
}

static void each_present(void (*check)(const struct specimen *specimen))
{
    unsigned checked = 0;
    for (size_t index = 0; specimen_registry[index]; index++)
        if (is_floating_point(specimen_registry[index]) &&
            called_can_run(specimen_registry[index])) {
            check(specimen_registry[index]);
            checked++;
        }
    assert_true(checked >= 2 * COUNT(operations)); /* single and double everywhere */
}

static int64_t stepped(const struct specimen *specimen, uint64_t n)
{
    struct specimen_state state = {.n = n};
    struct failure failure = {0};
    assert_int_equal(specimen_prepare(specimen, &state, &failure), 0);
    return called_instructions(&state, specimen->code);
}

static void check_instructions(const struct specimen *specimen)
{
    assert_int_equal(stepped(specimen, 1), called_truth(specimen, "instructions", 1));
    assert_int_equal(stepped(specimen, 7), called_truth(specimen, "instructions", 7));
}

TEST(each_executes_the_instructions_it_states)
{
    if (!step_possible())
        skip_because("this machine cannot single-step");
    each_present(check_instructions);
}

TEST(one_addition_more_is_noticed)
{
    if (!step_possible())
        skip_because("this machine cannot single-step");
    const struct specimen *broken = &specimen_broken_fadd_double;
    assert_int_equal(stepped(broken, 7), called_truth(broken, "instructions", 7) + 1);
}

/* Rounding included: results are exact. */
static void check_quiet(const struct specimen *specimen)
{
    struct specimen_state state = {.n = 1000};
    struct failure failure = {0};
    assert_int_equal(specimen_prepare(specimen, &state, &failure), 0);
    feclearexcept(FE_ALL_EXCEPT);
    specimen->code(&state);
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
}

TEST(none_raises_a_floating_point_exception)
{
    each_present(check_quiet);
}

static int64_t sum(const struct specimen *specimen, const char *const *classes, size_t count)
{
    int64_t total = 0;
    for (size_t index = 0; index < count; index++)
        total += called_truth(specimen, classes[index], 1);
    return total;
}

static void check_classes(const struct specimen *specimen)
{
    if (strncmp(specimen->name, "fround-", strlen("fround-")) == 0) { /* none of the five */
        assert_int_equal(sum(specimen, operations, COUNT(operations)), 0);
        return;
    }
    assert_int_equal(sum(specimen, operations, COUNT(operations)), 1);
    assert_int_equal(sum(specimen, forms, COUNT(forms)), 1);
    int64_t each = called_truth(specimen, "fp-fmas", 1) ? 2 : 1;
    int64_t bits = strstr(specimen->name, "-wide")     ? 256
                   : strstr(specimen->name, "-packed") ? 128
                   : strstr(specimen->name, "-single") ? 32
                                                       : 64;
    int64_t lanes = bits / (strstr(specimen->name, "-single") ? 32 : 64);
    assert_int_equal(called_truth(specimen, "fp-operations", 1), each * lanes);
}

TEST(each_is_one_operation_in_one_form)
{
    each_present(check_classes);
}
