/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An ordinary program, with the C library in it: allocates, formats, copies, measures, sorts. What
 * the library does depends on the CPU it finds, and tools show it another one. */
#include "probe/subjects/subject.h"

#ifdef SUBJECT_PROGRAM
#include "probe/subjects/hosted.h"

#define LINES 12

static int compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The same lines in every round, in an order of their own. */
static void work(uint64_t round)
{
    char *lines[LINES];
    char page[4096];
    size_t length = 0;
    for (unsigned index = 0; index < LINES; index++) {
        char text[64];
        snprintf(text, sizeof(text), "%u of %u: %.3f", index * 7919 % LINES, (unsigned)round,
                 (double)index / 7);
        lines[index] = malloc(strlen(text) + 1);
        if (!lines[index])
            exit(1);
        memcpy(lines[index], text, strlen(text) + 1);
    }
    qsort(lines, LINES, sizeof(*lines), compare);
    for (unsigned index = 0; index < LINES; index++) {
        const size_t more = strlen(lines[index]);
        memcpy(page + length, lines[index], more);
        length += more;
        free(lines[index]);
    }
    memset(page + length, '.', sizeof(page) - length);
    printf("%u %.8s %zu\n", (unsigned)round, page,
           (size_t)((char *)memchr(page, '.', sizeof(page)) - page));
}

int main(int count, char **arguments)
{
    const uint64_t n = hosted_number(count, arguments);
    for (uint64_t round = 0; round < n; round++)
        work(round);
    return fflush(stdout) != 0;
}
#else
const struct subject subject_calls = {
    .name = "calls",
    .summary = "allocates, formats, sorts and copies by the C library, N times",
    .shows = "M11",
    .n = 2,
    .bits = 64,
    .libc = true,
};
#endif
