/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libassay loaded by a program that does not link it, and unloaded: with and without open calipers,
 * with threads that still have some, as a library of its own and as a part of something else. */
#define ASSAY_NO_INLINE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay.h"
#include "case.h"
#include "written-alone.h"

/* What is used of it, by its own name. */
struct library {
    void *handle;
    __typeof__(&assay_calipers_open) open;
    __typeof__(&assay_calipers_close) close;
    __typeof__(&assay_begin) begin;
    __typeof__(&assay_end_in) end_in;
    __typeof__(&assay_total) total;
    __typeof__(&assay_table_at_exit) table_at_exit;
};

static const char *built(const char *path)
{
    static char whole[4096];
    snprintf(whole, sizeof(whole), "%s/%s", getenv("ASSAY_BUILD"), path);
    return whole;
}

static void *found(void *handle, const char *name)
{
    void *symbol = dlsym(handle, name);
    if (!symbol)
        abort();
    return symbol;
}

static struct library loaded(void)
{
    void *handle = dlopen(built("src/lib/libassay.so"), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fputs(dlerror(), stderr);
        abort();
    }
    struct library library = {handle, NULL, NULL, NULL, NULL, NULL, NULL};
    *(void **)&library.open = found(handle, "assay_calipers_open");
    *(void **)&library.close = found(handle, "assay_calipers_close");
    *(void **)&library.begin = found(handle, "assay_begin");
    *(void **)&library.end_in = found(handle, "assay_end_in");
    *(void **)&library.total = found(handle, "assay_total");
    *(void **)&library.table_at_exit = found(handle, "assay_table_at_exit");
    return library;
}

static const char *const events[] = {"page-faults:u"};
static struct assay_region region = ASSAY_REGION("loaded");

static struct assay_calipers *measure(const struct library *library)
{
    struct assay_calipers *calipers;
    if (library->open(&calipers, events, 1, 0) < 0)
        abort();
    library->begin();
    library->end_in(&region);
    return calipers;
}

static void load_twice(int descriptor)
{
    (void)descriptor;
    for (uint64_t i = 0; i < 3; i++) {
        struct library library = loaded();
        struct assay_calipers *calipers = measure(&library);
        struct assay_region_total total;
        if (library.total("loaded", 0, &total) != 0 || total.regions != 1)
            _exit(1);
        library.close(calipers);
        dlclose(library.handle);
    }
}

TEST(it_can_be_loaded_again)
{
    free(written_alone(load_twice));
}

struct waiting {
    pthread_barrier_t barrier;
    struct library library;
    int (*plugin)(int descriptor);
};

/* Its calipers are open, in a region, when the library is unloaded; then it ends. */
static void *stay(void *argument)
{
    struct waiting *waiting = argument;
    if (waiting->plugin) {
        waiting->plugin(-1);
    } else {
        measure(&waiting->library);
        waiting->library.begin();
    }
    pthread_barrier_wait(&waiting->barrier);
    pthread_barrier_wait(&waiting->barrier);
    return NULL;
}

static void unload_under(struct waiting *waiting, void *handle)
{
    pthread_t thread;
    pthread_barrier_init(&waiting->barrier, NULL, 2);
    pthread_create(&thread, NULL, stay, waiting);
    pthread_barrier_wait(&waiting->barrier);
    dlclose(handle);
    pthread_barrier_wait(&waiting->barrier);
    pthread_join(thread, NULL);
}

/* A child's handlers of fork are those of libraries that are there. */
static void fork_once(void)
{
    pid_t child = fork();
    if (child == 0)
        exit(0);
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        _exit(2);
}

static void unload_with_open_calipers(int descriptor)
{
    struct waiting waiting = {.library = loaded()};
    waiting.library.table_at_exit(descriptor);
    measure(&waiting.library);
    unload_under(&waiting, waiting.library.handle);
    fork_once();
}

static size_t times_in(const char *text, const char *what)
{
    size_t times = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        times++;
    return times;
}

TEST(unloaded_with_open_calipers_it_still_writes_its_table_at_exit)
{
    char *text = written_alone(unload_with_open_calipers);
    assert_int_equal(times_in(text, "loaded "), 1);
    assert_non_null(strstr(text, "loaded        2  page-faults:u")); /* with the thread's */
    free(text);
}

static bool is_mapped(const char *name)
{
    char line[4096];
    bool mapped = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof(line), maps))
        mapped = mapped || strstr(line, name);
    if (maps)
        fclose(maps);
    return mapped;
}

static void unload_a_plugin(int descriptor)
{
    void *handle = dlopen(built("tests/unit/libcalipers-plugin.so"), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        _exit(3);
    struct waiting waiting = {.plugin = NULL};
    *(void **)&waiting.plugin = found(handle, "plugin_measure");
    if (waiting.plugin(descriptor) < 0)
        _exit(4);
    unload_under(&waiting, handle);
    if (is_mapped("calipers-plugin"))
        _exit(5);
    fork_once();
    if (write(descriptor, "unloaded\n", 9) != 9)
        _exit(6);
}

/* The thread's calipers are lost, and nothing calls what is no longer there. */
TEST(a_part_of_something_that_is_unloaded_leaves_nothing_behind)
{
    char *text = written_alone(unload_a_plugin);
    assert_int_equal(times_in(text, "of the plugin "), 1);
    const char *end = strstr(text, "unloaded\n");
    assert_non_null(end);
    assert_string_equal(end, "unloaded\n"); /* the table came before, when it was unloaded */
    free(text);
}
