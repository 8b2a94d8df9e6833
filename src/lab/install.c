/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Installing under the lab's lock. Everything happens in LAB/staging.XXXXXX; a last rename makes it
 * count. Whoever gets the lock next removes what a killed installation left. */
#include "lab/install.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "lab/machine.h"
#include "lab/tool.h"

/* apt with a state of its own. The host's sources, keys and proxies stay in force; its hooks, its
 * architecture and its list of installed packages do not. */

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

#define ROOM_MB      600 /* while a kernel with all its drivers is unpacked */
#define LOCK_TICK_US 100000

struct work {
    const struct lab_installation *order;
    char *lab;
    char *staging;
    char *kernel; /* name */
    struct packages packages;
};

static void say(const struct work *work, const char *step)
{
    if (work->order->progress)
        work->order->progress(work->order->context, step, -1);
}

/* Waits for other installations; the lock ends with the process. */
static int take_lock(const struct work *work, struct failure *failure)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/lock", work->lab);
    int fd = open(text_string(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_with(
            failure, -errno,
            "cannot write in the lab's folder %s: %s; set ASSAY_LAB to one that can be written",
            work->lab, strerror(errno));
    for (bool told = false; flock(fd, LOCK_EX | LOCK_NB) < 0; told = true) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            int error = errno;
            close(fd);
            return fail_with(failure, -error, "cannot lock %s: %s", text_string(&path),
                             strerror(error));
        }
        if (work->order->stop && *work->order->stop) {
            close(fd);
            return fail_with(failure, -EINTR, "interrupted while another installation was running");
        }
        if (!told)
            say(work, "waiting for another installation");
        usleep(LOCK_TICK_US);
    }
    return fd;
}

static int check_room(const struct work *work, struct failure *failure)
{
    struct statvfs disk;
    if (statvfs(work->lab, &disk) < 0)
        return 0;
    const unsigned long long free_mb = (unsigned long long)disk.f_bavail * disk.f_frsize >> 20;
    if (free_mb >= ROOM_MB)
        return 0;
    return fail_with(
        failure, -ENOSPC,
        "%llu MB are free in %s, and unpacking a kernel takes %d MB for a moment: make "
        "room, or set ASSAY_LAB to a folder on another disk",
        free_mb, work->lab, ROOM_MB);
}

/* The file PACKAGE_VERSION_arm64.deb in the staging folder; its version, to be freed, too. */
static char *find_deb(const struct work *work, const char *package, char **version)
{
    AUTO_DIR DIR *entries = opendir(work->staging);
    size_t length = strlen(package);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        const char *name = entry->d_name;
        const char *end = strrchr(name, '_');
        if (strncmp(name, package, length) != 0 || name[length] != '_' || !end ||
            end <= name + length || strcmp(end, "_arm64.deb") != 0)
            continue;
        AUTO_TEXT struct text path = {0};
        text_printf(&path, "%s/%s", work->staging, name);
        *version = memory_format("%.*s", (int)(end - name) - (int)length - 1, name + length + 1);
        /* A colon is not written in names of files. */
        char *colon = strstr(*version, "%3a");
        if (colon) {
            *colon = ':';
            memmove(colon + 1, colon + 3, strlen(colon + 3) + 1);
        }
        return memory_text(&path);
    }
    return NULL;
}

/* Unpacks the package into STAGING/place. */
static int unpack(const struct work *work, const char *package, const char *place, char **version,
                  struct failure *failure)
{
    const char *deb = find_deb(work, package, version);
    if (!deb)
        return fail_with(failure, -ENOENT, "apt fetched no package %s", package);
    AUTO_TEXT struct text folder = {0};
    AUTO_TEXT struct text said = {0};
    text_printf(&folder, "%s/%s", work->staging, place);
    const char *const argv[] = {"dpkg-deb", "-x", deb, text_string(&folder), NULL};
    int status = tool_run(&(struct tool){.argv = argv, .stop = work->order->stop}, &said, failure);
    if (status <= 0) {
        unlink(deb);
        return status;
    }
    char complaint[300];
    tool_complaint(&said, complaint, sizeof(complaint));
    return fail_with(failure, -EIO, "cannot unpack %s: %s", package, complaint);
}

/* STAGING/vmlinuz-… becomes STAGING/ready/vmlinuz. */
static int take_kernel(const struct work *work, const char *ready, struct failure *failure)
{
    AUTO_TEXT struct text from = {0};
    AUTO_TEXT struct text to = {0};
    text_printf(&from, "%s/kernel/boot/vmlinuz-%s", work->staging, work->kernel);
    text_printf(&to, "%s/vmlinuz", ready);
    if (rename(text_string(&from), text_string(&to)) == 0)
        return 0;
    return fail_with(failure, -errno, "the package of %s holds no kernel: %s", work->kernel,
                     strerror(errno));
}

static int make_ready(const struct work *work, const char *ready, struct failure *failure)
{
    char *kernel = NULL, *libc = NULL, *busybox = NULL;
    AUTO_TEXT struct text package = {0};
    text_printf(&package, "linux-image-%s", work->kernel);
    say(work, "unpacking");
    int status = unpack(work, text_string(&package), "kernel", &kernel, failure);
    if (status == 0)
        status = unpack(work, "libc6", "libc", &libc, failure);
    if (status == 0)
        status = unpack(work, "busybox-static", "busybox", &busybox, failure);
    if (status == 0 && mkdir(ready, 0777) < 0)
        status = fail_with(failure, -errno, "cannot make %s: %s", ready, strerror(errno));
    if (status < 0)
        return status;
    char from[3][1200];
    static const char *const places[] = {"kernel", "libc", "busybox"};
    for (size_t i = 0; i < 3; i++)
        snprintf(from[i], sizeof(from[i]), "%.1100s/%s", work->staging, places[i]);
    AUTO_TEXT struct text base = {0};
    text_printf(&base, "%s/base.cpio", ready);
    const struct base_content content = {work->kernel, from[0], from[1], from[2]};
    status = base_archive_make(text_string(&base), &content, failure);
    if (status == 0)
        status = take_kernel(work, ready, failure);
    const struct about about = {text_string(&package), kernel, libc, busybox};
    return status < 0 ? status : about_write(ready, &about, failure);
}

