/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the driver makes of the lines in which harnesses describe their clocks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"
#include "probe/clocks/clock.h"
#include "probe/driver/catalogue.h"
#include "wire/frame.h"

static int add(struct offers *offers, const char *line)
{
    char *copy = strdup(line);
    assert_non_null(copy);
    int result = clocks_add(offers, copy);
    free(copy);
    return result;
}

TEST(a_line_is_a_clock)
{
    struct offers offers = {0};
    assert_int_equal(add(&offers,
                         "rtc wall device rtc 1 1000000000000 slow - the RTC says so\tonly "
                         "its steps\tmatter"),
                     0);
    const struct offered_clock *clock = clocks_find(&offers, "rtc");
    assert_non_null(clock);
    assert_string_equal(clock->kind, "wall");
    assert_string_equal(clock->way, "device");
    assert_string_equal(clock->hardware, "rtc");
    assert_string_equal(clock->claim, "the RTC says so");
    assert_string_equal(clock->note, "only its steps\tmatter");
    assert_int_equal(clock->hz, 1);
    assert_int_equal(clock->resolution_ps, 1000000000000);
    assert_true(clock->slow && !clock->steered);
    assert_null(clocks_find(&offers, "tsc"));
    clocks_free(&offers);
}

TEST(a_clock_of_two_harnesses_is_one)
{
    struct offers offers = {0};
    assert_int_equal(add(&offers, "tsc wall instruction tsc 0 0 - - \tfirst"), 0);
    assert_int_equal(add(&offers, "tsc wall instruction tsc 0 0 - - \tsecond"), 0);
    assert_int_equal(offers.clock_count, 1);
    assert_string_equal(clocks_find(&offers, "tsc")->note, "first");
    assert_string_equal(clocks_find(&offers, "tsc")->claim, "");
    clocks_free(&offers);
}

/* Each clock of the registry is told once, as one that can be read or as one that cannot. */
TEST(what_a_harness_says_is_understood)
{
    char *said = NULL, *line;
    size_t length = 0, missing = 0, all = 0;
    struct offers offers = {0};
    FILE *out = open_memstream(&said, &length);
    assert_non_null(out);
    clocks_describe(out);
    fclose(out);
    char *rest = said;
    while ((line = strsep(&rest, "\n")))
        if (strncmp(line, "clock ", 6) == 0)
            assert_int_equal(clocks_add(&offers, line + 6), 0);
        else
            missing += strncmp(line, "unreadable ", 11) == 0;
    for (; clock_registry[all]; all++) {
        const struct offered_clock *clock = clocks_find(&offers, clock_registry[all]->name);
        if (clock)
            assert_string_equal(clock->kind, clock_kind_names[clock_registry[all]->kind]);
    }
    assert_int_equal(offers.clock_count + missing, all);
    assert_non_null(clocks_find(&offers, "monotonic-syscall"));
    clocks_free(&offers);
    free(said);
}

TEST(lines_that_are_none_are_refused)
{
    static const char *const lines[] = {
        "",
        "tsc",
        "tsc wall instruction tsc 0 0 - -",
        "tsc wall instruction tsc 0 0 - - no tabulator",
        "tsc wall instruction tsc many 0 - - claim\tnote",
        "tsc wall instruction tsc -1 0 - - claim\tnote",
        "tsc wall instruction tsc 1 1e3 - - claim\tnote",
        "tsc wall instruction tsc 18446744073709551616 0 - - claim\tnote",
    };
    struct offers offers = {0};
    for (size_t index = 0; index < sizeof(lines) / sizeof(*lines); index++)
        assert_int_equal(add(&offers, lines[index]), -EBADMSG);
    assert_int_equal(offers.clock_count, 0);
    clocks_free(&offers);
}

TEST(a_frame_says_what_the_operating_systems_clocks_are_made_of)
{
    char source[64] = "", lines[2048];
    int ends[2];
    struct offers offers = {0};
    struct wire_frame frame;
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (file) {
        assert_int_equal(fscanf(file, "%63s", source), 1);
        fclose(file);
    }
    assert_int_equal(pipe(ends), 0);
    struct wire_writer writer = {.fd = ends[1]};
    assert_int_equal(add(&offers, "monotonic wall vdso - 1000000000 1000 - steered ns\tnone"), 0);
    clocks_send(&writer, &offers);
    assert_int_equal(wire_flush(&writer), 0);
    ssize_t length = read(ends[0], lines, sizeof(lines));
    assert_true(length > 1);
    assert_int_equal(wire_parse(lines, (size_t)length - 1, &frame, NULL), 0);
    assert_string_equal(frame.type, "clock");
    assert_string_equal(wire_get(&frame, "name"), "monotonic");
    assert_string_equal(wire_get(&frame, "hardware"), source);
    assert_string_equal(wire_get(&frame, "steered"), "1");
    assert_string_equal(wire_get(&frame, "slow"), "0");
    wire_writer_free(&writer);
    clocks_free(&offers);
    close(ends[0]);
    close(ends[1]);
}
