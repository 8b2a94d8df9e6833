/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lab without booting anything: settings, names, the archive's form, where things are kept. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case.h"
#include "lab/machine.h"
#include "lab/place.h"
#include "lab/settings.h"

TEST(settings_have_defaults_and_take_every_key)
{
    struct lab_settings settings;
    assert_int_equal(lab_settings_parse(&settings, "aarch64", NULL), 0);
    assert_string_equal(settings.cpu->name, "cortex-a72");
    assert_true(settings.pmu && settings.user_access && !settings.nobody);
    assert_int_equal(settings.paranoid, LAB_PARANOID_UNSET);
    assert_int_equal(lab_settings_parse(&settings,
                                        "aarch64,cpu=max,kernel=6.12.9+deb12-arm64,memory=128,"
                                        "pmu=off,user-access=off,paranoid=-1,user=nobody",
                                        NULL),
                     0);
    assert_string_equal(settings.cpu->name, "max");
    assert_string_equal(settings.kernel, "6.12.9+deb12-arm64");
    assert_int_equal(settings.memory_mb, 128);
    assert_int_equal(settings.paranoid, -1);
    assert_true(!settings.pmu && !settings.user_access && settings.nobody);
}

/* Some of the values stand in QEMU's own syntax, others in paths. */
TEST(hostile_settings_are_refused_with_what_there_is)
{
    static const struct {
        const char *words, *says;
    } cases[] = TABLE(
        {"", "which machine of the lab"}, {"mips", "aarch64"},
        {"aarch64,", "missing behind a comma"}, {"aarch64,,pmu=on", "missing behind a comma"},
        {"aarch64,pmu=on,memory=256,pmu=off", "pmu is given twice"}, {"aarch64,pmu", "on|off"},
        {"aarch64,turbo=on", "user-access"}, {"aarch64,cpu=max;pmu=off", "cortex-a72"},
        {"aarch64,cpu=../max", "cortex-a72"}, {"aarch64,kernel=../../etc", "NAME"},
        {"aarch64,kernel=-x", "NAME"}, {"aarch64,kernel=.x", "NAME"}, {"aarch64,kernel=", "NAME"},
        {"aarch64,kernel=a/b", "NAME"}, {"aarch64,memory=64", "128"},
        {"aarch64,memory=128M", "128"}, {"aarch64,memory= 512", "128"},
        {"aarch64,memory=99999999999999999999", "128"}, {"aarch64,paranoid=5", "4"},
        {"aarch64,user=daemon", "nobody"});
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct lab_settings settings;
        struct failure failure = {0};
        assert_int_equal(lab_settings_parse(&settings, cases[i].words, &failure), -EINVAL);
        if (!strstr(failure.text, cases[i].says))
            fail_msg("%s: '%s' does not say %s", cases[i].words, failure.text, cases[i].says);
    }
}

TEST(plans_carry_the_settings)
{
    struct lab_settings settings;
    AUTO_TEXT struct text plan = {0};
    lab_settings_parse(&settings, "aarch64,paranoid=2,user-access=off,user=nobody", NULL);
    plan_settings(&plan, &settings);
    static const char expected[] = "sysctl=kernel/perf_user_access=0\0"
                                   "sysctl=kernel/perf_event_paranoid=2\0"
                                   "user=65534\0env=ASSAY_EMULATED=lab";
    assert_int_equal(plan.length, sizeof(expected));
    assert_memory_equal(plan.bytes, expected, sizeof(expected));
}

