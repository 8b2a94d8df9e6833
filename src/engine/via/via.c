/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From what stands behind --via to the transport that serves it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "engine/via/parts.h"
#include "engine/via/via.h"
#include "wire/frame.h"

/* --- The transport that travels nowhere: the probe runs on the controller's own machine --- */

/* A kit of another ISA needs an emulator, unless the operating system knows one by itself. */
static int explain_foreign(const struct kit *kit, struct failure *failure)
{
    char isa[32] = "another ISA";
    bool known = kit_made_for(kit->folder, isa);
    return fail_with(failure, -ENOEXEC,
                     "the kit in %s is made for %s, which this machine cannot run: unset "
                     "ASSAY_KIT%s%s",
                     kit->folder, isa, known ? ", or go through an emulator: --via exec:qemu-" : "",
                     known ? isa : "");
}

static int local_open(const char *argument, const struct via_patience *patience,
                      struct via_link *link, struct failure *failure)
{
    (void)patience; /* nothing to connect: the session waits for hello */
    if (*argument)
        return fail_with(failure, -EINVAL, "'local' takes nothing behind it, but got '%s'",
                         argument);
    struct kit kit = {0};
    int status = kit_find(&kit, NULL, failure);
    if (status < 0)
        return status;
    /* Commands write to our own standard output and error: the probe gets both, under other
     * numbers, and says nothing on them itself. */
    AUTO_CLOSE const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    AUTO_CLOSE const int errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int lent[] = {output, errors};
    const bool lends = output >= 0 && errors >= 0;
    char numbers[2][16];
    for (size_t i = 0; i < 2; i++)
        snprintf(numbers[i], sizeof(numbers[i]), "%d", lent[i]);
    const char *const argv[] = {memory_format("%s/assay-probe", kit.folder), "serve",
                                lends ? numbers[0] : NULL, numbers[1], NULL};
    status = child_start_here(link, argv, lent, lends ? 2 : 0, failure);
    return status == -ENOEXEC ? explain_foreign(&kit, failure) : status;
}

const struct via via_local = {
    .scheme = "local",
    .summary = "this machine (the default)",
    .open = local_open,
};

/* ----------------------------------------------------------------------------------------------
 * exec:ARGV…: behind any prefix that runs a program with its standard input and output connected,
 * such as `sudo -u nobody` or `docker exec -i box`. First the kit is tried where it lies; where it
 * does not exist or must not be read over there, it is pushed. */

#define ENDING_MS 2000 /* for a program whose output has ended */

/* prefix followed by the words in `more` (NULL-terminated). */
static int start(struct via_link *link, char *const *prefix, size_t count, const char *const *more,
                 struct failure *failure)
{
    size_t extra = 0;
    while (more[extra])
        extra++;
    const char **argv = memory_new(count + extra + 1, sizeof(*argv));
    for (size_t i = 0; i < count; i++)
        argv[i] = prefix[i];
    for (size_t i = 0; i < extra; i++)
        argv[count + i] = more[i];
    return child_start_here(link, argv, NULL, 0, failure);
}

/* What a probe says first; one that cannot read its kit there says something else, and ends. */
#define HELLO WIRE_SENTINEL " 0 hello "

/* 1 when a probe speaks (or may yet: then the session says what is wrong), 0 when none could be run
 * in place, negative errno when there is no point in going on. */
static int try_in_place(struct via_link *link, char *const *prefix, size_t count,
                        const struct kit *kit, const struct via_patience *patience,
                        struct failure *failure)
{
    const char *probe = memory_format("%s/assay-probe", kit->folder);
    int status = start(link, prefix, count, (const char *const[]){probe, "serve", NULL}, failure);
    if (status < 0)
        return status;
    switch (child_await(link, HELLO, patience)) {
    case CHILD_SPOKE:
    case CHILD_SILENT:
        return 1;
    case CHILD_ENDED:
        via_close(link, ENDING_MS);
        return 0;
    case CHILD_STOPPED:
        break;
    }
    via_close(link, 0);
    return fail_with(failure, -EINTR, "interrupted while connecting through '%s'", prefix[0]);
}

