/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What Valgrind can count, and from which tool it comes. */
#include <string.h>

#include "probe/sources/valgrind.h"

#define NONE (-1)
#define ONE(column)                                                                                \
    {                                                                                              \
        column, NONE, NONE                                                                         \
    }
#define TWO(first, second)                                                                         \
    {                                                                                              \
        first, second, NONE                                                                        \
    }

const struct valgrind_class valgrind_classes[] = {
    {"instructions", TOOL_BBV, ONE(VALGRIND_INSTRUCTIONS), NONE, false, false, false},
    {"instructions-raw", TOOL_BBV, ONE(VALGRIND_INSTRUCTIONS_RAW), NONE, false, false, false},
    {"loads", TOOL_LACKEY, ONE(VALGRIND_LOADS), NONE, true, false, false},
    {"stores", TOOL_LACKEY, ONE(VALGRIND_STORES), NONE, true, false, false},
    {"cond-branches", TOOL_CACHE, ONE(VALGRIND_CONDITIONAL), NONE, true, true, false},
    {"cond-branches-taken", TOOL_LACKEY, ONE(VALGRIND_TAKEN), NONE, true, true, false},
    {"cond-branches-not-taken", TOOL_LACKEY, ONE(VALGRIND_CONDITIONAL), VALGRIND_TAKEN, true, true,
     false},
    {"indirect-branches", TOOL_CACHE, ONE(VALGRIND_INDIRECT), NONE, false, false, false},
    {"branch-misses", TOOL_CACHE, ONE(VALGRIND_MISPREDICTED), NONE, false, false, false},
    {"l1d-misses", TOOL_CACHE, TWO(VALGRIND_D1_LOAD_MISSES, VALGRIND_D1_STORE_MISSES), NONE, false,
     false, true},
    {"l1d-load-misses", TOOL_CACHE, ONE(VALGRIND_D1_LOAD_MISSES), NONE, false, false, true},
    {"l1i-load-misses", TOOL_CACHE, ONE(VALGRIND_I1_MISSES), NONE, false, false, true},
    {"llc-load-misses", TOOL_CACHE, ONE(VALGRIND_LL_LOAD_MISSES), NONE, false, false, true},
    {"l2-misses",
     TOOL_CACHE_L2,
     {VALGRIND_LL_LOAD_MISSES, VALGRIND_LL_STORE_MISSES, VALGRIND_LL_CODE_MISSES},
     NONE,
     false,
     false,
     true},
    {"dtlb-misses", TOOL_TLB, TWO(VALGRIND_D1_LOAD_MISSES, VALGRIND_D1_STORE_MISSES), NONE, false,
     false, true},
    {"dtlb-load-misses", TOOL_TLB, ONE(VALGRIND_D1_LOAD_MISSES), NONE, false, false, true},
    {"itlb-load-misses", TOOL_TLB, ONE(VALGRIND_I1_MISSES), NONE, false, false, true},
    {NULL, TOOL_COUNT, {NONE, NONE, NONE}, NONE, false, false, false},
};

const struct valgrind_class *valgrind_class_find(const char *name)
{
    for (const struct valgrind_class *class = valgrind_classes; class->name; class ++)
        if (strcmp(class->name, name) == 0)
            return class;
    return NULL;
}

uint64_t valgrind_class_count(const struct valgrind_class *class,
                              const uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    uint64_t count = 0;
    for (int index = 0; index < 3 && class->add[index] >= 0; index++)
        count += counts[class->add[index]];
    return class->subtract >= 0 ? count - counts[class->subtract] : count;
}
