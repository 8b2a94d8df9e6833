/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The code of a static program from its file, by address. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "probe/sources/lackey-trace.h"

static bool sound(const struct image *image)
{
    Elf64_Ehdr header;
    if (image->bytes < sizeof(header))
        return false;
    memcpy(&header, image->file, sizeof(header));
    return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_type == ET_EXEC && header.e_phentsize == sizeof(Elf64_Phdr) &&
           header.e_phoff <= image->bytes &&
           header.e_phnum <= (image->bytes - header.e_phoff) / sizeof(Elf64_Phdr);
}

int image_open(struct image *image, const char *path, struct failure *failure)
{
    struct stat facts;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &facts) < 0)
        return fail_with(failure, -errno, "%s: %s", path, strerror(errno));
    image->bytes = (size_t)facts.st_size;
    void *file = mmap(NULL, image->bytes ? image->bytes : 1, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file == MAP_FAILED)
        return fail_with(failure, -errno, "%s: %s", path, strerror(errno));
    image->file = file;
    if (sound(image))
        return 0;
    image_close(image);
    return fail_with(failure, -ENOEXEC, "%s is no static program at fixed addresses", path);
}

void image_close(struct image *image)
{
    if (image->file)
        munmap((void *)(uintptr_t)image->file, image->bytes ? image->bytes : 1);
    *image = (struct image){0};
}

const uint8_t *image_at(const struct image *image, uint64_t address, size_t *length)
{
    Elf64_Ehdr header;
    memcpy(&header, image->file, sizeof(header));
    for (unsigned index = 0; index < header.e_phnum; index++) {
        Elf64_Phdr segment;
        memcpy(&segment, image->file + header.e_phoff + index * sizeof(segment), sizeof(segment));
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
            address - segment.p_vaddr >= segment.p_filesz || segment.p_offset > image->bytes ||
            segment.p_filesz > image->bytes - segment.p_offset)
            continue;
        uint64_t inside = address - segment.p_vaddr;
        if (*length > segment.p_filesz - inside)
            *length = (size_t)(segment.p_filesz - inside);
        return image->file + segment.p_offset + inside;
    }
    return NULL;
}
