/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call of a specimen as it stands in every window. */
#include "specimens/call.h"

#include <stddef.h>

#include "specimens/specimen.h"
#include "window.h"

typedef void specimen_function(struct specimen_state *state);

/* Never called: here the call can be read. */
__attribute__((used, noinline)) static void call_to_read(struct specimen_state *state,
                                                         specimen_function *code)
{
    WINDOW_PIN_FIRST(struct specimen_state *, first) = state;
    WINDOW_PIN_SECOND(specimen_function *, second) = code;
    WINDOW_SLOT("\t.globl specimen_call_text, specimen_call_text_end\n"
                "\t.hidden specimen_call_text, specimen_call_text_end\n"
                "specimen_call_text:\n\t" WINDOW_CALL "\n"
                "specimen_call_text_end:",
                first, second);
}
