/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Closes its outputs, goes on for a while, and ends with 5. */
#include <unistd.h>

int main(void)
{
    if (write(STDOUT_FILENO, "last\n", 5) != 5)
        return 99;
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    usleep(50000);
    return 5;
}
