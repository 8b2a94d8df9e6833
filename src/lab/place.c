/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lab's folder and the kernels in it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "lab/place.h"

/* --- Small files of the lab's folder, and folders that go --- */

#define OPEN_FOLDERS 32

/* Opens a regular file for reading; NULL for anything else, such as a pipe nobody writes to. */
static FILE *lab_file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    FILE *file =
        fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) ? fdopen(fd, "r") : NULL;
    if (!file && fd >= 0)
        close(fd);
    return file;
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)kind, (void)place;
    remove(path);
    return 0;
}

void folder_remove_all(const char *path)
{
    nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

/* ----------------------------------------------------------------------------------------------
 * The file `about`: lines `key value`, the format first. Written last of all, so that its presence
 * means that the rest is there. */

#define ABOUT_FORMAT "1" /* of everything in the folder; another one has to be installed again */

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
            return memory_copy(value);
    return NULL;
}

/* --- Takes names of kernels apart --- */

#define DIGITS "0123456789"

const char *kernel_flavour(const char *name)
{
    for (const char *dash = name; (dash = strchr(dash, '-')); dash++)
        if (dash[1] && !strchr(DIGITS, dash[1]))
            return dash + 1;
    return "";
}

/* The length of "6.12". */
static size_t series_length(const char *name)
{
    size_t major = strspn(name, DIGITS);
    return name[major] == '.' ? major + 1 + strspn(name + major + 1, DIGITS) : major;
}

bool kernel_related(const char *left, const char *right)
{
    size_t length = series_length(left);
    return length == series_length(right) && strncmp(left, right, length) == 0 &&
           strcmp(kernel_flavour(left), kernel_flavour(right)) == 0;
}

void kernel_nearest(const char *names, const char *wanted, char nearest[LAB_KERNEL_NAME_MAX])
{
    const char *flavour = kernel_flavour(wanted);
    size_t best = 0;
    nearest[0] = '\0';
    for (const char *line = names; *line;) {
        char name[LAB_KERNEL_NAME_MAX];
        size_t length = strcspn(line, "\n");
        snprintf(name, sizeof(name), "%.*s", (int)length, line);
        bool same = strcmp(kernel_flavour(name), *flavour ? flavour : "arm64") == 0;
        size_t score = 0;
        while (name[score] && name[score] == wanted[score])
            score++;
        score = score ? 2 * score + same : 0;
        if (score > best) {
            best = score;
            memcpy(nearest, name, sizeof(name));
        }
        line += length + (line[length] == '\n');
    }
}

/* --- The folder, and the kernels that can be booted --- */

int lab_place(char **folder, struct failure *failure)
{
    AUTO_TEXT struct text place = {0};
    const char *own = getenv("ASSAY_LAB");
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    *folder = NULL;
    if (own && *own) {
        /* Absolute: apt would look for any other below /, and works in a folder of its own. */
        AUTO_FREE char *here = *own == '/' ? NULL : getcwd(NULL, 0);
        if (*own != '/' && !here)
            return fail_with(failure, -errno,
                             "ASSAY_LAB is '%.100s', below a folder that is gone: %s; set it to a "
                             "path that begins with /",
                             own, strerror(errno));
        text_printf(&place, "%s%s%s", here ? here : "", here ? "/" : "", own);
    } else if (cache && *cache == '/') /* the convention says to ignore any other */
        text_printf(&place, "%s/assay/lab", cache);
    else if (home && *home == '/')
        text_printf(&place, "%s/.cache/assay/lab", home);
    else
        return fail_with(failure, -ENOENT,
                         "no place for the lab: neither HOME nor XDG_CACHE_HOME is set; set "
                         "ASSAY_LAB to a folder with 500 MB of room");
    *folder = memory_text(&place);
    return 0;
}

int lab_place_make(const char *folder, struct failure *failure)
{
    AUTO_MEMORY char *path = memory_copy(folder);
    for (char *slash = path + 1;; slash++) {
        slash += strcspn(slash, "/");
        char kept = *slash;
        *slash = '\0';
        if (mkdir(path, 0777) < 0 && errno != EEXIST)
            return fail_with(failure, -errno,
                             "cannot make the folder %s: %s; set ASSAY_LAB to one that can be "
                             "written",
                             path, strerror(errno));
        *slash = kept;
        if (!kept)
            return 0;
    }
}

