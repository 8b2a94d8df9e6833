/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads from a pipe what a child of it writes in N pieces: how many come at once depends on who is
 * faster, and so does how often it has to ask again. */
#include "probe/subjects/bare-c.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_START;

#define PIECE    1000
#define SIGCHILD 17

static void write_pieces(int descriptor, uint64_t pieces)
{
    char piece[PIECE];
    for (unsigned index = 0; index < PIECE; index++)
        piece[index] = (char)('a' + index % 26);
    for (; pieces; pieces--)
        for (long written = 0; written < PIECE;) {
            const long more = assay_syscall3(SYS_write, descriptor, (long)piece, PIECE - written);
            if (more <= 0)
                bare_exit(1);
            written += more;
        }
    bare_exit(0);
}

/* Adds all bytes up, so that each read costs what it brought. */
static void read_all(int descriptor)
{
    static char buffer[4096];
    uint64_t sum = 0;
    long got;
    while ((got = assay_syscall3(SYS_read, descriptor, (long)buffer, sizeof(buffer))) > 0)
        for (long index = 0; index < got; index++)
            sum += (unsigned char)buffer[index];
    BARE_KEEP(sum);
    if (got < 0)
        bare_exit(1);
}

void subject_main(const uintptr_t *stack)
{
    const uint64_t n = bare_number(stack);
    int ends[2] = {-1, -1};
    if (assay_syscall2(SYS_pipe2, (long)ends, 0) < 0)
        bare_exit(1);
    const long child = assay_syscall5(SYS_clone, SIGCHILD, 0, 0, 0, 0);
    if (child < 0)
        bare_exit(1);
    if (child == 0) {
        assay_syscall1(SYS_close, ends[0]);
        write_pieces(ends[1], n);
    }
    assay_syscall1(SYS_close, ends[1]);
    read_all(ends[0]);
    assay_syscall4(SYS_wait4, child, 0, 0, 0);
    bare_exit(0);
}
#else
const struct subject subject_partial = {
    .name = "partial",
    .summary = "reads what a child writes into a pipe in N pieces, as they come",
    .shows = "",
    .n = 20,
    .bits = 64,
};
#endif
