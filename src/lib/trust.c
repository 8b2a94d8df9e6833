/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Which passport answers: that of this machine, else the newest of the same CPU, which is stale.
 * Files are opened below the folder by names of our own form, and no name from inside one is ever
 * followed. What is in them may be hostile, and decides over nothing but the answer. */
#define ASSAY_NO_INLINE
#include "lib/trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/set.h"

#define MOST_FILES 1024 /* of a folder that are looked at */
#define FILE_NAME  (16 + sizeof(".json"))

/* --- one file --- */

static int refuse(const char *path, const char *why, struct failure *failure)
{
    return fail_with(failure, -EINVAL, "%.400s is not read: %s", path, why);
}

/* May its content be believed to be this user's? */
static int check_file(int fd, const char *path, struct failure *failure)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return refuse(path, strerror(errno), failure);
    if (!S_ISREG(status.st_mode))
        return refuse(path, "it is not a regular file", failure);
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return refuse(path, "it belongs to another user", failure);
    if (status.st_mode & S_IWOTH)
        return refuse(path, "everybody may write it", failure);
    return 0;
}

struct looking {
    const struct trust_question *question;
    int folder;
    /* --- the answer so far --- */
    struct passport_entry best;
    char difference[sizeof(((struct assay_trust_verdict *)0)->difference)]; /* "" unless stale */
    bool stale;
    struct failure broken; /* the first passport that could not be read */
    /* --- for one file after the other --- */
    struct passport passport;
    struct trust_scan scan;
};

static int read_one(struct looking *looking, const char *name, struct failure *failure)
{
    char path[1024];
    snprintf(path, sizeof(path), "%.900s/%s", looking->question->folder, name);
    AUTO_CLOSE int fd =
        openat(looking->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ENOENT  ? -ENOENT
               : errno == ELOOP ? refuse(path, "it is a symbolic link", failure)
                                : refuse(path, strerror(errno), failure);
    int error = check_file(fd, path, failure);
    if (error < 0)
        return error;
    scan_begin_file(&looking->scan, path, fd, failure);
    return passport_read(&looking->scan, looking->question->event, &looking->passport);
}

/* --- which of them --- */

/* That access was refused says nothing of the event: any verdict is better. */
static bool is_refusal(const struct passport_entry *entry)
{
    return strcmp(entry->trust.cause, "permission") == 0;
}

static bool is_better(const struct looking *looking, const struct passport_entry *entry, bool stale)
{
    const struct passport_entry *best = &looking->best;
    if (!best->found || is_refusal(best) != is_refusal(entry))
        return !best->found || is_refusal(best);
    return looking->stale == stale ? entry->validated > best->validated : looking->stale;
}

static void consider(struct looking *looking, const char *name)
{
    struct failure failure = {0};
    int error = read_one(looking, name, &failure);
    if (error < 0 && error != -ENOENT && !looking->broken.code)
        looking->broken = failure;
    const struct trust_machine *now = looking->question->machine;
    const struct passport_entry *entry = &looking->passport.entry;
    if (error < 0 || !entry->found || !trust_machine_same_cpu(&looking->passport.machine, now))
        return;
    char difference[sizeof(looking->difference)];
    bool stale =
        trust_machine_difference(&looking->passport.machine, now, difference, sizeof(difference));
    if (!is_better(looking, entry, stale))
        return;
    looking->best = *entry;
    looking->stale = stale;
    trust_make_printable(difference);
    memcpy(looking->difference, difference, sizeof(difference));
}

/* FINGERPRINT.json */
static bool is_passport_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == 16 && strcmp(name + 16, ".json") == 0;
}

/* The one of this machine's name answers in most cases; only then are others looked for. */
static void look_through(struct looking *looking)
{
    char own[FILE_NAME];
    trust_machine_name(looking->question->machine, own);
    snprintf(own + 16, sizeof(own) - 16, ".json");
    consider(looking, own);
    /* One that cannot be read is not silently replaced by a stale one. */
    if (looking->broken.code ||
        (looking->best.found && !looking->stale && !is_refusal(&looking->best)))
        return;
    int copy = fcntl(looking->folder, F_DUPFD_CLOEXEC, 0);
    AUTO_DIR DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    if (!folder && copy >= 0)
        close(copy);
    size_t count = 0;
    for (struct dirent *entry; folder && count < MOST_FILES && (entry = readdir(folder));)
        if (is_passport_name(entry->d_name) && strcmp(entry->d_name, own) != 0) {
            consider(looking, entry->d_name);
            count++;
        }
}

