/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Several threads, each with calipers of its own, and one table of all when the program ends.
 *
 *     cc -O2 threads.c $(pkg-config --cflags --libs libassay) -pthread && ./a.out */
#include <assay.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 10, BYTES = 1 << 16 };

/* A name is one row of the table, whichever threads end regions under it. */
static struct assay_region filling = ASSAY_REGION("filling");
static struct assay_region adding = ASSAY_REGION("adding");

static unsigned add(const unsigned char *bytes)
{
    unsigned sum = 0;
    for (size_t i = 0; i < BYTES; i++)
        sum += bytes[i];
    return sum;
}

static void *thread(void *argument)
{
    const char *events[] = {"instructions:u", "page-faults:u"};
    struct assay_calipers *calipers;
    if (assay_calipers_open(&calipers, events, 2, 0) < 0 || assay_calibrate() < 0) {
        fprintf(stderr, "%s\n", assay_last_error());
        return argument;
    }
    unsigned sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned char *bytes = malloc(BYTES);
        if (!bytes)
            break;
        assay_begin();
        memset(bytes, round, BYTES);
        assay_end_in(&filling);
        assay_begin();
        sum += add(bytes);
        assay_end_in(&adding);
        free(bytes);
    }
    assay_calipers_close(calipers);
    return sum ? NULL : argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    int failed = 0;
    assay_table_at_exit(1);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread, &failed) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++) {
        void *answer;
        pthread_join(threads[i], &answer);
        failed |= answer != NULL;
    }
    return failed;
}
