/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes and reads files of details, between a counting process and the driver. */
#include "probe/command/detail.h"

#include <errno.h>
#include <string.h>

int detail_finish(struct wire_writer *writer)
{
    int result = wire_flush(writer);
    wire_writer_free(writer);
    return result;
}

int detail_next(FILE *file, char **line, size_t *size, struct wire_frame *frame,
                struct failure *failure)
{
    errno = 0;
    ssize_t length = getline(line, size, file);
    if (length < 0 && feof(file))
        return 0;
    if (length < 0)
        return fail_with(failure, errno ? -errno : -EIO, "details cannot be read: %s",
                         strerror(errno ? errno : EIO));
    if ((*line)[length - 1] != '\n')
        return fail_with(failure, -EBADMSG, "the file of details ends within a line");
    (*line)[--length] = '\0';
    int result = wire_parse(*line, (size_t)length, frame, failure);
    if (result < 0)
        return fail_with(failure, -EBADMSG, "a line among details is damaged");
    if (strcmp(frame->type, DETAIL_RAN) != 0 && strcmp(frame->type, DETAIL_CALL) != 0)
        return fail_with(failure, -EBADMSG, "a frame of type %s is no detail", frame->type);
    return 1;
}
