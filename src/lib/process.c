/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What the process keeps of calipers that are closed, and its table: written when asked for, and at
 * the end of the process that wished it, never of its children. */
#define ASSAY_NO_INLINE
#include "lib/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/set.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gathered *closed;
static struct gathered *inherited; /* of the parent: never looked at, kept for leak detectors */
static uint64_t lost;              /* calipers that could not be added */
static int at_exit = -1;           /* a descriptor of our own */
static pid_t at_exit_of;           /* the process that asked */

/* The lock may be held by a thread that does not exist here, and the list half written. */
void process_forked(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    inherited = closed;
    closed = NULL;
    lost = 0;
}

void regions_merge(struct assay_calipers *calipers)
{
    if (calipers->regions && !calipers->forked) {
        pthread_mutex_lock(&lock);
        lost += gathered_add(&closed, calipers) < 0;
        pthread_mutex_unlock(&lock);
    }
    regions_free(calipers);
}

/* All that ended or was closed, and what the calling thread has open. */
static char *text_now(void)
{
    struct gathered *all = NULL;
    pthread_mutex_lock(&lock);
    int error = gathered_add_all(&all, closed);
    uint64_t missing = lost;
    pthread_mutex_unlock(&lock);
    for (struct assay_calipers *calipers = here_opened(); calipers && !error;
         calipers = calipers->next)
        error = calipers->forked ? 0 : gathered_add(&all, calipers);
    char *text = error < 0 ? NULL : table_text(all, missing);
    gathered_free(all);
    return text;
}

static int write_all(int descriptor, const char *text)
{
    size_t length = strlen(text);
    while (length) {
        ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno != EINTR)
            return set_fail(-errno, "the table of regions cannot be written: %s", strerror(errno));
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

int assay_table(int descriptor)
{
    AUTO_FREE char *text = text_now();
    if (!text)
        return set_fail(-ENOMEM, "out of memory");
    return write_all(descriptor, text);
}

/* A descriptor of our own: the program may close this one, and use its number for something else.
 */
int assay_table_at_exit(int descriptor)
{
    int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (own < 0)
        return set_fail(-errno, "descriptor %d cannot be kept for the table of regions: %s",
                        descriptor, strerror(errno));
    pthread_mutex_lock(&lock);
    int before = at_exit;
    at_exit = own;
    at_exit_of = getpid();
    pthread_mutex_unlock(&lock);
    if (before >= 0)
        close(before);
    return 0;
}

static void write_at_exit(void)
{
    pthread_mutex_lock(&lock);
    int descriptor = at_exit;
    pid_t asked = at_exit_of;
    at_exit = -1;
    pthread_mutex_unlock(&lock);
    if (descriptor < 0)
        return;
    if (asked == getpid())
        assay_table(descriptor);
    close(descriptor);
}

/* Where the library is a part of something that is unloaded, nothing would know of it any more. */
static void forget(void)
{
    pthread_mutex_lock(&lock);
    struct gathered *list = closed;
    closed = NULL;
    pthread_mutex_unlock(&lock);
    gathered_free(list);
}

void process_ended(void)
{
    write_at_exit();
    forget();
}
