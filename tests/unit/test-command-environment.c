/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The environment of commands: its size under every setting, what stands in it, and which tunables
 * a loader is given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "case.h"
#include "probe/command/command.h"

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

TEST(a_sweep_adds_so_many_bytes)
{
    for (uint64_t swept = 0; swept <= SWEEP_MOST; swept += SWEEP_MOST / 16) {
        struct cell_command command = {
            .controls = CONTROLS_ALL, .sweep = SWEEP_ENVIRONMENT, .swept = swept};
        size_t count;
        char **environment = environment_make(&command, inherited, NULL);
        assert_int_equal(bytes_of(environment, &count), COMMAND_ENVIRONMENT_BYTES + swept);
        words_free(environment);
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
