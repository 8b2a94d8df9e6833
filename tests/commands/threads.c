/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * So many threads at a time, each of which touches pages of its own. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MOST  64
#define BYTES (1u << 20)

static void *touch(void *context)
{
    void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        memset(memory, 1, BYTES);
    return context;
}

int main(int count, char **words)
{
    pthread_t threads[MOST];
    const int wanted = count > 1 ? atoi(words[1]) : 0;
    if (wanted < 1 || wanted > MOST)
        return 99;
    for (int index = 0; index < wanted; index++)
        if (pthread_create(&threads[index], NULL, touch, NULL) != 0)
            return 98;
    for (int index = 0; index < wanted; index++)
        pthread_join(threads[index], NULL);
    return 0;
}
