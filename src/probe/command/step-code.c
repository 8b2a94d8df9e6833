/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Remembers instructions by address, and knows when what it remembers must be read again. Bytes
 * are read by the page, and again only when they may have changed, because reading them at every
 * step would cost as much as the step. */
#include "probe/command/step.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "base/cleanup.h"
#include "stepped-code.h"

#define FIRST_SLOTS 4096u
#define BLOCK       512u
#define PAGES       64u
#define PAGE_BYTES  4096u
#define MOST        (32u << 20) /* instructions of one address space: 2.5 GB of them */

struct instruction_block {
    struct instruction_block *next;
    size_t used;
    struct instruction list[BLOCK];
};

struct code_page {
    uint64_t address;    /* 0: none */
    uint32_t generation; /* in which it was read */
    uint8_t bytes[PAGE_BYTES];
};

struct code *code_new(void)
{
    struct code *code = calloc(1, sizeof(*code));
    if (!code)
        return NULL;
    code->slots = calloc(FIRST_SLOTS, sizeof(struct instruction *));
    if (!code->slots) {
        free(code);
        return NULL;
    }
    code->slot_count = FIRST_SLOTS;
    code->users = 1;
    code->stale = true;
    return code;
}

void code_free(struct code *code)
{
    if (!code)
        return;
    for (struct instruction_block *block = code->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    code_maps_free(&code->maps);
    free(code->pages);
    free(code->slots);
    free(code);
}

/* --- by address --- */

/* The slot of the address, or the empty one where it belongs. */
static struct instruction **slot_of(struct instruction **slots, size_t count, uint64_t address)
{
    size_t place = (size_t)((address * 0x9e3779b97f4a7c15u) >> 20) & (count - 1);
    while (slots[place] && slots[place]->address != address)
        place = (place + 1) & (count - 1);
    return &slots[place];
}

static int make_room(struct code *code)
{
    if (code->count * 2 < code->slot_count)
        return 0;
    struct instruction **slots = calloc(code->slot_count * 2, sizeof(struct instruction *));
    if (!slots)
        return -ENOMEM;
    for (size_t index = 0; index < code->slot_count; index++)
        if (code->slots[index])
            *slot_of(slots, code->slot_count * 2, code->slots[index]->address) = code->slots[index];
    free(code->slots);
    code->slots = slots;
    code->slot_count *= 2;
    return 0;
}

static struct instruction *add(struct code *code, uint64_t address)
{
    if (code->count >= MOST || make_room(code) < 0)
        return NULL;
    if (!code->blocks || code->blocks->used == BLOCK) {
        struct instruction_block *block = calloc(1, sizeof(*block));
        if (!block)
            return NULL;
        block->next = code->blocks;
        code->blocks = block;
    }
    struct instruction *instruction = &code->blocks->list[code->blocks->used++];
    instruction->address = address;
    code->count++;
    return instruction;
}

/* --- bytes --- */

static size_t read_memory(pid_t task, uint64_t address, void *to, size_t length)
{
    struct iovec here = {to, length}, there = {(void *)(uintptr_t)address, length};
    ssize_t got = process_vm_readv(task, &here, 1, &there, 1, 0);
    return got < 0 ? 0 : (size_t)got;
}

/* As much of the instruction as there is: the rest of a page may be the last one. */
static void read_bytes(pid_t task, uint64_t address, uint8_t bytes[16])
{
    memset(bytes, 0, 16);
    if (!read_memory(task, address, bytes, 16)) {
        /* Memory that may be executed and not read is shown to tracers by single words. */
        for (size_t at = 0; at < 16; at += sizeof(long)) {
            errno = 0;
            long word = ptrace(PTRACE_PEEKTEXT, task, (void *)(uintptr_t)(address + at), NULL);
            if (errno)
                return;
            memcpy(bytes + at, &word, sizeof(word));
        }
    }
}

/* The same from a page that was read as a whole, where nothing writes to it. */
static void read_settled(struct code *code, pid_t task, uint64_t address, uint8_t bytes[16])
{
    uint64_t within = address % PAGE_BYTES, start = address - within;
    if (!code->pages)
        code->pages = calloc(PAGES, sizeof(*code->pages));
    if (!code->pages || within + 16 > PAGE_BYTES) {
        read_bytes(task, address, bytes);
        return;
    }
    struct code_page *page = &code->pages[start / PAGE_BYTES % PAGES];
    if (page->address != start || page->generation != code->generation) {
        page->address = 0;
        if (read_memory(task, start, page->bytes, PAGE_BYTES) != PAGE_BYTES) {
            read_bytes(task, address, bytes);
            return;
        }
        page->address = start;
        page->generation = code->generation;
    }
    memcpy(bytes, page->bytes + within, 16);
}

static bool holds(const struct instruction *instruction, const uint8_t bytes[16])
{
    size_t length = instruction->length ? instruction->length : 16;
    return memcmp(instruction->bytes, bytes, length) == 0;
}

/* What was there before with these bytes, at this address; NULL: nothing. */
static struct instruction *find_version(struct instruction *instruction, const uint8_t bytes[16])
{
    while (instruction && !holds(instruction, bytes))
        instruction = instruction->older;
    return instruction;
}

/* --- mappings --- */

void code_mapped(struct code *code, uint64_t address, uint64_t length, bool executable)
{
    if (executable || code_maps_touch(&code->maps, address, length))
        code->stale = true;
}

static int refresh(const struct command_visit *visit, struct code *code, pid_t task)
{
    struct code_maps now;
    int result = code_maps_read(&now, task);
    if (result < 0)
        return result;
    if (code->count && code_maps_replaced(&code->maps, &now))
        result = code_write(visit, code);
    code_maps_free(&code->maps);
    code->maps = now;
    code->generation++;
    code->stale = false;
    return result;
}

int code_at(const struct command_visit *visit, struct code *code, pid_t task, uint64_t address,
            struct instruction **instruction)
{
    *instruction = *slot_of(code->slots, code->slot_count, address);
    if (*instruction && (*instruction)->checked == code->generation && !(*instruction)->changing &&
        !code->stale)
        return 0;
    int result = 0;
    if (code->stale || !code_maps_find(&code->maps, address))
        result = refresh(visit, code, task);
    /* Reads the bytes at the address, and finds or makes what they are. */
    if (result < 0)
        return result;
    uint8_t bytes[16];
    const struct code_map *map = code_maps_find(&code->maps, address);
    bool changing = !map || map->changing;
    decode_registers registers;
    result = code->width_known ? 0 : stepped_registers(task, &registers);
    if (result < 0)
        return result;
    if (!code->width_known)
        code->narrow = stepped_is_narrow(&registers);
    code->width_known = true;
    if (changing)
        read_bytes(task, address, bytes);
    else
        read_settled(code, task, address, bytes);
    struct instruction **slot = slot_of(code->slots, code->slot_count, address);
    struct instruction *version = find_version(*slot, bytes);
    if (!version) {
        version = add(code, address);
        if (!version)
            return -ENOMEM;
        slot = slot_of(code->slots, code->slot_count, address); /* they may have moved */
        memcpy(version->bytes, bytes, sizeof(version->bytes));
        version->narrow = code->narrow;
        version->kind = (uint8_t)stepped_kind(bytes, code->narrow);
        version->length = (uint8_t)stepped_transfer(bytes, code->narrow);
    }
    if (*slot != version) {
        /* Makes the version the first of its address. */
        struct instruction **from = slot;
        while (*from && *from != version)
            from = &(*from)->older;
        if (*from)
            *from = version->older;
        version->older = *slot;
        *slot = version;
    }
    version->changing = changing;
    version->checked = code->generation;
    *instruction = version;
    return 0;
}

/* --- what was executed --- */

static struct executed_instruction *gather(const struct code *code, size_t *count)
{
    struct executed_instruction *list = calloc(code->count + 1, sizeof(*list));
    *count = 0;
    for (struct instruction_block *block = code->blocks; list && block; block = block->next)
        for (size_t index = 0; index < block->used; index++) {
            struct instruction *found = &block->list[index];
            if (!found->executions && !found->repetitions)
                continue;
            struct executed_instruction *to = &list[(*count)++];
            *to = (struct executed_instruction){.address = found->address,
                                                .length = found->length,
                                                .executions = found->executions,
                                                .repetitions = found->repetitions};
            memcpy(to->bytes, found->bytes, sizeof(to->bytes));
            found->executions = found->repetitions = 0;
        }
    return list;
}

int code_write(const struct command_visit *visit, struct code *code)
{
    size_t count;
    if (visit->detail < 0 || visit->cell->command.detail != DETAIL_CODE)
        return 0;
    AUTO_FREE struct executed_instruction *list = gather(code, &count);
    AUTO_FREE struct mapped *maps = calloc(code->maps.count + 1, sizeof(*maps));
    if (!list || !maps)
        return command_fail(visit, -ENOMEM, "out of memory for what was executed");
    for (size_t index = 0; index < code->maps.count; index++)
        maps[index] = code->maps.list[index].mapped;
    return executed_write(visit, list, count, maps, code->maps.count);
}
