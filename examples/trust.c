/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What `assay validate` found out about events on this machine, so that a program can say beside
 * its counts what they are worth.
 *
 *     cc -O2 trust.c $(pkg-config --cflags --libs libassay) && ./a.out [EVENT...] */
#include <assay.h>
#include <errno.h>
#include <stdio.h>

static int print_trust(const char *event)
{
    struct assay_trust_verdict trust;
    int error = assay_trust(event, &trust);
    if (error < 0 && error != -ENOENT) {
        fprintf(stderr, "%s\n", assay_last_error());
        return error;
    }
    printf("%s: %s", event, trust.verdict);
    if (*trust.cause)
        printf(" (%s)", trust.cause);
    if (trust.age_s >= 0)
        printf(", validated %lld hours ago", (long long)(trust.age_s / 3600));
    if (trust.stale)
        printf(", on another machine: %s", trust.difference);
    printf("%s%s\n", *trust.note ? ": " : "", trust.note);
    return 0;
}

int main(int count, char **arguments)
{
    static const char *const usual[] = {"instructions:u", "page-faults:u"};
    int error = 0;
    for (int i = 1; i < count; i++)
        error |= print_trust(arguments[i]);
    for (size_t i = 0; count < 2 && i < sizeof(usual) / sizeof(usual[0]); i++)
        error |= print_trust(usual[i]);
    return error ? 1 : 0;
}
