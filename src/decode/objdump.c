/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The back end on binutils' objdump: the program, and each line of what it prints. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "decode/objdump.h"
#include "lab/tool.h"

/* ----------------------------------------------------------------------------------------------
 * One line of objdump's output. Strict: the address must be the one that is due and the bytes those
 * that were given, so that a line that was lost, doubled or cut is noticed. */

#define LONGEST                                                                                    \
    24 /* bytes of the longest encoding of any ISA here (RISC-V reserves such), and more */
#define SHORTEST_CUT 4 /* so many bytes are a whole instruction where some can be cut */

static bool is_hex(char character)
{
    return strchr("0123456789abcdef", character) && character;
}

static unsigned hex_digit(char character)
{
    return (unsigned)(character <= '9' ? character - '0' : character - 'a' + 10);
}

bool objdump_target(const char *operand, uint64_t *target)
{
    uint64_t value = 0;
    if (strncmp(operand, "0x", 2) != 0 || !operand[2] || strlen(operand) > 18)
        return false;
    for (operand += 2; is_hex(*operand); operand++)
        value = value << 4 | hex_digit(*operand);
    *target = value;
    return *operand == '\0';
}

/* The address before the colon; NULL when the line has none. */
static char *take_address(char *line, uint64_t *address)
{
    char *cursor = line + strspn(line, " ");
    char *digits = cursor;
    *address = 0;
    for (; is_hex(*cursor); cursor++)
        *address = *address << 4 | hex_digit(*cursor);
    if (cursor == digits || cursor - digits > 16 || cursor[0] != ':' || cursor[1] != '\t')
        return NULL;
    return cursor + 2;
}

/* Groups of hexadecimal digits: bytes in order, or words, whose lowest byte comes last. Returns how
 * many bytes, 0 when it is none. */
static size_t take_bytes(const char *field, uint8_t *bytes)
{
    size_t count = 0;
    while (*field) {
        size_t digits = strspn(field, "0123456789abcdef");
        if (!digits || digits % 2 || count + digits / 2 > LONGEST)
            return 0;
        for (size_t i = digits; i; i -= 2)
            bytes[count++] = (uint8_t)(hex_digit(field[i - 2]) << 4 | hex_digit(field[i - 1]));
        field += digits;
        field += strspn(field, " ");
    }
    return count;
}

static void take_words(char *text, struct wording *words)
{
    *words = (struct wording){.mnemonic = text};
    char *cursor = text + strcspn(text, " \t");
    if (!*cursor)
        return;
    *cursor++ = '\0';
    cursor += strspn(cursor, " \t");
    int depth = 0;
    while (*cursor && words->count < OBJDUMP_OPERANDS) {
        words->operands[words->count++] = cursor;
        for (; *cursor && (depth > 0 || *cursor != ','); cursor++)
            depth += *cursor && strchr("([{", *cursor)   ? 1
                     : *cursor && strchr(")]}", *cursor) ? -1
                                                         : 0;
        if (*cursor) {
            *cursor++ = '\0';
            cursor += strspn(cursor, " ");
        }
    }
}

/* What words that no table has tell all the same: how long it is; that it transfers no control, or
 * computes nothing in floating point, where no name of such an instruction begins or ends so; that
 * it accesses no memory, where memory would stand among the operands in brackets, as it need not on
 * x86. */
static uint8_t told_by(const struct wording *words)
{
    const char *mnemonic = words->mnemonic;
    static const char *const transfers[] = {
        "b",   "c.b",  "c.j",  "call",  "cb",   "ecall", "eret",  "hvc",
        "int", "iret", "j",    "lcall", "ljmp", "loop",  "lret",  "mret",
        "ret", "smc",  "sret", "svc",   "sys",  "tb",    "uiret", "xbegin",
    };
    uint8_t told = TOLD_LENGTH | TOLD_FLOW | TOLD_FP;
    if (mnemonic[0] == '(' || mnemonic[0] == '.')
        return mnemonic[0] == '(' ? 0 : TOLD_LENGTH;
    for (size_t i = 0; i < sizeof(transfers) / sizeof(*transfers); i++)
        if (strncmp(mnemonic, transfers[i], strlen(transfers[i])) == 0)
            told &= (uint8_t)~TOLD_FLOW;
    const char *end = mnemonic + strlen(mnemonic);
    if (strchr("bfv", mnemonic[0]) ||
        (end - mnemonic > 2 && strchr("ps", end[-2]) && strchr("sd", end[-1])))
        told &= (uint8_t)~TOLD_FP;
    if (words->count)
        told |= TOLD_ACCESS;
    for (size_t i = 0; i < words->count; i++)
        if (strpbrk(words->operands[i], "[(%$") || strncmp(words->operands[i], "0x", 2) == 0)
            told &= (uint8_t)~TOLD_ACCESS;
    return told;
}