bool lab_kernel_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789.+~-";
    size_t length = strlen(name);
    return length && length < LAB_KERNEL_NAME_MAX && strspn(name, allowed) == length &&
           name[0] != '.' && name[0] != '-' && strstr(name, "..") == NULL;
}

static int newest_first(const void *left, const void *right)
{
    return strverscmp(((const struct lab_kernel *)right)->name,
                      ((const struct lab_kernel *)left)->name);
}

int lab_kernels_list(struct lab_kernels *kernels, const char *isa, struct failure *failure)
{
    *kernels = (struct lab_kernels){0};
    char *place = NULL;
    int status = lab_place(&place, failure);
    if (status < 0)
        return status;
    AUTO_TEXT struct text isa_folder = {0};
    text_printf(&isa_folder, "%s/%s", place, isa);
    char preferred[LAB_KERNEL_NAME_MAX];
    /* The first line of ISA_FOLDER/default, "" without. */
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/default", text_string(&isa_folder));
    AUTO_FILE FILE *file = lab_file_open(text_string(&path));
    if (!file || !fgets(preferred, LAB_KERNEL_NAME_MAX, file))
        preferred[0] = '\0';
    preferred[strcspn(preferred, "\n")] = '\0';

    AUTO_DIR DIR *entries = opendir(text_string(&isa_folder));
    if (!entries && errno == ENOENT)
        return 0;
    if (!entries)
        return fail_with(failure, -errno, "cannot read the lab's folder %s: %s",
                         text_string(&isa_folder), strerror(errno));
    const struct dirent *entry;
    while ((entry = readdir(entries)))
        if (lab_kernel_name(entry->d_name)) {
            AUTO_TEXT struct text folder = {0};
            text_printf(&folder, "%s/%s", text_string(&isa_folder), entry->d_name);
            char *version = about_get(text_string(&folder), "version");
            if (!version) /* of another format, or no kernel at all */
                continue;
            struct lab_kernel *kernel = memory_add(kernels->list, kernels->count);
            *kernel = (struct lab_kernel){.name = memory_copy(entry->d_name),
                                          .folder = memory_text(&folder),
                                          .version = version,
                                          .preferred = strcmp(entry->d_name, preferred) == 0};
        }

    if (kernels->count)
        qsort(kernels->list, kernels->count, sizeof(*kernels->list), newest_first);
    bool preferred_there = false;
    for (size_t i = 0; i < kernels->count; i++)
        preferred_there |= kernels->list[i].preferred;
    if (kernels->count && !preferred_there)
        kernels->list[0].preferred = true;
    return 0;
}

static const struct lab_kernel *choose(const struct lab_kernels *kernels, const char *name)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (*name ? strcmp(kernels->list[i].name, name) == 0 : kernels->list[i].preferred)
            return &kernels->list[i];
    return NULL;
}

int lab_kernel_find(char **folder, const char *isa, const char *name, struct failure *failure)
{
    struct lab_kernels kernels;
    *folder = NULL;
    if (!name)
        name = "";
    int status = lab_kernels_list(&kernels, isa, failure);
    if (status < 0)
        return status;
    const struct lab_kernel *chosen = choose(&kernels, name);
    if (chosen)
        *folder = chosen->folder;
    else if (*name)
        status = fail_with(failure, -ENOENT,
                           "the kernel %s is not in the lab: assay lab install %s --kernel %s "
                           "fetches it, assay lab list shows the others",
                           name, isa, name);
    else
        status = fail_with(failure, -ENOENT,
                           "no kernel for %s is in the lab yet: assay lab install %s fetches one "
                           "(some 60 MB, nothing is installed on this machine)",
                           isa, isa);
    return status;
}

const char *lab_kernel_lacks(const char *folder)
{
    static const char *const names[] = {"vmlinuz", "base.cpio"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        AUTO_TEXT struct text path = {0};
        struct stat facts;
        text_printf(&path, "%s/%s", folder, names[i]);
        if (stat(text_string(&path), &facts) < 0 || !S_ISREG(facts.st_mode) || !facts.st_size)
            return names[i];
    }
    return NULL;
}
