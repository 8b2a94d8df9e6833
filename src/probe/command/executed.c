/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was executed: code of a process and of files by address, told as the detail `code`. */
#include "probe/command/detail.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"

/* ----------------------------------------------------------------------------------------------
 * Functions by address, from the symbol tables of an ELF file, 32-bit or 64-bit, of this
 * machine's byte order. */

#define TABLE_MOST (1u << 30) /* bytes of one table: larger is a lie */
#define PARTS_MOST 65536u     /* sections, segments */
#define VDSO_BYTES 65536u     /* of which as many are read as are there */

/* A file, or bytes in memory. */
struct origin {
    int descriptor; /* -1: memory */
    const uint8_t *memory;
    uint64_t length;
    bool narrow; /* 32-bit */
};

static bool take(const struct origin *origin, uint64_t offset, void *to, size_t length)
{
    if (offset > origin->length || length > origin->length - offset)
        return false;
    if (origin->descriptor < 0) {
        memcpy(to, origin->memory + offset, length);
        return true;
    }
    for (size_t done = 0; done < length;) {
        ssize_t got =
            pread(origin->descriptor, (char *)to + done, length - done, (off_t)(offset + done));
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* A part of the file in memory, with a zero behind; NULL: it is not there. */
static char *take_all(const struct origin *origin, uint64_t offset, uint64_t length)
{
    if (length > TABLE_MOST || offset > origin->length || length > origin->length - offset)
        return NULL;
    char *bytes = malloc((size_t)length + 1);
    if (!bytes || !take(origin, offset, bytes, (size_t)length)) {
        free(bytes);
        return NULL;
    }
    bytes[length] = '\0';
    return bytes;
}

/* --- the 32-bit forms as 64-bit ones --- */

static bool take_header(struct origin *origin, Elf64_Ehdr *header)
{
    const uint16_t order = 1;
    Elf32_Ehdr narrow;
    if (!take(origin, 0, header->e_ident, EI_NIDENT) ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_DATA] != (*(const uint8_t *)&order ? ELFDATA2LSB : ELFDATA2MSB))
        return false;
    origin->narrow = header->e_ident[EI_CLASS] == ELFCLASS32;
    if (!origin->narrow)
        return header->e_ident[EI_CLASS] == ELFCLASS64 &&
               take(origin, 0, header, sizeof(*header)) &&
               header->e_phentsize == sizeof(Elf64_Phdr);
    if (!take(origin, 0, &narrow, sizeof(narrow)) || narrow.e_phentsize != sizeof(Elf32_Phdr))
        return false;
    *header = (Elf64_Ehdr){.e_phoff = narrow.e_phoff,
                           .e_shoff = narrow.e_shoff,
                           .e_phnum = narrow.e_phnum,
                           .e_shnum = narrow.e_shnum,
                           .e_shentsize = narrow.e_shentsize};
    return true;
}

static bool take_section(const struct origin *origin, const Elf64_Ehdr *header, uint64_t index,
                         Elf64_Shdr *section)
{
    Elf32_Shdr narrow;
    size_t size = origin->narrow ? sizeof(narrow) : sizeof(*section);
    if (index >= header->e_shnum || header->e_shentsize != size || header->e_shoff > origin->length)
        return false;
    if (!origin->narrow)
        return take(origin, header->e_shoff + index * size, section, size);
    if (!take(origin, header->e_shoff + index * size, &narrow, size))
        return false;
    *section = (Elf64_Shdr){.sh_type = narrow.sh_type,
                            .sh_offset = narrow.sh_offset,
                            .sh_size = narrow.sh_size,
                            .sh_link = narrow.sh_link,
                            .sh_entsize = narrow.sh_entsize};
    return true;
}

static bool take_segment(const struct origin *origin, const Elf64_Ehdr *header, uint64_t index,
                         Elf64_Phdr *segment)
{
    Elf32_Phdr narrow;
    size_t size = origin->narrow ? sizeof(narrow) : sizeof(*segment);
    if (header->e_phoff > origin->length)
        return false;
    if (!origin->narrow)
        return take(origin, header->e_phoff + index * size, segment, size);
    if (!take(origin, header->e_phoff + index * size, &narrow, size))
        return false;
    *segment = (Elf64_Phdr){.p_type = narrow.p_type,
                            .p_offset = narrow.p_offset,
                            .p_filesz = narrow.p_filesz,
                            .p_vaddr = narrow.p_vaddr};
    return true;
}

/* --- tables --- */

static int compare(const void *one, const void *other)
{
    const struct symbol *left = one, *right = other;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return (left->name > right->name) - (left->name < right->name);
}

static int read_table(const struct origin *origin, const Elf64_Ehdr *header,
                      const Elf64_Shdr *section, struct symbols *symbols)
{
    Elf64_Shdr strings;
    size_t size = origin->narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
    if (section->sh_entsize != size || !take_section(origin, header, section->sh_link, &strings) ||
        strings.sh_type != SHT_STRTAB)
        return 0;
    AUTO_FREE char *table = take_all(origin, section->sh_offset, section->sh_size);
    symbols->names = take_all(origin, strings.sh_offset, strings.sh_size);
    if (!table || !symbols->names)
        return 0;
    symbols->name_bytes = (size_t)strings.sh_size;
    size_t count = (size_t)section->sh_size / size;
    symbols->list = calloc(count + 1, sizeof(*symbols->list));
    if (!symbols->list)
        return -ENOMEM;
    for (size_t index = 0; index < count; index++) {
        Elf64_Sym symbol;
        Elf32_Sym narrow;
        if (!origin->narrow) {
            memcpy(&symbol, table + index * sizeof(symbol), sizeof(symbol));
        } else {
            memcpy(&narrow, table + index * sizeof(narrow), sizeof(narrow));
            symbol = (Elf64_Sym){.st_name = narrow.st_name,
                                 .st_info = narrow.st_info,
                                 .st_shndx = narrow.st_shndx,
                                 .st_value = narrow.st_value,
                                 .st_size = narrow.st_size};
        }
        uint64_t end = symbol.st_value + symbol.st_size;
        /* Functions first; then labels of assembly, which have no type; names seen by others before
         * own. */
        unsigned type = symbol.st_info & 0xf, binding = symbol.st_info >> 4;
        bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
        const uint8_t rank = (uint8_t)((is_function ? 0 : 4) + (binding == STB_GLOBAL ? 0
                                                                : binding == STB_WEAK ? 1
                                                                                      : 2));
        if ((is_function || type == STT_NOTYPE) && symbol.st_shndx != SHN_UNDEF &&
            symbol.st_shndx < SHN_LORESERVE && symbol.st_name < symbols->name_bytes &&
            symbols->names[symbol.st_name] && symbols->names[symbol.st_name] != '$')
            symbols->list[symbols->count++] = (struct symbol){
                symbol.st_value, end < symbol.st_value ? UINT64_MAX : end, symbol.st_name, rank};
    }
    /* One symbol an address; one without a size reaches to the next. */
    size_t kept = 0;
    qsort(symbols->list, symbols->count, sizeof(*symbols->list), compare);
    for (size_t index = 0; index < symbols->count; index++)
        if (!kept || symbols->list[kept - 1].start != symbols->list[index].start)
            symbols->list[kept++] = symbols->list[index];
    symbols->count = kept;
    for (size_t index = 0; index < kept; index++)
        if (symbols->list[index].end == symbols->list[index].start)
            symbols->list[index].end =
                index + 1 < kept ? symbols->list[index + 1].start : UINT64_MAX;
    return 0;
}

/* .symtab where there is one that holds something, else .dynsym. */
static int read_origin(struct symbols *symbols, struct origin *origin)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    Elf64_Ehdr header;
    Elf64_Shdr section;
    if (!take_header(origin, &header))
        return 0;
    symbols->segments = calloc((size_t)header.e_phnum + 1, sizeof(*symbols->segments));
    int result = symbols->segments ? 0 : -ENOMEM;
    for (unsigned index = 0; index < header.e_phnum && result == 0; index++) {
        Elf64_Phdr segment;
        if (take_segment(origin, &header, index, &segment) && segment.p_type == PT_LOAD)
            symbols->segments[symbols->segment_count++] =
                (struct segment){segment.p_offset, segment.p_filesz, segment.p_vaddr};
    }
    for (unsigned type = 0; type < 2 && result == 0 && !symbols->count; type++)
        for (unsigned index = 0; index < header.e_shnum && result == 0; index++)
            if (take_section(origin, &header, index, &section) && section.sh_type == types[type]) {
                free(symbols->list);
                free(symbols->names);
                symbols->list = NULL;
                symbols->names = NULL;
                symbols->count = 0;
                result = read_table(origin, &header, &section, symbols);
                break;
            }
    return result;
}