int objdump_parse(char *line, const struct objdump_line *place, struct instruction *instruction)
{
    uint64_t address;
    uint8_t bytes[LONGEST];
    char *field = take_address(line, &address);
    if (!field)
        return 0;
    char *text = strchr(field, '\t');
    if (!text) {
        /* Code that ends within an instruction: on ISAs with long words objdump says so, without
         * bytes. */
        if (strncmp(field, "Address 0x", 10) != 0 || !strstr(field, "out of bounds") ||
            address != place->expected || !place->left || place->left >= SHORTEST_CUT)
            return -EBADMSG;
        instruction->address = address;
        instruction->length = (uint8_t)place->left;
        snprintf(instruction->text, sizeof(instruction->text), "(no instruction)");
        return 1;
    }

    *text++ = '\0';
    size_t length = take_bytes(field, bytes);
    if (!length || address != place->expected || length > place->left ||
        memcmp(bytes, place->bytes, length) != 0)
        return -EBADMSG;
    /* Cuts a remark ("# 0x4010", "// b.any", "; undefined") and spaces off the end. */
    static const char *const remarks[] = {" #", "\t#", "//", " ;", "\t;"};
    for (size_t i = 0; i < sizeof(remarks) / sizeof(*remarks); i++) {
        /* On AArch64 "#" begins a number too, after a comma or a bracket and never after words. */
        for (char *found = text; (found = strstr(found, remarks[i])); found++) {
            char *before = found;
            while (before > text && strchr(" \t", before[-1]))
                before--;
            if (remarks[i][1] == '#' &&
                (found[2] != ' ' || before == text || strchr(",[", before[-1])))
                continue;
            *found = '\0';
            break;
        }
    }
    for (size_t end = strlen(text); end && strchr(" \t", text[end - 1]);)
        text[--end] = '\0';

    instruction->address = address;
    instruction->length = (uint8_t)length;
    snprintf(instruction->text, sizeof(instruction->text), "%s", text);
    for (char *blank = instruction->text; *blank; blank++)
        if (*blank == '\t')
            *blank = ' ';
    struct wording words;
    take_words(text, &words);
    snprintf(instruction->opcode, sizeof(instruction->opcode), "%.31s", words.mnemonic);
    place->describe(&words, instruction);
    instruction->told = instruction->known ? TOLD_ALL : told_by(&words);
    return 1;
}

/* ----------------------------------------------------------------------------------------------
 * The program: the bytes go into a file, the text comes back through a pipe. Never a shell. The
 * first objdump in PATH that knows the ISA is taken: ISA-linux-gnu-objdump, then objdump itself. */

#define LIMIT_MS 60000 /* a megabyte of code takes a second */

static const struct isa {
    const char *name;
    const char *machine; /* as objdump calls it */
    const char *options; /* of its disassembler: canonical mnemonics, no aliases */
    objdump_describe *describe;
} isas[] = {
    {"x86_64", "i386:x86-64", "att,suffix", objdump_describe_x86},
    {"i386", "i386", "att,suffix", objdump_describe_x86}, /* 32-bit programs on x86-64 */
    {"aarch64", "aarch64", "no-aliases", objdump_describe_aarch64},
    {"riscv64", "riscv:rv64", "no-aliases", objdump_describe_riscv64},
};

static const struct isa *find_isa(const char *name)
{
    for (size_t i = 0; i < sizeof(isas) / sizeof(*isas); i++)
        if (strcmp(isas[i].name, name) == 0)
            return &isas[i];
    return NULL;
}

