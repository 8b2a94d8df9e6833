/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The sentence of a thread's last failed call: the one piece of state outside the sets, per thread
 * like errno, because a call that fails has no set to keep it in. A file of its own, so that who
 * links passports (the tool) does not link counters along. */
#include <stdio.h>

#include "lib/calipers.h"

static _Thread_local struct failure last;

struct failure *set_failure(void)
{
    return &last;
}

int set_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    last.code = code;
    vsnprintf(last.text, sizeof(last.text), format, arguments);
    va_end(arguments);
    return code;
}

const char *assay_last_error(void)
{
    return last.text;
}
