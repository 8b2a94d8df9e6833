/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Becomes the program of its other words. */
#include <unistd.h>

int main(int count, char **words)
{
    if (count > 1)
        execvp(words[1], words + 1);
    return 99;
}
