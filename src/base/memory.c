/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Memory that belongs to scopes. */
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* Stands before what is taken, which is aligned as malloc aligns. */
struct memory_block {
    struct memory_block *next;
    struct memory_block **at; /* what points to it */
};
_Static_assert(sizeof(struct memory_block) % _Alignof(max_align_t) == 0, "what follows is aligned");

static struct memory_scope program;
static struct memory_scope *innermost = &program;

_Noreturn void memory_end(void)
{
    static const char words[] =
        "assay: out of memory; what was committed before is in its store: with more memory, "
        "--resume goes on with it, and --from judges it\n";
    (void)!write(STDERR_FILENO, words, sizeof(words) - 1);
    _exit(innermost->status ? innermost->status : EXIT_FAILURE);
}

void *memory_malloc(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        memory_end();
    return memory;
}

static void *enter(struct memory_block *block)
{
    block->next = innermost->blocks;
    block->at = &innermost->blocks;
    if (block->next)
        block->next->at = &block->next;
    innermost->blocks = block;
    return block + 1;
}

static void leave(struct memory_block *block)
{
    *block->at = block->next;
    if (block->next)
        block->next->at = block->at;
}

/* With its header. */
static size_t size_of(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct memory_block), &bytes))
        memory_end();
    return bytes;
}

void *memory_new(size_t count, size_t size)
{
    struct memory_block *block = calloc(1, size_of(count, size));
    if (!block)
        memory_end();
    return enter(block);
}

/* It stays in the scope that it is in. */
void *memory_resize(void *memory, size_t count, size_t size)
{
    if (!memory)
        return memory_new(count, size);
    struct memory_block *block = realloc((struct memory_block *)memory - 1, size_of(count, size));
    if (!block)
        memory_end();
    *block->at = block;
    if (block->next)
        block->next->at = &block->next;
    return block + 1;
}

void memory_give_back(void *memory)
{
    if (!memory)
        return;
    struct memory_block *block = (struct memory_block *)memory - 1;
    leave(block);
    free(block);
}

char *memory_copy(const char *text)
{
    return text ? memory_format("%s", text) : NULL;
}

char *memory_vformat(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = memory_new((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *memory_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_vformat(format, arguments);
    va_end(arguments);
    return text;
}

char *memory_text(struct text *text)
{
    char *copy = memory_new(text->length + 1, 1);
    memcpy(copy, text_string(text), text->length);
    text_free(text);
    return copy;
}

void *memory_room(void *list, size_t count, size_t size)
{
    if ((count & (count - 1)) == 0)
        list = memory_resize(list, count ? 2 * count : 1, size);
    memset((char *)list + count * size, 0, size);
    return list;
}

void memory_scope_begin(struct memory_scope *scope)
{
    *scope = (struct memory_scope){.outer = innermost, .status = innermost->status};
    innermost = scope;
}

void memory_scope_ends_with(int status)
{
    innermost->status = status;
}

void memory_scope_end(struct memory_scope *scope)
{
    while (scope->blocks)
        memory_give_back(scope->blocks + 1);
    if (innermost == scope)
        innermost = scope->outer;
}

void memory_scope_leave(struct memory_scope *scope)
{
    innermost = scope->outer;
}
