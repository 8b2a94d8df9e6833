/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A machine that is about to start. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "lab/install.h"
#include "lab/machine.h"

/* Archives to boot from. */

/* ----------------------------------------------------------------------------------------------
 * newc: a header of hexadecimal numbers, the name with its zero, the content; name and content each
 * padded to a multiple of four bytes. The entry TRAILER!!! ends an archive. */

static void fail(struct cpio *archive, int error, const char *about)
{
    if (archive->error)
        return;
    archive->error = error;
    snprintf(archive->about, sizeof(archive->about), "%s", about);
}

static void cpio_put(struct cpio *archive, const void *bytes, size_t length)
{
    const char *next = bytes;
    while (length && !archive->error) {
        ssize_t wrote = write(archive->fd, next, length);
        if (wrote < 0 && errno != EINTR)
            fail(archive, -errno, "the archive");
        if (wrote > 0) {
            next += wrote;
            length -= (size_t)wrote;
        }
    }
}

static void pad(struct cpio *archive, size_t length)
{
    cpio_put(archive, "\0\0\0", (4 - length % 4) % 4);
}

struct entry {
    const char *name;
    unsigned mode;
    uint32_t size;
    unsigned major, minor;
};

static void put_header(struct cpio *archive, const struct entry *entry)
{
    char header[128];
    size_t name_size = strlen(entry->name) + 1;
    int length = snprintf(header, sizeof(header),
                          "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
                          ++archive->inode, entry->mode, 0u, 0u, 1u, 0u, entry->size, 0u, 0u,
                          entry->major, entry->minor, (unsigned)name_size, 0u);
    cpio_put(archive, header, (size_t)length);
    cpio_put(archive, entry->name, name_size);
    pad(archive, (size_t)length + name_size);
}

void cpio_folder(struct cpio *archive, const char *name, unsigned mode)
{
    put_header(archive, &(struct entry){.name = name, .mode = S_IFDIR | mode});
}

void cpio_bytes(struct cpio *archive, const char *name, unsigned mode, const void *bytes,
                size_t length)
{
    if (length > UINT32_MAX) {
        fail(archive, -EFBIG, name);
        return;
    }
    put_header(archive,
               &(struct entry){.name = name, .mode = S_IFREG | mode, .size = (uint32_t)length});
    cpio_put(archive, bytes, length);
    pad(archive, length);
}

void cpio_link(struct cpio *archive, const char *name, const char *target)
{
    size_t length = strlen(target);
    put_header(archive,
               &(struct entry){.name = name, .mode = S_IFLNK | 0777, .size = (uint32_t)length});
    cpio_put(archive, target, length);
    pad(archive, length);
}

void cpio_device(struct cpio *archive, const char *name, unsigned mode, unsigned major,
                 unsigned minor)
{
    put_header(archive,
               &(struct entry){.name = name, .mode = mode, .major = major, .minor = minor});
}

/* Copies exactly length bytes; a file that shrinks meanwhile is an error. */
static int copy(int to, int from, size_t length)
{
    while (length) {
        ssize_t copied = sendfile(to, from, NULL, length);
        if (copied < 0 && errno == EINTR)
            continue;
        if (copied <= 0)
            return copied < 0 ? -errno : -EIO;
        length -= (size_t)copied;
    }
    return 0;
}

void cpio_file(struct cpio *archive, const char *name, unsigned mode, const char *path)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) < 0) {
        fail(archive, -errno, path);
        return;
    }
    if (!S_ISREG(facts.st_mode) || facts.st_size > (off_t)UINT32_MAX) {
        fail(archive,
             S_ISDIR(facts.st_mode)   ? -EISDIR
             : S_ISREG(facts.st_mode) ? -EFBIG
                                      : -EINVAL,
             path);
        return;
    }
    put_header(archive, &(struct entry){.name = name,
                                        .mode = S_IFREG | (mode ? mode : facts.st_mode & 07777),
                                        .size = (uint32_t)facts.st_size});
    int status = archive->error ? 0 : copy(archive->fd, fd, (size_t)facts.st_size);
    if (status < 0)
        fail(archive, status, path);
    pad(archive, (size_t)facts.st_size);
}

