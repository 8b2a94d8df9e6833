/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The environment of commands: its size under every setting, what stands in it, and which tunables
 * a loader is given. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/words.h"
#include "case.h"
#include "probe/command/command.h"
#include "probe/command/detail.h"

static char *const inherited[] = {(char *)(uintptr_t) "OWN=value", (char *)(uintptr_t) "EMPTY=",
                                  (char *)(uintptr_t) "PERL_HASH_SEED=7", NULL};
static const char tunables[] = "GLIBC_TUNABLES=glibc.cpu.name=generic";

static size_t bytes_of(char **environment, size_t *count)
{
    size_t bytes = 0;
    for (*count = 0; environment[*count]; (*count)++)
        bytes += strlen(environment[*count]) + 1;
    return bytes;
}

static bool has(char **environment, const char *variable)
{
    for (; *environment; environment++)
        if (strcmp(*environment, variable) == 0)
            return true;
    return false;
}

TEST(its_size_is_the_same_under_every_setting)
{
    size_t expected = 0;
    for (uint32_t controls = 0; controls <= CONTROLS_ALL; controls++) {
        const struct cell_command command = {.controls = controls};
        size_t count;
        char **environment = environment_make(&command, inherited, tunables);
        assert_non_null(environment);
        const size_t bytes = bytes_of(environment, &count);
        if (controls & CONTROL_BIT(CONTROL_ENVIRONMENT)) {
            expected = expected ? expected : count;
            assert_int_equal(bytes, COMMAND_ENVIRONMENT_BYTES);
            assert_int_equal(count, expected);
            assert_false(has(environment, "OWN=value"));
        } else {
            assert_true(has(environment, "OWN=value") && has(environment, "EMPTY="));
        }
        const bool seeded = controls & CONTROL_BIT(CONTROL_HASH_SEEDS);
        assert_int_equal(has(environment, "PERL_HASH_SEED=0"), seeded);
        assert_int_equal(has(environment, tunables),
                         (controls & CONTROL_BIT(CONTROL_TUNABLES)) != 0);
        words_free(environment);
    }
}

/* One that fits only without what a control adds must not move the stack when that is off. */
TEST(room_does_not_depend_on_what_is_off)
{
    char variable[COMMAND_ENVIRONMENT_BYTES + 1];
    for (size_t length = 2; length < COMMAND_ENVIRONMENT_BYTES; length += 5) {
        memset(variable, 'x', length);
        memcpy(variable, "K=", 2);
        variable[length] = '\0';
        char *const with[] = {variable, NULL};
        struct cell_command command = {.controls = CONTROLS_ALL, .keep = (char *)(uintptr_t) "K"};
        size_t all_count, less_count;
        char **all = environment_make(&command, with, tunables);
        command.controls &= ~(CONTROL_BIT(CONTROL_TUNABLES) | CONTROL_BIT(CONTROL_HASH_SEEDS));
        char **less = environment_make(&command, with, tunables);
        assert_true(has(all, variable) && has(less, variable));
        assert_int_equal(bytes_of(all, &all_count), bytes_of(less, &less_count));
        assert_int_equal(all_count, less_count);
        words_free(all);
        words_free(less);
    }
}

/* A loader that takes no list of features, as one that was built for a later level. */
TEST(a_loader_that_refuses_gets_less)
{
    char path[] = "/tmp/assay-test-loader.XXXXXX";
    static const char script[] = "#!/bin/sh\ncase $GLIBC_TUNABLES in *hwcaps*|*name*) exit 127;; "
                                 "esac\n";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, script, strlen(script)), strlen(script));
    assert_int_equal(fchmod(fd, 0755), 0);
    close(fd);
    const char *most = tunables_choose("/nonexistent/loader"), *chosen = tunables_choose(path);
    unlink(path);
    if (!most) {
        assert_null(chosen);
        return;
    }
    assert_true(!chosen || (strcmp(chosen, most) != 0 && !strstr(chosen, "hwcaps")));
}

/* --- the file in which a counting process leaves details --- */

static void put_call(struct wire_writer *writer, const char *name)
{
    wire_begin(writer, DETAIL_CALL);
    wire_put_string(writer, "name", name);
    assert_int_equal(wire_end(writer), 0);
}

static FILE *rewound(int descriptor)
{
    FILE *file = fdopen(descriptor, "r+");
    assert_non_null(file);
    rewind(file);
    return file;
}

