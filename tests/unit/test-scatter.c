/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plots of points: what a reader sees, to the character, and that no point however odd breaks them.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "output/plot.h"
#include "output/table.h"

static const char *const names[] = {"tsc", "thread-cputime"};

/* What is appended; valid until the next call. */
static const char *drawn(const struct scatter *scatter, size_t width)
{
    static struct text text;
    struct style style = {.width = width};
    text_clear(&text);
    scatter_put(scatter, &style, &text);
    assert_false(text.failed);
    return text_string(&text);
}

static void use_ascii(void)
{
    setenv("LC_ALL", "C", 1);
}

/* Sleeps of 20 … 160 ms: the first clock goes on, the second stands still. */
static struct scatter sleeps(struct scatter_point points[16])
{
    for (size_t i = 0; i < 8; i++) {
        double asked = 20 + 20 * (double)i;
        points[2 * i] = (struct scatter_point){asked, asked, 0};
        points[2 * i + 1] = (struct scatter_point){asked, 0.05, 1};
    }
    return (struct scatter){.series = names,
                            .series_count = 2,
                            .points = points,
                            .count = 16,
                            .line = "as asked",
                            .slope = 1,
                            .rows = 7};
}

TEST(points_stand_above_what_was_asked_for)
{
    struct scatter_point points[16];
    use_ascii();
    struct scatter scatter = sleeps(points);
    assert_string_equal(drawn(&scatter, 50), "    |                                         ...o\n"
                                             "    |                                  ....o..\n"
                                             "100 +                          ..o....o\n"
                                             "    |                   ...o...\n"
                                             "    |           o....o..\n"
                                             "    |    ..o....\n"
                                             "  0 +....  x    x    x     x     x    x    x     x\n"
                                             "    ++-------------+-------------+------------+---\n"
                                             "     0            50            100          150\n"
                                             "o tsc  x thread-cputime  . as asked\n");
}

/* Of two clocks that agree neither hides the other. */
TEST(several_series_in_one_place_have_a_sign_of_their_own)
{
    const struct scatter_point points[] = {{0, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 2, 1}};
    use_ascii();
    struct scatter scatter = {
        .series = names, .series_count = 2, .points = points, .count = 4, .rows = 3};
    assert_string_equal(drawn(&scatter, 24), "2 +                    x\n"
                                             "1 +          #\n"
                                             "0 +o\n"
                                             "  ++---------+---------+\n"
                                             "   0         1         2\n"
                                             "o tsc  x thread-cputime\n"
                                             "# several of them\n");
}

/* A clock that jumped by hours must not press all others into one row. */
TEST(what_is_far_beyond_stands_at_the_edge)
{
    const struct scatter_point points[] = {{10, 10, 0}, {20, 7e9, 1}, {30, -7e9, 1}};
    use_ascii();
    struct scatter scatter = {.series = names,
                              .series_count = 2,
                              .points = points,
                              .count = 3,
                              .line = "as asked",
                              .slope = 1,
                              .beyond = 1.5,
                              .rows = 7};
    assert_string_equal(drawn(&scatter, 40), "   |                       ^\n"
                                             "40 +\n"
                                             "   |                               .....\n"
                                             "20 +                      .........\n"
                                             "   |              ........\n"
                                             "   |     .......o.\n"
                                             " 0 +.....                              v\n"
                                             "   ++-----------+----------+-----------+\n"
                                             "    0          10         20          30\n"
                                             "o tsc  x thread-cputime  ^ farther up\n"
                                             "v farther down  . as asked\n");
}

TEST(what_has_no_place_is_left_out)
{
    const struct scatter_point nowhere[] = {{NAN, 1, 0}, {1, INFINITY, 0}, {1, 1, 7}};
    struct scatter scatter = {
        .series = names, .series_count = 2, .points = nowhere, .count = 3, .rows = 5};
    assert_string_equal(drawn(&scatter, 80), "");
    scatter.count = 0;
    assert_string_equal(drawn(&scatter, 80), "");
}

TEST(every_width_is_kept_whatever_the_values)
{
    static const double odd[] = {0, 1, -1, 1e-300, 1e300, -1e300, DBL_MAX, -DBL_MAX, DBL_MIN, 160};
    const size_t count = sizeof(odd) / sizeof(*odd);
    use_ascii();
    for (size_t width = 24; width < 130; width += 7)
        for (size_t i = 0; i < count * count; i++) {
            const struct scatter_point points[] = {{odd[i / count], odd[i % count], 0},
                                                   {odd[i % count], 5, 1}};
            struct scatter scatter = {.series = names,
                                      .series_count = 2,
                                      .points = points,
                                      .count = 2,
                                      .line = i % 2 ? "line" : NULL,
                                      .slope = 2,
                                      .beyond = i % 3 ? 2 : 0,
                                      .rows = 1 + i % 5};
            for (const char *line = drawn(&scatter, width); *line;) {
                size_t length = strcspn(line, "\n");
                assert_true(length <= width);
                assert_true(!length || line[length - 1] != ' ');
                line += length + 1;
            }
        }
}

TEST(a_hostile_name_moves_no_cursor)
{
    static const char *const hostile[] = {"\033[2Jtsc\n\x80"};
    const struct scatter_point points[] = {{1, 1, 0}, {2, 2, 0}};
    struct scatter scatter = {
        .series = hostile, .series_count = 1, .points = points, .count = 2, .rows = 3};
    const char *text = drawn(&scatter, 60);
    assert_null(strchr(text, '\033'));
    assert_null(strstr(text, "\x80"));
    assert_non_null(strstr(text, "[2Jtsc"));
}
