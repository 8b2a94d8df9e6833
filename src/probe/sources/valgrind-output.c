/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads what Valgrind's tools say, and lackey's trace. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "decode.h"
#include "probe/sources/program.h"
#include "probe/sources/valgrind-output.h"

/* ----------------------------------------------------------------------------------------------
 * What the tools say at the end. All three are lines of a word and numbers; a line that matters
 * must be there exactly once. */

#define MOST_NUMBERS 16

static bool next_line(struct stretch *text, struct stretch *line)
{
    if (text->at == text->end)
        return false;
    const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
    *line = (struct stretch){text->at, newline ? newline : text->end};
    text->at = newline ? newline + 1 : text->end;
    return true;
}

static void skip_blanks(struct stretch *span)
{
    while (span->at < span->end && *span->at == ' ')
        span->at++;
}

/* Digits, in groups of three with commas where the tool likes them. False: none, or too many. */
static bool take_grouped(struct stretch *span, uint64_t *number)
{
    skip_blanks(span);
    const char *start = span->at;
    *number = 0;
    for (; span->at < span->end; span->at++) {
        if (*span->at == ',' && span->at > start)
            continue;
        if (*span->at < '0' || *span->at > '9')
            break;
        unsigned digit = (unsigned)(*span->at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return span->at > start;
}

static bool ended(struct stretch *span)
{
    skip_blanks(span);
    return span->at == span->end;
}

static int refuse(struct failure *failure, const char *tool, const char *what)
{
    return fail_with(failure, -EBADMSG,
                     "what Valgrind's tool %s wrote cannot be read: %s. Does the code under test "
                     "write there, or is this a Valgrind assay does not know yet?",
                     tool, what);
}

/* --- cachegrind --- */

static const char cachegrind_events[] = "Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim";
enum { IR, I1MR, ILMR, DR, D1MR, DLMR, DW, D1MW, DLMW, BC, BCM, BI, BIM, CACHEGRIND_EVENTS };

int cachegrind_read(const char *text, size_t length, uint64_t counts[VALGRIND_COLUMN_COUNT],
                    struct failure *failure)
{
    struct stretch rest = {text, text + length}, line;
    uint64_t sums[CACHEGRIND_EVENTS] = {0};
    unsigned events = 0, summaries = 0;
    while (next_line(&rest, &line)) {
        if (take(&line, "events: ")) {
            events++;
            if (!take(&line, cachegrind_events) || !ended(&line))
                return refuse(failure, "cachegrind", "it counted other events");
        } else if (take(&line, "summary:")) {
            summaries++;
            for (int event = 0; event < CACHEGRIND_EVENTS; event++)
                if (!take_grouped(&line, &sums[event]))
                    return refuse(failure, "cachegrind", "a number is missing in its summary");
            if (!ended(&line))
                return refuse(failure, "cachegrind", "its summary has too many numbers");
        }
    }
    if (events != 1 || summaries != 1)
        return refuse(failure, "cachegrind", "there is not exactly one summary");
    counts[VALGRIND_INSTRUCTIONS_RAW] = sums[IR];
    counts[VALGRIND_I1_MISSES] = sums[I1MR];
    counts[VALGRIND_D1_LOAD_MISSES] = sums[D1MR];
    counts[VALGRIND_D1_STORE_MISSES] = sums[D1MW];
    counts[VALGRIND_LL_CODE_MISSES] = sums[ILMR];
    counts[VALGRIND_LL_LOAD_MISSES] = sums[DLMR];
    counts[VALGRIND_LL_STORE_MISSES] = sums[DLMW];
    counts[VALGRIND_CONDITIONAL] = sums[BC];
    counts[VALGRIND_INDIRECT] = sums[BI];
    counts[VALGRIND_MISPREDICTED] = sums[BCM] + sums[BIM];
    return 0;
}

/* --- lackey --- */

/* "==123== " */
static bool take_prefix(struct stretch *line)
{
    uint64_t process;
    return take(line, "==") && take_grouped(line, &process) && take(line, "==");
}

/* "   I32             1            2            3": loads, stores, operations */
static bool take_type_row(struct stretch line, uint64_t *loads, uint64_t *stores)
{
    uint64_t operations, bits;
    skip_blanks(&line);
    if (line.at == line.end || !strchr("IFVD", *line.at))
        return false;
    line.at++;
    return take_grouped(&line, &bits) && take_grouped(&line, loads) &&
           take_grouped(&line, stores) && take_grouped(&line, &operations) && ended(&line);
}

/* Types of values differ a little between versions: 14 in 3.19. */
#define LACKEY_LEAST_ROWS 10u

struct lackey_found {
    unsigned totals, takens, instructions, rows;
};

static void take_lackey_line(struct stretch line, struct lackey_found *found,
                             uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    uint64_t loads, stores;
    if (take_type_row(line, &loads, &stores)) {
        found->rows++;
        counts[VALGRIND_LOADS] += loads;
        counts[VALGRIND_STORES] += stores;
        return;
    }
    skip_blanks(&line);
    if (take(&line, "total:"))
        found->totals += take_grouped(&line, &counts[VALGRIND_CONDITIONAL]) && ended(&line);
    else if (take(&line, "taken:"))
        found->takens += take_grouped(&line, &counts[VALGRIND_TAKEN]);
    else if (take(&line, "guest instrs:"))
        found->instructions +=
            take_grouped(&line, &counts[VALGRIND_INSTRUCTIONS_RAW]) && ended(&line);
}

int lackey_read(const char *text, size_t length, uint64_t counts[VALGRIND_COLUMN_COUNT],
                struct failure *failure)
{
    struct stretch rest = {text, text + length}, line;
    struct lackey_found found = {0};
    counts[VALGRIND_LOADS] = counts[VALGRIND_STORES] = 0;
    while (next_line(&rest, &line))
        if (take_prefix(&line))
            take_lackey_line(line, &found, counts);
    if (found.totals != 1 || found.takens != 1 || found.instructions != 1)
        return refuse(failure, "lackey", "there is not exactly one of each count");
    if (found.rows < LACKEY_LEAST_ROWS)
        return refuse(failure, "lackey", "its table of loads and stores by type is not whole");
    if (counts[VALGRIND_TAKEN] > counts[VALGRIND_CONDITIONAL])
        return refuse(failure, "lackey", "more branches were taken than executed");
    return 0;
}

/* --- exp-bbv --- */

int bbv_read(const char *text, size_t length, uint64_t counts[VALGRIND_COLUMN_COUNT],
             struct failure *failure)
{
    static const char *const words[] = {
        "#   Total instructions:", "#   Total reps:", "#   Unique reps:"};
    enum { TOTAL, REPS, UNIQUE, WORDS };
    struct stretch rest = {text, text + length}, line;
    uint64_t numbers[WORDS] = {0};
    unsigned found[WORDS] = {0};
    while (next_line(&rest, &line))
        for (int word = 0; word < WORDS; word++)
            if (take(&line, words[word]))
                found[word] += take_grouped(&line, &numbers[word]) && ended(&line);
    if (found[TOTAL] != 1 || found[REPS] != 1 || found[UNIQUE] != 1)
        return refuse(failure, "exp-bbv", "there is not exactly one thread with its counts");
    if (numbers[UNIQUE] > numbers[REPS] || numbers[UNIQUE] > numbers[TOTAL] ||
        numbers[REPS] > UINT64_MAX - numbers[TOTAL])
        return refuse(failure, "exp-bbv", "its counts contradict each other");
    counts[VALGRIND_INSTRUCTIONS] = numbers[TOTAL];
    counts[VALGRIND_INSTRUCTIONS_RAW] = numbers[TOTAL] - numbers[UNIQUE] + numbers[REPS];
    return 0;
}

/* --- The code of a static program from its file, by address --- */

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

/* ----------------------------------------------------------------------------------------------
 * The trace. An instruction that repeats itself is counted again only when another one was executed
 * in between; a branch was taken when the next instruction does not follow it. */

#define MOST_BYTES 16 /* of an instruction */

static int hexadecimal(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Hexadecimal digits, a comma, decimal digits, nothing behind. */
static bool read_access(const char *at, const char *end, uint64_t *address, uint64_t *size)
{
    const char *start = at;
    *address = *size = 0;
    for (; at < end && *at != ','; at++) {
        int digit = hexadecimal(*at);
        if (digit < 0 || at - start == 16)
            return false;
        *address = *address << 4 | (uint64_t)digit;
    }
    if (at == start || at == end)
        return false;
    for (start = ++at; at < end; at++) {
        if (*at < '0' || *at > '9' || at - start == 9)
            return false;
        *size = *size * 10 + (uint64_t)(*at - '0');
    }
    return at > start && *size;
}

static void take_line(struct trace *trace)
{
    const char *line = trace->line, *end = line + trace->length;
    uint64_t address, size;
    if (trace->overlong || trace->length < 4 || line[0] == '=')
        return;
    bool instruction = memcmp(line, "I  ", 3) == 0;
    bool data = line[0] == ' ' && strchr("LSM", line[1]) && line[2] == ' ';
    if (!instruction && !data)
        return;
    if (!read_access(line + 3, end, &address, &size))
        trace->damaged = true;
    else if (instruction) {
        uint64_t *counts = trace->counts;
        if (trace->conditional && address != trace->next)
            counts[VALGRIND_TAKEN]++;
        bool again = trace->repeats && address == trace->address;
        counts[VALGRIND_INSTRUCTIONS_RAW]++;
        trace->loaded = trace->stored = false;
        if (!again) {
            size_t length = size < MOST_BYTES ? (size_t)size : MOST_BYTES;
            const uint8_t *code = image_at(trace->image, address, &length);
            trace->address = address;
            trace->next = address + size;
            trace->repeats = code && decode_is_repeated(code, length);
            trace->conditional = code && traced_conditional(code, length);
            counts[VALGRIND_INSTRUCTIONS]++;
            counts[VALGRIND_UNREADABLE] += code == NULL;
            counts[VALGRIND_CONDITIONAL] += trace->conditional;
        }
    } else {
        if ((line[1] != 'S') && !trace->loaded) {
            trace->loaded = true;
            trace->counts[VALGRIND_LOADS]++;
        }
        if ((line[1] != 'L') && !trace->stored) {
            trace->stored = true;
            trace->counts[VALGRIND_STORES]++;
        }
    }
}

void trace_feed(struct trace *trace, const char *bytes, size_t length)
{
    for (size_t index = 0; index < length; index++) {
        if (bytes[index] == '\n') {
            take_line(trace);
            trace->length = 0;
            trace->overlong = false;
        } else if (trace->length < TRACE_LINE) {
            trace->line[trace->length++] = bytes[index];
        } else {
            trace->overlong = true;
        }
    }
}

int trace_end(const struct trace *trace, struct failure *failure)
{
    if (trace->damaged || !trace->counts[VALGRIND_INSTRUCTIONS])
        return fail_with(failure, -EBADMSG,
                         "the trace of Valgrind's tool lackey cannot be read: %s",
                         trace->damaged ? "a line of it is damaged" : "it is empty");
    return 0;
}
