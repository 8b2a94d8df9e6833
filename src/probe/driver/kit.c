/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the manifest: one statement a line, the first says what the file is. */
#include "probe/driver/kit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define KIT_MAX_ENTRIES 256

int kit_folder(char **folder, struct failure *failure)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length < 0)
        return fail_with(failure, -errno,
                         "the probe cannot find its own kit, because /proc/self/exe cannot be "
                         "read: %s. Mount /proc there",
                         strerror(errno));
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash && slash != path)
        *slash = '\0';
    *folder = strdup(path);
    return *folder ? 0 : fail_with(failure, -ENOMEM, "out of memory");
}

/* Cuts the next word off *rest; NULL when there is none. */
static char *next_word(char **rest)
{
    char *word = strsep(rest, " ");
    return word && *word ? word : NULL;
}

static int keep_harness(struct probe_kit *kit, char *rest)
{
    char *file = next_word(&rest);
    char *link = next_word(&rest);
    if (!file || !link || strchr(file, '/') || kit->harness_count == KIT_MAX_ENTRIES)
        return -EINVAL;
    struct kit_harness *grown =
        realloc(kit->harnesses, (kit->harness_count + 1) * sizeof(*kit->harnesses));
    if (!grown)
        return -ENOMEM;
    kit->harnesses = grown;
    grown[kit->harness_count++] = (struct kit_harness){strdup(file), strdup(link)};
    return 0;
}

static int keep_absence(struct probe_kit *kit, char *rest)
{
    char *kind = next_word(&rest);
    char *name = next_word(&rest);
    if (!kind || !name || !rest || kit->absence_count == KIT_MAX_ENTRIES)
        return -EINVAL;
    struct kit_absence *grown =
        realloc(kit->absences, (kit->absence_count + 1) * sizeof(*kit->absences));
    if (!grown)
        return -ENOMEM;
    kit->absences = grown;
    grown[kit->absence_count++] = (struct kit_absence){strdup(kind), strdup(name), strdup(rest)};
    return 0;
}

static int keep_build(struct probe_kit *kit, char *rest)
{
    char *build = next_word(&rest);
    if (!build || kit->build)
        return -EINVAL;
    kit->build = strdup(build);
    return kit->build ? 0 : -ENOMEM;
}

/* Statements a later version may add are not this version's business. */
static int keep_line(struct probe_kit *kit, char *line)
{
    static const struct {
        const char *word;
        int (*keep)(struct probe_kit *kit, char *rest);
    } statements[] = {{"build", keep_build}, {"harness", keep_harness}, {"absent", keep_absence}};
    char *rest = line;
    const char *word = next_word(&rest);
    for (size_t index = 0; word && index < sizeof(statements) / sizeof(*statements); index++)
        if (strcmp(word, statements[index].word) == 0)
            return statements[index].keep(kit, rest);
    return 0;
}

static int read_manifest(struct probe_kit *kit, FILE *file)
{
    AUTO_FREE char *line = NULL;
    size_t capacity = 0;
    for (unsigned number = 1; getline(&line, &capacity, file) >= 0; number++) {
        line[strcspn(line, "\n")] = '\0';
        int result = number > 1                         ? keep_line(kit, line)
                     : strcmp(line, "assay-kit 1") == 0 ? 0
                                                        : -EINVAL;
        if (result < 0)
            return result;
    }
    return kit->build ? 0 : -EINVAL;
}

int kit_load(struct probe_kit *kit, char *folder, struct failure *failure)
{
    *kit = (struct probe_kit){.folder = folder};
    AUTO_FREE char *path = NULL;
    if (asprintf(&path, "%s/manifest", folder) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    AUTO_FILE FILE *file = fopen(path, "re");
    if (!file)
        return fail_with(failure, -errno,
                         "the kit is not complete: %s: %s. Build again, or copy the whole folder",
                         path, strerror(errno));
    int result = read_manifest(kit, file);
    if (result < 0)
        return fail_with(failure, result, "%s is not the manifest of a kit this probe knows", path);
    return 0;
}

void kit_free(struct probe_kit *kit)
{
    for (size_t index = 0; index < kit->harness_count; index++) {
        free(kit->harnesses[index].file);
        free(kit->harnesses[index].link);
    }
    for (size_t index = 0; index < kit->absence_count; index++) {
        free(kit->absences[index].kind);
        free(kit->absences[index].name);
        free(kit->absences[index].reason);
    }
    free(kit->harnesses);
    free(kit->absences);
    free(kit->build);
    free(kit->folder);
    *kit = (struct probe_kit){0};
}
