/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds Valgrind and what it left. */
#include "probe/command/valgrind-files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/sources/program.h"
#include "probe/sources/qemu-plugin/script.h"

#define FILE_MAX (16u << 20)

char *valgrind_find(void)
{
    struct script script;
    char *found = program_find("valgrind");
    AUTO_TEXT struct text behind = {0};
    if (!found || !script_read(found, &script))
        return found;
    text_printf(&behind, "%s.bin", found);
    if (behind.failed || access(text_string(&behind), X_OK) < 0)
        return found;
    free(found);
    return text_take(&behind);
}

/* Valgrind expands % in the names of files. */
void valgrind_put_file(struct text *text, const char *option, const char *folder, const char *name)
{
    text_puts(text, option);
    for (; *folder; folder++)
        text_printf(text, *folder == '%' ? "%%%%" : "%c", *folder);
    text_printf(text, "/%s%%p", name);
}

/* Behind the name stands the id of a process and nothing else: a dump of a process that crashed is
 * called after its log, and is no second process. */
size_t valgrind_count_files(const char *folder, const char *name)
{
    size_t count = 0;
    AUTO_DIR DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        const char *id = entry->d_name + strlen(name);
        count += strncmp(entry->d_name, name, strlen(name)) == 0 && *id &&
                 id[strspn(id, "0123456789")] == '\0';
    }
    return count;
}

char *valgrind_read_file(const char *folder, const char *name, pid_t pid, size_t *length)
{
    AUTO_TEXT struct text path = {0};
    struct stat facts;
    text_printf(&path, "%s/%s%ld", folder, name, (long)pid);
    AUTO_CLOSE int fd = open(text_string(&path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &facts) < 0 || !S_ISREG(facts.st_mode) || facts.st_size > FILE_MAX)
        return NULL;
    char *text = calloc(1, (size_t)facts.st_size + 1);
    ssize_t got = text ? read(fd, text, (size_t)facts.st_size) : -1;
    if (got == facts.st_size) {
        *length = (size_t)got;
        return text;
    }
    free(text);
    return NULL;
}
