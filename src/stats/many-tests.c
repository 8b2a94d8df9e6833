/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Holm's procedure on the family that Tarone leaves. */
#include "stats/many-tests.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"

static int by_least(const void *a, const void *b)
{
    double left = (*(struct one_test *const *)a)->least_p,
           right = (*(struct one_test *const *)b)->least_p;
    return (left > right) - (left < right);
}

static int by_p(const void *a, const void *b)
{
    double left = (*(struct one_test *const *)a)->p, right = (*(struct one_test *const *)b)->p;
    return (left > right) - (left < right);
}

/* The least k such that no more than k tests could have a p of level / k; of `order`, by their
 * least p, those come first. */
static size_t family_of(struct one_test *const *order, size_t count, double level)
{
    for (size_t k = 1; k < count; k++)
        if (order[k]->least_p > level / (double)k)
            return k;
    return count;
}

int adjust_tests(struct one_test *tests, size_t count, double level, size_t *family)
{
    *family = 0;
    if (!count)
        return 0;
    AUTO_FREE struct one_test **order = calloc(count, sizeof(*order));
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        tests[i].p = isnan(tests[i].p) ? 1 : tests[i].p;
        tests[i].least_p = isnan(tests[i].least_p) ? 1 : tests[i].least_p;
        tests[i].adjusted = 1;
        order[i] = &tests[i];
    }
    qsort(order, count, sizeof(*order), by_least);
    const double share = level / (double)family_of(order, count, level);
    while (*family < count && order[*family]->least_p <= share)
        ++*family;
    /* The family was chosen without a look at p, so that all of Holm's steps may be taken in it. */
    qsort(order, *family, sizeof(*order), by_p);
    double most = 0;
    for (size_t i = 0; i < *family; i++) {
        most = fmax(most, fmin(order[i]->p * (double)(*family - i), 1));
        order[i]->adjusted = most;
    }
    return 0;
}
