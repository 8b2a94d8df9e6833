/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * A million measured regions: nothing is allocated and nothing grows, so that calipers may stay in
 * a program for good.
 *
 *     cc -O2 million.c $(pkg-config --cflags --libs libassay) && ./a.out */
#include <assay.h>
#include <stdio.h>
#include <sys/resource.h>

enum { REGIONS = 1000000 };

static struct assay_region turn = ASSAY_REGION("turn");
static volatile unsigned result;

/* The most memory that the process ever had, in KiB. */
static long peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void measure(int regions)
{
    for (int i = 0; i < regions; i++) {
        assay_begin();
        result = result * 3 + 1;
        assay_end_in(&turn);
    }
}

int main(void)
{
    const char *events[] = {"ticks"};
    struct assay_calipers *calipers;
    if (assay_calipers_open(&calipers, events, 1, 0) < 0 || assay_calibrate() < 0) {
        fprintf(stderr, "%s\n", assay_last_error());
        return 1;
    }
    measure(1000); /* once through everything there is */
    long before = peak();
    measure(REGIONS - 1000);
    long after = peak();

    struct assay_region_total total;
    if (assay_total(turn.name, 0, &total) < 0) {
        fprintf(stderr, "%s\n", assay_last_error());
        return 1;
    }
    printf("%llu regions, peak memory grew by %ld KiB\n", (unsigned long long)total.regions,
           after - before);
    if (total.state == ASSAY_UNSUPPORTED)
        printf("ticks: not counted: %s\n", assay_calipers_reason(calipers, 0));
    else
        printf("ticks of one: %.1f on average, %.0f to %.0f; %llu regions disturbed\n",
               total.corrected / (double)total.regions, total.minimum, total.maximum,
               (unsigned long long)total.noticed_regions);
    assay_calipers_close(calipers);
    return 0;
}