int symbols_read_bytes(struct symbols *symbols, const void *bytes, size_t length)
{
    struct origin origin = {.descriptor = -1, .memory = bytes, .length = length};
    *symbols = (struct symbols){0};
    return read_origin(symbols, &origin);
}

int symbols_read(struct symbols *symbols, const char *object)
{
    struct stat facts;
    *symbols = (struct symbols){0};
    if (strcmp(object, "[vdso]") == 0) {
        /* The vDSO is the same for all processes of a width; how long it is, a look at the maps
         * tells. */
        const uint8_t *start = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
        if (!start)
            return 0;
        AUTO_FREE uint8_t *copy = calloc(1, VDSO_BYTES);
        AUTO_CLOSE int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
        if (!copy)
            return -ENOMEM;
        ssize_t got = memory < 0 ? 0 : pread(memory, copy, VDSO_BYTES, (off_t)(uintptr_t)start);
        return got <= 0 ? 0 : symbols_read_bytes(symbols, copy, (size_t)got);
    }
    if (object[0] != '/')
        return 0;
    AUTO_CLOSE int descriptor = open(object, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0 || fstat(descriptor, &facts) < 0 || !S_ISREG(facts.st_mode))
        return 0;
    struct origin origin = {.descriptor = descriptor, .length = (uint64_t)facts.st_size};
    return read_origin(symbols, &origin);
}

