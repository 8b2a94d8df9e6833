/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Box plots: what a reader sees, to the character, and that no value however odd breaks them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "output/plot.h"
#include "output/table.h"

/* What is appended; valid until the next call. */
static const char *drawn(const struct box *boxes, size_t count, const char *unit, size_t width)
{
    static struct text text;
    struct style style = {.width = width};
    text_clear(&text);
    boxes_put(boxes, count, unit, &style, &text);
    assert_false(text.failed);
    return text_string(&text);
}

static void use_ascii(void)
{
    setenv("LC_ALL", "C", 1);
}

static const struct box three[] = {{"perf-read ar", 12, 20, 37, 50, 90, 37},
                                   {"perf-read ao", 12, 20, 25, 30, 90, NAN},
                                   {"papi-high rr", 70, 80, 80.5, 88, 99, NAN}};

TEST(boxes_stand_on_one_axis)
{
    use_ascii();
    assert_string_equal(
        drawn(three, 3, "instructions", 80),
        "instructions  0       20        40       60        80           min  median  max\n"
        "              +--------+---------+--------+---------+---------\n"
        "perf-read ar        |--=========*======------------------|       12      37   90\n"
        "perf-read ao        |--===#==----------------------------|       12      25   90\n"
        "papi-high rr                                   |----#====----|   70    80.5   99\n");
}

TEST(many_orders_of_magnitude_get_a_logarithm_that_is_said)
{
    use_ascii();
    const struct box boxes[] = {{"a", 1, 2000, 2400, 2600, 120000, NAN},
                                {"b", 30, 2000, 2400, 2600, 9e6, 40}};
    assert_string_equal(
        drawn(boxes, 2, "ticks", 72),
        "ticks        1   10   100     10,000     1e6      min  median        max\n"
        "log axis     +----+----+----+----+---+----+-----\n"
        "a            |---------------=#-------|             1   2,400    120,000\n"
        "b                   |*-------=#----------------|   30   2,400  9,000,000\n");
}

TEST(zero_has_a_place_among_orders_of_magnitude)
{
    use_ascii();
    const struct box boxes[] = {{"none", 0, 0, 0, 0, 0, NAN},
                                {"some", 0, 1, 1, 2, 1000, NAN},
                                {"less", -300, -3, 0, 2, 10, NAN}};
    assert_string_equal(
        drawn(boxes, 3, "calls", 80),
        "calls         -100   -10   -1     0     1    10       1,000   min  median    max\n"
        "log about 0  ---+-----+-----+-----+-----+-----+-----+-----+\n"
        "none                              #                             0       0      0\n"
        "some                              |-----#==---------------|     0       1  1,000\n"
        "less         |-----------=========#========---|              -300       0     10\n");
}

TEST(equal_values_are_a_point_between_two_ends)
{
    use_ascii();
    const struct box box = {"same", 37, 37, 37, 37, 37, NAN};
    assert_string_equal(
        drawn(&box, 1, "instructions", 80),
        "instructions     34           36           38           40      min  median  max\n"
        "              ----+------------+------------+------------+----\n"
        "same                                  #                          37      37   37\n");
    const struct box zero = {"zero", 0, 0, 0, 0, 0, NAN};
    assert_string_equal(drawn(&zero, 1, "calls", 60),
                        "calls        -1            0             1  min  median  max\n"
                        "             +-------------+-------------+\n"
                        "zero                       #                  0       0    0\n");
}

TEST(what_has_no_values_has_a_line_without_a_box)
{
    use_ascii();
    const struct box boxes[] = {{"odd", NAN, 1, 2, 3, 4, 2}, {"one", 5, 6, 7, 8, 9, INFINITY}};
    const char *text = drawn(boxes, 2, "calls", 80);
    const char *line = strstr(text, "odd");
    assert_non_null(line);
    assert_true(strspn(line + 3, " -") == strcspn(line + 3, "\n"));
    assert_null(strstr(text, "*"));
    assert_string_equal(drawn(boxes, 0, "calls", 80), "");
}

/* Every line of a drawing fits, whatever stands in it. */
static void expect_to_fit(const char *text, size_t width)
{
    while (*text) {
        char line[1024];
        size_t length = strcspn(text, "\n");
        assert_true(length < sizeof(line));
        memcpy(line, text, length);
        line[length] = '\0';
        assert_true(utf8_columns(line) <= width);
        assert_true(length == 0 || line[length - 1] != ' ');
        text += length + 1;
    }
}

TEST(odd_values_neither_break_a_line_nor_the_axis)
{
    static const struct box boxes[] = {
        {"huge", -1.7e308, -1e308, 0, 1e308, 1.7e308, NAN},
        {"largest", DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX, NAN},
        {"tiny", 5e-324, 5e-324, 1, 1e308, 1.7e308, NAN},
        {"both", -5e-324, 5e-324, 1, 1e308, 1.7e308, -1e308},
        {"below", -9000, -800, -70, -6, -5, NAN},
        {"unsorted", 9, 7, 5, 3, 1, NAN},
        {"\033[31ma label that is far too long for any place it could be put in", 1, 2, 3, 4, 5, 6},
        {"counts", 123456789, 223456789, 323456789.25, 423456789, 923456789, NAN},
    };
    static const char *const locales[] = {"C", "C.UTF-8"};
    size_t count = sizeof(boxes) / sizeof(*boxes);
    for (size_t locale = 0; locale < 2; locale++) {
        setenv("LC_ALL", locales[locale], 1);
        for (size_t width = 40; width <= 200; width++) {
            for (size_t i = 0; i < count; i++) {
                const char *text = drawn(&boxes[i], 1, "instructions", width);
                expect_to_fit(text, width);
                assert_null(strchr(text, '\033'));
            }
            expect_to_fit(drawn(boxes, count, "instructions", width), width);
        }
    }
    use_ascii();
}

TEST(ticks_stand_where_their_values_do)
{
    struct axis_extent extent = {0};
    struct axis axis;
    axis_extend(&extent, NAN);
    assert_false(extent.any);
    axis_extend(&extent, 3);
    axis_extend(&extent, 40000);
    axis_make(&axis, &extent, 60);
    assert_int_equal(axis.kind, AXIS_LOG);
    assert_int_equal(axis_column(&axis, 3), 0);
    assert_int_equal(axis_column(&axis, 40000), 59);
    assert_int_equal(axis_column(&axis, 1), 0);
    assert_int_equal(axis_column(&axis, 1e9), 59);
    assert_int_equal(axis.tick_count, 4);
    for (size_t i = 0; i < axis.tick_count; i++) {
        assert_true(fabs(axis.ticks[i].value / pow(10, 1.0 + (double)i) - 1) < 1e-9);
        assert_int_equal(axis.ticks[i].column, axis_column(&axis, axis.ticks[i].value));
    }
}
