/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * User probes: uprobe:PATH:SYMBOL[+OFFSET][:modifiers] counts how often code of a program or
 * library is reached, uretprobe: how often a function returns. A stripped file's code is named by
 * its file offset instead of a symbol: uprobe:PATH:0x1234. PATH:SYMBOL may be the word "target"
 * (forms.c). */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "events/form.h"

/* ----------------------------------------------------------------------------------------------
 * Reads just enough of an ELF file to turn a symbol into a file offset. Everything in the file is
 * suspect: each offset and size is checked against the file's length before it is used, and the
 * file is read, not mapped, because a mapped file that shrinks kills its reader. */

#define STRINGS_MAX (256ull << 20) /* bytes of names we are willing to hold in memory */
#define CHUNK       1024u          /* symbols read at a time */

/* The parts of the two ELF classes that matter here, in one shape. */
struct section {
    uint32_t type, link;
    uint64_t offset, size, entry_size;
};
struct segment {
    uint32_t type;
    uint64_t offset, address, file_size;
};
struct symbol {
    uint32_t name;
    uint8_t kind;
    uint16_t section;
    uint64_t address;
};

struct elf {
    int file;
    uint64_t length;
    bool wide; /* ELF64 */
    uint16_t type;
    uint64_t sections_at, segments_at;
    uint64_t section_count, segment_count;
};

/* Reads exactly size bytes, or -EINVAL when the file does not hold them. */
static int read_at(const struct elf *elf, uint64_t offset, void *into, size_t size)
{
    if (offset > elf->length || size > elf->length - offset)
        return -EINVAL;
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(elf->file, (char *)into + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EINVAL;
        done += (size_t)got;
    }
    return 0;
}

static int read_section(const struct elf *elf, uint64_t index, struct section *section)
{
    if (elf->wide) {
        Elf64_Shdr header;
        int error =
            read_at(elf, elf->sections_at + index * sizeof(header), &header, sizeof(header));
        *section = (struct section){header.sh_type, header.sh_link, header.sh_offset,
                                    header.sh_size, header.sh_entsize};
        return error;
    }
    Elf32_Shdr header;
    int error = read_at(elf, elf->sections_at + index * sizeof(header), &header, sizeof(header));
    *section = (struct section){header.sh_type, header.sh_link, header.sh_offset, header.sh_size,
                                header.sh_entsize};
    return error;
}

static int read_segment(const struct elf *elf, uint64_t index, struct segment *segment)
{
    if (elf->wide) {
        Elf64_Phdr header;
        int error =
            read_at(elf, elf->segments_at + index * sizeof(header), &header, sizeof(header));
        *segment =
            (struct segment){header.p_type, header.p_offset, header.p_vaddr, header.p_filesz};
        return error;
    }
    Elf32_Phdr header;
    int error = read_at(elf, elf->segments_at + index * sizeof(header), &header, sizeof(header));
    *segment = (struct segment){header.p_type, header.p_offset, header.p_vaddr, header.p_filesz};
    return error;
}

/* The header's sizes of table entries must be the standard's: others mean another format. */
static int read_header(struct elf *elf)
{
    union {
        unsigned char identity[EI_NIDENT];
        Elf64_Ehdr wide;
        Elf32_Ehdr narrow;
    } header = {0};
    static const uint16_t probe = 1;
    unsigned char order = *(const unsigned char *)&probe ? ELFDATA2LSB : ELFDATA2MSB;
    if (read_at(elf, 0, &header, sizeof(header.narrow)) < 0 ||
        memcmp(header.identity, ELFMAG, SELFMAG) != 0 || header.identity[EI_DATA] != order)
        return -EINVAL;
    elf->wide = header.identity[EI_CLASS] == ELFCLASS64;
    if (elf->wide) {
        const Elf64_Ehdr *wide = &header.wide;
        if (read_at(elf, 0, &header, sizeof(header.wide)) < 0 ||
            (wide->e_shnum && wide->e_shentsize != sizeof(Elf64_Shdr)) ||
            (wide->e_phnum && wide->e_phentsize != sizeof(Elf64_Phdr)))
            return -EINVAL;
        elf->type = wide->e_type;
        elf->sections_at = wide->e_shoff;
        elf->section_count = wide->e_shnum;
        elf->segments_at = wide->e_phoff;
        elf->segment_count = wide->e_phnum;
        return 0;
    }
    const Elf32_Ehdr *narrow = &header.narrow;
    if (header.identity[EI_CLASS] != ELFCLASS32 ||
        (narrow->e_shnum && narrow->e_shentsize != sizeof(Elf32_Shdr)) ||
        (narrow->e_phnum && narrow->e_phentsize != sizeof(Elf32_Phdr)))
        return -EINVAL;
    elf->type = narrow->e_type;
    elf->sections_at = narrow->e_shoff;
    elf->section_count = narrow->e_shnum;
    elf->segments_at = narrow->e_phoff;
    elf->segment_count = narrow->e_phnum;
    return 0;
}

