/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Goes through the program's own segments, page by page. */
#include "probe/tour/own-pages.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#define STACK_TOUCHED 32768

struct range {
    uintptr_t start, end;
};

static void touch(struct range range, struct range sealed, int writable)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (uintptr_t address = range.start & ~(page - 1); address < range.end; address += page) {
        volatile char *byte = (volatile char *)address; /* NOLINT(performance-no-int-to-ptr) */
        char value = *byte;
        if (writable && !(address >= (sealed.start & ~(page - 1)) && address < sealed.end))
            *byte = value;
    }
}

static struct range range_of(const struct dl_phdr_info *program, const ElfW(Phdr) * header)
{
    uintptr_t start = (uintptr_t)(program->dlpi_addr + header->p_vaddr);
    return (struct range){start, start + header->p_memsz};
}

/* The first object is the program itself. What the loader sealed after relocation cannot be
 * written. */
static int touch_program(struct dl_phdr_info *program, size_t size, void *context)
{
    (void)size, (void)context;
    struct range sealed = {0, 0};
    for (size_t index = 0; index < program->dlpi_phnum; index++)
        if (program->dlpi_phdr[index].p_type == PT_GNU_RELRO)
            sealed = range_of(program, &program->dlpi_phdr[index]);
    for (size_t index = 0; index < program->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &program->dlpi_phdr[index];
        if (header->p_type == PT_LOAD && header->p_flags & PF_R)
            touch(range_of(program, header), sealed, (header->p_flags & PF_W) != 0);
    }
    return 1;
}

static void touch_stack(void)
{
    volatile char reserve[STACK_TOUCHED];
    for (size_t offset = 0; offset < sizeof(reserve); offset += 1024)
        reserve[offset] = 0;
}

void own_pages_touch(void)
{
    touch_stack();
    dl_iterate_phdr(touch_program, NULL);
}