/* The kit is this machine's unless somebody says otherwise, and nothing has looked at the other. */
static const char *other_isa(int status)
{
    const char *chosen = getenv("ASSAY_KIT");
    if (child_without_ticks())
        return ". Reading the CPU's counter of time is forbidden here (PR_SET_TSC): programs that "
               "are linked dynamically die of that";
    return status == -EINTR || (chosen && *chosen)
               ? ""
               : ". Is it a machine of another ISA? Then set ASSAY_KIT to its kit";
}

static int try_pushed(struct via_link *link, char *const *prefix, size_t count,
                      const struct kit *kit, const struct via_patience *patience,
                      struct failure *failure)
{
    AUTO_KIT_FILES struct kit_files files = {0};
    int status = kit_files_open(&files, kit, failure);
    if (status < 0)
        return status;
    char size[24];
    char total[24];
    snprintf(size, sizeof(size), "%zu", files.list[0].length);
    snprintf(total, sizeof(total), "%zu", files.bytes);
    status =
        start(link, prefix, count,
              (const char *const[]){"sh", "-c", push_script, "assay", size, total, NULL}, failure);
    if (status < 0)
        return status;
    struct failure cause = {0};
    status = push_kit(link, &files, patience, &cause);
    if (status == 0)
        return 0;
    int ended = via_close(link, status == -EINTR ? 0 : ENDING_MS);
    char how[64];
    char words[400];
    via_status_text(ended, how, sizeof(how));
    via_last_words(link, words, sizeof(words));
    return fail_with(
        failure, status, "no probe could be started through '%s': %s; it ended with %s%s%s%s",
        prefix[0], cause.text, how, *words ? " and said: " : "", words, other_isa(status));
}

static int exec_open(const char *argument, const struct via_patience *patience,
                     struct via_link *link, struct failure *failure)
{
    AUTO_WORDS char **prefix = NULL;
    int count = words_split(argument, &prefix, failure);
    if (count < 0)
        return count;
    if (count == 0)
        return fail_with(failure, -EINVAL,
                         "'exec:' needs the program to go through, as in exec:sudo -n -u nobody");
    struct kit kit = {0};
    int status = kit_find(&kit, NULL, failure);
    if (status < 0)
        return status;
    status = try_in_place(link, prefix, (size_t)count, &kit, patience, failure);
    if (status == 0)
        return try_pushed(link, prefix, (size_t)count, &kit, patience, failure);
    return status < 0 ? status : 0;
}

const struct via via_exec = {
    .scheme = "exec",
    .summary = "exec:ARGV... through a program that runs another one: exec:docker exec -i box",
    .open = exec_open,
};

static const struct via *find_scheme(const char *spec, size_t length)
{
    for (size_t i = 0; via_registry[i]; i++)
        if (strlen(via_registry[i]->scheme) == length &&
            memcmp(via_registry[i]->scheme, spec, length) == 0)
            return via_registry[i];
    return NULL;
}

int via_patience_ms(const char *spec, int asked_ms)
{
    const struct via *via = spec ? find_scheme(spec, strcspn(spec, ":")) : NULL;
    return via && via->patience_ms > asked_ms ? via->patience_ms : asked_ms;
}

int via_silence_ms(const char *spec, int asked_ms)
{
    const struct via *via = spec ? find_scheme(spec, strcspn(spec, ":")) : NULL;
    return via && via->silence_ms > asked_ms ? via->silence_ms : asked_ms;
}

int via_open(const char *spec, const struct via_patience *patience, struct via_link *link,
             struct failure *failure)
{
    *link = (struct via_link){.pid = -1, .to_probe = -1, .from_probe = -1, .errors = -1};
    if (!spec || !*spec)
        spec = "local";
    const size_t length = strcspn(spec, ":");
    const struct via *via = find_scheme(spec, length);
    if (!via) {
        AUTO_TEXT struct text known = {0};
        for (size_t i = 0; via_registry[i]; i++)
            text_printf(&known, "\n  %-8s %s", via_registry[i]->scheme, via_registry[i]->summary);
        return fail_with(failure, -EINVAL, "there is no transport '%.*s'; there are:%s",
                         length > 64 ? 64 : (int)length, spec, text_string(&known));
    }
    return via->open(spec[length] ? spec + length + 1 : "", patience, link, failure);
}
