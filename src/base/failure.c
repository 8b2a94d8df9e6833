/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Writes the sentence a failing function leaves behind. */
#include "base/failure.h"

#include <stdio.h>

int(fail_with)(struct failure *failure, int code, const char *format, ...)
{
    if (!failure)
        return code;
    failure->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof(failure->text), format, arguments);
    va_end(arguments);
    return code;
}