static int read_symbol(const struct elf *elf, const char *bytes, struct symbol *symbol)
{
    if (elf->wide) {
        Elf64_Sym entry;
        memcpy(&entry, bytes, sizeof(entry));
        *symbol = (struct symbol){entry.st_name, ELF64_ST_TYPE(entry.st_info), entry.st_shndx,
                                  entry.st_value};
        return 0;
    }
    Elf32_Sym entry;
    memcpy(&entry, bytes, sizeof(entry));
    *symbol = (struct symbol){entry.st_name, ELF32_ST_TYPE(entry.st_info), entry.st_shndx,
                              entry.st_value};
    return 0;
}

/* One symbol table with its names, while it is searched. */
struct table {
    const struct elf *elf;
    const char *strings; /* terminated by one more zero than the file has */
    uint64_t strings_size;
    const char *wanted;
    struct suggestions *near;
};

static bool is_code(const struct symbol *symbol)
{
    return symbol->section != SHN_UNDEF &&
           (symbol->kind == STT_FUNC || symbol->kind == STT_GNU_IFUNC ||
            symbol->kind == STT_NOTYPE);
}

/* 1 when this is the wanted symbol. */
static int examine(const struct table *table, const struct symbol *symbol, struct symbol *found)
{
    if (!is_code(symbol) || symbol->name >= table->strings_size)
        return 0;
    const char *name = table->strings + symbol->name;
    if (strcmp(name, table->wanted) != 0) {
        if (*name)
            suggest_consider(table->near, name);
        return 0;
    }
    *found = *symbol;
    return 1;
}

/* Loads the names that belong to a symbol table, then searches it. */
static int search_section(const struct elf *elf, const struct section *symbols, const char *wanted,
                          struct suggestions *near, struct symbol *found)
{
    struct section names;
    if (symbols->offset > elf->length || symbols->size > elf->length - symbols->offset ||
        symbols->link >= elf->section_count || read_section(elf, symbols->link, &names) < 0 ||
        names.type != SHT_STRTAB || names.size > STRINGS_MAX || names.offset > elf->length ||
        names.size > elf->length - names.offset)
        return -EINVAL;
    AUTO_FREE char *strings = malloc((size_t)names.size + 1);
    if (!strings)
        return -ENOMEM;
    if (read_at(elf, names.offset, strings, (size_t)names.size) < 0)
        return -EINVAL;
    strings[names.size] = '\0';
    struct table table = {elf, strings, names.size, wanted, near};
    size_t entry = table.elf->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    char chunk[CHUNK * sizeof(Elf64_Sym)];
    uint64_t count = symbols->size / entry;
    for (uint64_t first = 0; first < count; first += CHUNK) {
        size_t now = count - first < CHUNK ? (size_t)(count - first) : CHUNK;
        int error = read_at(table.elf, symbols->offset + first * entry, chunk, now * entry);
        if (error < 0)
            return error;
        for (size_t i = 0; i < now; i++) {
            struct symbol symbol;
            read_symbol(table.elf, chunk + i * entry, &symbol);
            if (examine(&table, &symbol, found))
                return 1;
        }
    }
    return 0;
}

/* The full symbol table first; the dynamic one is all that a stripped file keeps. */
static int find_symbol(const struct elf *elf, const char *wanted, struct suggestions *near,
                       struct symbol *symbol)
{
    static const uint32_t order[] = {SHT_SYMTAB, SHT_DYNSYM};
    for (size_t pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < elf->section_count; i++) {
            struct section section;
            int found = read_section(elf, i, &section);
            if (found == 0 && section.type == order[pass])
                found = search_section(elf, &section, wanted, near, symbol);
            if (found)
                return found;
        }
    }
    return 0;
}

