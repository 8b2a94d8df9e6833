/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the Capstone back end needs of an ISA: from Capstone's identifiers and operands to what an
 * instruction is. address, length and text are filled already, and known is true. */
#pragma once

#include <capstone/capstone.h>

#include "decode/instruction.h"

typedef void capstone_describe(const cs_insn *decoded, struct instruction *instruction);

capstone_describe capstone_describe_x86, capstone_describe_aarch64;
