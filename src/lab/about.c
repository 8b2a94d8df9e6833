/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines `key value`, the format first. Written last of all, so that its presence means that the
 * rest is there. */
#include "lab/about.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "lab/folder.h"

int about_write(const char *folder, const struct about *about, struct failure *failure)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/about", folder);
    AUTO_FILE FILE *file = fopen(text_string(&path), "we");
    if (!file)
        return fail_with(failure, -errno, "cannot write %s: %s", text_string(&path),
                         strerror(errno));
    fprintf(file, "format %s\npackage %s\nversion %s\nlibc %s\nbusybox %s\n", ABOUT_FORMAT,
            about->package, about->version, about->libc, about->busybox);
    if (fflush(file) != 0 || fsync(fileno(file)) < 0)
        return fail_with(failure, -errno, "cannot write %s: %s", text_string(&path),
                         strerror(errno));
    return 0;
}

/* The value when the line is that of the key, without its newline. */
static const char *value_in(char *line, const char *key)
{
    size_t length = strlen(key);
    line[strcspn(line, "\n")] = '\0';
    return strncmp(line, key, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

char *about_get(const char *folder, const char *key)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/about", folder);
    AUTO_FILE FILE *file = lab_file_open(text_string(&path));
    char line[512];
    const char *value;
    if (!file || !fgets(line, sizeof(line), file) || !(value = value_in(line, "format")) ||
        strcmp(value, ABOUT_FORMAT) != 0)
        return NULL;
    while (fgets(line, sizeof(line), file))
        if ((value = value_in(line, key)))
            return strdup(value);
    return NULL;
}
