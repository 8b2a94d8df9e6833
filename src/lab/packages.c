/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * apt with a state of its own. The host's sources, keys and proxies stay in force; its hooks, its
 * architecture and its list of installed packages do not. */
#include "lab/packages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/printable.h"
#include "lab/place.h"
#include "lab/tool.h"

#define PREFIX       "linux-image-"
#define LAB_PATH_MAX 900
#define MOST_WORDS   32

/* Hooks of the host must not run for a private list. Without sandbox user apt needs no permission
 * for its own user in the folder of ours. */
static const char configuration[] = "#clear APT::Update::Pre-Invoke;\n"
                                    "#clear APT::Update::Post-Invoke;\n"
                                    "#clear APT::Update::Post-Invoke-Success;\n"
                                    "APT::Sandbox::User \"root\";\n"
                                    "Acquire::Languages \"none\";\n"
                                    "Acquire::Retries \"2\";\n"
                                    "quiet \"2\";\n";

static int write_configuration(const char *path, struct failure *failure)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const ssize_t length = (ssize_t)strlen(configuration);
    if (fd >= 0 && write(fd, configuration, (size_t)length) == length)
        return 0;
    return fail_with(failure, -errno, "cannot write %s: %s", path, strerror(errno));
}

int packages_open(struct packages *packages, const char *lab, struct failure *failure)
{
    static const char *const folders[] = {"state/lists/partial", "cache/archives/partial"};
    AUTO_TEXT struct text path = {0};
    AUTO_FREE char *apt = tool_path("apt-get");
    AUTO_FREE char *dpkg = tool_path("dpkg-deb");
    if (!apt || !dpkg)
        return fail_with(failure, -ENOENT,
                         "there is no %s on this machine, and the lab takes its kernels from "
                         "Debian's packages: run assay lab install on a Debian machine or in a "
                         "Debian container, copy its folder here and name that in ASSAY_LAB",
                         apt ? "dpkg-deb" : "apt-get");
    if (strlen(lab) > LAB_PATH_MAX)
        return fail_with(failure, -ENAMETOOLONG,
                         "the lab's folder %.60s… has a name of more than %d letters: set "
                         "ASSAY_LAB to a shorter one",
                         lab, LAB_PATH_MAX);
    text_printf(&path, "%s/apt", lab);
    packages->folder = memory_text(&path);
    int status = 0;
    for (size_t i = 0; status == 0 && i < 2; i++) {
        text_clear(&path);
        text_printf(&path, "%s/%s", packages->folder, folders[i]);
        status = lab_place_make(text_string(&path), failure);
    }
    text_clear(&path);
    text_printf(&path, "%s/apt.conf", packages->folder);
    return status < 0 ? status : write_configuration(text_string(&path), failure);
}

int packages_look(struct packages *packages, const char *lab, struct failure *failure)
{
    AUTO_TEXT struct text lists = {0};
    text_printf(&lists, "%s/apt/state/lists/partial", lab);
    if (access(text_string(&lists), F_OK) < 0)
        return fail_with(failure, -ENOENT,
                         "What Debian offers is known after the first assay lab install.");
    return packages_open(packages, lab, failure);
}

/* "dlstatus:2:8.7586:Retrieving file 2 of 3" */
static bool take_progress(void *context, const char *line)
{
    struct packages *packages = context;
    int item;
    double percent;
    if (sscanf(line, "dlstatus:%d:%lf:", &item, &percent) != 2)
        return strncmp(line, "dlstatus:", 9) == 0;
    if (packages->progress)
        packages->progress(packages->context, NULL, percent);
    return true;
}

