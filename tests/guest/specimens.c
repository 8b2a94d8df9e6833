/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything a kit knows of its specimens, whatever the machine can run of it: a line
 *
 *     specimen NAME SUMMARY ABSENT
 *     truth NAME CLASS BASE EACH HIGH_BASE HIGH_EACH GRADE SOURCES WHY
 *
 * each, with tabs between fields. ABSENT: the reason why this ISA has none of it; where a machine
 * of the ISA may have it, that is not asked. From this docs/specimens.md is made. */
#include <stdio.h>
#include <string.h>

#include "specimens/specimen.h"

static void print_truth(const struct specimen *specimen, const struct truth *truth)
{
    char why[512];
    enum truth_grade grade = proof_grade(specimen, truth, why, sizeof(why));
    bool bounded = grade == TRUTH_BOUNDED;
    printf("truth\t%s\t%s\t%lld\t%lld\t%lld\t%lld\t%s\t%s\t%s\n", specimen->name, truth->class,
           (long long)truth->base, (long long)truth->each,
           (long long)(bounded ? truth->high_base : truth->base),
           (long long)(bounded ? truth->high_each : truth->each), truth_grade_names[grade],
           proof_sources(specimen->name, truth->class), why);
}

int main(void)
{
    for (size_t i = 0; specimen_registry[i]; i++) {
        const struct specimen *specimen = specimen_registry[i];
        struct failure failure = {0};
        /* Without a truth it is a name that stands for an absence. */
        if (!specimen->truth->class && specimen->available)
            specimen->available(&failure);
        printf("specimen\t%s\t%s\t%s\n", specimen->name, specimen->summary, failure.text);
        for (const struct truth *truth = specimen->truth; truth->class; truth++)
            print_truth(specimen, truth);
    }
    return 0;
}
