/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executes QEMU in place of a program. What QEMU would refuse to load is left to the operating
 * system, whose answer the program then gets; what would gain rights is, too. */
#include "probe/sources/qemu-plugin/chain.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "probe/sources/qemu-plugin/script.h"

#define PAGE         4096u
#define WORDS_MOST   65536u
#define LENGTH_MOST  131072u /* of one word, as for the operating system */
#define COMMAND_MOST (1u << 20)

static const struct {
    const char *isa;
    size_t pointer;
    uint16_t machine;
} isas[] = {
    {"x86_64", 8, EM_X86_64},
    {"i386", 4, EM_386},
    {"aarch64", 8, EM_AARCH64},
    {"riscv64", 8, EM_RISCV},
};

/* --- how QEMU was started --- */

static char **split_words(char *bytes, size_t length)
{
    char **words = calloc(length + 1, sizeof(*words));
    size_t count = 0;
    for (size_t at = 0; words && at < length; at += strlen(bytes + at) + 1) {
        words[count++] = bytes + at;
        if (strcmp(bytes + at, "-0") == 0)
            return words;
    }
    free(words);
    return NULL;
}

void chain_open(struct chain *chain, const char *isa)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    char *bytes = calloc(1, COMMAND_MOST + 1);
    ssize_t got = fd >= 0 && bytes ? read(fd, bytes, COMMAND_MOST) : -1;
    ssize_t length = readlink("/proc/self/exe", chain->emulator, sizeof(chain->emulator) - 1);
    if (fd >= 0)
        close(fd);
    for (size_t index = 0; index < sizeof(isas) / sizeof(*isas); index++)
        if (strcmp(isas[index].isa, isa) == 0) {
            chain->pointer = isas[index].pointer;
            chain->machine = isas[index].machine;
        }
    if (got > 0 && length > 0 && chain->pointer)
        chain->words = split_words(bytes, (size_t)got);
    for (size_t index = 0; chain->words && chain->words[index]; index++)
        if (!chain->words[index + 1]) {
            /* Behind QEMU's words: argv[0], and the program's path, which is kept as it is now. */
            const char *end = bytes + got;
            const char *name = chain->words[index] + strlen(chain->words[index]) + 1;
            const char *path = name < end ? name + strlen(name) + 1 : end;
            chain->program = path < end ? realpath(path, NULL) : NULL;
        }
}

/* --- the program's memory: it may not be there, so the operating system is asked --- */

static size_t read_memory(const struct chain *chain, uint64_t address, void *to, size_t size)
{
    struct iovec ours = {to, size};
    struct iovec theirs = {(void *)(uintptr_t)(address + chain->base), size};
    ssize_t got = process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0);
    return got > 0 ? (size_t)got : 0;
}

void chain_read_name(const struct chain *chain, uint64_t address, char *name, size_t size)
{
    size_t length = 0;
    while (length + 1 < size) {
        size_t wanted = PAGE - (size_t)((address + length) % PAGE);
        if (wanted > size - 1 - length)
            wanted = size - 1 - length;
        size_t got = read_memory(chain, address + length, name + length, wanted);
        length += got;
        if (!got || memchr(name + length - got, 0, got))
            break;
    }
    name[length] = 0;
}

static char *read_word(const struct chain *chain, uint64_t address)
{
    char *word = malloc(LENGTH_MOST);
    if (!word)
        return NULL;
    chain_read_name(chain, address, word, LENGTH_MOST);
    char *fitting = realloc(word, strlen(word) + 1);
    return fitting ? fitting : word;
}

/* The words at these addresses behind so many others; NULL: they cannot be read. */
static char **read_words(const struct chain *chain, uint64_t list, size_t before, size_t *count)
{
    char **words = calloc(before + WORDS_MOST + 1, sizeof(*words));
    for (*count = 0; words && list && *count < WORDS_MOST; ++*count) {
        uint64_t address = 0; /* little-endian, as all ISAs above */
        if (read_memory(chain, list + *count * chain->pointer, &address, chain->pointer) !=
            chain->pointer)
            return NULL;
        if (!address)
            return words;
        words[before + *count] = read_word(chain, address);
    }
    return list ? NULL : words;
}

/* --- executing --- */

struct command {
    char **words; /* arguments, from `first` on; room for more before */
    size_t first;
    const char *path;
};
#define ROOM ((size_t)2 * SCRIPT_DEEP)

/* A script is executed by its interpreter, with its own path in place of its name. */
static bool follow_scripts(const struct chain *chain, struct command *command)
{
    for (int depth = 0; depth < SCRIPT_DEEP; depth++) {
        struct script *script = calloc(1, sizeof(*script)); /* kept: words point into it */
        if (!script || !script_read(command->path, script)) {
            /* Would QEMU run it as the operating system does? */
            Elf64_Ehdr header;
            struct stat facts;
            int fd = open(command->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
            bool read_it = fd >= 0 && fstat(fd, &facts) == 0 &&
                           read(fd, &header, sizeof(header)) == (ssize_t)sizeof(header);
            if (fd >= 0)
                close(fd);
            unsigned char class = chain->pointer == 8 ? ELFCLASS64 : ELFCLASS32;
            return read_it && S_ISREG(facts.st_mode) && !(facts.st_mode & (S_ISUID | S_ISGID)) &&
                   faccessat(AT_FDCWD, command->path, X_OK, AT_EACCESS) == 0 &&
                   memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                   header.e_ident[EI_CLASS] == class && header.e_machine == chain->machine;
        }
        if (faccessat(AT_FDCWD, command->path, X_OK, AT_EACCESS) != 0)
            return false;
        command->words[command->first] = strdup(command->path);
        if (script->argument)
            command->words[--command->first] = strdup(script->argument);
        command->words[--command->first] = strdup(script->interpreter);
        command->path = script->interpreter;
    }
    return false;
}

/* /proc/self/exe is QEMU to the operating system, and to the program itself. */
static const char *named(const struct chain *chain, const char *path)
{
    struct stat one, other;
    bool itself = strncmp(path, "/proc/", 6) == 0 && stat(path, &one) == 0 &&
                  stat(chain->emulator, &other) == 0 && one.st_dev == other.st_dev &&
                  one.st_ino == other.st_ino;
    return itself && chain->program ? chain->program : path;
}

void chain_execute(const struct chain *chain, const char *path, uint64_t arguments,
                   uint64_t environment)
{
    size_t own = 0, count, variables;
    while (chain->words && chain->words[own])
        own++;
    if (!own)
        return;
    /* Before the arguments there is room for interpreters, and before these for QEMU's words. */
    char **words = read_words(chain, arguments, own + 1 + ROOM, &count);
    char **list = read_words(chain, environment, 0, &variables);
    if (!words || !list)
        return;
    struct command command = {words, own + 1 + ROOM, named(chain, path)};
    if (!count)
        words[command.first] = strdup("");
    if (!follow_scripts(chain, &command))
        return;
    /* QEMU takes its first word for argv[0] from -0, and the path for what to execute. */
    char *name = words[command.first];
    words[command.first] = strdup(command.path);
    words[--command.first] = name;
    for (size_t index = own; index > 0; index--)
        words[--command.first] = chain->words[index - 1];
    /* QEMU puts the environment before the program in the opposite order. */
    for (size_t index = 0; index < variables / 2; index++) {
        char *other = list[variables - 1 - index];
        list[variables - 1 - index] = list[index];
        list[index] = other;
    }
    execve(chain->emulator, words + command.first, list);
}
