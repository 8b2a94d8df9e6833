/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the file that a counting process left (probe/command/detail.h) and sends it on, each frame
 * with the visit that it is of. */
#include "probe/driver/details.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/command/detail.h"
#include "probe/driver/child.h"

int details_open(const struct cell *cell, struct failure *failure)
{
    if (!cell->command.words || cell->command.detail == DETAIL_NONE)
        return -1;
    const int fd = descriptor_lift(memfd_create("assay-detail", MFD_CLOEXEC));
    return fd < 0 ? fail_with(failure, -errno, "no memory for details: %s", strerror(errno)) : fd;
}

static int pass_on(struct wire_writer *writer, struct planned_visit visit,
                   const struct wire_frame *frame)
{
    wire_begin(writer, frame->type);
    wire_put_u64(writer, "cell", visit.cell);
    wire_put_u64(writer, "process", visit.process);
    for (size_t index = 0; index < frame->field_count; index++) {
        const struct wire_field *field = &frame->fields[index];
        wire_put_bytes(writer, field->key, field->value, field->length);
    }
    return wire_end(writer);
}

int details_send(struct wire_writer *writer, struct planned_visit visit, int file, bool *damaged,
                 struct failure *failure)
{
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    struct wire_frame frame;
    const int copy = dup(file);
    AUTO_FILE FILE *stream = copy < 0 ? NULL : fdopen(copy, "r");
    int more = stream && fseek(stream, 0, SEEK_SET) == 0 ? 1 : -1;
    if (more < 0)
        return *damaged = true, fail_with(failure, -EIO, "details cannot be read");
    while ((more = detail_next(stream, &line, &size, &frame, failure)) > 0) {
        const int result = pass_on(writer, visit, &frame);
        if (result < 0)
            return result;
    }
    *damaged = more < 0;
    return more;
}