static int run_apt(struct packages *packages, const char *program, const char *const *words,
                   const char *folder, struct text *said, struct failure *failure)
{
    char configured[1024], state[1024], cache[1024];
    snprintf(configured, sizeof(configured), "%.1000s/apt.conf", packages->folder);
    snprintf(state, sizeof(state), "Dir::State=%.1000s/state", packages->folder);
    snprintf(cache, sizeof(cache), "Dir::Cache=%.1000s/cache", packages->folder);
    const char *argv[MOST_WORDS] = {program,
                                    "-c",
                                    configured,
                                    "-o",
                                    state,
                                    "-o",
                                    "Dir::State::status=/dev/null",
                                    "-o",
                                    cache,
                                    "-o",
                                    "APT::Architecture=arm64",
                                    "-o",
                                    "APT::Architectures=arm64"};
    size_t count = 13;
    while (*words && count + 1 < MOST_WORDS)
        argv[count++] = *words++;
    return tool_run(&(struct tool){.argv = argv,
                                   .folder = folder,
                                   .stop = packages->stop,
                                   .line = take_progress,
                                   .context = packages},
                    said, failure);
}

int packages_update(struct packages *packages, struct failure *failure)
{
    AUTO_TEXT struct text said = {0};
    const char *const words[] = {"-o", "APT::Status-Fd=1", "update", NULL};
    if (packages->progress)
        packages->progress(packages->context, "fetching the lists of packages", -1);
    packages->trouble[0] = '\0';
    int status = run_apt(packages, "apt-get", words, NULL, &said, failure);
    /* Without a network apt only warns. */
    const char *warning = strstr(text_string(&said), "W: Failed to fetch ");
    if (status > 0)
        tool_complaint(&said, packages->trouble, sizeof(packages->trouble));
    else if (status == 0 && warning)
        printable_copy(packages->trouble, sizeof(packages->trouble), warning,
                       strcspn(warning, "\n"));
    return status < 0 ? status : 0;
}

int packages_version(struct packages *packages, const char *kernel, char *version, size_t size,
                     struct failure *failure)
{
    static const char mark[] = "Candidate: ";
    AUTO_TEXT struct text package = {0};
    AUTO_TEXT struct text said = {0};
    text_printf(&package, "%s%s", PREFIX, kernel);
    const char *const words[] = {"policy", text_string(&package), NULL};
    int status = run_apt(packages, "apt-cache", words, NULL, &said, failure);
    const char *found = status == 0 ? strstr(text_string(&said), mark) : NULL;
    found = found ? found + strlen(mark) : "";
    printable_copy(version, size, found, strcspn(found, "\n"));
    return status < 0 ? status : 0;
}

/* A kernel proper, not a metapackage: 6.1.0-54-arm64, 6.12.115+deb12-cloud-arm64, …-arm64-16k. */
static bool is_kernel(const char *name)
{
    static const char *const endings[] = {"-arm64", "-arm64-16k"};
    int major, minor, patch;
    bool ends = false;
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        size_t length = strlen(name), end = strlen(endings[i]);
        ends |= length > end && strcmp(name + length - end, endings[i]) == 0;
    }
    return ends && lab_kernel_name(name) && sscanf(name, "%d.%d.%d", &major, &minor, &patch) == 3;
}

static int newest_first(const void *left, const void *right)
{
    return strverscmp(*(char *const *)right, *(char *const *)left);
}

int packages_kernels(struct packages *packages, struct text *names, struct failure *failure)
{
    AUTO_TEXT struct text said = {0};
    const char *const words[] = {"pkgnames", PREFIX, NULL};
    int status = run_apt(packages, "apt-cache", words, NULL, &said, failure);
    if (status != 0)
        return status < 0 ? status : 0;
    size_t count = 0;
    for (const char *at = text_string(&said); (at = strchr(at, '\n')); at++)
        count++;
    AUTO_MEMORY char **list = memory_new(count + 1, sizeof(*list));
    count = 0;
    char *rest = said.bytes;
    for (char *line; rest && (line = strsep(&rest, "\n"));)
        if (strncmp(line, PREFIX, strlen(PREFIX)) == 0 && is_kernel(line + strlen(PREFIX)))
            list[count++] = line + strlen(PREFIX);
    if (count)
        qsort(list, count, sizeof(*list), newest_first);
    for (size_t i = 0; i < count; i++)
        text_printf(names, "%s\n", list[i]);
    return 0;
}

