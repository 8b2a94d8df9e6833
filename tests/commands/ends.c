/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ends in the way it is told: exit STATUS, signal NUMBER, crash. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "exit") == 0)
        return atoi(words[2]);
    if (count == 3 && strcmp(words[1], "signal") == 0)
        raise(atoi(words[2]));
    if (count == 2 && strcmp(words[1], "crash") == 0)
        *(volatile char *)words[2] = 1; /* there is no such word */
    return 99;
}
