/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The defect of broken copies. Every specimen in assembly is built a second time with this included
 * first, with the same name and the same truths: its code then executes one more of everything, a
 * load, a store, a conditional branch taken and one not, a jump, a call with its return, an
 * indirect jump; once and not in every iteration. Who proves a truth must see exactly that. */
#pragma once

#include "code.h"

#define SPECIMEN_DEFECT                                                                            \
    CODE_COUNT CODE_COUNT_BACK /* load and store */                                                \
        CODE_CONDITION CODE_BRANCH_IF("2f") CODE_NOP "2:\n" CODE_BRANCH_IF_NOT("2b")               \
            CODE_JUMP("3f") CODE_NOP "3:\n" CODE_KEEP_RETURN CODE_CALL("4f")                       \
                CODE_TAKE_RETURN CODE_JUMP("5f") "4:\n" CODE_RETURN "5:\n" CODE_JUMP_INDIRECT

/* What it adds to a count. */
#define DEFECT_INSTRUCTIONS (9 + CODE_KEEP_INSTRUCTIONS + CODE_JUMP_INDIRECT_INSTRUCTIONS)
#define DEFECT_LOADS        (1 + CODE_RETURN_LOADS)
#define DEFECT_STORES       (1 + CODE_CALL_STORES)
#define DEFECT_TAKEN        1
#define DEFECT_NOT_TAKEN    1
#define DEFECT_JUMPS        2 /* one of them around the function that is called */
#define DEFECT_CALLS        1 /* and as many returns */
#define DEFECT_INDIRECT     1
#define DEFECT_BRANCHES                                                                            \
    (DEFECT_TAKEN + DEFECT_NOT_TAKEN + DEFECT_JUMPS + 2 * DEFECT_CALLS + DEFECT_INDIRECT)