/* The lines as they come. */
struct listing {
    struct objdump_line place;
    struct instructions *instructions;
    int error;
    char bad[80]; /* the line that was none */
};

static bool take_line(void *context, const char *line)
{
    struct listing *listing = context;
    if (listing->error)
        return true;
    AUTO_MEMORY char *copy = memory_copy(line);
    struct instruction found = {0};
    listing->error = objdump_parse(copy, &listing->place, &found);
    if (listing->error == 0)
        return false;
    if (listing->error < 0) {
        snprintf(listing->bad, sizeof(listing->bad), "%s", line);
        return true;
    }
    listing->error = 0;
    *instructions_add(listing->instructions) = found;
    listing->place.expected += found.length;
    listing->place.bytes += found.length;
    listing->place.left -= found.length;
    return true;
}

/* One objdump over the file. -ENOTSUP: it does not know the ISA; -ENOENT: there is none. */
static int run_one(const char *program, const struct isa *isa, const struct code_bytes *code,
                   const char *path, struct instructions *instructions, struct failure *failure)
{
    AUTO_TEXT struct text said = {0};
    char words[200];
    char base[40];
    snprintf(base, sizeof(base), "--adjust-vma=0x%llx", (unsigned long long)code->address);
    const char *const argv[] = {program,      "-D", "-z",         "-w", "-b", "binary", "-m",
                                isa->machine, "-M", isa->options, base, path, NULL};
    struct listing listing = {.place = {.expected = code->address,
                                        .bytes = code->bytes,
                                        .left = code->length,
                                        .describe = isa->describe},
                              .instructions = instructions};
    const struct tool tool = {
        .argv = argv, .limit_ms = LIMIT_MS, .line = take_line, .context = &listing};
    int status = tool_run(&tool, &said, failure);
    if (status < 0)
        return status;
    if (status > 0) {
        tool_complaint(&said, words, sizeof(words));
        return fail_with(failure, -ENOTSUP, "%s cannot do it: %s", program, words);
    }
    if (listing.error)
        return fail_with(failure, listing.error,
                         "%s printed '%s', which is not what was due at 0x%llx", program,
                         listing.bad, (unsigned long long)listing.place.expected);
    return 0;
}

static int decode_objdump(const struct code_bytes *code, struct instructions *instructions,
                          struct failure *failure)
{
    const struct isa *isa = find_isa(code->isa);
    if (!isa)
        return fail_with(failure, -ENOTSUP, "no table of objdump's words for %.32s", code->isa);
    char own[64];
    char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(own, sizeof(own), "%s-linux-gnu-objdump", isa->name);
    int length =
        snprintf(path, sizeof(path), "%s/assay-code-XXXXXX", folder && *folder ? folder : "/tmp");
    if (length < 0 || (size_t)length >= sizeof(path))
        return fail_with(failure, -ENAMETOOLONG, "TMPDIR is too long for a file in it");
    const char *const programs[] = {own, "objdump"};
    int fd = mkstemp(path);
    if (fd < 0)
        return fail_with(failure, -errno, "no file %s for objdump: %s", path, strerror(errno));
    const char *bytes = code->bytes;
    for (size_t done = 0; done < code->length;) {
        ssize_t wrote = write(fd, bytes + done, code->length - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            int error = wrote < 0 ? -errno : -EIO;
            close(fd);
            unlink(path);
            return fail_with(failure, error, "%s could not be written: %s", path, strerror(-error));
        }
        done += (size_t)wrote;
    }
    close(fd);
    int status = -ENOENT;
    for (size_t i = 0; i < 2 && (status == -ENOENT || status == -ENOTSUP); i++) {
        instructions->count = 0;
        status = run_one(programs[i], isa, code, path, instructions, failure);
    }
    unlink(path);
    if (status == -ENOENT || status == -ENOTSUP)
        return fail_with(failure, -ENOTSUP,
                         "no objdump here decodes %s: install binutils for it (%s)", isa->name,
                         own);
    return status;
}

const struct decoder decoder_objdump = {.name = "objdump", .decode = decode_objdump};
