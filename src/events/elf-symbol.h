/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Where in an ELF file the code of a symbol lies: what a uprobe needs. */
#pragma once

#include <stdint.h>

#include "base/failure.h"
#include "events/suggest.h"

/* Finds symbol (or the number 0x…, which is an offset already checked against the file) in an open
 * regular file and gives its offset in the file. The file may be anything: whatever does not add up
 * is -EINVAL with a sentence, never a fault. -ENOENT: no such symbol; near then holds the nearest
 * ones. */
int elf_symbol_offset(int file, const char *symbol, uint64_t *offset, struct suggestions *near,
                      struct failure *failure);