int cpio_end(struct cpio *archive, struct failure *failure)
{
    put_header(archive, &(struct entry){.name = "TRAILER!!!"});
    if (!archive->error)
        return 0;
    return fail_with(failure, archive->error, "cannot put %s into the machine's archive: %s",
                     archive->about, strerror(-archive->error));
}

/* Appends the whole file, an archive that is finished already. */
static int cpio_append(int fd, const char *path, struct failure *failure)
{
    AUTO_CLOSE int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    int status = from < 0 || fstat(from, &facts) < 0 ? -errno
                 : !S_ISREG(facts.st_mode)           ? -EINVAL
                                                     : copy(fd, from, (size_t)facts.st_size);
    return status < 0 ? fail_with(failure, status, "cannot read %s: %s", path, strerror(-status))
                      : 0;
}

/* --- The part of a machine's archive that stays the same from boot to boot --- */

/* In the order in which they must be loaded. */
static const struct {
    const char *option; /* of the kernel's configuration */
    const char *path;   /* below kernel/drivers */
} drivers[] = {
    {"CONFIG_VIRTIO", "virtio/virtio"},
    {"CONFIG_VIRTIO", "virtio/virtio_ring"},
    {"CONFIG_VIRTIO_MMIO", "virtio/virtio_mmio"},
    {"CONFIG_VIRTIO_CONSOLE", "char/virtio_console"},
};

static const char *const folders[] = {
    "bin", "dev", "etc", "lab", "lab/modules", "lib", "lib/aarch64-linux-gnu"};

static const struct {
    const char *name, *content;
} texts[] = {
    {"etc/os-release", "ID=assay-lab\nPRETTY_NAME=\"assay lab\"\n"},
    {"etc/passwd", "root:x:0:0:root:/work:/bin/sh\nnobody:x:65534:65534:nobody:/work:/bin/sh\n"},
    {"etc/group", "root:x:0:\nnogroup:x:65534:\n"},
};

static const char *const libraries[] = {
    "ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libdl.so.2",
    "libpthread.so.0",       "librt.so.1"};

static const char *const applets[] = {
    "ash",   "awk",   "base64", "basename", "cat",  "chmod",   "chown",    "clear", "cmp",
    "cp",    "cut",   "date",   "dd",       "df",   "diff",    "dirname",  "dmesg", "du",
    "echo",  "env",   "expr",   "false",    "find", "free",    "grep",     "gzip",  "gunzip",
    "head",  "id",    "kill",   "less",     "ln",   "ls",      "md5sum",   "mkdir", "mktemp",
    "mount", "mv",    "nproc",  "od",       "ps",   "pwd",     "readlink", "rm",    "rmdir",
    "sed",   "seq",   "sh",     "sleep",    "sort", "stat",    "strings",  "sync",  "sysctl",
    "tail",  "tar",   "tee",    "test",     "time", "timeout", "top",      "touch", "tr",
    "true",  "uname", "uniq",   "usleep",   "vi",   "wc",      "which",    "xargs", "xxd",
    "yes",   "zcat"};

/* 'y', 'm' or 0 as the kernel's configuration says. */
static char configured(const struct base_content *content, const char *option)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/boot/config-%s", content->kernel, content->name);
    AUTO_FILE FILE *file = fopen(text_string(&path), "re");
    size_t length = strlen(option);
    char line[256];
    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, option, length) == 0 && line[length] == '=')
            return line[length + 1];
    return 0;
}

/* Finds the module as it may be packed; the ending found is left in *ending. */
static bool find_module(const struct base_content *content, const char *driver, struct text *path,
                        const char **ending)
{
    static const char *const tops[] = {"lib", "usr/lib"};
    static const char *const endings[] = {".ko", ".ko.xz", ".ko.zst", ".ko.gz"};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < sizeof(endings) / sizeof(*endings); j++) {
            text_clear(path);
            text_printf(path, "%s/%s/modules/%s/kernel/drivers/%s%s", content->kernel, tops[i],
                        content->name, driver, endings[j]);
            *ending = endings[j];
            if (access(text_string(path), R_OK) == 0)
                return true;
        }
    }
    return false;
}

