/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exclusive sequences of AArch64, from their words alone: what a stepper may run in one go and how
 * many instructions that is. The encodings come from an assembler. */
#include "arch/aarch64/exclusive.h"
#include "case.h"

#define LDXR  0xc85f7c01u /* ldxr x1, [x0] */
#define LDAXR 0x885ffc01u /* ldaxr w1, [x0] */
#define LDXP  0xc87f0c01u /* ldxp x1, x3, [x0] */
#define LDXRB 0x085f7c01u /* ldxrb w1, [x0] */
#define STXR  0xc8027c01u /* stxr w2, x1, [x0] */
#define STLXP 0xc8228c01u /* stlxp w2, x1, x3, [x0] */
#define LDAR  0xc8dffc01u /* ldar x1, [x0] */
#define STLR  0xc89ffc01u /* stlr x1, [x0] */
#define CAS   0xc8a27c01u /* cas x2, x1, [x0] */
#define CASP  0x48207c02u /* casp x0, x1, x2, x3, [x0] */
#define LDR   0xf9400001u /* ldr x1, [x0] */
#define ADD   0x91000421u /* add x1, x1, #1 */
#define B_NE  0x54000001u /* b.ne, plus words << 5 */
#define CBZ   0xb4000001u /* cbz x1 */
#define TBZ   0x36000001u /* tbz w1, #0 */
#define B     0x14000002u /* b */
#define SVC   0xd4000001u
#define RET   0xd65f03c0u

static uint32_t to(uint32_t branch, int words)
{
    return branch | ((uint32_t)words & (branch == TBZ ? 0x3fff : 0x7ffff)) << 5;
}

static bool decode(const uint32_t *words, size_t count, struct decode_sequence *sequence)
{
    uint32_t padded[DECODE_SEQUENCE] = {0};
    memcpy(padded, words, count * sizeof(*words));
    return decode_exclusive(padded, sequence);
}

#define DECODE(sequence, ...)                                                                      \
    decode((const uint32_t[]){__VA_ARGS__},                                                        \
           sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), sequence)

TEST(only_exclusive_loads_begin_a_sequence)
{
    static const uint32_t loads[] = {LDXR, LDAXR, LDXP, LDXRB};
    static const uint32_t others[] = {STXR, STLXP, LDAR, STLR, CAS, CASP, LDR, ADD, RET};
    for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++)
        assert_true(decode_begins_exclusive((const unsigned char *)&loads[i]));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_false(decode_begins_exclusive((const unsigned char *)&others[i]));
}

TEST(a_sequence_goes_through_its_store)
{
    struct decode_sequence sequence;
    assert_true(DECODE(&sequence, LDXR, ADD, ADD, STXR, ADD));
    assert_int_equal(sequence.length, 4);
    assert_int_equal(sequence.branch, 0);
    assert_true(DECODE(&sequence, LDXP, STLXP));
    assert_int_equal(sequence.length, 2);
}

TEST(a_branch_out_of_it_is_a_second_way)
{
    struct decode_sequence sequence;
    assert_true(DECODE(&sequence, LDAXR, ADD, to(B_NE, 4), STXR, ADD));
    assert_int_equal(sequence.length, 4);
    assert_int_equal(sequence.branch, 3);
    assert_int_equal(sequence.branch_bytes, 24);
    assert_true(DECODE(&sequence, LDAXR, to(CBZ, -3), STXR));
    assert_int_equal(sequence.branch, 2);
    assert_int_equal(sequence.branch_bytes, -8);
    assert_true(DECODE(&sequence, LDAXR, to(TBZ, -2), STXR));
    assert_int_equal(sequence.branch_bytes, -4);
}

TEST(what_cannot_be_told_apart_afterwards_is_refused)
{
    struct decode_sequence sequence;
    assert_false(DECODE(&sequence, LDXR, to(CBZ, 2), ADD, STXR));        /* stays inside */
    assert_false(DECODE(&sequence, LDXR, to(CBZ, 3), ADD, STXR));        /* ends where it ends */
    assert_false(DECODE(&sequence, LDXR, to(CBZ, -1), ADD, STXR));       /* begins again */
    assert_false(DECODE(&sequence, LDXR, to(CBZ, 9), to(CBZ, 9), STXR)); /* two of them */
    assert_false(DECODE(&sequence, LDXR, B, STXR));
    assert_false(DECODE(&sequence, LDXR, SVC, STXR));
    assert_false(DECODE(&sequence, LDXR, ADD, RET));
    assert_false(DECODE(&sequence, LDXR, ADD)); /* no store at all */
}
