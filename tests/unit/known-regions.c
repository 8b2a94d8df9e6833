/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The regions of known-regions.h under this file's own flags. What stands in them is nops and
 * nothing that a compiler has made: counts of loops are kept by nops as well. */
#include "known-regions.h"

#include "assay.h"

/* Behind a region, so that no function ends with it: a compiler turns a last call into a jump and
 * clears up before it, inside the region. */
#define BEHIND  __asm__ volatile("")
#define NOPS(n) __asm__ volatile(".rept " #n "\n\tnop\n\t.endr")
#define REGION(n)                                                                                  \
    do {                                                                                           \
        assay_begin();                                                                             \
        NOPS(n);                                                                                   \
        assay_end();                                                                               \
        BEHIND;                                                                                    \
    } while (0)

static void alone(unsigned n)
{
    switch (n) {
    case 0:
        REGION(0);
        break;
    case 1:
        REGION(1);
        break;
    case 2:
        REGION(2);
        break;
    case 10:
        REGION(10);
        break;
    case 100:
        REGION(100);
        break;
    case 1000:
        REGION(1000);
        break;
    default:
        REGION(10000);
        break;
    }
}

/* Straight code: a loop's own instructions would be the compiler's. */
#define AROUND(n, name, child, end)                                                                \
    static void name##_##n##_1(void)                                                               \
    {                                                                                              \
        assay_begin();                                                                             \
        NOPS(n);                                                                                   \
        assay_begin();                                                                             \
        NOPS(n);                                                                                   \
        REGION(n);                                                                                 \
        end;                                                                                       \
        NOPS(n);                                                                                   \
        assay_end();                                                                               \
        BEHIND;                                                                                    \
    }                                                                                              \
    static void name##_##n##_3(void)                                                               \
    {                                                                                              \
        assay_begin();                                                                             \
        NOPS(n);                                                                                   \
        child(n);                                                                                  \
        child(n);                                                                                  \
        assay_begin();                                                                             \
        NOPS(n);                                                                                   \
        REGION(n);                                                                                 \
        end;                                                                                       \
        NOPS(n);                                                                                   \
        assay_end();                                                                               \
        BEHIND;                                                                                    \
    }

/* One a place, as programs have them: the address of one for all would be computed once, by an
 * instruction of its own that stands in the region around. */
#define END_NAMED                                                                                  \
    do {                                                                                           \
        static struct assay_region known = ASSAY_REGION("known");                                  \
        assay_end_in(&known);                                                                      \
    } while (0)
#define NAMED(n)                                                                                   \
    do {                                                                                           \
        assay_begin();                                                                             \
        NOPS(n);                                                                                   \
        END_NAMED;                                                                                 \
    } while (0)

AROUND(0, plain, REGION, assay_end())
AROUND(1, plain, REGION, assay_end())
AROUND(10, plain, REGION, assay_end())
AROUND(100, plain, REGION, assay_end())
AROUND(0, named, NAMED, END_NAMED)
AROUND(1, named, NAMED, END_NAMED)
AROUND(10, named, NAMED, END_NAMED)
AROUND(100, named, NAMED, END_NAMED)

#define PICK(name)                                                                                 \
    (n == 0    ? (children == 1 ? name##_0_1 : name##_0_3)                                         \
     : n == 1  ? (children == 1 ? name##_1_1 : name##_1_3)                                         \
     : n == 10 ? (children == 1 ? name##_10_1 : name##_10_3)                                       \
               : (children == 1 ? name##_100_1 : name##_100_3))

static void around(unsigned n, unsigned children)
{
    PICK(plain)();
}

static void around_named(unsigned n, unsigned children)
{
    PICK(named)();
}

static int calibrate(void)
{
    return assay_calibrate();
}

#define TEXT(word)  #word
#define NAMED_AS(w) TEXT(w)
const struct known_regions KNOWN_REGIONS = {NAMED_AS(KNOWN_REGIONS), calibrate, alone, around,
                                            around_named};