static int add_driver(struct cpio *archive, const struct base_content *content, size_t index,
                      struct failure *failure)
{
    AUTO_TEXT struct text path = {0};
    const char *ending;
    const char *option = drivers[index].option;
    char how = configured(content, option);
    if (how == 'y')
        return 0;
    if (how != 'm' || !find_module(content, drivers[index].path, &path, &ending))
        return fail_with(failure, -ENODEV,
                         "the kernel %s has no %s, without which nothing can be said to it: take "
                         "another one of assay lab list",
                         content->name, option);
    if (strcmp(ending, ".ko") != 0 && configured(content, "CONFIG_MODULE_DECOMPRESS") != 'y')
        return fail_with(failure, -ENODEV,
                         "the drivers of the kernel %s are compressed, and it cannot unpack them "
                         "by itself: take another one of assay lab list",
                         content->name);
    char name[64];
    snprintf(name, sizeof(name), "lab/modules/%zu%s", index, ending);
    cpio_file(archive, name, 0644, text_string(&path));
    return 0;
}

int base_archive_make(const char *path, const struct base_content *content, struct failure *failure)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_with(failure, -errno, "cannot write %s: %s", path, strerror(errno));
    struct cpio archive = {.fd = fd};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        cpio_folder(&archive, folders[i], 0755);
    /* What the first process has as standard descriptors before /dev is mounted. */
    cpio_device(&archive, "dev/console", S_IFCHR | 0600, 5, 1);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        cpio_bytes(&archive, texts[i].name, 0644, texts[i].content, strlen(texts[i].content));
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof(drivers) / sizeof(*drivers); i++)
        status = add_driver(&archive, content, i, failure);
    static const char *const places[] = {"lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu"};
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
        AUTO_TEXT struct text library = {0};
        char name[96];
        for (size_t place = 0; place < 2; place++) {
            text_clear(&library);
            text_printf(&library, "%s/%s/%s", content->libc, places[place], libraries[i]);
            if (access(text_string(&library), R_OK) == 0)
                break;
        }
        snprintf(name, sizeof(name), "lib/aarch64-linux-gnu/%s", libraries[i]);
        cpio_file(&archive, name, 0755, text_string(&library));
    }
    cpio_link(&archive, "lib/ld-linux-aarch64.so.1", "aarch64-linux-gnu/ld-linux-aarch64.so.1");
    AUTO_TEXT struct text busybox = {0};
    text_printf(&busybox, "%s/bin/busybox", content->busybox);
    if (access(text_string(&busybox), R_OK) < 0) {
        text_clear(&busybox);
        text_printf(&busybox, "%s/usr/bin/busybox", content->busybox);
    }
    cpio_file(&archive, "bin/busybox", 0755, text_string(&busybox));
    for (size_t i = 0; i < sizeof(applets) / sizeof(*applets); i++) {
        char name[64];
        snprintf(name, sizeof(name), "bin/%s", applets[i]);
        cpio_link(&archive, name, "busybox");
    }

    if (status == 0)
        status = cpio_end(&archive, failure);
    if (status == 0 && fsync(fd) < 0)
        status = fail_with(failure, -errno, "cannot write %s: %s", path, strerror(errno));
    return status;
}

/* --- What a machine boots from --- */

#define KERNEL_NEEDS_MB 96 /* besides the archive and its content */

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int add_files(struct cpio *archive, const struct boot_content *content,
                     struct failure *failure)
{
    cpio_folder(archive, "work", 01777);
    for (size_t i = 0; i < content->file_count; i++) {
        const char *path = content->files[i];
        const char *name = last_name(path);
        struct stat facts;
        if (stat(path, &facts) < 0)
            return fail_with(failure, -errno, "cannot send %s: %s", path, strerror(errno));
        if (!S_ISREG(facts.st_mode))
            return fail_with(
                failure, -EINVAL,
                "cannot send %s: only regular files; pack a folder with tar and unpack "
                "it there",
                path);
        for (size_t j = 0; j < i; j++)
            if (strcmp(last_name(content->files[j]), name) == 0)
                return fail_with(failure, -EINVAL,
                                 "%s and %s would both become %s in the machine: rename one",
                                 content->files[j], path, name);
        AUTO_TEXT struct text inside = {0};
        text_printf(&inside, "work/%s", name);
        cpio_file(archive, text_string(&inside), 0, path);
    }
    return 0;
}

