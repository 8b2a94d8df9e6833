/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Regions inside a region: what measuring the inner ones costs is taken off the outer one.
 *
 *     cc -O2 nested.c $(pkg-config --cflags --libs libassay) && ./a.out */
#include <assay.h>
#include <stdio.h>

static volatile unsigned result;
static struct assay_region part = ASSAY_REGION("part");

static __attribute__((noinline)) void work(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        result = result * 3 + 1;
}

/* The region that ended last. */
static void print_count(const char *what)
{
    struct assay_count count;
    if (assay_counts(&count) == 0)
        printf("%s: %.0f +- %.0f instructions, raw %llu\n", what, count.corrected,
               count.uncertainty, (unsigned long long)count.raw);
}

static __attribute__((noinline)) void plain(void)
{
    assay_begin();
    work(100);
    work(200);
    assay_end();
}

/* The same, and its parts are regions: corrected is as before, raw is not. Nothing is asked or
 * printed inside, which would be counted as well. */
static __attribute__((noinline)) void parted(void)
{
    assay_begin();
    assay_begin();
    work(100);
    assay_end_in(&part);
    assay_begin();
    work(200);
    assay_end_in(&part);
    assay_end();
}

int main(void)
{
    const char *events[] = {"instructions:u"};
    struct assay_calipers *calipers;
    if (assay_calipers_open(&calipers, events, 1, ASSAY_OR_TRAP) < 0 || assay_calibrate() < 0) {
        fprintf(stderr, "%s\n", assay_last_error());
        return 1;
    }
    if (assay_calipers_error(calipers, 0)) {
        printf("not counted: %s\n", assay_calipers_reason(calipers, 0));
        assay_calipers_close(calipers);
        return 0;
    }

    plain();
    print_count("plain");
    parted(); /* once before: a name is looked up where it is used first */
    parted();
    print_count("outer");

    struct assay_region_total parts;
    if (assay_total(part.name, 0, &parts) == 0)
        printf("parts: %.0f +- %.0f instructions in %llu regions, the least %.0f, the most %.0f\n",
               parts.corrected, parts.uncertainty, (unsigned long long)parts.regions, parts.minimum,
               parts.maximum);
    assay_calipers_close(calipers);
    return 0;
}