void symbols_free(struct symbols *symbols)
{
    free(symbols->list);
    free(symbols->names);
    free(symbols->segments);
    *symbols = (struct symbols){0};
}

const char *symbols_find(const struct symbols *symbols, uint64_t offset)
{
    const struct segment *segment = NULL;
    for (size_t index = 0; index < symbols->segment_count && !segment; index++)
        if (offset >= symbols->segments[index].offset &&
            offset - symbols->segments[index].offset < symbols->segments[index].bytes)
            segment = &symbols->segments[index];
    if (!segment || !symbols->count)
        return NULL;
    uint64_t address = offset - segment->offset + segment->address;
    size_t low = 0, high = symbols->count;
    while (low < high) { /* the last that begins at or before */
        size_t middle = low + (high - low) / 2;
        if (symbols->list[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address >= symbols->list[low - 1].end)
        return NULL;
    return symbols->names + symbols->list[low - 1].name;
}

/* --- Executable memory of a process, as the operating system lists it --- */

/* start-end rwxp offset device inode   path */
int code_maps_parse(struct code_maps *maps, char *line)
{
    struct mapped mapped = {0};
    char rights[5] = "";
    int path = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &mapped.start,
               &mapped.end, rights, &mapped.offset, &path) != 4 ||
        strlen(rights) != 4 || rights[2] != 'x' || mapped.end <= mapped.start || path <= 0)
        return 0;
    line[strcspn(line, "\n")] = '\0';
    struct code_map *map = list_add(&maps->list, &maps->count, sizeof(*maps->list));
    char *object = strdup(line + path);
    if (!map || !object) {
        maps->count -= map != NULL;
        free(object);
        return -ENOMEM;
    }
    mapped.object = object;
    *map = (struct code_map){.mapped = mapped, .changing = rights[1] == 'w' || rights[3] == 's'};
    return 0;
}