/* The archive is in memory twice while it is unpacked. */
static int check_size(int fd, unsigned memory_mb, struct failure *failure)
{
    struct stat facts;
    if (fstat(fd, &facts) < 0)
        return fail_with(failure, -errno, "the machine's archive is lost: %s", strerror(errno));
    const off_t needed = 2 * (facts.st_size >> 20) + KERNEL_NEEDS_MB;
    if (needed <= (off_t)memory_mb)
        return 0;
    return fail_with(failure, -ENOSPC,
                     "what is to be carried in does not fit the machine's memory of %u MB: give "
                     "memory=%lld or more",
                     memory_mb, (long long)needed + 32);
}

static int fill(int fd, const struct boot_content *content, struct failure *failure)
{
    AUTO_TEXT struct text base = {0};
    text_printf(&base, "%s/base.cpio", content->kernel_folder);
    int status = cpio_append(fd, text_string(&base), failure);
    if (status)
        return status;
    struct cpio archive = {.fd = fd};
    AUTO_DIR DIR *entries = opendir(content->kit_folder);
    if (!entries)
        return fail_with(failure, -errno, "cannot read the kit %s: %s", content->kit_folder,
                         strerror(errno));
    /* Readable and executable by everyone: the probe may have to run as nobody. */
    cpio_folder(&archive, "kit", 0755);
    const struct dirent *entry;
    while ((entry = readdir(entries))) {
        AUTO_TEXT struct text name = {0}, path = {0};
        struct stat facts;
        text_printf(&name, "kit/%s", entry->d_name);
        text_printf(&path, "%s/%s", content->kit_folder, entry->d_name);
        /* As in src/engine/via/kit.c: a kit holds plain names only. */
        static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789._-";
        if (entry->d_name[0] != '.' && entry->d_name[strspn(entry->d_name, allowed)] == '\0' &&
            stat(text_string(&path), &facts) == 0 && S_ISREG(facts.st_mode))
            cpio_file(&archive, text_string(&name), facts.st_mode & S_IXUSR ? 0755 : 0644,
                      text_string(&path));
    }
    cpio_folder(&archive, "lab", 0755);
    cpio_bytes(&archive, "lab/plan", 0644, text_string(content->plan), content->plan->length);
    status = add_files(&archive, content, failure);
    if (status == 0)
        status = cpio_end(&archive, failure);
    return status < 0 ? status : check_size(fd, content->memory_mb, failure);
}

int boot_archive_make(const struct boot_content *content, struct failure *failure)
{
    int fd = memfd_create("assay-lab", MFD_CLOEXEC);
    if (fd < 0)
        return fail_with(failure, -errno, "no memory for the machine's archive: %s",
                         strerror(errno));
    int status = fill(fd, content, failure);
    if (status < 0) {
        close(fd);
        return status;
    }
    return fd;
}

/* --- The plan of a boot --- */

void plan_put(struct text *plan, const char *key, const char *value)
{
    text_printf(plan, "%s=%s", key, value);
    text_putc(plan, '\0');
}

void plan_settings(struct text *plan, const struct lab_settings *settings)
{
    char value[64];
    if (settings->pmu) {
        snprintf(value, sizeof(value), "kernel/perf_user_access=%d", settings->user_access);
        plan_put(plan, "sysctl", value);
    }
    if (settings->paranoid != LAB_PARANOID_UNSET) {
        snprintf(value, sizeof(value), "kernel/perf_event_paranoid=%d", settings->paranoid);
        plan_put(plan, "sysctl", value);
    }
    if (settings->nobody)
        plan_put(plan, "user", "65534");
    plan_put(plan, "env", "ASSAY_EMULATED=lab");
}

/* ----------------------------------------------------------------------------------------------
 * What to say about a kernel that is not in the lab: looks it up in the lists that the last
 * installation left, and among the installed ones. */

/* What apt's lists know. */
struct known {
    struct text names; /* of the kernels on offer, newest first */
    char *kernel;      /* what the wanted name stands for; NULL: nothing on offer */
};

static bool is_installed(const struct lab_kernels *installed, const char *name)
{
    for (size_t i = 0; i < installed->count; i++)
        if (strcmp(installed->list[i].name, name) == 0)
            return true;
    return false;
}