/* The ready folder takes its place; one that was there goes into the staging folder. */
static int put_in_place(const struct work *work, const char *ready, struct failure *failure)
{
    AUTO_TEXT struct text final = {0};
    AUTO_TEXT struct text old = {0};
    text_printf(&final, "%s/%s", work->lab, work->order->isa);
    int status = lab_place_make(text_string(&final), failure);
    if (status < 0)
        return status;
    text_printf(&final, "/%s", work->kernel);
    text_printf(&old, "%s/old", work->staging);
    if (renameat2(AT_FDCWD, ready, AT_FDCWD, text_string(&final), RENAME_EXCHANGE) == 0)
        return 0;
    rename(text_string(&final), text_string(&old));
    if (rename(ready, text_string(&final)) == 0)
        return 0;
    return fail_with(failure, -errno, "cannot make %s: %s", text_string(&final), strerror(errno));
}

/* Debian's default, remembered for machines that ask for no kernel by name. */
static int remember_default(const struct work *work, struct failure *failure)
{
    AUTO_TEXT struct text path = {0};
    AUTO_TEXT struct text fresh = {0};
    text_printf(&path, "%s/%s/default", work->lab, work->order->isa);
    text_printf(&fresh, "%s/default", work->staging);
    if (work->order->kernel)
        return 0;
    AUTO_FILE FILE *file = fopen(text_string(&fresh), "we");
    if (file && fprintf(file, "%s\n", work->kernel) > 0 && fflush(file) == 0 &&
        rename(text_string(&fresh), text_string(&path)) == 0)
        return 0;
    return fail_with(failure, -errno, "cannot write %s: %s", text_string(&path), strerror(errno));
}

/* 1 when the kernel is in the lab, whole and in the version that is on offer. */
static int is_there(struct work *work, struct failure *failure)
{
    AUTO_TEXT struct text folder = {0};
    char offered[128];
    text_printf(&folder, "%s/%s/%s", work->lab, work->order->isa, work->kernel);
    const char *installed = about_get(text_string(&folder), "version");
    if (!installed || lab_kernel_lacks(text_string(&folder)))
        return 0;
    int status = packages_version(&work->packages, work->kernel, offered, sizeof(offered), failure);
    return status < 0 ? status : !*offered || strcmp(offered, installed) == 0;
}

static int install_locked(struct work *work, struct failure *failure)
{
    /* Removes what installations that were killed left behind: LAB/staging.*. */
    AUTO_DIR DIR *entries = opendir(work->lab);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        if (strncmp(entry->d_name, "staging.", strlen("staging.")) != 0)
            continue;
        AUTO_TEXT struct text path = {0};
        text_printf(&path, "%s/%s", work->lab, entry->d_name);
        folder_remove_all(text_string(&path));
    }

    int status = check_room(work, failure);
    if (status == 0)
        status = packages_open(&work->packages, work->lab, failure);
    if (status == 0)
        status = packages_update(&work->packages, failure);
    if (status == 0)
        status = packages_resolve(&work->packages, work->order->kernel, &work->kernel, failure);
    if (status < 0)
        return status;
    AUTO_TEXT struct text staging = {0};
    text_printf(&staging, "%s/staging.XXXXXX", work->lab);
    work->staging = memory_text(&staging);
    if (!mkdtemp(work->staging)) {
        work->staging = NULL;
        return fail_with(failure, -errno, "cannot make a folder in %s: %s", work->lab,
                         strerror(errno));
    }
    AUTO_TEXT struct text ready = {0};
    text_printf(&ready, "%s/ready", work->staging);
    status = work->order->again ? 0 : is_there(work, failure);
    if (status > 0)
        return remember_default(work, failure) < 0 ? failure->code : LAB_INSTALL_THERE;
    if (status == 0) {
        AUTO_TEXT struct text package = {0};
        AUTO_TEXT struct text step = {0};
        text_printf(&package, "linux-image-%s", work->kernel);
        text_printf(&step, "fetching %s", text_string(&package));
        say(work, text_string(&step));
        const char *const names[] = {text_string(&package), "libc6", "busybox-static", NULL};
        status = packages_fetch(&work->packages, names, work->staging, failure);
    }

    if (status == 0)
        status = make_ready(work, text_string(&ready), failure);
    if (status == 0)
        status = put_in_place(work, text_string(&ready), failure);
    return status < 0 ? status : remember_default(work, failure);
}

int lab_install(const struct lab_installation *installation, char **name, struct failure *failure)
{
    struct work work = {.order = installation,
                        .packages = {.stop = installation->stop,
                                     .progress = installation->progress,
                                     .context = installation->context}};
    *name = NULL;
    int status = packages_name_check(installation->kernel, failure);
    if (status == 0)
        status = lab_place(&work.lab, failure);
    if (status == 0)
        status = lab_place_make(work.lab, failure);
    AUTO_CLOSE int lock = status < 0 ? -1 : take_lock(&work, failure);
    if (status == 0)
        status = lock < 0 ? lock : install_locked(&work, failure);
    if (work.staging)
        folder_remove_all(work.staging);
    if (status >= 0)
        *name = work.kernel;
    return status;
}
