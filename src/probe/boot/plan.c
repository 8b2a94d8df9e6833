/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the plan and does what can be done while reading. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "probe/boot/boot.h"

#define PLAN "/lab/plan"

/* "kernel/perf_user_access=1" */
static int set_sysctl(char *setting, struct failure *failure)
{
    char *value = strchr(setting, '=');
    AUTO_TEXT struct text path = {0};
    if (!value)
        return fail_with(failure, -EINVAL, "the plan sets '%s' to nothing", setting);
    *value++ = '\0';
    text_printf(&path, "/proc/sys/%s", setting);
    AUTO_CLOSE int fd = open(text_string(&path), O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value))
        return 0;
    /* Not every kernel has every one; that is no reason not to measure with it. */
    fprintf(stderr, "assay lab: cannot set %s to %s: %s\n", setting, value, strerror(errno));
    return 0;
}

static int take(struct boot_plan *plan, char *key, char *value, struct failure *failure)
{
    const struct {
        const char *key;
        const char **place;
    } names[] = {{"in", &plan->in},
                 {"out", &plan->out},
                 {"err", &plan->errors},
                 {"status", &plan->status},
                 {"folder", &plan->folder}};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(names[i].key, key) == 0) {
            *names[i].place = value;
            return 0;
        }
    }
    if (strcmp(key, "sysctl") == 0)
        return set_sysctl(value, failure);
    if (strcmp(key, "env") == 0)
        return putenv(value) == 0 ? 0 : fail_with(failure, -ENOMEM, "no memory for '%s'", value);
    if (strcmp(key, "user") == 0) {
        plan->user = (uid_t)strtoul(value, NULL, 10);
        return 0;
    }
    if (strcmp(key, "terminal") == 0)
        return sscanf(value, "%dx%d", &plan->rows, &plan->columns) == 2 ? 0 : -EINVAL;
    if (strcmp(key, "run") != 0)
        return fail_with(failure, -EINVAL, "the plan says '%s', which this probe does not know",
                         key);
    if (plan->word_count == BOOT_WORDS)
        return fail_with(failure, -E2BIG, "a command of more than %d words", BOOT_WORDS);
    plan->words[plan->word_count++] = value;
    return 0;
}

/* The whole file, with a zero behind it. */
static ssize_t read_plan(char **bytes)
{
    AUTO_CLOSE int fd = open(PLAN, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) < 0)
        return -errno;
    *bytes = calloc(1, (size_t)facts.st_size + 1);
    if (!*bytes)
        return -ENOMEM;
    ssize_t got = read(fd, *bytes, (size_t)facts.st_size);
    return got < 0 ? -errno : got;
}

int boot_plan_read(struct boot_plan *plan, struct failure *failure)
{
    ssize_t length = read_plan(&plan->bytes);
    if (length < 0)
        return fail_with(failure, (int)length, "cannot read %s: %s", PLAN, strerror((int)-length));
    int status = 0;
    for (char *entry = plan->bytes; status == 0 && entry < plan->bytes + length;) {
        char *next = entry + strlen(entry) + 1;
        char *value = strchr(entry, '=');
        if (!value)
            return fail_with(failure, -EINVAL, "the plan has an entry without a value: '%s'",
                             entry);
        *value++ = '\0';
        status = take(plan, entry, value, failure);
        entry = next;
    }
    if (status == 0 && plan->word_count == 0)
        return fail_with(failure, -EINVAL, "the plan names nothing to run");
    return status;
}
