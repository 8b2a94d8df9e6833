/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * How long something takes, in nanoseconds with an error bound.
 *
 *     cc -O2 clock.c $(pkg-config --cflags --libs libassay) && ./a.out */
#include <assay.h>
#include <stdio.h>

static volatile unsigned result;

static void work(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        result = result * 3 + 1;
}

int main(void)
{
    if (assay_clock_prepare() < 0) { /* otherwise the first use does it */
        fprintf(stderr, "%s\n", assay_last_error());
        return 1;
    }
    double error;
    double rate = assay_clock_rate(&error);
    printf("clock: %s, %.6g ticks a second, wrong by at most %.3g ppm\n", assay_clock_name(), rate,
           error * 1e6);
    if (*assay_clock_reason())
        printf("not the CPU's counter of time: %s\n", assay_clock_reason());
    printf("the same on all CPUs: %s\n", assay_clock_shared() ? "yes" : "no");

    for (unsigned times = 1; times <= 1000000; times *= 100) {
        uint64_t from = assay_clock_begin();
        work(times);
        uint64_t to = assay_clock_end();
        struct assay_span span;
        if (assay_clock_span(from, to, &span) < 0) {
            fprintf(stderr, "%s\n", assay_last_error());
            return 1;
        }
        printf("%7u times: %.0f +- %.0f ns\n", times, span.ns, span.error_ns);
    }
    return 0;
}
