/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The claims of the paper on microbenchmarks as data, and their way through the rules: judgements
 * in, findings out (docs/findings.md). */
#include "studies/validate/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SCALAR_CLASSES "fp-scalar-single fp-scalar-double fp-operations fp-adds fp-muls fp-divs"

static const struct claim claims[VALIDATE_FINDINGS] = {
    {.id = "A1",
     .text = "nested loops are mispredicted once where each loop ends, to within 1 %",
     .figure = "within 1 % on Pentium III, Itanium, Power3-II and R12K",
     .rule = rule_within,
     .unit = "%",
     .physical = true,
     .foretold = FORETOLD_LOOP_ENDS,
     .least = 10000,
     .tests = {{"mispredictions", "branch-misses cond-branch-misses", "nested"}}},
    {.id = "A2",
     .text = "misses of the instruction caches come within 1 % of the lines that do not fit",
     .figure = "within 1 % on Pentium III, first and second level",
     .rule = rule_within,
     .unit = "%",
     .physical = true,
     .least = 10000,
     .tests = {{"first level", "l1i-load-misses", "l1i-blocks"},
               {"second level", "l2i-misses", "l2i-blocks"}}},
    {.id = "A3",
     .text = "cycles of a row of register additions come within 1 % of one for each",
     .figure = "within 1 % on Pentium III and Power4",
     .rule = rule_within,
     .unit = "%",
     .physical = true,
     .least = 100000,
     .tests = {{"cycles", "cycles", "chain"}}},
    {.id = "A4",
     .text = "floating-point instructions come within 1 % on most CPUs; rounding and "
             "single-precision multiplication break it on some",
     .figure = "within 1 % on Itanium, R12K; twice by rounding on Power3-II, Power4; 5 of 9 single "
               "multiplications on Pentium III",
     .rule = rule_within,
     .unit = "%",
     .least = 100,
     .tests = {{"arithmetic", "fp-instructions",
                "fadd-single fadd-double fmul-double fdiv-single fdiv-double"},
               {"arithmetic", SCALAR_CLASSES,
                "fadd-single fadd-double fmul-double fdiv-single fdiv-double"}},
     .first_only = true,
     .exceptions = {{"rounding", "fp-instructions " SCALAR_CLASSES, "fround-single fround-double"},
                    {"single-precision multiplication", "fp-instructions " SCALAR_CLASSES,
                     "fmul-single"},
                    {"x87", "fp-instructions " SCALAR_CLASSES, "x87"}}},
    {.id = "A5",
     .text = "fewer than about 100 square roots are reported as 0 on some CPUs",
     .figure = "0 up to 100 on Power3-II, up to 86 on Power4",
     .rule = rule_threshold,
     .unit = "square roots",
     .tests = {{"square roots", "fp-sqrts", "fsqrt-single fsqrt-double"},
               {"square roots", "fp-instructions fp-scalar-single fp-scalar-double fp-operations",
                "fsqrt-single fsqrt-double"}},
     .first_only = true},
    {.id = "A6",
     .text = "completed instructions come within 1 % once no-ops that pad the code are counted",
     .figure = "under 1 % on Power3-II, Pentium III; Itanium 17 % over until no-ops counted, then "
               "about 0 %",
     .rule = rule_within,
     .unit = "%",
     .least = 100,
     .tests = {{"no-ops", "instructions", "nops"}, {"additions", "instructions", "adds"}},
     .needs_first = true},
    {.id = "A7",
     .text = "loads and stores are counted as predicted",
     .figure = "no figure; studied to the end on Itanium, Power3-II and R12K",
     .rule = rule_within,
     .unit = "%",
     .least = 100,
     .tests = {{"loads", "loads", "loads copies"}, {"stores", "stores", "stores copies"}}},
    {.id = "A8",
     .text = "misses of the first and second level's data cache follow from their geometry",
     .figure = "no figure; L1 on Itanium, Power3-II, Power4, R12K, L2 on Itanium, R12K",
     .rule = rule_within,
     .unit = "%",
     .physical = true,
     .least = 10000,
     .tests = {{"first level", "l1d-misses l1d-load-misses", "l1d-chase"},
               {"second level", "l2-misses l2d-misses l2-load-misses", "l2-chase"}}},
    {.id = "A9",
     .text = "TLB misses follow from the number of pages",
     .figure = "no figure; data TLB on Itanium, Power4, all TLBs on Power3-II, Power4",
     .rule = rule_within,
     .unit = "%",
     .physical = true,
     .least = 10000,
     .tests = {{"data", "dtlb-misses dtlb-load-misses tlb-misses", "dtlb-pages"},
               {"code", "itlb-load-misses tlb-misses", "itlb-pages"}}},
    {.id = "A10",
     .text = "small counts carry what measuring adds, and large counts hide it",
     .figure = "no figure; named as a reason why reported and predicted counts differ",
     .rule = rule_overhead,
     .unit = "%"},
};

void validate_findings(const struct case_file *file, const struct judgements *judgements,
                       struct finding findings[VALIDATE_FINDINGS])
{
    for (size_t i = 0; i < VALIDATE_FINDINGS; i++) {
        const struct claim *claim = &claims[i];
        struct finding *finding = &findings[i];
        *finding = (struct finding){.id = claim->id,
                                    .claim = claim->text,
                                    .paper = "aguilera-microbenchmarks",
                                    .verdict = FINDING_UNTESTABLE,
                                    .unit = claim->unit};
        snprintf(finding->figure, sizeof(finding->figure), "%s", claim->figure);
        if (claim->physical && file->emulated)
            finding_add(finding, "this machine is emulated: it has no predictor, no caches and no "
                                 "cycles of its own that could be counted");
        else
            claim->rule(claim, judgements, finding);
    }
}
