/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From instructions that were executed to stretches of functions: joining, whose code it was, and
 * files that lie about their symbols. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "case.h"
#include "probe/command/detail.h"

/* What the code under test needs of the rest of the probe. */
int command_fail(const struct command_visit *visit, int code, const char *format, ...)
{
    (void)visit, (void)format;
    return code;
}

int launch_release(const struct command_visit *visit, struct execution *execution)
{
    (void)visit, (void)execution;
    return -ENOSYS;
}

/* --- an ELF file of our own --- */

#define CODE_OFFSET  0x1000u
#define CODE_ADDRESS 0x401000u

struct file {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Shdr sections[3];
    Elf64_Sym symbols[6];
    char names[64];
};

static Elf64_Sym function(uint32_t name, uint64_t value, uint64_t size, unsigned type)
{
    return (Elf64_Sym){.st_name = name,
                       .st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, type),
                       .st_shndx = 1,
                       .st_value = value,
                       .st_size = size};
}

static struct file sound(void)
{
    struct file file = {.names = "\0first\0second\0label\0$x\0data"};
    memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    file.header.e_ident[EI_DATA] = ELFDATA2LSB;
    file.header.e_phoff = offsetof(struct file, segment);
    file.header.e_phnum = 1;
    file.header.e_phentsize = sizeof(Elf64_Phdr);
    file.header.e_shoff = offsetof(struct file, sections);
    file.header.e_shnum = 3;
    file.header.e_shentsize = sizeof(Elf64_Shdr);
    file.segment = (Elf64_Phdr){
        .p_type = PT_LOAD, .p_offset = CODE_OFFSET, .p_filesz = 0x1000, .p_vaddr = CODE_ADDRESS};
    file.sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                    .sh_offset = offsetof(struct file, symbols),
                                    .sh_size = sizeof(file.symbols),
                                    .sh_entsize = sizeof(Elf64_Sym),
                                    .sh_link = 2};
    file.sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                    .sh_offset = offsetof(struct file, names),
                                    .sh_size = sizeof(file.names)};
    file.symbols[1] = function(7, CODE_ADDRESS + 0x20, 0x10, STT_FUNC);
    file.symbols[2] = function(1, CODE_ADDRESS, 0x10, STT_FUNC);
    file.symbols[3] = function(14, CODE_ADDRESS + 0x100, 0, STT_NOTYPE);
    file.symbols[4] = function(20, CODE_ADDRESS + 0x24, 0, STT_NOTYPE);
    file.symbols[5] = function(23, CODE_ADDRESS + 0x28, 4, STT_OBJECT);
    return file;
}

static const char *found(const struct symbols *symbols, uint64_t within)
{
    return symbols_find(symbols, CODE_OFFSET + within);
}

TEST(functions_are_found_by_their_place_in_the_file)
{
    struct file file = sound();
    struct symbols symbols;
    assert_int_equal(symbols_read_bytes(&symbols, &file, sizeof(file)), 0);
    assert_string_equal(found(&symbols, 0), "first");
    assert_string_equal(found(&symbols, 0xf), "first");
    assert_null(found(&symbols, 0x10));
    assert_string_equal(found(&symbols, 0x20), "second");
    assert_string_equal(found(&symbols, 0x2a), "second"); /* neither marks nor data are functions */
    assert_null(found(&symbols, 0x30));
    assert_string_equal(found(&symbols, 0x200), "label"); /* without a size: to the next */
    assert_null(symbols_find(&symbols, 0));
    assert_null(symbols_find(&symbols, UINT64_MAX));
    symbols_free(&symbols);
}

TEST(every_byte_of_a_file_may_lie)
{
    const struct file good = sound();
    static const uint8_t lies[] = {0, 1, 0x7f, 0x80, 0xff};
    for (size_t at = 0; at < sizeof(good); at++)
        for (size_t lie = 0; lie < sizeof(lies); lie++) {
            /* in memory that ends where the file does, for sanitizers to watch */
            const size_t length = sizeof(good);
            AUTO_FREE uint8_t *bytes = malloc(length);
            memcpy(bytes, &good, length);
            bytes[at] = lies[lie];
            struct symbols symbols;
            assert_int_equal(symbols_read_bytes(&symbols, bytes, sizeof(good)), 0);
            for (uint64_t within = 0; within < 0x200; within += 8) {
                const char *name = found(&symbols, within);
                assert_true(!name || strlen(name) < sizeof(good));
            }
            symbols_free(&symbols);
        }
}

