/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Which calipers a thread has opened and selected, and what becomes of them when it ends or
 * forks.
 *
 * A thread that ends closes what it left open. In a child of fork, calipers of the thread that
 * forked stay usable and count nothing: their descriptors still count the parent, and the pages of
 * user reads are not mapped there. Those of other threads are memory that nobody can reach. A child
 * by vfork shares the parent's memory: what it does to calipers it does to the parent's. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <pthread.h>

#include "lib/process.h"
#include "lib/regions.h"
#include "lib/set.h"

/* Where regions of threads go that have selected nothing: read in no way, one frame for all. */
static struct assay_frame nothing;
static struct assay_here nowhere = {.frame = &nothing, .last = &nothing};

__thread struct assay_here *assay_here = &nowhere;

/* What the thread opened, the latest first, and its number, which no other thread and no child of
 * fork ever gets again. */
static __thread struct assay_calipers *opened;
static __thread long self;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error = EAGAIN; /* 0: there is a key */

struct assay_calipers *calipers_here(void)
{
    struct assay_here *here = assay_here;
    return here == &nowhere ? NULL : (struct assay_calipers *)(void *)here;
}

struct assay_calipers *here_opened(void)
{
    return opened;
}

static void thread_ended(void *unused)
{
    (void)unused;
    while (opened)
        assay_calipers_close(opened);
}

/* Nothing but assignments: the child of a program with threads may call little else. */
static void forked(void)
{
    for (struct assay_calipers *calipers = opened; calipers; calipers = calipers->next) {
        if (calipers->here.ways & ASSAY_WAY_TRAP && calipers->here.depth)
            trap_leave();
        calipers->forked = true;
        calipers->here.ways = 0;
        for (size_t i = 0; i <= ASSAY_CALIPERS_MOST; i++)
            calipers->here.pages[i] = NULL;
    }
    process_forked();
}

static void prepare(void)
{
    key_error = pthread_key_create(&key, thread_ended);
    if (!key_error && pthread_atfork(NULL, NULL, forked) != 0) {
        pthread_key_delete(key);
        key_error = ENOMEM;
    }
}

/* Where the library itself is unloaded (as a part of something that is; libassay.so never is), no
 * thread may find its way back here: calipers that are still open are lost. */
static __attribute__((destructor)) void unloaded(void)
{
    process_ended();
    if (!key_error)
        pthread_key_delete(key);
    key_error = EAGAIN;
}

int here_attach(struct assay_calipers *calipers)
{
    static long threads;
    pthread_once(&once, prepare);
    if (key_error || pthread_setspecific(key, &opened) != 0)
        return set_fail(key_error ? -key_error : -ENOMEM,
                        "the end of a thread cannot be noticed: the process has no thread-specific "
                        "key or no memory left");
    if (regions_prepare(calipers) < 0)
        return set_fail(-ENOMEM, "out of memory");
    if (!self)
        self = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    calipers->owner = self;
    calipers->next = opened;
    opened = calipers;
    return 0;
}

bool here_owns(const struct assay_calipers *calipers)
{
    return calipers->owner == self || !calipers->owner;
}

void here_detach(struct assay_calipers *calipers)
{
    if (calipers_here() == calipers)
        assay_here = &nowhere;
    for (struct assay_calipers **at = &opened; *at; at = &(*at)->next) {
        if (*at == calipers) {
            *at = calipers->next;
            return;
        }
    }
}

/* A region that a child was forked in is the parent's: it keeps the child from nothing. */
int assay_calipers_select(struct assay_calipers *calipers)
{
    struct assay_calipers *now = calipers_here();
    if (now && now->here.depth && !now->forked)
        return set_fail(-EBUSY, "other calipers cannot be selected within a region");
    if (calipers && !here_owns(calipers))
        return set_fail(-EPERM, "calipers belong to the thread that opened them");
    assay_here = calipers ? &calipers->here : &nowhere;
    return 0;
}
