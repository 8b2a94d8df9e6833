/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the file of a uprobe: a symbol's offset inside the file, or a refusal. */
#include "fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "events/form.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO_CLOSE int file = memfd_create("elf", MFD_CLOEXEC);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        return 0;
    uint64_t offset = 0;
    struct failure failure = {0};
    struct suggestions near = {.wanted = "work"};
    int error = elf_symbol_offset(file, "work", &offset, &near, &failure);
    if (error == 0 ? offset >= size : !failure.text[0])
        abort();
    return 0;
}