TEST(a_file_may_end_anywhere)
{
    const struct file good = sound();
    for (size_t length = 0; length < sizeof(good); length++) {
        AUTO_FREE uint8_t *bytes = malloc(length + 1);
        memcpy(bytes, &good, length);
        struct symbols symbols;
        assert_int_equal(symbols_read_bytes(&symbols, bytes, length), 0);
        symbols_free(&symbols);
    }
}

TEST(what_is_no_regular_file_is_not_waited_for)
{
    char folder[] = "/tmp/assay-executed-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    struct symbols symbols;
    static const char *const others[] = {"/dev/zero", "/nonexistent", "",
                                         "[heap]",    "relative",     "/"};
    assert_int_equal(symbols_read(&symbols, path), 0);
    assert_int_equal(symbols.count, 0);
    for (size_t index = 0; index < sizeof(others) / sizeof(*others); index++) {
        assert_int_equal(symbols_read(&symbols, others[index]), 0);
        assert_int_equal(symbols.count, 0);
        symbols_free(&symbols);
    }
    unlink(path);
    rmdir(folder);
}

/* --- stretches --- */

#define LOADED 0x7f0000001000u

static struct executed_instruction one(uint64_t within, uint8_t length, uint64_t executions,
                                       uint64_t repetitions)
{
    struct executed_instruction made = {.address = LOADED + within,
                                        .length = length,
                                        .executions = executions,
                                        .repetitions = repetitions};
    memset(made.bytes, (int)within + 1, sizeof(made.bytes));
    return made;
}

/* What is told, a line each: function within+bytes instructions*executions+repetitions */
static void told(const struct executed_instruction *list, size_t count, char *text, size_t size)
{
    char path[] = "/tmp/assay-executed-XXXXXX";
    int descriptor = mkstemp(path), details = memfd_create("details", MFD_CLOEXEC);
    struct file file = sound();
    assert_int_equal(write(descriptor, &file, sizeof(file)), sizeof(file));
    close(descriptor);
    struct mapped map = {LOADED, LOADED + 0x1000, CODE_OFFSET, path};
    struct command_visit visit = {.detail = details};
    assert_int_equal(executed_write(&visit, list, count, &map, 1), 0);
    unlink(path);
    AUTO_FILE FILE *stream = fdopen(details, "r+");
    AUTO_FREE char *line = NULL;
    size_t room = 0;
    struct wire_frame frame;
    rewind(stream);
    *text = '\0';
    while (detail_next(stream, &line, &room, &frame, NULL) > 0) {
        uint64_t address;
        assert_int_equal(wire_get_u64(&frame, "address", &address), 0);
        bool mapped = strcmp(wire_get(&frame, "object"), path) == 0;
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s %d+%zu %s*%s+%s\n", mapped ? "" : "?",
                 wire_get(&frame, "function"), (int)(address - LOADED),
                 wire_field(&frame, "bytes")->length, wire_get(&frame, "instructions"),
                 wire_get(&frame, "executions"), wire_get(&frame, "repetitions"));
    }
}

TEST(neighbours_executed_equally_often_are_one_stretch)
{
    char text[512];
    const struct executed_instruction list[] = {one(0x22, 2, 5, 0), one(0, 3, 1, 0),
                                                one(3, 4, 1, 0),    one(7, 2, 2, 0),
                                                one(0x20, 2, 5, 0), one(0x30, 1, 5, 0)};
    told(list, sizeof(list) / sizeof(*list), text, sizeof(text));
    assert_string_equal(text, "first 0+7 2*1+0\nfirst 7+2 1*2+0\nsecond 32+4 2*5+0\n 48+1 1*5+0\n");
}

TEST(functions_part_stretches_and_repeated_instructions_stand_alone)
{
    char text[512];
    const struct executed_instruction list[] = {one(0xe, 2, 1, 0), one(0x10, 1, 1, 0),
                                                one(0x20, 2, 1, 0), one(0x22, 2, 1, 9),
                                                one(0x24, 2, 1, 0)};
    told(list, sizeof(list) / sizeof(*list), text, sizeof(text));
    assert_string_equal(text, "first 14+2 1*1+0\n 16+1 1*1+0\nsecond 32+2 1*1+0\nsecond 34+2 "
                              "1*1+9\nsecond 36+2 1*1+0\n");
}

