/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plugin's side of an account: its file in memory, and the records in it found by address. The
 * memory never moves, because QEMU keeps pointers into it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "probe/sources/qemu-plugin/account.h"

struct ledger {
    struct account_header *header; /* all three are in the mapped file */
    struct account_map *maps;
    struct account_record *records;
    uint64_t *seen;  /* by number of a record: what `last` was when it came to its end; private */
    char *prefix;    /* path of accounts without the id of a process */
    uint32_t *slots; /* open addressing: number of a record + 1; 0: free. Of this process alone */
    size_t capacity; /* a power of two */
};

/* Makes the account of this process. false: errno says why not. */
bool ledger_open(struct ledger *ledger, const char *folder, const char *target);

/* In the child of a fork: from now on it has an account of its own, in the same place and with the
 * same instructions, of which it has executed none. false: it has none, which will be seen. */
bool ledger_fork(struct ledger *ledger);

/* The record of an instruction, where there is none a fresh one. NULL: there is no room, which the
 * account says. */
struct account_record *ledger_record(struct ledger *ledger, uint64_t address, const uint8_t *bytes,
                                     size_t length);

/* Notes the file behind this address, unless it has. */
void ledger_map(struct ledger *ledger, uint64_t address);
