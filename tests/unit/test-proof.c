/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When a truth may be called proven: two sources that share no code have confirmed it. */
#include <string.h>

#include "case.h"
#include "specimens/specimen.h"

TEST(two_sources_that_share_nothing_suffice)
{
    assert_true(proof_suffices("instructions", "step,qemu"));
    assert_true(proof_suffices("instructions", "step,valgrind"));
    assert_true(proof_suffices("instructions", "valgrind,qemu"));
    assert_true(proof_suffices("instructions", "qemu,decode/objdump"));
    assert_true(proof_suffices("loads", "qemu,decode/capstone"));
    assert_true(proof_suffices("page-faults", "rusage,perf"));
    assert_true(proof_suffices("instructions", "step,trap,decode/objdump"));
}

TEST(one_source_or_two_of_a_kind_do_not)
{
    assert_false(proof_suffices("instructions", ""));
    assert_false(proof_suffices("instructions", "step"));
    assert_false(proof_suffices("instructions", "step,step"));
    assert_false(proof_suffices("instructions", "step,trap")); /* the same exceptions */
    assert_false(proof_suffices("instructions", "decode/objdump,decode/capstone")); /* one walk */
}

TEST(qemu_and_capstone_are_one_where_qemu_disassembles)
{
    assert_false(proof_suffices("fp-adds", "qemu,decode/capstone"));
    assert_true(proof_suffices("fp-adds", "qemu,decode/objdump"));
    assert_true(proof_suffices("fp-adds", "qemu,decode/capstone,decode/objdump"));
}

TEST(decoding_is_no_witness_of_what_it_was_told)
{
    assert_false(proof_suffices("cond-branches-taken", "qemu,decode/objdump"));
    assert_false(proof_suffices("cond-branches-not-taken", "qemu,decode/capstone"));
    assert_true(proof_suffices("cond-branches-taken", "qemu,valgrind"));
    assert_true(proof_suffices("cond-branches", "qemu,decode/objdump"));
}

TEST(who_is_not_known_proves_nothing)
{
    assert_false(proof_suffices("instructions", "step,oracle"));
    assert_false(proof_suffices("instructions", "oracle,crystal"));
    assert_false(proof_suffices("instructions", "step,qem"));
    assert_false(proof_suffices("instructions", ",,step,,"));
}

TEST(an_unproven_claim_is_told_as_a_model)
{
    const struct specimen specimen = {.name = "no-such-specimen"};
    const struct truth claim = {"instructions", 1, 2, TRUTH_PROVEN, 0, 0, NULL};
    const struct truth bounded = {"instructions", 1, 2, TRUTH_BOUNDED, 3, 4, "it depends"};
    char why[200];
    assert_int_equal(proof_grade(&specimen, &claim, why, sizeof(why)), TRUTH_MODEL);
    assert_non_null(strstr(why, "no source has confirmed it"));
    assert_int_equal(proof_grade(&specimen, &bounded, why, sizeof(why)), TRUTH_BOUNDED);
    assert_string_equal(why, "it depends");
}

static const struct specimen *specimen_of(const struct proof *row)
{
    const struct specimen *specimen = specimen_find(row->specimen);
    if (!specimen)
        fail_msg("proof.table tells of %s, which is no specimen", row->specimen);
    return specimen;
}

static const struct truth *truth_of(const struct proof *row)
{
    const struct truth *truth = specimen_of(row)->truth;
    while (truth->class && strcmp(truth->class, row->class) != 0)
        truth++;
    if (!truth->class)
        fail_msg("proof.table tells of %s of %s, which has no such truth", row->class,
                 row->specimen);
    return truth;
}

TEST(the_record_speaks_of_what_there_is)
{
    for (size_t i = 0; i < proof_record_count; i++) {
        const struct proof *row = &proof_records[i];
        (void)truth_of(row);
        for (const char *at = row->sources; *at; at += strcspn(at, ","), at += *at == ',')
            if (!proof_knows(at, strcspn(at, ",")))
                fail_msg("proof.table names a source '%s', which proves nothing", at);
        assert_ptr_equal(proof_sources(row->specimen, row->class), row->sources);
    }
}

TEST(a_proven_row_keeps_its_grade)
{
    char why[512];
    for (size_t i = 0; i < proof_record_count; i++) {
        const struct proof *row = &proof_records[i];
        const struct truth *truth = truth_of(row);
        if (truth->grade != TRUTH_PROVEN)
            continue;
        bool proven = proof_suffices(row->class, row->sources);
        assert_int_equal(proof_grade(specimen_of(row), truth, why, sizeof(why)),
                         proven ? TRUTH_PROVEN : TRUTH_MODEL);
        assert_int_equal(*why == '\0', proven);
        /* "by qemu, decode/objdump alone" is no contradiction where the reader is told why. */
        bool told = !proven && strstr(row->class, "-taken") && strstr(row->sources, "decode");
        assert_int_equal(strstr(why, "told how often branches are taken") != NULL, told);
        assert_null(strstr(why, ",decode"));
    }
    assert_string_equal(proof_sources("loop", "no-such-class"), "");
}
