/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a watching harness says of its clocks. */
#include "probe/clocks/clock.h"

static void describe(FILE *out, const struct clock *clock)
{
    struct clock_reader reader;
    char claim[CLOCK_CLAIM], reason[CLOCK_REASON];
    int result = clock_open(&reader, clock->name, false, claim, reason, sizeof(reason));
    if (result < 0) {
        fprintf(out, "unreadable %s %d %s\n", clock->name, -result, reason);
        return;
    }
    double resolution = clock->claimed_resolution ? clock->claimed_resolution(&reader) : 0;
    fprintf(out, "clock %s %s %s %s %llu %llu %s %s %s\t%s\n", clock->name,
            clock_kind_names[clock->kind], clock->way, clock->hardware ? clock->hardware : "-",
            (unsigned long long)reader.hz, (unsigned long long)(resolution * 1e3 + 0.5),
            clock->slow ? "slow" : "-", clock->steered ? "steered" : "-", claim, clock->note);
    clock_close(&reader);
}

void clocks_describe(FILE *out)
{
    for (size_t index = 0; clock_registry[index]; index++) {
        fflush(out); /* opening one may fork: what is said already is not to be said twice */
        describe(out, clock_registry[index]);
    }
}
