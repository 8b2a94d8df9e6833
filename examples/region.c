/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * One region of code: how many instructions it executes, and how far that number can be trusted.
 *
 *     cc -O2 region.c $(pkg-config --cflags --libs libassay) && ./a.out */
#include <assay.h>
#include <stdio.h>

static volatile unsigned result; /* keeps the compiler from removing the work */

static __attribute__((noinline)) void work(unsigned times)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < times; i++)
        sum += result ^ i;
    result = sum;
}

/* What happened inside that a count may have suffered from, if anything. */
static void print_noticed(unsigned noticed)
{
    char words[256];
    if (assay_noticed_words(noticed, words, sizeof(words)) > 0)
        printf("noticed: %s\n", words);
}

int main(void)
{
    /* Where no counter counts instructions, the CPU traps after each one. */
    const char *events[] = {"instructions:u"};
    struct assay_calipers *calipers;
    if (assay_calipers_open(&calipers, events, 1, ASSAY_OR_TRAP) < 0 || assay_calibrate() < 0) {
        fprintf(stderr, "%s\n", assay_last_error());
        return 1;
    }
    work(1); /* once before: a first call is another measurement */

    assay_begin();
    work(100);
    assay_end();

    struct assay_count count;
    struct assay_duration time;
    assay_counts(&count);
    assay_time(&time);
    printf("path: %s\n", assay_path_name(assay_calipers_path(calipers)));
    if (count.state == ASSAY_UNSUPPORTED)
        printf("%s: not counted: %s\n", events[0], assay_calipers_reason(calipers, 0));
    else
        printf("%s: %.0f +- %.0f (%s; raw %llu)\n", events[0], count.corrected, count.uncertainty,
               assay_state_name(count.state), (unsigned long long)count.raw);
    if (time.state != ASSAY_UNSUPPORTED)
        printf("time: %.0f +- %.0f ns\n", time.ns, time.uncertainty);
    print_noticed(count.noticed);
    assay_calipers_close(calipers);
    return 0;
}
