/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What stands between begin and end in the source need not stand there in the program: compilers
 * move computations whose result is only needed later. Holding the values keeps them.
 *
 *     cc -O2 held.c $(pkg-config --cflags --libs libassay) && ./a.out */
#include <assay.h>
#include <stdio.h>

/* The compiler must have the value here, and cannot know what it is afterwards. No instruction. */
#define HOLD(value) __asm__ volatile("" : "+r"(value))

static __attribute__((noinline)) int left_alone(int x)
{
    assay_begin();
    int y = x * x * x * 7 + 5;
    assay_end(); /* y is not needed before this */
    return y;
}

static __attribute__((noinline)) int held(int x)
{
    assay_begin();
    HOLD(x); /* not before the region */
    int y = x * x * x * 7 + 5;
    HOLD(y); /* not behind it */
    assay_end();
    return y;
}

static void print_count(const char *what)
{
    struct assay_count count;
    if (assay_counts(&count) == 0)
        printf("%s: %.0f +- %.0f instructions\n", what, count.corrected, count.uncertainty);
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
    int different = left_alone(3);
    print_count("left alone");
    different -= held(3);
    print_count("held");
    assay_calipers_close(calipers);
    return different;
}
