/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What QEMU's plugin left of an execution: an account for each process and program, read strictly,
 * and all of them together. */
#pragma once

#include <stddef.h>

#include "base/failure.h"
#include "probe/command/executed.h"
#include "probe/sources/qemu-plugin/account.h"

struct qemu_account {
    struct account_header header;
    struct account_map *maps;
    struct account_record *records;
    struct executed_instruction *executed; /* one for each record */
};

/* All that an execution left in a folder. */
struct qemu_accounts {
    struct qemu_account *list;
    size_t count;
    size_t blank; /* accounts that were not begun: nothing was executed */
    uint64_t instructions, repetitions, calls, tasks, processes;
};
/* 0; or negative errno with the sentence: where one is missing or not whole, nothing is told of the
 * others. */
int qemu_accounts_read(struct qemu_accounts *accounts, const char *folder, const char *target,
                       struct failure *failure);
/* The detail `code`: what came out of one exec together. */
int qemu_accounts_tell(const struct qemu_accounts *accounts, const struct command_visit *visit);
void qemu_accounts_free(struct qemu_accounts *accounts);