static int say_missing(const struct known *known, const struct lab_kernels *installed,
                       const char *isa, const char *name, struct failure *failure)
{
    char nearest[LAB_KERNEL_NAME_MAX];
    if (known->kernel && is_installed(installed, known->kernel))
        return fail_with(failure, -ENOENT,
                         "no kernel in the lab is called %s, but %s is there, for which it stands: "
                         "kernel=%s boots it",
                         name, known->kernel, known->kernel);
    if (known->kernel || !known->names.length)
        return fail_with(failure, -ENOENT,
                         "the kernel %s is not in the lab: assay lab install %s --kernel %s "
                         "fetches it%s, assay lab list shows the others",
                         name, isa, name, known->kernel ? "" : " if Debian offers it");
    AUTO_TEXT struct text all = {0};
    for (size_t i = 0; i < installed->count; i++)
        text_printf(&all, "%s\n", installed->list[i].name);
    text_puts(&all, text_string(&known->names));
    kernel_nearest(text_string(&all), name, nearest);
    if (!*nearest)
        return fail_with(failure, -ENOENT,
                         "the kernel %s is neither in the lab nor on offer: assay lab list shows "
                         "those that are",
                         name);
    if (is_installed(installed, nearest))
        return fail_with(failure, -ENOENT,
                         "the kernel %s is neither in the lab nor on offer; the nearest is %s, "
                         "which is installed: kernel=%s boots it",
                         name, nearest, nearest);
    return fail_with(failure, -ENOENT,
                     "the kernel %s is neither in the lab nor on offer; the nearest is %s: assay "
                     "lab install %s --kernel %s fetches it, assay lab list shows the others",
                     name, nearest, isa, nearest);
}

/* ----------------------------------------------------------------------------------------------
 * QEMU's argument vector. Time in the machine advances with the instructions it executes (-icount),
 * on one CPU: only so are its counts exact. Input and output are two ports, because the driver in
 * the machine would block for ever on writing to a port whose host side has ended. */

struct words {
    char **list;
    size_t count;
};

static void add(struct words *words, char *word)
{
    *memory_add(words->list, words->count) = word;
}

