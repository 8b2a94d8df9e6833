/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the operating system's own account shows of the runs of a cell, and which of them it shows
 * disturbed. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "study/error-loading.h"

int error_accounts_add(struct error_accounts *accounts, const struct account *account)
{
    struct error_account shown = {account->minor_faults + account->major_faults,
                                  account->voluntary + account->involuntary};
    accounts->runs++;
    if (!shown.faults && !shown.switches)
        return 0;
    if (accounts->count == accounts->room) {
        size_t room = accounts->room ? accounts->room * 2 : 16;
        struct error_account *larger = reallocarray(accounts->list, room, sizeof(*larger));
        if (!larger)
            return -ENOMEM;
        accounts->list = larger;
        accounts->room = room;
    }
    accounts->list[accounts->count++] = shown;
    return 0;
}

void error_accounts_free(struct error_accounts *accounts)
{
    free(accounts->list);
    *accounts = (struct error_accounts){0};
}

static uint64_t faults_of(const struct error_account *account)
{
    return account->faults;
}

static uint64_t switches_of(const struct error_account *account)
{
    return account->switches;
}

static int by_value(const void *left, const void *right)
{
    uint64_t first = *(const uint64_t *)left, second = *(const uint64_t *)right;
    return (first > second) - (first < second);
}

/* The smallest that at least half of the runs do not exceed. */
static int64_t median(const struct error_accounts *accounts, uint64_t *scratch,
                      uint64_t (*of)(const struct error_account *))
{
    size_t above = 0, rank = (accounts->runs + 1) / 2;
    for (size_t i = 0; i < accounts->count; i++)
        if (of(&accounts->list[i]))
            scratch[above++] = of(&accounts->list[i]);
    size_t zeroes = accounts->runs - above;
    if (rank <= zeroes)
        return 0;
    qsort(scratch, above, sizeof(*scratch), by_value);
    uint64_t value = scratch[rank - zeroes - 1];
    return value < (uint64_t)ERROR_FURTHEST ? (int64_t)value : ERROR_FURTHEST;
}

static void at_least(struct maybe *expected, int64_t usual)
{
    if (!expected->known || expected->value < usual)
        *expected = (struct maybe){true, usual};
}

int error_accounts_usual(const struct error_accounts *accounts, struct maybe *faults,
                         struct maybe *switches)
{
    AUTO_FREE uint64_t *scratch = calloc(accounts->count + 1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    at_least(faults, median(accounts, scratch, faults_of));
    at_least(switches, median(accounts, scratch, switches_of));
    return 0;
}

static bool beyond(uint64_t seen, struct maybe expected)
{
    return expected.known && (expected.value < 0 || seen > (uint64_t)expected.value);
}

size_t error_accounts_beyond(const struct error_accounts *accounts, struct maybe faults,
                             struct maybe switches)
{
    size_t disturbed = 0;
    bool always = beyond(0, faults) || beyond(0, switches);
    for (size_t i = 0; i < accounts->count; i++)
        disturbed += beyond(accounts->list[i].faults, faults) ||
                     beyond(accounts->list[i].switches, switches);
    return always ? accounts->runs : disturbed;
}
