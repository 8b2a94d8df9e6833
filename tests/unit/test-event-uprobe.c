/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Uprobes: symbols of ELF files to file offsets, in files good, foreign, cut off and forged. */
#include <elf.h>
#include <sys/mman.h>

#include "case.h"
#include "events/form.h"
#include "recorded.h"

/* The smallest file that has everything: header, one loaded segment, symbols, their names. */
struct tiny64 {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Shdr sections[3]; /* none, .symtab, .strtab */
    Elf64_Sym symbols[4];
    char names[48];
    char code[64];
};
struct tiny32 {
    Elf32_Ehdr header;
    Elf32_Phdr segment;
    Elf32_Shdr sections[3];
    Elf32_Sym symbols[4];
    char names[48];
    char code[64];
};

#define ADDRESS 0x401000u
static const char tiny_names[48] = "\0work\0undefined\0variable\0";

/* One text for both classes, so that they cannot drift apart. */
#define FILL(it, bits, class)                                                                      \
    do {                                                                                           \
        static const uint16_t one = 1;                                                             \
        memset(&(it), 0, sizeof(it));                                                              \
        memcpy((it).header.e_ident, ELFMAG, SELFMAG);                                              \
        (it).header.e_ident[EI_CLASS] = (class);                                                   \
        (it).header.e_ident[EI_DATA] = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;         \
        (it).header.e_type = ET_DYN;                                                               \
        (it).header.e_phoff = offsetof(struct tiny##bits, segment);                                \
        (it).header.e_phentsize = sizeof((it).segment);                                            \
        (it).header.e_phnum = 1;                                                                   \
        (it).header.e_shoff = offsetof(struct tiny##bits, sections);                               \
        (it).header.e_shentsize = sizeof((it).sections[0]);                                        \
        (it).header.e_shnum = 3;                                                                   \
        (it).segment.p_type = PT_LOAD;                                                             \
        (it).segment.p_offset = offsetof(struct tiny##bits, code);                                 \
        (it).segment.p_vaddr = ADDRESS;                                                            \
        (it).segment.p_filesz = sizeof((it).code);                                                 \
        (it).sections[1].sh_type = SHT_SYMTAB;                                                     \
        (it).sections[1].sh_offset = offsetof(struct tiny##bits, symbols);                         \
        (it).sections[1].sh_size = sizeof((it).symbols);                                           \
        (it).sections[1].sh_entsize = sizeof((it).symbols[0]);                                     \
        (it).sections[1].sh_link = 2;                                                              \
        (it).sections[2].sh_type = SHT_STRTAB;                                                     \
        (it).sections[2].sh_offset = offsetof(struct tiny##bits, names);                           \
        (it).sections[2].sh_size = sizeof((it).names);                                             \
        memcpy((it).names, tiny_names, sizeof((it).names));                                        \
        (it).symbols[1].st_name = 1;                                                               \
        (it).symbols[1].st_info = ELF##bits##_ST_INFO(STB_GLOBAL, STT_FUNC);                       \
        (it).symbols[1].st_shndx = 1;                                                              \
        (it).symbols[1].st_value = ADDRESS + 16;                                                   \
        (it).symbols[2].st_name = 6;                                                               \
        (it).symbols[2].st_info = ELF##bits##_ST_INFO(STB_GLOBAL, STT_FUNC);                       \
        (it).symbols[3].st_name = 16;                                                              \
        (it).symbols[3].st_info = ELF##bits##_ST_INFO(STB_GLOBAL, STT_OBJECT);                     \
        (it).symbols[3].st_shndx = 1;                                                              \
        (it).symbols[3].st_value = ADDRESS;                                                        \
    } while (0)

/* Asks for a symbol of a file with this content. */
static int find_in(const void *content, size_t size, const char *symbol, uint64_t *offset,
                   struct failure *failure)
{
    int file = memfd_create("elf", MFD_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(write(file, content, size), size);
    struct suggestions near = {.wanted = symbol};
    int error = elf_symbol_offset(file, symbol, offset, &near, failure);
    close(file);
    return error;
}

TEST(a_symbol_s_offset_is_its_place_in_the_segment)
{
    struct tiny64 wide;
    struct tiny32 narrow;
    uint64_t offset = 0;
    FILL(wide, 64, ELFCLASS64);
    FILL(narrow, 32, ELFCLASS32);
    assert_int_equal(find_in(&wide, sizeof(wide), "work", &offset, NULL), 0);
    assert_int_equal(offset, offsetof(struct tiny64, code) + 16);
    assert_int_equal(find_in(&narrow, sizeof(narrow), "work", &offset, NULL), 0);
    assert_int_equal(offset, offsetof(struct tiny32, code) + 16);
}

TEST(only_defined_code_counts)
{
    struct tiny64 wide;
    uint64_t offset;
    FILL(wide, 64, ELFCLASS64);
    assert_int_equal(find_in(&wide, sizeof(wide), "undefined", &offset, NULL), -ENOENT);
    assert_int_equal(find_in(&wide, sizeof(wide), "variable", &offset, NULL), -ENOENT);
    assert_int_equal(find_in(&wide, sizeof(wide), "wor", &offset, NULL), -ENOENT);
    assert_int_equal(find_in(&wide, sizeof(wide), "work2", &offset, NULL), -ENOENT);
}

/* libc's strlen and its like: their symbol is the code that picks a variant, and runs once. */
TEST(a_function_chosen_at_start_is_not_probed_in_its_chooser)
{
    struct tiny64 wide;
    struct failure failure = {0};
    uint64_t offset;
    FILL(wide, 64, ELFCLASS64);
    wide.symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
    assert_int_equal(find_in(&wide, sizeof(wide), "work", &offset, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "chooses"));
}

TEST(code_outside_the_file_is_refused)
{
    struct tiny64 wide;
    struct failure failure = {0};
    uint64_t offset;
    FILL(wide, 64, ELFCLASS64);
    wide.symbols[1].st_value = ADDRESS - 1;
    assert_int_equal(find_in(&wide, sizeof(wide), "work", &offset, &failure), -EINVAL);
    assert_non_null(strstr(failure.text, "not in the file"));
    FILL(wide, 64, ELFCLASS64);
    wide.segment.p_offset = UINT64_MAX - 8; /* would wrap around to the start */
    assert_int_equal(find_in(&wide, sizeof(wide), "work", &offset, &failure), -EINVAL);
    FILL(wide, 64, ELFCLASS64);
    wide.segment.p_filesz = UINT64_MAX;
    wide.symbols[1].st_value = ADDRESS + 0x10000000;
    assert_int_equal(find_in(&wide, sizeof(wide), "work", &offset, &failure), -EINVAL);
}

TEST(forged_tables_are_refused)
{
    struct tiny64 wide;
    uint64_t offset;
#define FORGE(field, value)                                                                        \
    do {                                                                                           \
        FILL(wide, 64, ELFCLASS64);                                                                \
        wide.field = (value);                                                                      \
        assert_int_equal(find_in(&wide, sizeof(wide), "work", &offset, NULL), -EINVAL);            \
    } while (0)
    FORGE(header.e_ident[0], 'x');
    FORGE(header.e_ident[EI_CLASS], 7);
    FORGE(header.e_ident[EI_DATA], 3);
    FORGE(header.e_type, ET_REL);
    FORGE(header.e_shoff, UINT64_MAX);
    FORGE(header.e_shoff, sizeof(wide) - 1);
    FORGE(header.e_shentsize, 1);
    FORGE(header.e_phentsize, 1);
    FORGE(header.e_phoff, sizeof(wide));
    FORGE(header.e_phnum, 0);
    FORGE(sections[1].sh_size, UINT64_MAX);
    FORGE(sections[1].sh_offset, UINT64_MAX - 1);
    FORGE(sections[1].sh_link, 3);
    FORGE(sections[1].sh_link, 1);
    FORGE(sections[2].sh_size, UINT64_MAX);
    FORGE(sections[2].sh_offset, sizeof(wide));
#undef FORGE
    FILL(wide, 64, ELFCLASS64);
    wide.symbols[1].st_name = 47; /* the last byte of the names: empty, and not beyond them */
    assert_int_equal(find_in(&wide, sizeof(wide), "work", &offset, NULL), -ENOENT);
    wide.symbols[1].st_name = UINT32_MAX;
    assert_int_equal(find_in(&wide, sizeof(wide), "work", &offset, NULL), -ENOENT);
    memset(wide.names, 'w', sizeof(wide.names)); /* names without an end */
    wide.symbols[1].st_name = 1;
    assert_int_equal(find_in(&wide, sizeof(wide), "work", &offset, NULL), -ENOENT);
}

TEST(a_file_cut_off_anywhere_is_refused)
{
    struct tiny64 wide;
    uint64_t offset;
    FILL(wide, 64, ELFCLASS64);
    for (size_t size = 0; size < offsetof(struct tiny64, code); size++)
        assert_int_equal(find_in(&wide, size, "work", &offset, NULL), -EINVAL);
}

/* Whatever one changed byte does, the answer is one of the promised ones. */
TEST(a_changed_byte_never_breaks_the_reader)
{
    struct tiny64 wide;
    static const uint8_t changes[] = {0x01, 0x80, 0xff};
    for (size_t at = 0; at < sizeof(wide); at++) {
        for (size_t c = 0; c < sizeof(changes); c++) {
            uint64_t offset;
            FILL(wide, 64, ELFCLASS64);
            ((uint8_t *)&wide)[at] ^= changes[c];
            int error = find_in(&wide, sizeof(wide), "work", &offset, NULL);
            assert_true(error == 0 || error == -EINVAL || error == -ENOENT);
            assert_true(error != 0 || offset < sizeof(wide));
        }
    }
}

__attribute__((noinline, visibility("default"))) int a_function_of_our_own(int number);
int a_function_of_our_own(int number)
{
    return number * 3 + 1;
}

static const struct tree_file with_uprobes[] = {
    {DEVICES "uprobe/type", "8\n"},
    {DEVICES "uprobe/format/retprobe", "config:3\n"},
    {DEVICES "uprobe/format/ref_ctr_offset", "config:32-63\n"},
    {NULL, NULL},
};

static void own_path(char path[256])
{
    ssize_t length = readlink("/proc/self/exe", path, 255);
    assert_true(length > 0);
    path[length] = '\0';
}

TEST(our_own_function_is_found_where_its_bytes_are)
{
    struct recorded machine;
    char path[256], name[400], code[8];
    own_path(path);
    recorded_begin(&machine, with_uprobes);
    snprintf(name, sizeof(name), "uprobe:%s:a_function_of_our_own:u", path);
    struct event event = resolved(&machine.view, name);
    assert_int_equal(event.kind, EVENT_UPROBE);
    assert_int_equal(event.attr.type, 8);
    assert_int_equal(event.attr.config, 0);
    assert_true(event.attr.exclude_kernel);
    assert_string_equal(event.target, path);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(pread(file, code, sizeof(code), (off_t)event.attr.probe_offset), sizeof(code));
    close(file);
    assert_memory_equal(code, (const void *)(uintptr_t)a_function_of_our_own, sizeof(code));
    uint64_t entry = event.attr.probe_offset;
    event_release(&event);
    snprintf(name, sizeof(name), "uretprobe:%s:a_function_of_our_own+0x4", path);
    event = resolved(&machine.view, name);
    assert_int_equal(event.attr.config, 8); /* the bit sysfs names */
    assert_int_equal(event.attr.probe_offset, entry + 4);
    event_release(&event);
    snprintf(name, sizeof(name), "uprobe:%s:0x1234", path);
    event = resolved(&machine.view, name);
    assert_int_equal(event.attr.probe_offset, 0x1234);
    event_release(&event);
    recorded_end(&machine);
}

TEST(what_cannot_be_probed_is_named)
{
    struct recorded machine;
    char path[256], name[400];
    own_path(path);
    recorded_begin(&machine, with_uprobes);
    const struct event_view *view = &machine.view;
    snprintf(name, sizeof(name), "uprobe:%s:a_function_of_our_onw", path);
    refused(view, name, -ENOENT, WORDS("did you mean a_function_of_our_own"));
    refused(view, "uprobe:/nonexistent/program:main", -ENOENT, WORDS("cannot be opened"));
    refused(view, "uprobe:/dev/null:main", -EINVAL, WORDS("regular file"));
    refused(view, "uprobe:/:main", -EINVAL, WORDS("regular file"));
    refused(view, "uprobe:/proc/self/status:main", -EINVAL, WORDS("no ELF"));
    snprintf(name, sizeof(name), "uprobe:%s:a_function_of_our_own+0xffffffffffffffff", path);
    refused(view, name, -EINVAL, WORDS("too large"));
    recorded_end(&machine);
    struct recorded without;
    recorded_begin(&without, NULL);
    refused(&without.view, "uprobe:/bin/true:main", -ENOENT, WORDS("CONFIG_UPROBE_EVENTS"));
    recorded_end(&without);
}

/* Which the probe can open and a library cannot. */
TEST(the_target_of_a_specimen_has_a_name)
{
    static const struct tree_file files[] = {{DEVICES "uprobe/type", "9\n"},
                                             {DEVICES "uprobe/format/retprobe", "config:0\n"},
                                             {NULL, NULL}};
    static const char *const names[] = {"mem:target:x",   "mem:target",      "mem:target/8:w:u",
                                        "uprobe:target",  "uprobe:target:u", "uretprobe:target",
                                        "mem:target:rw:k"};
    struct recorded machine;
    recorded_begin(&machine, files);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        refused(&machine.view, names[i], -ENOENT, WORDS("specimen"));
        machine.view.has_target = true;
        struct event event = resolved(&machine.view, names[i]);
        assert_true(event.own);
        assert_null(event.target);
        assert_int_equal(event.attr.exclude_kernel, names[i][strlen(names[i]) - 1] == 'u');
        event_release(&event);
        machine.view.has_target = false;
    }
    machine.view.has_target = true;
    refused(&machine.view, "mem:target/9:w", -EINVAL, WORDS("length"));
    refused(&machine.view, "mem:targets:w", -EINVAL, WORDS("address"));
    refused(&machine.view, "uprobe:target:", -EINVAL, NULL);
    refused(&machine.view, "uprobe:target:main", -EINVAL, NULL);
    refused(&machine.view, "uprobe:targets", -EINVAL, NULL);
    recorded_end(&machine);
}
