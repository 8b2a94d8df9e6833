/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * A region of exactly one hundred instructions, a hundred times, on every path that this machine
 * has: what is counted, what measuring adds, and what is left when that is taken off.
 *
 *     cc -O2 hundred.c $(pkg-config --cflags --libs libassay) && ./a.out */
#include <assay.h>
#include <stdio.h>

/* Whatever the compiler does, these are one hundred. */
#define HUNDRED __asm__ volatile(".rept 100\n\tnop\n\t.endr")

static int measure(const char *event, unsigned flags, const char *how)
{
    struct assay_calipers *calipers;
    if (assay_calipers_open(&calipers, &event, 1, flags) < 0 || assay_calibrate() < 0) {
        fprintf(stderr, "%s\n", assay_last_error());
        return -1;
    }
    if (assay_calipers_error(calipers, 0)) {
        printf("%s %s: not counted: %s\n", event, how, assay_calipers_reason(calipers, 0));
        assay_calipers_close(calipers);
        return 0;
    }
    struct assay_count count;
    int covered = 0, exact = 0;
    for (int i = 0; i < 100; i++) {
        assay_begin();
        HUNDRED;
        assay_end();
        assay_counts(&count);
        covered += count.low <= 100 && 100 <= count.high;
        exact += count.corrected <= 100 && count.corrected >= 100;
    }
    struct assay_overhead overhead;
    assay_calipers_overhead(calipers, 0, &overhead);
    printf("%s by %s: raw %llu, window %.0f, corrected %.0f +- %.0f; exact %d times of 100, "
           "covered %d times\n",
           event, assay_path_name(assay_calipers_path(calipers)), (unsigned long long)count.raw,
           overhead.window, count.corrected, count.uncertainty, exact, covered);
    assay_calipers_close(calipers);
    return 0;
}

int main(void)
{
    int error = measure("instructions:u", ASSAY_USER, "by perf-user");
    error |= measure("instructions:u", ASSAY_READ, "by perf-read");
    error |= measure("trap/instructions/", 0, "by trap");
    return error ? 1 : 0;
}