/* --- the answer --- */

static int unknown(const struct trust_question *question, struct assay_trust_verdict *trust,
                   struct failure *failure)
{
    snprintf(trust->note, sizeof(trust->note), "not validated on this machine: `assay validate %s`",
             question->event);
    return fail_with(failure, -ENOENT,
                     "%.200s was not validated on this machine; `assay validate %.200s` does it",
                     question->event, question->event);
}

static void put_answer(const struct looking *looking, struct assay_trust_verdict *trust)
{
    *trust = looking->best.trust;
    int64_t age = looking->question->now - looking->best.validated;
    trust->age_s = age > 0 ? age : 0;
    trust->stale = looking->stale;
    memcpy(trust->difference, looking->difference, sizeof(trust->difference));
    if (age < 0)
        snprintf(trust->note, sizeof(trust->note), "dated in the future; %.230s",
                 looking->best.trust.note);
    trust_make_printable(trust->note);
}

int trust_look(const struct trust_question *question, struct assay_trust_verdict *trust,
               struct failure *failure)
{
    *trust = (struct assay_trust_verdict){.verdict = "unknown", .age_s = -1};
    AUTO_CLOSE int folder = open(question->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && errno != ENOENT && errno != ENOTDIR)
        return fail_with(failure, -EINVAL, "cannot look for passports in %.400s: %s",
                         question->folder, strerror(errno));
    if (folder < 0)
        return unknown(question, trust, failure);
    AUTO_FREE struct looking *looking = calloc(1, sizeof(*looking));
    if (!looking)
        return fail_with(failure, -ENOMEM, "out of memory");
    looking->question = question;
    looking->folder = folder;
    look_through(looking);
    if (looking->best.found) {
        put_answer(looking, trust);
        return 0;
    }
    if (!looking->broken.code)
        return unknown(question, trust, failure);
    snprintf(trust->note, sizeof(trust->note), "%s", "its passport cannot be read");
    return fail_with(failure, -EINVAL, "%s", looking->broken.text);
}

/* --- the public names --- */

int assay_trust_folder(char *path, size_t size)
{
    /* XDG asks for relative values to be ignored; a program that runs with the rights of another
     * user must not be led anywhere. */
    const char *state = secure_getenv("XDG_STATE_HOME"), *home = secure_getenv("HOME");
    if (state && state[0] == '/')
        return snprintf(path, size, "%s/assay/passports", state);
    if (home && home[0] == '/')
        return snprintf(path, size, "%s/.local/state/assay/passports", home);
    return set_fail(-ENOENT, "neither XDG_STATE_HOME nor HOME names a folder for passports");
}

int assay_trust(const char *event, struct assay_trust_verdict *trust)
{
    if (!event || !*event || !trust)
        return set_fail(-EINVAL, "assay_trust needs the name of an event and room for the answer");
    *trust = (struct assay_trust_verdict){.verdict = "unknown", .age_s = -1};
    char folder[4096];
    int length = assay_trust_folder(folder, sizeof(folder));
    if (length < 0) {
        snprintf(trust->note, sizeof(trust->note), "%.255s", assay_last_error());
        return length;
    }
    if ((size_t)length >= sizeof(folder))
        return set_fail(-EINVAL, "the name of the folder for passports is too long");
    AUTO_FREE struct trust_machine *machine = malloc(sizeof(*machine));
    if (!machine)
        return set_fail(-ENOMEM, "out of memory");
    trust_machine_read("", NULL, machine);
    const struct trust_question question = {
        .folder = folder, .event = event, .machine = machine, .now = (int64_t)time(NULL)};
    return trust_look(&question, trust, set_failure());
}
