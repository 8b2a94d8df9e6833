/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the judge of caches says, by its codes. */
#include "studies/caches/study.h"

const struct reason_words caches_words[] = {
    [CACHES_DISAGREE] = {"runs-disagree",
                         "repeated runs do not agree; measure again on a quieter machine"},
    [CACHES_UNENDED] = {"rise-without-end",
                        "memory is still getting slower at the largest ring: it holds at least "
                        "{least_kib:plain} KiB"},
    [CACHES_GRADUAL] = {"gradual-rise",
                        "misses begin slowly, between {low_kib:plain} KiB and {high_kib:plain} "
                        "KiB: memory pages lie unevenly over its sets, or others use it too"},
    [CACHES_TLB_LINES] = {"tlb-has-no-lines", "a TLB has no lines"},
    [CACHES_TLB_WAYS] = {"tlb-reach-only", "only the reach of a TLB is measured"},
    [CACHES_NO_RISE] = {"no-rise", "no rise in latency over the pages that were tried"},
    [CACHES_NO_FURTHER_RISE] = {"no-further-rise",
                                "no further rise in latency over the pages that were tried"},
    [CACHES_NO_RING] = {"not-measured", "no ring over pages was measured"},
    [CACHES_HUGE_LIKE_SMALL] = {"huge-pages-like-small",
                                "huge pages behave like small ones here: on both, latency rises at "
                                "{at_kib:plain} KiB, less than {pages} huge pages; the host may "
                                "back them with small pages"},
    [CACHES_HUGE_UNSEEN] = {"rise-below-reach",
                            "not seen: latency rises at {at_kib:plain} KiB, but that is less than "
                            "{pages} huge pages, and on small pages it does not"},
    [CACHES_TOO_LITTLE] = {"too-little", "too little was measured"},
    [CACHES_NO_LINE] = {"no-line-seen", "two loads never cost clearly less for being near each "
                                        "other, or no ring was sure to miss it"},
    [CACHES_PREFETCHED] = {"prefetcher", "neighbouring lines come together: a prefetcher hides "
                                         "where one ends"},
    [CACHES_SETS_HASHED] = {"sets-not-seen",
                            "lines that should share a set do not evict each other consistently: "
                            "sets are hashed, or memory pages lie anywhere"},
    [CACHES_NO_SIZE] = {"size-not-known", "its size is not known"},
    [CACHES_UNSEEN] = {"level-not-seen",
                       "no rise in latency near this size: there is no such cache, or others on "
                       "this machine kept using it; try a larger --budget, or a quieter machine"},
    [CACHES_UNSEEN_SHARED] = {"shared-level-not-seen",
                              "no rise in latency near this size: neighbours may use most of it, "
                              "the host may give this machine only a part, or its pages lie "
                              "scattered so that the rise is smeared; try a larger --budget, or a "
                              "quieter machine"},
    [CACHES_FLAT] = {"flat", "latency is the same for every size, or too little was measured"},
    [CACHES_FOREIGN] = {"machine-says", "{why}"},
};
