/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Templates of reasons: arguments, plurals, optional parts, signs themselves, and how clauses join.
 */
#include <math.h>

#include "base/memory.h"
#include "base/reason.h"
#include "case.h"

static const struct reason_words one = {"one", "{name} of {n} {n|run|runs}[ ({percent:2} %)]"};
static const struct reason_words interval = {"interval", "[[{low}, {high}]][ by {who}]"};

static void expect(const struct reasons *reasons, const char *wanted)
{
    assert_string_equal(reasons_text(reasons), wanted);
}

TEST(templates_are_filled)
{
    struct memory_scope scope;
    memory_scope_begin(&scope);
    struct reasons reasons = {0};
    expect(&reasons, "");
    REASON(&reasons, CLAUSE, &one, "perl", 1u, 12.345);
    expect(&reasons, "perl of 1 run (12 %)");
    REASON(&reasons, CLAUSE, &one, "gzip", 1200u, (double)NAN);
    expect(&reasons, "perl of 1 run (12 %); gzip of 1,200 runs");
    REASON(&reasons, LIST, &interval, -1, 2, "");
    expect(&reasons, "perl of 1 run (12 %); gzip of 1,200 runs, [-1, 2]");
    const struct reasons last = {&reasons.list[2], 1};
    struct reasons outer = {0};
    REASON(&outer, CLAUSE, &interval, 1, 2, &last);
    REASON(&outer, NONE, &interval, 3, 4, "qemu");
    REASON(&outer, SENTENCE, &one, "xz", 2, 0.5);
    expect(&outer, "[1, 2] by [-1, 2][3, 4] by qemu xz of 2 runs (0.5 %)");
    assert_ptr_equal(reasons_find(&outer, &one), &outer.list[2]);
    memory_scope_end(&scope);
}
