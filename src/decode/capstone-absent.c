/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stands for the Capstone back end in a build without Capstone, and says so. */
#include <errno.h>

#include "decode/decode.h"

static int decode_absent(const struct code_bytes *code, struct instructions *instructions,
                         struct failure *failure)
{
    (void)code;
    (void)instructions;
    return fail_with(failure, -ENOTSUP,
                     "this assay was built without Capstone: install libcapstone-dev and build "
                     "again");
}

const struct decoder decoder_capstone = {.name = "capstone", .decode = decode_absent};
