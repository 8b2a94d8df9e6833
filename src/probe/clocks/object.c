/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A clock that is a function of a shared object. Linked only into programs that can load one. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "probe/clocks/external.h"

struct object {
    void *library;
    uint64_t (*function)(void);
};

static uint64_t object_read(struct clock_reader *reader)
{
    const struct object *object = external_state(reader);
    return object->function();
}

static void object_fill(struct clock_reader *reader, uint64_t *readings, size_t count)
{
    const struct object *object = external_state(reader);
    uint64_t (*function)(void) = object->function;
    for (size_t index = 0; index < count; index++)
        readings[index] = function();
}

static void object_close(void *state)
{
    struct object *object = state;
    if (object && object->library)
        dlclose(object->library);
    free(object);
}

static int refuse(const char *what, char *reason, size_t size)
{
    char words[256];
    const char *said = dlerror();
    printable_copy(words, sizeof(words), said ? said : "", said ? strcspn(said, "\n") : 0);
    return clock_says(reason, size, -ENOENT, "%s: %s", what, words);
}

/* What a symbol stands behind. A name without a slash would be looked for in the places of
 * libraries, and not in the folder the person is in. */
static char *file_of(const char *what, const char *colon)
{
    size_t length = (size_t)(colon - what);
    char *file = NULL;
    const char *here = memchr(what, '/', length) ? "" : "./";
    return asprintf(&file, "%s%.*s", here, (int)length, what) < 0 ? NULL : file;
}

/* Constructors of a stranger's object may do anything. */
static int load_once(void *context)
{
    return dlopen(context, RTLD_NOW | RTLD_LOCAL) ? 0 : ENOENT;
}

static int load(struct object *object, char *file, const char *symbol, char *reason, size_t size)
{
    int ended = trial(load_once, file);
    if (ended == -SIGALRM)
        return clock_says(reason, size, -ETIMEDOUT,
                          "loading the shared object did not end within %u s", TRIAL_SECONDS);
    if (ended < 0)
        return clock_says(reason, size, -ENOEXEC,
                          "loading the shared object ends the process by %s",
                          trial_signal_name(-ended));
    object->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!object->library)
        return refuse("the shared object cannot be loaded", reason, size);
    void *function = dlsym(object->library, symbol);
    if (!function)
        return refuse("the shared object has no such function", reason, size);
    memcpy(&object->function, &function, sizeof(function)); /* as POSIX lets us, ISO C does not */
    return 0;
}

static int object_open(struct external *external, const char *what, char *reason, size_t size)
{
    const char *colon = strrchr(what, ':');
    AUTO_FREE char *file = colon ? file_of(what, colon) : NULL;
    external->state = calloc(1, sizeof(struct object));
    if (!file || !external->state)
        return clock_says(reason, size, -ENOMEM, "out of memory");
    return load(external->state, file, colon + 1, reason, size);
}

const struct external_kind external_object = {
    .like = {.kind = CLOCK_WALL,
             .way = "object",
             .note = "",
             .hardware = EXTERNAL_HARDWARE,
             .read = object_read,
             .fill = object_fill},
    .open = object_open,
    .close = object_close,
    .may_kill = true,
};
