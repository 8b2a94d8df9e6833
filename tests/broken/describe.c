/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Says what broken copies execute beyond their truths: one line a class, CLASS COUNT, and one line
 * `specimen NAME` for each that is broken so. Static, for machines of its ISA. */
#include <stdio.h>

#include "defect.h"
#include "specimens/specimen.h"

static const struct {
    const char *class;
    int added;
} defects[] = {
    {"instructions", DEFECT_INSTRUCTIONS},
    {"loads", DEFECT_LOADS},
    {"stores", DEFECT_STORES},
    {"branches", DEFECT_BRANCHES},
    {"cond-branches", DEFECT_TAKEN + DEFECT_NOT_TAKEN},
    {"cond-branches-taken", DEFECT_TAKEN},
    {"cond-branches-not-taken", DEFECT_NOT_TAKEN},
    {"jumps", DEFECT_JUMPS},
    {"calls", DEFECT_CALLS},
    {"returns", DEFECT_CALLS},
    {"indirect-branches", DEFECT_INDIRECT},
};

int main(void)
{
    for (size_t index = 0; index < sizeof(defects) / sizeof(*defects); index++)
        printf("%s %d\n", defects[index].class, defects[index].added);
    for (size_t index = 0; specimen_registry[index]; index++)
        if (specimen_registry[index]->form == SPECIMEN_CALLED && specimen_registry[index]->trips)
            printf("specimen %s\n", specimen_registry[index]->name);
    return fflush(stdout) ? 1 : 0;
}