static void put(struct words *words, const char *option, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put(struct words *words, const char *option, const char *format, ...)
{
    add(words, memory_copy(option));
    if (!format)
        return;
    va_list arguments;
    va_start(arguments, format);
    add(words, memory_vformat(format, arguments));
    va_end(arguments);
}

/* A port of the machine whose bytes go to a descriptor that QEMU inherits. */
static void put_port(struct words *words, struct text *plan, const char *key, const char *name,
                     int descriptor)
{
    if (descriptor < 0)
        return;
    put(words, "-chardev", "file,id=%s,path=/proc/self/fd/%d", key, descriptor);
    put(words, "-device", "virtserialport,chardev=%s,name=%s", key, name);
    plan_put(plan, key, name);
}

static void inherit(struct lab_machine *machine, int descriptor)
{
    if (descriptor >= 0)
        machine->inherited[machine->inherited_count++] = descriptor;
}

/* A kernel with pages of 16 KiB on a CPU without them stops before its first word. */
static int check_pages(const struct lab_settings *settings, const char *folder,
                       struct failure *failure)
{
    size_t length = strlen(folder);
    bool pages_16k = length > 4 && strcmp(folder + length - 4, "-16k") == 0;
    if (!pages_16k || settings->cpu->pages_16k)
        return 0;
    return fail_with(
        failure, -EINVAL,
        "a %s has no pages of 16 KiB, which this kernel needs: take cpu=neoverse-n1 or "
        "cpu=max with it",
        settings->cpu->name);
}

static int check_whole(const char *isa, const char *folder, struct failure *failure)
{
    const char *kernel = strrchr(folder, '/') + 1;
    const char *lacking = lab_kernel_lacks(folder);
    if (!lacking)
        return 0;
    return fail_with(failure, -ENOENT,
                     "the kernel %s in the lab is damaged: %s/%s is missing or empty; assay lab "
                     "install %s --kernel %s fetches it anew",
                     kernel, folder, lacking, isa, kernel);
}

static int choose_kernel(char **folder, const struct lab_settings *settings,
                         struct failure *failure)
{
    int status = lab_kernel_find(folder, settings->isa, settings->kernel, failure);
    if (status == -ENOENT && *settings->kernel) {
        /* Always -ENOENT: the failure names the command that fetches it or, where apt's lists do
         * not have it either, the nearest that can be had. Does not fetch. */
        struct known known = {0};
        struct lab_kernels installed = {0};
        struct failure unheard;
        char *place = NULL;
        struct packages packages = {0};
        if (lab_place(&place, &unheard) == 0 && packages_look(&packages, place, &unheard) == 0 &&
            packages_kernels(&packages, &known.names, &unheard) == 0 && known.names.length)
            packages_resolve(&packages, settings->kernel, &known.kernel, &unheard);

        lab_kernels_list(&installed, settings->isa, &unheard);
        status = say_missing(&known, &installed, settings->isa, settings->kernel, failure);
        text_free(&known.names);
        return status;
    }

    if (status == 0)
        status = check_pages(settings, *folder, failure);
    return status < 0 ? status : check_whole(settings->isa, *folder, failure);
}

int lab_machine_prepare(struct lab_machine *machine, const struct lab_order *order,
                        struct failure *failure)
{
    *machine = (struct lab_machine){.archive = -1};
    const struct lab_settings *settings = order->settings;
    AUTO_FREE char *emulator = NULL;
    char *folder = NULL;
    int status = emulator_find(&emulator, settings->isa, failure);
    if (status == 0)
        status = emulator_check_cpu(emulator, settings->cpu, failure);
    if (status == 0)
        status = choose_kernel(&folder, settings, failure);
    if (status < 0)
        return status;
    struct words words = {0};
    add(&words, memory_copy(emulator));
    /* Arm's own algorithm of pointer authentication takes most of a boot where it is emulated. */
    const char *quick = strcmp(settings->cpu->name, "max") == 0 ? ",pauth-impdef=on" : "";
    put(&words, "-nodefaults", NULL);
    put(&words, "-no-user-config", NULL);
    put(&words, "-no-reboot", NULL);
    put(&words, "-display", "none");
    put(&words, "-machine", "virt,gic-version=3");
    put(&words, "-accel", "tcg,thread=single");
    put(&words, "-icount", "shift=0");
    put(&words, "-smp", "1");
    put(&words, "-m", "%u", settings->memory_mb);
    put(&words, "-cpu", "%s%s%s", settings->cpu->name, quick, settings->pmu ? "" : ",pmu=off");
    put(&words, "-chardev", "file,id=console,path=/proc/self/fd/2");
    put(&words, "-serial", "chardev:console");
    put(&words, "-device", "virtio-serial-device");
    put(&words, "-chardev", "stdio,id=in,signal=off");
    put(&words, "-device", "virtserialport,chardev=in,name=%s", LAB_PORT_IN);
    plan_put(order->plan, "in", LAB_PORT_IN);
    put(&words, "-chardev", "file,id=out,path=/proc/self/fd/1");
    put(&words, "-device", "virtserialport,chardev=out,name=%s", LAB_PORT_OUT);
    plan_put(order->plan, "out", LAB_PORT_OUT);
    put_port(&words, order->plan, "err", LAB_PORT_ERR, order->errors);
    put_port(&words, order->plan, "status", LAB_PORT_STATUS, order->status);

    plan_settings(order->plan, settings);
    const struct boot_content content = {.kernel_folder = folder,
                                         .kit_folder = order->kit_folder,
                                         .plan = order->plan,
                                         .files = order->files,
                                         .file_count = order->file_count,
                                         .memory_mb = settings->memory_mb};
    machine->archive = boot_archive_make(&content, failure);
    put(&words, "-kernel", "%s/vmlinuz", folder);
    put(&words, "-initrd", "/proc/self/fd/%d", machine->archive);
    put(&words, "-append",
        "%sconsole=ttyAMA0 panic=-1 cryptomgr.notests rdinit=/kit/assay-probe -- boot",
        order->verbose ? "" : "quiet ");

    add(&words, NULL);
    machine->argv = words.list;
    inherit(machine, machine->archive);
    inherit(machine, order->errors);
    inherit(machine, order->status);
    if (machine->archive < 0)
        status = machine->archive;
    if (status < 0)
        lab_machine_release(machine);
    return status;
}

void lab_machine_release(struct lab_machine *machine)
{
    /* Closes the archive; the words stay. */
    cleanup_close(&machine->archive);
    machine->archive = -1;

    machine->argv = NULL;
}