static int no_such_kernel(struct packages *packages, const char *wanted, struct failure *failure)
{
    const char *trouble = packages->trouble;
    AUTO_TEXT struct text offered = {0};
    char nearest[LAB_KERNEL_NAME_MAX];
    packages_kernels(packages, &offered, NULL);
    if (*trouble && (!wanted || !offered.length))
        return fail_with(failure, -ENETUNREACH,
                         "apt could not fetch the lists of packages: %s. Installing needs the "
                         "network; the same command tries again",
                         trouble);
    if (!wanted)
        return fail_with(failure, -ENOENT,
                         "apt's sources on this machine offer no %sarm64: the lab needs a mirror "
                         "of Debian in them",
                         PREFIX);
    kernel_nearest(text_string(&offered), wanted, nearest);
    return fail_with(failure, -ENOENT,
                     "apt's sources on this machine offer no kernel '%.100s'%s%s%s%s; assay lab "
                     "list --all shows those they have",
                     wanted, *nearest ? ", the nearest is " : "", nearest,
                     *trouble ? "; apt says: " : "", trouble);
}

/* The kernel a package depends on, within apt-cache's lines `  Depends: linux-image-…`. */
static char *depends_on(char *lines)
{
    static const char mark[] = "  Depends: " PREFIX;
    for (char *line; (line = strsep(&lines, "\n"));)
        if (strncmp(line, mark, strlen(mark)) == 0 && is_kernel(line + strlen(mark)))
            return memory_copy(line + strlen(mark));
    return NULL;
}

static const char *without_prefix(const char *wanted)
{
    return strncmp(wanted, PREFIX, strlen(PREFIX)) == 0 ? wanted + strlen(PREFIX) : wanted;
}

int packages_name_check(const char *wanted, struct failure *failure)
{
    if (!wanted || lab_kernel_name(without_prefix(wanted)))
        return 0;
    return fail_with(failure, -EINVAL, "'%.100s' is no name of a kernel such as 6.1.0-54-arm64",
                     wanted);
}

int packages_resolve(struct packages *packages, const char *wanted, char **kernel,
                     struct failure *failure)
{
    *kernel = NULL;
    int checked = packages_name_check(wanted, failure);
    if (checked < 0)
        return checked;
    if (wanted)
        wanted = without_prefix(wanted);
    AUTO_TEXT struct text package = {0};
    AUTO_TEXT struct text said = {0};
    text_printf(&package, "%s%s", PREFIX, wanted ? wanted : "arm64");
    const char *const words[] = {"depends", text_string(&package), NULL};
    int status = run_apt(packages, "apt-cache", words, NULL, &said, failure);
    if (status < 0)
        return status;
    if (status > 0 || !strstr(text_string(&said), text_string(&package)))
        return no_such_kernel(packages, wanted, failure);
    *kernel = depends_on(said.bytes);
    if (!*kernel && wanted && is_kernel(wanted))
        *kernel = memory_copy(wanted);
    return *kernel ? 0 : no_such_kernel(packages, wanted, failure);
}

int packages_fetch(struct packages *packages, const char *const *names, const char *folder,
                   struct failure *failure)
{
    const char *words[MOST_WORDS] = {"-o", "APT::Status-Fd=1", "download"};
    size_t count = 3;
    AUTO_TEXT struct text said = {0};
    while (*names && count < MOST_WORDS / 2)
        words[count++] = *names++;
    int status = run_apt(packages, "apt-get", words, folder, &said, failure);
    if (status <= 0)
        return status;
    char complaint[300];
    tool_complaint(&said, complaint, sizeof(complaint));
    return fail_with(failure, -EIO,
                     "apt could not fetch %s: %s. Is there a network, and room on "
                     "the disk? The same command tries again",
                     words[3], complaint);
}