TEST(two_writers_after_each_other_make_one_file)
{
    int descriptor = memfd_create("details", MFD_CLOEXEC);
    for (int round = 0; round < 2; round++) {
        struct wire_writer writer = detail_writer(descriptor);
        put_call(&writer, round ? "second\n one" : "first");
        assert_int_equal(detail_finish(&writer), 0);
    }
    AUTO_FILE FILE *file = rewound(descriptor);
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    struct wire_frame frame;
    assert_int_equal(detail_next(file, &line, &size, &frame, NULL), 1);
    assert_string_equal(wire_get(&frame, "name"), "first");
    assert_int_equal(detail_next(file, &line, &size, &frame, NULL), 1);
    assert_string_equal(wire_get(&frame, "name"), "second\n one");
    assert_int_equal(detail_next(file, &line, &size, &frame, NULL), 0);
}

static int read_text(const char *text, size_t length)
{
    int descriptor = memfd_create("details", MFD_CLOEXEC);
    assert_int_equal(write(descriptor, text, length), length);
    AUTO_FILE FILE *file = rewound(descriptor);
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    struct wire_frame frame;
    struct failure failure = {0};
    int result = detail_next(file, &line, &size, &frame, &failure);
    assert_true(result >= 0 || failure.text[0]);
    return result;
}

TEST(anything_else_is_refused)
{
    static const char rubbish[] = "rubbish\n";
    static const char zeros[16] = {0};
    assert_int_equal(read_text("", 0), 0);
    assert_int_equal(read_text(rubbish, strlen(rubbish)), -EBADMSG);
    assert_int_equal(read_text(rubbish, 3), -EBADMSG);
    assert_int_equal(read_text("\n", 1), -EBADMSG);
    assert_int_equal(read_text(zeros, sizeof(zeros)), -EBADMSG);
}

TEST(frames_of_other_types_and_torn_ones_are_refused)
{
    int descriptor = memfd_create("details", MFD_CLOEXEC);
    struct wire_writer writer = detail_writer(descriptor);
    wire_begin(&writer, "hello");
    assert_int_equal(wire_end(&writer), 0);
    size_t length = writer.pending.length;
    assert_int_equal(read_text(writer.pending.bytes, length), -EBADMSG);
    put_call(&writer, "read");
    assert_int_equal(read_text(writer.pending.bytes + length, writer.pending.length - length), 1);
    assert_int_equal(read_text(writer.pending.bytes + length, writer.pending.length - length - 1),
                     -EBADMSG);
    wire_writer_free(&writer);
    close(descriptor);
}

/* --- interrupts of a CPU, read from texts of machines with one, several and missing CPUs --- */

static const char two[] = "           CPU0       CPU1       \n"
                          "   1:          1       2000   IO-APIC   1-edge      i8042\n"
                          " NMI:         10        300   Non-maskable interrupts\n"
                          " LOC:        100         50   Local timer interrupts\n"
                          " ERR:     777777\n"
                          " MIS:          9\n";
/* CPU 1 is offline. */
static const char sparse[] = "           CPU0       CPU2       \n"
                             " 11:          5          7     GICv3  27 Level     arch_timer\n"
                             "IPI0:         1          2       Rescheduling interrupts\n"
                             "Err:          3\n";

static int read_interrupts(const char *text, int cpu, uint64_t *interrupts)
{
    AUTO_FILE FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    return interrupts_parse(file, cpu, interrupts);
}

TEST(every_line_of_a_cpu_is_summed)
{
    uint64_t interrupts = 0;
    assert_int_equal(read_interrupts(two, 0, &interrupts), 0);
    assert_int_equal(interrupts, 111);
    assert_int_equal(read_interrupts(two, 1, &interrupts), 0);
    assert_int_equal(interrupts, 2350);
    assert_int_equal(read_interrupts(sparse, 2, &interrupts), 0);
    assert_int_equal(interrupts, 9);
}

TEST(a_cpu_that_is_not_there_is_told)
{
    uint64_t interrupts;
    assert_int_equal(read_interrupts(two, 2, &interrupts), -ENOENT);
    assert_int_equal(read_interrupts(sparse, 1, &interrupts), -ENOENT);
    assert_int_equal(read_interrupts("rubbish", 0, &interrupts), -ENOENT);
    assert_int_equal(interrupts_read(-1, &interrupts), -ENOENT);
}
