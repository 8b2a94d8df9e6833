/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was executed, as stretches of memory: instructions one behind the other that were executed
 * equally often, of one function. The controller decodes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/command/command.h"
#include "probe/command/detail.h"
#include "probe/command/executed.h"

#define NAME_MOST 1024u /* bytes of a function's name; longer ones are cut */

/* The maps by address, each with the symbols of its object; read when they are needed. */
struct place {
    struct mapped mapped;
    size_t same; /* the first place with the same object, which has its symbols */
    bool known;
    struct symbols symbols;
};

struct places {
    struct place *list;
    size_t count;
    int result; /* of reading */
};

static int by_start(const void *one, const void *other)
{
    const struct place *left = one, *right = other;
    return (left->mapped.start > right->mapped.start) - (left->mapped.start < right->mapped.start);
}

static int by_address(const void *one, const void *other)
{
    const struct executed_instruction *left = one, *right = other;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return memcmp(left->bytes, right->bytes, sizeof(left->bytes));
}

static int places_make(struct places *places, const struct mapped *maps, size_t count)
{
    places->list = calloc(count + 1, sizeof(*places->list));
    if (!places->list)
        return -ENOMEM;
    places->count = count;
    for (size_t index = 0; index < count; index++)
        places->list[index].mapped = maps[index];
    qsort(places->list, count, sizeof(*places->list), by_start);
    for (size_t index = 0; index < count; index++) {
        size_t same = 0;
        while (strcmp(places->list[same].mapped.object, places->list[index].mapped.object) != 0)
            same++;
        places->list[index].same = same;
    }
    return 0;
}

static void places_free(struct places *places)
{
    for (size_t index = 0; index < places->count; index++)
        symbols_free(&places->list[index].symbols);
    free(places->list);
}

static const struct place *place_of(const struct places *places, uint64_t address)
{
    size_t low = 0, high = places->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (places->list[middle].mapped.end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    bool inside = low < places->count && places->list[low].mapped.start <= address;
    return inside ? &places->list[low] : NULL;
}

/* The function's name lives as long as the places. */
static const char *function_at(struct places *places, const struct place *place, uint64_t address)
{
    if (!place)
        return "";
    struct place *owner = &places->list[place->same];
    if (!owner->known && places->result == 0)
        places->result = symbols_read(&owner->symbols, owner->mapped.object);
    owner->known = true;
    const char *name =
        symbols_find(&owner->symbols, address - place->mapped.start + place->mapped.offset);
    return name ? name : "";
}

/* --- stretches --- */

struct stretch {
    const struct place *place;
    const char *function;
    uint64_t address, end;
    uint64_t executions, repetitions;
    uint32_t instructions;
    uint8_t bytes[DETAIL_STRETCH_BYTES];
    size_t length;
};

static int put(struct wire_writer *writer, const struct stretch *stretch)
{
    if (!stretch->instructions)
        return 0;
    wire_begin(writer, DETAIL_RAN);
    wire_put_string(writer, "object", stretch->place ? stretch->place->mapped.object : "");
    wire_put_bytes(writer, "function", stretch->function, strnlen(stretch->function, NAME_MOST));
    wire_put_u64(writer, "address", stretch->address);
    wire_put_bytes(writer, "bytes", stretch->bytes, stretch->length);
    wire_put_u64(writer, "instructions", stretch->instructions);
    wire_put_u64(writer, "executions", stretch->executions);
    wire_put_u64(writer, "repetitions", stretch->repetitions);
    return wire_end(writer);
}

/* How long an instruction is whose counter does not know: at most to the next that was executed. */
static size_t length_of(const struct executed_instruction *one,
                        const struct executed_instruction *next)
{
    size_t length = one->length ? one->length : sizeof(one->bytes) - 1;
    if (length > sizeof(one->bytes))
        length = sizeof(one->bytes);
    if (!one->length && next && next->address > one->address &&
        next->address - one->address < length)
        length = (size_t)(next->address - one->address);
    return length;
}

static bool continues(const struct stretch *stretch, const struct executed_instruction *one,
                      const struct place *place, const char *function, size_t length)
{
    return stretch->instructions && stretch->end == one->address && one->length &&
           stretch->executions == one->executions && !stretch->repetitions && !one->repetitions &&
           stretch->place == place && strcmp(stretch->function, function) == 0 &&
           stretch->length + length <= sizeof(stretch->bytes);
}

static int add(struct places *places, struct wire_writer *writer, struct stretch *stretch,
               const struct executed_instruction *one, const struct executed_instruction *next)
{
    const struct place *place = place_of(places, one->address);
    const char *function = function_at(places, place, one->address);
    size_t length = length_of(one, next);
    int result = 0;
    if (!continues(stretch, one, place, function, length)) {
        result = put(writer, stretch);
        stretch->place = place;
        stretch->function = function;
        stretch->address = one->address;
        stretch->executions = one->executions;
        stretch->repetitions = one->repetitions;
        stretch->instructions = 0;
        stretch->length = 0;
    }
    memcpy(stretch->bytes + stretch->length, one->bytes, length);
    stretch->length += length;
    stretch->end = one->address + length;
    stretch->instructions++;
    return result;
}

static int write_all(const struct command_visit *visit, struct places *places,
                     const struct executed_instruction *list, size_t count)
{
    struct wire_writer writer = detail_writer(visit->detail);
    AUTO_FREE struct stretch *stretch = calloc(1, sizeof(*stretch));
    int result = stretch ? 0 : -ENOMEM;
    for (size_t index = 0; index < count && result == 0; index++)
        result = add(places, &writer, stretch, &list[index],
                     index + 1 < count ? &list[index + 1] : NULL);
    if (result == 0)
        result = put(&writer, stretch);
    int finished = detail_finish(&writer);
    return result < 0 ? result : finished < 0 ? finished : places->result;
}

int executed_write(const struct command_visit *visit, const struct executed_instruction *list,
                   size_t count, const struct mapped *maps, size_t map_count)
{
    struct places places = {0};
    AUTO_FREE struct executed_instruction *sorted = calloc(count + 1, sizeof(*sorted));
    int result = sorted ? places_make(&places, maps, map_count) : -ENOMEM;
    if (result == 0) {
        if (count)
            memcpy(sorted, list, count * sizeof(*sorted));
        qsort(sorted, count, sizeof(*sorted), by_address);
        result = write_all(visit, &places, sorted, count);
    }
    places_free(&places);
    if (result < 0)
        return command_fail(visit, result, "what was executed cannot be written: %s",
                            strerror(-result));
    return 0;
}