int code_maps_read(struct code_maps *maps, pid_t task)
{
    char path[64];
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    int result = 0;
    *maps = (struct code_maps){0};
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)task);
    AUTO_FILE FILE *file = fopen(path, "re");
    if (!file)
        return -errno;
    while (result == 0 && getline(&line, &size, file) > 0)
        result = code_maps_parse(maps, line);
    if (result < 0)
        code_maps_free(maps);
    return result;
}

const struct code_map *code_maps_find(const struct code_maps *maps, uint64_t address)
{
    size_t low = 0, high = maps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (maps->list[middle].mapped.end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < maps->count && maps->list[low].mapped.start <= address ? &maps->list[low] : NULL;
}

bool code_maps_touch(const struct code_maps *maps, uint64_t address, uint64_t length)
{
    uint64_t end = address + length < address ? UINT64_MAX : address + length;
    for (size_t index = 0; index < maps->count; index++)
        if (maps->list[index].mapped.start < end && maps->list[index].mapped.end > address)
            return true;
    return false;
}

bool code_maps_replaced(const struct code_maps *before, const struct code_maps *now)
{
    for (size_t old = 0; old < before->count; old++)
        for (size_t index = 0; index < now->count; index++) {
            const struct mapped *one = &before->list[old].mapped, *other = &now->list[index].mapped;
            /* Of memory without a file, the place in it means nothing. */
            if (one->start < other->end && other->start < one->end &&
                !(strcmp(one->object, other->object) == 0 &&
                  (one->object[0] != '/' ||
                   one->start - one->offset == other->start - other->offset)))
                return true;
        }
    return false;
}

void code_maps_free(struct code_maps *maps)
{
    for (size_t index = 0; index < maps->count; index++)
        free((void *)(uintptr_t)maps->list[index].mapped.object);
    free(maps->list);
    *maps = (struct code_maps){0};
}

/* ----------------------------------------------------------------------------------------------
 * Stretches of memory: instructions one behind the other that were executed equally often, of
 * one function. The controller decodes them. */

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

static int write_all(const struct command_visit *visit, struct places *places,
                     const struct executed_instruction *list, size_t count)
{
    struct wire_writer writer = detail_writer(visit->detail);
    AUTO_FREE struct stretch *stretch = calloc(1, sizeof(*stretch));
    int result = stretch ? 0 : -ENOMEM;
    for (size_t index = 0; index < count && result == 0; index++) {
        const struct executed_instruction *next = index + 1 < count ? &list[index + 1] : NULL;
        size_t low = 0, high = places->count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (places->list[middle].mapped.end <= list[index].address)
                low = middle + 1;
            else
                high = middle;
        }
        bool inside = low < places->count && places->list[low].mapped.start <= list[index].address;
        const struct place *place = inside ? &places->list[low] : NULL;
        const char *function = function_at(places, place, list[index].address);
        /* How long an instruction is whose counter does not know: at most to the next that was
         * executed. */
        size_t length = list[index].length ? list[index].length : sizeof(list[index].bytes) - 1;
        if (length > sizeof(list[index].bytes))
            length = sizeof(list[index].bytes);
        if (!list[index].length && next && next->address > list[index].address &&
            next->address - list[index].address < length)
            length = (size_t)(next->address - list[index].address);
        if (!(stretch->instructions && stretch->end == list[index].address && list[index].length &&
              stretch->executions == list[index].executions && !stretch->repetitions &&
              !list[index].repetitions && stretch->place == place &&
              strcmp(stretch->function, function) == 0 &&
              stretch->length + length <= sizeof(stretch->bytes))) {
            result = put(&writer, stretch);
            stretch->place = place;
            stretch->function = function;
            stretch->address = list[index].address;
            stretch->executions = list[index].executions;
            stretch->repetitions = list[index].repetitions;
            stretch->instructions = 0;
            stretch->length = 0;
        }
        memcpy(stretch->bytes + stretch->length, list[index].bytes, length);
        stretch->length += length;
        stretch->end = list[index].address + length;
        stretch->instructions++;
    }
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
    for (size_t index = 0; index < places.count; index++)
        symbols_free(&places.list[index].symbols);
    free(places.list);
    if (result < 0)
        return command_fail(visit, result, "what was executed cannot be written: %s",
                            strerror(-result));
    return 0;
}