TEST(an_unknown_length_reaches_to_the_next_at_most)
{
    char text[512];
    const struct executed_instruction list[] = {one(0, 0, 1, 0), one(5, 0, 1, 0),
                                                one(0x2000, 1, 1, 0)};
    told(list, 3, text, sizeof(text));
    assert_string_equal(text, "first 0+5 1*1+0\nfirst 5+15 1*1+0\n? 8192+1 1*1+0\n");
    told(list, 0, text, sizeof(text));
    assert_string_equal(text, "");
}

/* --- maps --- */

TEST(only_executable_maps_are_taken)
{
    static const char *const lines[] = {
        "00400000-00401000 r--p 00000000 fe:01 12 /bin/a\n",
        "00401000-00402000 r-xp 00001000 fe:01 12                     /bin/with a space\n",
        "00500000-00501000 rwxp 00000000 00:00 0 \n",
        "00600000-00601000 r-xs 00000000 00:01 7 /memfd:code (deleted)\n",
        "00700000-00600000 r-xp 00000000 00:00 0 \n",
        "rubbish\n",
        "\n",
    };
    struct code_maps maps = {0};
    for (size_t index = 0; index < sizeof(lines) / sizeof(*lines); index++) {
        AUTO_FREE char *line = strdup(lines[index]);
        assert_int_equal(code_maps_parse(&maps, line), 0);
    }
    assert_int_equal(maps.count, 3);
    assert_string_equal(code_maps_find(&maps, 0x401fff)->mapped.object, "/bin/with a space");
    assert_false(code_maps_find(&maps, 0x401000)->changing);
    assert_true(code_maps_find(&maps, 0x500000)->changing);
    assert_string_equal(code_maps_find(&maps, 0x500000)->mapped.object, "");
    assert_true(code_maps_find(&maps, 0x600000)->changing); /* written by another mapping */
    assert_null(code_maps_find(&maps, 0x400000));
    assert_null(code_maps_find(&maps, 0x402000));
    assert_true(code_maps_touch(&maps, 0x400000, 0x1001));
    assert_false(code_maps_touch(&maps, 0x400000, 0x1000));
    assert_true(code_maps_touch(&maps, 0x400000, UINT64_MAX));
    code_maps_free(&maps);
}

TEST(another_object_at_an_address_is_noticed)
{
    struct code_map library = {{0x1000, 0x3000, 0x1000, "/a"}, false};
    struct code_map part = {{0x2000, 0x3000, 0x2000, "/a"}, false};
    struct code_map moved = {{0x2000, 0x3000, 0x1000, "/a"}, false};
    struct code_map other = {{0x2000, 0x4000, 0x1000, "/b"}, false};
    struct code_maps before = {&library, 1};
    assert_false(code_maps_replaced(&before, &(struct code_maps){&part, 1}));
    assert_true(code_maps_replaced(&before, &(struct code_maps){&moved, 1}));
    assert_true(code_maps_replaced(&before, &(struct code_maps){&other, 1}));
    assert_false(code_maps_replaced(&before, &(struct code_maps){NULL, 0}));
}

/* --- names of calls --- */

TEST(calls_have_the_names_of_their_headers)
{
    char name[32];
    call_name(&(struct stepped_call){.number = -1}, name, sizeof(name));
    assert_string_equal(name, "call--1");
    call_name(&(struct stepped_call){.number = 1 << 30}, name, sizeof(name));
    assert_string_equal(name, "call-1073741824");
    call_name(&(struct stepped_call){.number = 435}, name, sizeof(name)); /* of all ISAs */
    assert_string_equal(name, "clone3");
    assert_int_equal(call_role(name), CALL_CLONES_BY);
#if defined(__x86_64__)
    call_name(&(struct stepped_call){.number = 0}, name, sizeof(name));
    assert_string_equal(name, "read");
    call_name(&(struct stepped_call){.number = 3, .narrow = true}, name, sizeof(name));
    assert_string_equal(name, "read");
#endif
}
