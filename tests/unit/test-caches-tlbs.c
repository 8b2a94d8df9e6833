/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of caches over rings on small and on huge pages whose latencies are given: which rises
 * are reaches of a TLB, and which rows there always are. */
#include "cache-model.h"
#include "case.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* Rings over pages that are fast up to `rise` bytes, as six processes saw them. */
static void add_pages(struct caches_points *points, bool huge, uint64_t rise)
{
    for (uint64_t bytes = 64 * KIB; bytes <= 32 * MIB; bytes *= 2)
        for (uint64_t process = 1; process <= 6; process++) {
            struct caches_point ring = {
                .shape = CHASE_PAGES, .huge = huge, .bytes = bytes, .stride = MODEL_PAGE};
            caches_add(points, &ring, process, bytes <= rise ? 5 : 40);
        }
}

/* One level of 32 KiB, and TLBs that reach as far as is said. */
static void judge_tlbs(uint64_t small, uint64_t huge, const struct caches_situation *situation,
                       struct caches_report *report)
{
    struct caches_points points = {0};
    for (uint64_t bytes = 4 * KIB; bytes <= 4 * MIB; bytes += bytes / 8)
        for (uint64_t process = 1; process <= 6; process++) {
            struct caches_point ring = {.shape = CHASE_DENSE, .bytes = bytes, .stride = 64};
            caches_add(&points, &ring, process, bytes <= 32 * KIB ? 5 : 15);
        }
    add_pages(&points, false, small);
    add_pages(&points, true, huge);
    caches_judge(&points, situation, report);
}

TEST(a_reach_of_huge_pages_is_some_huge_pages)
{
    const struct caches_situation situation = {.page = MODEL_PAGE, .huge_page = 2 * MIB, .seed = 1};
    struct caches_report report;
    judge_tlbs(256 * KIB, 256 * KIB, &situation, &report);
    const struct caches_row *row = row_of(&report, 1, "tlb-huge");
    assert_non_null(row);
    assert_false(row->bytes.known);
    assert_non_null(reasons_find(&row->bytes.why, &caches_words[CACHES_HUGE_LIKE_SMALL]));
    assert_int_equal(row->low, 0);
    assert_false(row_of(&report, 2, "tlb-huge")->bytes.known);
    assert_true(row_of(&report, 1, "tlb")->bytes.known);
    judge_tlbs(2 * MIB, 256 * KIB, &situation, &report);
    row = row_of(&report, 1, "tlb-huge");
    assert_false(row->bytes.known);
    assert_non_null(reasons_find(&row->bytes.why, &caches_words[CACHES_HUGE_UNSEEN]));
    judge_tlbs(256 * KIB, 8 * MIB, &situation, &report);
    row = row_of(&report, 1, "tlb-huge");
    assert_true(row->bytes.known);
    assert_int_equal(row->bytes.value, 8 * MIB);
}

/* Whatever was seen: two TLBs on either kind of page, so that runs can be compared. */
TEST(rows_of_tlbs_are_always_the_same)
{
    const uint64_t reaches[] = {256 * KIB, 8 * MIB, 64 * MIB};
    const char *const unfit[] = {NULL, "no clock"};
    for (size_t i = 0; i < 6; i++) {
        const struct caches_situation situation = {
            .page = MODEL_PAGE, .unfit = unfit[i / 3], .no_huge = i % 2 ? "none" : NULL, .seed = 1};
        struct caches_report report;
        judge_tlbs(reaches[i % 3], reaches[(i + 1) % 3], &situation, &report);
        for (unsigned level = 1; level <= 2; level++)
            for (int huge = 0; huge < 2; huge++) {
                const struct caches_row *row = row_of(&report, level, huge ? "tlb-huge" : "tlb");
                assert_non_null(row);
                assert_true(row->bytes.known || row->bytes.why.count);
            }
        assert_int_equal(report.row_count, 5);
    }
}
