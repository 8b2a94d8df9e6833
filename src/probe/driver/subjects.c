/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Subjects as the controller hears of them. Programs of the machine's own kind run where the driver
 * does; one of another word size is tried, because not every operating system has the means. */
#include "probe/driver/subjects.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "probe/subjects/subject.h"

#define TRIAL_MS 5000

static bool is_absent(const struct offers *offers, const char *name)
{
    for (size_t index = 0; index < offers->absence_count; index++)
        if (strcmp(offers->absences[index].kind, "subject") == 0 &&
            strcmp(offers->absences[index].name, name) == 0)
            return true;
    return false;
}

/* Its wait status; -ETIMEDOUT: it did not end. */
static int await(pid_t pid)
{
    const int64_t deadline = monotonic_ms() + TRIAL_MS;
    int status = 0;
    while (!child_ended(pid, &status)) {
        if (monotonic_ms() > deadline) {
            child_kill(pid, &status);
            return -ETIMEDOUT;
        }
        poll(NULL, 0, 1);
    }
    return status;
}

/* Executes it once with the smallest argument. */
static int try_it(struct offers *offers, const struct probe_kit *kit, const char *file,
                  const struct subject *subject, const struct outlets *outlets)
{
    struct failure failure = {0};
    const pid_t pid = child_start(kit->folder, file, "1", -1, outlets, &failure);
    const int status = pid < 0 ? (int)pid : await(pid);
    char words[256];
    if (status == 0)
        return 0;
    if (status == -ENOEXEC || status == -ELIBBAD)
        snprintf(words, sizeof(words),
                 "%d-bit programs cannot be executed here: the operating system has no means for "
                 "them",
                 subject->bits);
    else if (pid < 0)
        snprintf(words, sizeof(words), "%.255s", failure.text);
    else
        snprintf(words, sizeof(words), "%d-bit programs do not run here: it ended with status %#x",
                 subject->bits, (unsigned)status);
    return offers_add_absence(offers, "subject", subject->name, status < 0 ? -status : ENOEXEC,
                              words);
}

static int check(struct offers *offers, const struct probe_kit *kit, const struct subject *subject,
                 const struct outlets *outlets)
{
    char file[64], path[PATH_MAX];
    snprintf(file, sizeof(file), "subject-%s", subject->name);
    snprintf(path, sizeof(path), "%s/%s", kit->folder, file);
    if (access(path, X_OK) < 0)
        return offers_add_absence(offers, "subject", subject->name, errno,
                                  "its program is not in the kit");
    return subject->bits == CHAR_BIT * (int)sizeof(void *)
               ? 0
               : try_it(offers, kit, file, subject, outlets);
}

int subjects_collect(struct offers *offers, const struct probe_kit *kit,
                     const struct outlets *outlets, struct failure *failure)
{
    int result = 0;
    for (size_t index = 0; subject_registry[index] && result == 0; index++)
        if (!is_absent(offers, subject_registry[index]->name))
            result = check(offers, kit, subject_registry[index], outlets);
    return result < 0 ? fail_with(failure, result, "out of memory") : 0;
}

static void send_one(struct wire_writer *writer, const struct subject *subject)
{
    wire_begin(writer, "subject");
    wire_put_string(writer, "name", subject->name);
    wire_put_string(writer, "summary", subject->summary);
    wire_put_string(writer, "shows", subject->shows);
    wire_put_u64(writer, "n", subject->n);
    wire_put_u64(writer, "truth", subject->has_truth);
    wire_put_i64(writer, "base", subject->base);
    wire_put_i64(writer, "each", subject->each);
    wire_put_u64(writer, "bits", (uint64_t)subject->bits);
    wire_put_u64(writer, "libc", subject->libc);
    wire_end(writer);
}

void subjects_send(struct wire_writer *writer, const struct offers *offers)
{
    for (size_t index = 0; subject_registry[index]; index++)
        if (!is_absent(offers, subject_registry[index]->name))
            send_one(writer, subject_registry[index]);
}