/* Header fields are eight hexadecimal digits each, behind six of magic. */
static unsigned field(const char *header, size_t number)
{
    char digits[9] = {0};
    memcpy(digits, header + 6 + 8 * number, 8);
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Walks the archive as the kernel does and returns the entry's content, NULL when it is not there.
 */
static const char *find_entry(const char *at, const char *end, const char *name, unsigned *mode,
                              unsigned *size)
{
    while (at + 110 < end) {
        assert_memory_equal(at, "070701", 6);
        unsigned name_size = field(at, 11);
        const char *found = at + 110;
        *mode = field(at, 1);
        *size = field(at, 6);
        assert_int_equal(found[name_size - 1], 0);
        const char *content = at + ((110 + name_size + 3) & ~3u);
        if (strcmp(found, name) == 0)
            return content;
        if (strcmp(found, "TRAILER!!!") == 0)
            return NULL;
        at = content + ((*size + 3) & ~3u);
    }
    fail_msg("the archive has no end");
    return NULL;
}

TEST(archives_have_the_kernels_form)
{
    static char bytes[1 << 16];
    int fd = memfd_create("archive", MFD_CLOEXEC);
    struct cpio archive = {.fd = fd};
    cpio_folder(&archive, "work", 01777);
    cpio_bytes(&archive, "work/odd", 0640, "12345", 5);
    cpio_link(&archive, "work/link", "odd");
    cpio_device(&archive, "console", S_IFCHR | 0600, 5, 1);
    cpio_file(&archive, "own", 0, "/proc/self/exe");
    struct failure failure = {0};
    assert_int_equal(cpio_end(&archive, &failure), 0);
    ssize_t length = pread(fd, bytes, sizeof(bytes), 0);
    off_t whole = lseek(fd, 0, SEEK_END);
    assert_int_equal(whole % 4, 0);
    unsigned mode = 0, size = 0;
    const char *end = bytes + length;
    assert_non_null(find_entry(bytes, end, "work", &mode, &size));
    assert_int_equal(mode, S_IFDIR | 01777);
    assert_memory_equal(find_entry(bytes, end, "work/odd", &mode, &size), "12345", 5);
    assert_int_equal(mode, S_IFREG | 0640);
    assert_int_equal(size, 5);
    assert_memory_equal(find_entry(bytes, end, "work/link", &mode, &size), "odd", 3);
    assert_int_equal(mode, S_IFLNK | 0777);
    assert_memory_equal(find_entry(bytes, end, "own", &mode, &size), "\177ELF", 4);
    struct stat own;
    stat("/proc/self/exe", &own);
    assert_int_equal(size, own.st_size);
    assert_int_equal(mode, own.st_mode);
    close(fd);
}

TEST(archives_keep_the_first_error)
{
    int fd = memfd_create("archive", MFD_CLOEXEC);
    struct cpio archive = {.fd = fd};
    struct failure failure = {0};
    cpio_file(&archive, "a", 0, "/nonexistent/first");
    cpio_file(&archive, "b", 0, "/");
    assert_int_equal(cpio_end(&archive, &failure), -ENOENT);
    assert_non_null(strstr(failure.text, "/nonexistent/first"));
    close(fd);
}

TEST(names_of_kernels_come_apart)
{
    assert_string_equal(kernel_flavour("6.1.0-54-arm64"), "arm64");
    assert_string_equal(kernel_flavour("6.12.115+deb12-rt-arm64-16k"), "rt-arm64-16k");
    assert_string_equal(kernel_flavour("6.1.0-0.deb11.5-cloud-arm64"), "cloud-arm64");
    assert_string_equal(kernel_flavour("6.9"), "");
    assert_true(kernel_related("6.1.0-54-arm64", "6.1.0-9-arm64"));
    assert_false(kernel_related("6.1.0-54-arm64", "6.12.0-9-arm64"));
    assert_false(kernel_related("6.1.0-54-arm64", "6.1.0-54-rt-arm64"));
}

TEST(the_nearest_kernel_begins_alike)
{
    static const char names[] = "7.0.1-rt-arm64\n6.12.115+deb12-rt-arm64\n6.12.115+deb12-arm64\n"
                                "6.1.0-54-arm64\n6.1.0-53-cloud-arm64\n";
    static const char *const cases[][2] = {{"6.9", "6.12.115+deb12-arm64"},
                                           {"6.1.0-55-arm64", "6.1.0-54-arm64"},
                                           {"6.1.0-53-arm64", "6.1.0-53-cloud-arm64"},
                                           {"7", "7.0.1-rt-arm64"},
                                           {"cloud", ""}};
    char nearest[LAB_KERNEL_NAME_MAX];
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kernel_nearest(names, cases[i][0], nearest);
        assert_string_equal(nearest, cases[i][1]);
    }
    kernel_nearest("", "6.1", nearest);
    assert_string_equal(nearest, "");
}