/* Which byte of the file is loaded at an address. */
static int address_to_offset(const struct elf *elf, uint64_t address, uint64_t *offset)
{
    for (uint64_t i = 0; i < elf->segment_count; i++) {
        struct segment segment;
        if (read_segment(elf, i, &segment) < 0)
            return -EINVAL;
        if (segment.type != PT_LOAD || address < segment.address ||
            address - segment.address >= segment.file_size)
            continue;
        *offset = segment.offset + (address - segment.address);
        return segment.offset <= elf->length && *offset < elf->length ? 0 : -EINVAL;
    }
    return -EINVAL;
}

int elf_symbol_offset(int file, const char *symbol, uint64_t *offset, struct suggestions *near,
                      struct failure *failure)
{
    struct elf elf;
    struct symbol code = {0};
    /* Offsets of table entries are computed by multiplication: the tables must lie in the file, so
     * that none of it can wrap. */
    struct stat status;
    elf = (struct elf){.file = file};
    if (fstat(file, &status) < 0)
        return fail_with(failure, -EINVAL, "the file cannot be examined: %s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return fail_with(failure, -EINVAL, "it is not a regular file");
    elf.length = (uint64_t)status.st_size;
    if (read_header(&elf) < 0)
        return fail_with(failure, -EINVAL, "it is no ELF file of this machine's byte order");
    if (elf.type != ET_EXEC && elf.type != ET_DYN)
        return fail_with(failure, -EINVAL, "it is neither a program nor a shared library");
    if (elf.sections_at > elf.length || elf.segments_at > elf.length)
        return fail_with(failure, -EINVAL, "its ELF header points beyond its end");
    int found = find_symbol(&elf, symbol, near, &code);
    if (found == -ENOMEM)
        return fail_with(failure, -ENOMEM, "out of memory");
    if (found < 0)
        return fail_with(failure, -EINVAL, "its symbol tables are damaged");
    if (found == 0)
        return fail_with(failure, -ENOENT, "it has no function \"%s\"", symbol);
    if (code.kind == STT_GNU_IFUNC)
        return fail_with(failure, -EINVAL,
                         "\"%s\" only chooses, when the program starts, which of several functions "
                         "serves its callers: a probe there would not see the calls. Name the "
                         "function that is chosen, or its offset in the file",
                         symbol);
    if (address_to_offset(&elf, code.address, offset) < 0)
        return fail_with(failure, -EINVAL, "the code of \"%s\" is not in the file", symbol);
    return 0;
}

/* --- From the name to the event --- */

static const char enter_prefix[] = "uprobe:", return_prefix[] = "uretprobe:";

struct uprobe_name {
    bool on_return;
    char text[EVENT_NAME_MAX + 1]; /* cut into the following */
    char *path, *symbol, *modifiers;
    uint64_t extra; /* bytes beyond the symbol */
    bool own;       /* the target of a specimen, and no path */
};

static bool uprobe_fits(const struct event_view *view, const char *name)
{
    (void)view;
    return strncmp(name, enter_prefix, sizeof(enter_prefix) - 1) == 0 ||
           strncmp(name, return_prefix, sizeof(return_prefix) - 1) == 0;
}

/* From the right, because a path may hold colons: modifiers (when a path and a symbol remain in
 * front of them), then the symbol. */
static int split_name(const char *name, struct uprobe_name *parts, struct failure *failure)
{
    parts->on_return = name[1] == 'r';
    strcpy(parts->text, strchr(name, ':') + 1);
    parts->path = parts->text;
    parts->modifiers = NULL;
    /* "target", alone or with modifiers. */
    size_t length = strcspn(parts->text, ":");
    parts->own = length == strlen(TARGET_WORD) && strncmp(parts->text, TARGET_WORD, length) == 0;
    if (parts->own && parts->text[length])
        parts->modifiers = parts->text + length + 1;
    if (parts->own)
        return 0;
    char *last = strrchr(parts->path, ':');
    if (last && event_looks_like_modifiers(last + 1) &&
        memchr(parts->path, ':', (size_t)(last - parts->path))) {
        *last = '\0';
        parts->modifiers = last + 1;
        last = strrchr(parts->path, ':');
    }
    if (!last || last == parts->path || !last[1])
        return fail_with(failure, -EINVAL,
                         "\"%s\" is incomplete: write uprobe:/path/to/file:function[+offset]",
                         name);
    if (parts->path[0] != '/')
        return fail_with(failure, -EINVAL, "\"%s\": the file must be given by its full path", name);
    *last = '\0';
    parts->symbol = last + 1;
    parts->extra = 0;
    char *plus = strrchr(parts->symbol, '+');
    if (!plus)
        return 0;
    *plus = '\0';
    if (!parts->symbol[0] || !event_parse_number(plus + 1, &parts->extra))
        return fail_with(failure, -EINVAL, "\"%s\": what follows + must be a number of bytes",
                         name);
    return 0;
}

static int find_offset(const struct uprobe_name *parts, uint64_t *offset, struct failure *failure)
{
    if (parts->symbol[0] == '0' && event_parse_number(parts->symbol, offset))
        return 0;
    /* Looked at before it is opened: opening a device may already do something. */
    struct stat status;
    if (stat(parts->path, &status) == 0 && !S_ISREG(status.st_mode))
        return fail_with(failure, -EINVAL, "no uprobe in %s: it is not a regular file",
                         parts->path);
    AUTO_CLOSE int file = open(parts->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return errno == EACCES ? fail_with(failure, -EACCES, "%s may not be read", parts->path)
                               : fail_with(failure, -ENOENT, "%s cannot be opened: %s", parts->path,
                                           strerror(errno));
    struct suggestions near = {.wanted = parts->symbol};
    struct failure inner = {0};
    int error = elf_symbol_offset(file, parts->symbol, offset, &near, &inner);
    if (error == 0)
        return 0;
    char sentence[512] = "";
    if (error == -ENOENT)
        suggest_sentence(&near, sentence, sizeof(sentence));
    return fail_with(failure, error, "no uprobe in %s: %s%s", parts->path, inner.text, sentence);
}

/* Which bit asks for the return is the PMU's to say. */
static int set_return(const struct event_view *view, struct perf_event_attr *attr,
                      struct failure *failure)
{
    struct pmu_field field;
    if (pmu_field_find(view, "uprobe", "retprobe", &field) < 0 ||
        pmu_field_set(&field, 1, attr) < 0)
        return fail_with(failure, -ENOENT,
                         "this operating system does not say how to ask for function returns "
                         "(sysfs: uprobe/format/retprobe)");
    return 0;
}

static int uprobe_resolve(const struct event_view *view, const char *name, struct event *event,
                          struct failure *failure)
{
    struct uprobe_name parts;
    uint64_t offset = 0;
    int error = split_name(name, &parts, failure);
    if (error < 0)
        return error;
    event->kind = EVENT_UPROBE;
    if (pmu_type(view, "uprobe", &event->attr.type) < 0)
        return fail_with(failure, -ENOENT,
                         "this operating system has no uprobes (no PMU of that name in sysfs): it "
                         "must be built with CONFIG_UPROBE_EVENTS");
    if (parts.on_return && (error = set_return(view, &event->attr, failure)) < 0)
        return error;
    if (parts.own) {
        /* The place is filled in by who opens it. */
        error = target_take(view, name, event, failure);
        return error < 0 || !parts.modifiers
                   ? error
                   : event_apply_modifiers(parts.modifiers, name, &event->attr, failure);
    }
    error = find_offset(&parts, &offset, failure);
    if (error < 0)
        return error;
    if (__builtin_add_overflow(offset, parts.extra, &offset))
        return fail_with(failure, -EINVAL, "\"%s\": the offset is too large", name);
    event->attr.probe_offset = offset;
    event->target = strdup(parts.path);
    if (!event->target)
        return fail_with(failure, -ENOMEM, "out of memory");
    return parts.modifiers ? event_apply_modifiers(parts.modifiers, name, &event->attr, failure)
                           : 0;
}

const struct event_form event_form_uprobe = {uprobe_fits, uprobe_resolve};
