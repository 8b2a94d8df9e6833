/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay's other plugin for QEMU's user mode: counts how often a whole program executes each of its
 * instructions, in an account that is there whatever becomes of the program.
 *
 *     qemu-ISA -plugin assay-qemu-run.so,folder=FOLDER PROGRAM
 *
 * While there is one thread, QEMU adds to the numbers in the code it makes, without a call, which
 * is what makes it fast. When the first thread is about to be created QEMU throws all blocks away,
 * and from then on they call functions that add without losing anything. Later versions of QEMU
 * cannot add to a number of ours: there these functions count from the beginning. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "probe/sources/qemu-plugin/account.h"
#include "probe/sources/qemu-plugin/api.h"

/* What must be known of a target. */
static const struct isa {
    const char *name;
    bool x86, rex;
    int64_t execve, execveat, clone, clone3, setrlimit, prlimit;
    size_t pointer;   /* bytes of one */
    uint16_t machine; /* of its programs' ELF header */
} isas[] = {
    {"x86_64", true, true, 59, 322, 56, 435, 160, 302, 8, EM_X86_64},
    {"i386", true, false, 11, 358, 120, 435, 75, 340, 4, EM_386},
    {"aarch64", false, false, 221, 281, 220, 435, 164, 261, 8, EM_AARCH64},
    {"riscv64", false, false, 221, 281, 220, 435, 164, 261, 8, EM_RISCV},
};

static const struct isa *find_isa(const char *name)
{
    for (size_t index = 0; index < sizeof(isas) / sizeof(*isas); index++)
        if (strcmp(isas[index].name, name) == 0)
            return &isas[index];
    return NULL;
}

/* ----------------------------------------------------------------------------------------------
 * From one program to the next: where the program that QEMU runs executes another one, QEMU is
 * executed again in its place, with the same options, to run that. What QEMU would refuse to load
 * is left to the operating system, whose answer the program then gets; what would gain rights is,
 * too. */

struct chain {
    char **words; /* QEMU's own before the program's; NULL: it was started in another way */
    char emulator[4096];
    char *program;    /* that QEMU runs; NULL: not known */
    size_t pointer;   /* bytes of one of the program's */
    uint16_t machine; /* of programs that this QEMU runs: of their ELF header */
    uint64_t base;    /* what QEMU adds to the program's addresses */
};

#define PAGE         4096u
#define WORDS_MOST   65536u
#define LENGTH_MOST  131072u /* of one word, as for the operating system */
#define COMMAND_MOST (1u << 20)

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

/* QEMU must have been started with -0 as the last of its options. */
static void chain_open(struct chain *chain, const char *isa)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    char *bytes = calloc(1, COMMAND_MOST + 1);
    ssize_t got = fd >= 0 && bytes ? read(fd, bytes, COMMAND_MOST) : -1;
    ssize_t length = readlink("/proc/self/exe", chain->emulator, sizeof(chain->emulator) - 1);
    if (fd >= 0)
        close(fd);
    const struct isa *target = find_isa(isa);
    if (target) {
        chain->pointer = target->pointer;
        chain->machine = target->machine;
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

/* A string of the program's, cut where it is too long or not there. */
static void chain_read_name(const struct chain *chain, uint64_t address, char *name, size_t size)
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

/* Executes it with these arguments and this environment, addresses of the program's. Returns where
 * that cannot be done: the operating system then says what is wrong, or it leaves QEMU. */
static void chain_execute(const struct chain *chain, const char *path, uint64_t arguments,
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

/* ----------------------------------------------------------------------------------------------
 * What must be known of an instruction to count it once: in what manner QEMU executes it. Told from
 * its bytes.
 *
 * On x86 string instructions repeat, and calls, returns and jumps through memory access it at the
 * end of a block, where nothing behind them tells that they faulted. Instructions that transfer
 * control access no memory on the other ISAs, and none repeats. */

enum manner {
    MANNER_PLAIN,
    MANNER_REPEATED, /* one repetition at a time, each in a block of its own */
    MANNER_ACCESS,   /* ends a block and comes to its end with its one access to memory */
    MANNER_STORE,    /* ends a block and comes to its end with a store, which follows a load */
    MANNER_FAULT,    /* never comes to its end */
};

/* The numbers of execve and execveat; false: nothing is known of this ISA. */
static bool manner_leaves(const char *isa, int64_t numbers[2])
{
    const struct isa *found = find_isa(isa);
    if (!found)
        return false;
    numbers[0] = found->execve;
    numbers[1] = found->execveat;
    return true;
}

/* isa: QEMU's name of its target. */
static enum manner manner_of(const char *isa, const uint8_t *bytes, size_t length)
{
    const struct isa *found = find_isa(isa);
    bool repeats = false;
    size_t at = 0;
    if (!found || !found->x86)
        return MANNER_PLAIN;
    for (; at < length && strchr("\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65", bytes[at]) &&
           bytes[at];
         at++)
        repeats = repeats || bytes[at] == 0xf2 || bytes[at] == 0xf3;
    if (found->rex && at < length && (bytes[at] & 0xf0) == 0x40)
        at++;
    if (at == length)
        return MANNER_PLAIN;
    uint8_t opcode = bytes[at], next = at + 1 < length ? bytes[at + 1] : 0;
    if (repeats && ((opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) ||
                    (opcode >= 0xaa && opcode <= 0xaf)))
        return MANNER_REPEATED;
    switch (opcode) {
    case 0xe8: /* call */
    case 0xc2: /* ret */
    case 0xc3:
        return MANNER_ACCESS;
    case 0xff: {
        /* Calls and jumps through a register or memory: which, says the byte behind the opcode. */
        bool memory = next < 0xc0;
        unsigned operation = next >> 3 & 7;
        if (operation == 2)
            return memory ? MANNER_STORE : MANNER_ACCESS;
        return operation == 4 && memory ? MANNER_ACCESS : MANNER_PLAIN;
    }
    case 0x0f: {
        return next == 0x0b || next == 0xb9 || next == 0xff ? MANNER_FAULT : MANNER_PLAIN;
    }
    case 0xf4: /* hlt */
        return MANNER_FAULT;
    default:
        return MANNER_PLAIN;
    }
}

/* ----------------------------------------------------------------------------------------------
 * The plugin's side of an account: its file in memory, and the records in it found by address. The
 * memory never moves, because QEMU keeps pointers into it.
 *
 * It is filled by QEMU's translator, which one thread at a time is in, and around a fork, which
 * waits for it. No descriptor stays open: the program may close, count or limit its own as it
 * likes. */

struct ledger {
    struct account_header *header; /* all three are in the mapped file */
    struct account_map *maps;
    struct account_record *records;
    uint64_t *seen;  /* by number of a record: what `last` was when it came to its end; private */
    char *prefix;    /* path of accounts without the id of a process */
    uint32_t *slots; /* open addressing: number of a record + 1; 0: free. Of this process alone */
    size_t capacity; /* a power of two */
};

#define FIRST_CAPACITY 16384u
#define PATH_BYTES     4096
#define NUMBERS_MOST   65536u /* programs that one process executes */

/* --- the file --- */

/* A fresh file as large as an account; its descriptor, -1 with errno. *number: which of this
 * process it is. */
static int make_file(const struct ledger *ledger, uint64_t *number)
{
    char path[PATH_BYTES];
    for (*number = 0; *number < NUMBERS_MOST; ++*number) {
        int length = snprintf(path, sizeof(path), "%s%ld.%llu", ledger->prefix, (long)getpid(),
                              (unsigned long long)*number);
        if (length < 0 || length >= PATH_BYTES) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0 && ftruncate(fd, (off_t)ACCOUNT_FILE_BYTES) == 0)
            return fd;
        if (fd >= 0) {
            int reason = errno;
            close(fd);
            unlink(path);
            errno = reason;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* at NULL: anywhere; else exactly there, in place of what is. */
static void *map_file(int fd, void *at)
{
    void *memory = mmap(at, ACCOUNT_FILE_BYTES, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE | (at ? MAP_FIXED : 0), fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Zero, and memory only where it is written to. */
static uint64_t *make_seen(void *at)
{
    void *memory = mmap(at, ACCOUNT_RECORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void name_process(struct account_header *header)
{
    header->process = (uint64_t)getpid();
    header->parent = (uint64_t)getppid();
}

/* Makes the account of this process. false: errno says why not. */
static bool ledger_open(struct ledger *ledger, const char *folder, const char *target)
{
    char prefix[PATH_BYTES];
    int length = snprintf(prefix, sizeof(prefix), "%s/" ACCOUNT_PREFIX, folder);
    ledger->prefix = length > 0 && length < PATH_BYTES ? strdup(prefix) : NULL;
    uint64_t number = 0;
    int fd = ledger->prefix ? make_file(ledger, &number) : -1;
    char *memory = fd >= 0 ? map_file(fd, NULL) : NULL;
    ledger->seen = make_seen(NULL);
    bool ready = memory && ledger->seen;
    if (fd >= 0 && !ready)
        (void)!ftruncate(fd, 1); /* no account, and not that of who was killed before its first
                                    instruction either */
    if (fd >= 0)
        close(fd);
    if (!ready)
        return false;
    ledger->header = (struct account_header *)(void *)memory;
    ledger->maps = (struct account_map *)(void *)(memory + ACCOUNT_MAPS_AT);
    ledger->records = (struct account_record *)(void *)(memory + ACCOUNT_RECORDS_AT);
    memcpy(ledger->header->magic, ACCOUNT_MAGIC, sizeof(ledger->header->magic));
    snprintf(ledger->header->target, sizeof(ledger->header->target), "%s", target);
    name_process(ledger->header);
    ledger->header->image = ledger->header->process * NUMBERS_MOST + number;
    return true;
}

/* In the child of a fork: from now on it has an account of its own, in the same place and with the
 * same instructions, of which it has executed none. false: it has none, which will be seen. */
static bool ledger_fork(struct ledger *ledger)
{
    uint64_t number;
    (void)make_seen(ledger->seen);
    int fd = make_file(ledger, &number);
    __atomic_fetch_add(&ledger->header->forks, 1, __ATOMIC_RELAXED); /* its parent's, still */
    char *fresh = fd >= 0 ? map_file(fd, NULL) : NULL;
    if (fresh) {
        /* What a child takes over: the instructions and where they are from, and no counts. */
        struct account_header *header = (struct account_header *)(void *)fresh;
        const struct account_header *old = ledger->header;
        struct account_record *records =
            (struct account_record *)(void *)(fresh + ACCOUNT_RECORDS_AT);
        memcpy(header->target, old->target, sizeof(header->target));
        header->lack = old->lack;
        header->image = old->image;
        header->base = old->base;
        header->records = old->records;
        header->maps = old->maps;
        header->tasks = 1;
        name_process(header);
        memcpy(fresh + ACCOUNT_MAPS_AT, ledger->maps, old->maps * sizeof(*ledger->maps));
        for (uint64_t index = 0; index < old->records; index++) {
            records[index].address = ledger->records[index].address;
            memcpy(records[index].bytes, ledger->records[index].bytes, ACCOUNT_BYTES);
            records[index].about = ledger->records[index].about;
        }
        /* At last: who is killed before has executed nothing, and its account does not begin. */
        __atomic_thread_fence(__ATOMIC_RELEASE);
        memcpy(header->magic, old->magic, sizeof(header->magic));
        munmap(fresh, ACCOUNT_FILE_BYTES);
    }
    bool mapped = fresh && map_file(fd, ledger->header);
    if (fd >= 0)
        close(fd);
    if (mapped)
        return true;
    /* It must not count in its parent's account, which says so: in memory of its own then. */
    ledger->header->lack = ACCOUNT_LOST_CHILD;
    (void)mmap(ledger->header, ACCOUNT_FILE_BYTES, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    memset(ledger->slots, 0, ledger->capacity * sizeof(*ledger->slots));
    return false;
}

/* --- records --- */

static bool is_it(const struct account_record *record, uint64_t address, const uint8_t *bytes,
                  size_t length)
{
    return record->address == address && (record->about & ACCOUNT_LENGTH) == length &&
           memcmp(record->bytes, bytes, length) == 0;
}

static uint32_t *find_slot(const struct ledger *ledger, uint64_t address, const uint8_t *bytes,
                           size_t length)
{
    size_t place = (size_t)((address * 0x9e3779b97f4a7c15u) >> 20) & (ledger->capacity - 1);
    while (ledger->slots[place] &&
           !is_it(&ledger->records[ledger->slots[place] - 1], address, bytes, length))
        place = (place + 1) & (ledger->capacity - 1);
    return &ledger->slots[place];
}

static bool make_room(struct ledger *ledger)
{
    uint64_t count = ledger->header->records;
    if (2 * count < ledger->capacity)
        return true;
    struct ledger grown = *ledger;
    grown.capacity = ledger->capacity ? 2 * ledger->capacity : FIRST_CAPACITY;
    grown.slots = calloc(grown.capacity, sizeof(*grown.slots));
    if (!grown.slots)
        return false;
    for (uint32_t index = 0; index < count; index++) {
        const struct account_record *each = &ledger->records[index];
        *find_slot(&grown, each->address, each->bytes, each->about & ACCOUNT_LENGTH) = index + 1;
    }
    free(ledger->slots);
    *ledger = grown;
    return true;
}

/* The record of an instruction, where there is none a fresh one. NULL: there is no room, which the
 * account says. */
static struct account_record *ledger_record(struct ledger *ledger, uint64_t address,
                                            const uint8_t *bytes, size_t length)
{
    struct account_header *header = ledger->header;
    if (!bytes || length > ACCOUNT_BYTES)
        header->lack = ACCOUNT_STRANGE_CODE;
    else if (!make_room(ledger))
        header->lack = ACCOUNT_NO_MEMORY;
    else {
        uint32_t *slot = find_slot(ledger, address, bytes, length);
        if (*slot)
            return &ledger->records[*slot - 1];
        if (header->records < ACCOUNT_RECORDS) {
            struct account_record *record = &ledger->records[header->records];
            record->address = address;
            memcpy(record->bytes, bytes, length);
            record->about = (uint8_t)length;
            *slot = (uint32_t)++header->records;
            return record;
        }
        header->lack = ACCOUNT_TOO_MUCH_CODE;
    }
    return NULL;
}

/* --- where code is from --- */

static bool is_mapped(const struct ledger *ledger, uint64_t address)
{
    for (uint64_t index = ledger->header->maps; index > 0; index--)
        if (address >= ledger->maps[index - 1].start && address < ledger->maps[index - 1].end)
            return true;
    return false;
}

/* Notes the file behind this address, unless it has. */
static void ledger_map(struct ledger *ledger, uint64_t address)
{
    struct account_header *header = ledger->header;
    if (is_mapped(ledger, address) || header->maps == ACCOUNT_MAPS)
        return;
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_BYTES + 128];
    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long long start, end, offset;
        int path = 0;
        uint64_t there = address + header->base;
        if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &start, &end, &offset, &path) < 3 ||
            there < start || there >= end)
            continue;
        struct account_map *map = &ledger->maps[header->maps];
        line[strcspn(line, "\n")] = 0;
        *map = (struct account_map){start - header->base, end - header->base, offset, ""};
        if (path)
            snprintf(map->object, sizeof(map->object), "%s", line + path);
        header->maps++;
        break;
    }
    if (maps)
        fclose(maps);
}

/* ----------------------------------------------------------------------------------------------
 * The plugin itself: its state, what QEMU calls, what it registers in the code that QEMU makes. */

#define THREADS_MOST 32768u /* at a time */
#define PAGE         4096u

PLUGIN_OF_EITHER_VERSION

/* QEMU's callbacks carry no pointer of ours, or one only: this is the plugin's one state. */
static struct {
    char isa[16];
    int64_t leaves[2]; /* system calls that execute another program */
    bool mapping;      /* where code is from is wanted, too */
    bool parallel;     /* there is, or was, more than one thread */
    struct chain chain;
    struct ledger ledger;
    /* The latest string instruction, while there is one thread. */
    const struct account_record *repeated;
    uint64_t repeated_at; /* what header->blocks was then */
    /* Else: what each executed last. */
    const struct account_record *latest[THREADS_MOST];
} plugin;

static void add(uint64_t *number)
{
    __atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

static bool adds_inline(void)
{
    return !plugin.parallel && qemu_plugin_register_vcpu_insn_exec_inline &&
           qemu_plugin_register_vcpu_tb_exec_inline;
}

/* --- one thread: numbers are added to in QEMU's code, only these are called --- */

/* A string instruction that begins its block is repeated, if the block before ended with it. */
static void repeats_first(unsigned vcpu, void *data)
{
    (void)vcpu;
    struct account_record *record = data;
    uint64_t blocks = plugin.ledger.header->blocks;
    if (plugin.repeated == record && plugin.repeated_at + 1 == blocks)
        record->repetitions++;
    plugin.repeated = record;
    plugin.repeated_at = blocks;
}

/* Behind others in its block it is not. */
static void repeats_later(unsigned vcpu, void *data)
{
    (void)vcpu;
    plugin.repeated = data;
    plugin.repeated_at = plugin.ledger.header->blocks;
}

/* --- any number of threads --- */

static void follow(unsigned vcpu, struct account_record *record)
{
    if (vcpu < THREADS_MOST)
        plugin.latest[vcpu] = record;
    else
        plugin.ledger.header->lack = ACCOUNT_TOO_MANY_THREADS;
}

static void executes_inner(unsigned vcpu, void *data)
{
    struct account_record *record = data;
    add(&record->inner);
    follow(vcpu, record);
}

static void executes_last(unsigned vcpu, void *data)
{
    struct account_record *record = data;
    add(&record->last);
    if ((record->about & ACCOUNT_REPEATED) && vcpu < THREADS_MOST && plugin.latest[vcpu] == record)
        add(&record->repetitions);
    follow(vcpu, record);
}

static void executes_first_inner(unsigned vcpu, void *data)
{
    add(&((struct account_record *)data)->entries);
    executes_inner(vcpu, data);
}

static void executes_first_last(unsigned vcpu, void *data)
{
    add(&((struct account_record *)data)->entries);
    executes_last(vcpu, data);
}

/* --- instructions at the end of a block that come to their own end with an access --- */

/* QEMU may go on calling for an instruction that ended its block, when later ones access memory
 * in its functions: only what comes while it is executed is its own. After a fault it does not. */
static void arrives(unsigned vcpu, struct account_record *record)
{
    uint64_t *seen = &plugin.ledger.seen[record - plugin.ledger.records];
    if (!adds_inline()) {
        if (vcpu >= THREADS_MOST || plugin.latest[vcpu] != record)
            return;
        plugin.latest[vcpu] = NULL;
    } else {
        if (*seen == record->last)
            return;
        *seen = record->last;
    }
    add(&record->done);
}

static void accessed(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
    (void)info, (void)address;
    arrives(vcpu, data);
}

static void stored(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
    (void)address;
    if (qemu_plugin_mem_is_store(info))
        arrives(vcpu, data);
}

/* --- translation --- */

struct place {
    struct qemu_plugin_tb *block;
    struct qemu_plugin_insn *theirs;
    struct account_record *record;
    enum manner manner;
    bool first, last;
    bool apart; /* begins a block, whatever QEMU says */
};

static void count_by_calls(const struct place *place)
{
    static qemu_executed *const functions[2][2] = {{executes_inner, executes_last},
                                                   {executes_first_inner, executes_first_last}};
    qemu_plugin_register_vcpu_insn_exec_cb(place->theirs,
                                           functions[place->first || place->apart][place->last],
                                           QEMU_PLUGIN_CB_NO_REGS, place->record);
}

static void count(struct place *place)
{
    static const uint8_t marks[] = {[MANNER_REPEATED] = ACCOUNT_REPEATED,
                                    [MANNER_ACCESS] = ACCOUNT_WATCHED,
                                    [MANNER_STORE] = ACCOUNT_WATCHED,
                                    [MANNER_FAULT] = ACCOUNT_FAULTS};
    struct account_record *record = place->record;
    place->manner = manner_of(plugin.isa, record->bytes, (size_t)(record->about & ACCOUNT_LENGTH));
    record->about = (uint8_t)(record->about | marks[place->manner]);
    if (adds_inline()) {
        if (place->first) {
            qemu_plugin_register_vcpu_tb_exec_inline(place->block, QEMU_PLUGIN_INLINE_ADD_U64,
                                                     &plugin.ledger.header->blocks, 1);
            qemu_plugin_register_vcpu_tb_exec_inline(place->block, QEMU_PLUGIN_INLINE_ADD_U64,
                                                     &record->entries, 1);
        }
        if (place->apart) /* where it is executed here after all, that is an entry */
            qemu_plugin_register_vcpu_insn_exec_inline(place->theirs, QEMU_PLUGIN_INLINE_ADD_U64,
                                                       &record->entries, 1);
        qemu_plugin_register_vcpu_insn_exec_inline(place->theirs, QEMU_PLUGIN_INLINE_ADD_U64,
                                                   place->last ? &record->last : &record->inner, 1);
        if (place->manner == MANNER_REPEATED)
            qemu_plugin_register_vcpu_insn_exec_cb(place->theirs,
                                                   place->first ? repeats_first : repeats_later,
                                                   QEMU_PLUGIN_CB_NO_REGS, record);
    } else
        count_by_calls(place);
    if (place->manner == MANNER_ACCESS || place->manner == MANNER_STORE) {
        qemu_plugin_register_vcpu_mem_cb(place->theirs,
                                         place->manner == MANNER_STORE ? stored : accessed,
                                         QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, place->record);
    }
}

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    size_t length = qemu_plugin_tb_n_insns(block);
    /* Of an instruction that begins on one page and ends on the next QEMU makes a block of its own.
     * It may nevertheless tell of it at the end of the block before, as far as it had read its
     * bytes, and then not execute it there. So whatever could be such a one is taken for a block of
     * its own. */
    bool apart =
        length > 1 &&
        (qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, length - 1)) % PAGE + ACCOUNT_BYTES >
         PAGE);
    for (size_t index = 0; index < length; index++) {
        struct place place = {.block = block, .theirs = qemu_plugin_tb_get_insn(block, index)};
        uint64_t address = qemu_plugin_insn_vaddr(place.theirs);
        const uint8_t *bytes = qemu_plugin_insn_haddr(place.theirs);
        if (bytes)
            plugin.ledger.header->base = (uint64_t)(uintptr_t)bytes - address;
        place.record =
            ledger_record(&plugin.ledger, address, bytes, qemu_plugin_insn_size(place.theirs));
        if (!place.record)
            return; /* the account says that it is not whole */
        place.first = index == 0;
        place.last = index + 1 == length || (apart && index + 2 == length);
        place.apart = apart && index + 1 == length;
        if (place.first && plugin.mapping)
            ledger_map(&plugin.ledger, address);
        count(&place);
    }
}

/* --- what else happens to a process --- */

static void thread_begun(uint64_t id, unsigned vcpu)
{
    (void)id, (void)vcpu;
    struct account_header *header = plugin.ledger.header;
    add(&header->tasks);
    plugin.parallel = plugin.parallel || header->tasks > 1;
}

static bool leaves(int64_t number)
{
    return number == plugin.leaves[0] || number == plugin.leaves[1];
}

/* QEMU tells a program that its limits of memory are set, and does not apply them. */
static void watch_limit(const struct isa *isa, int64_t number, uint64_t a1, uint64_t a2,
                        uint64_t a3)
{
    const bool old = number == isa->setrlimit;
    const uint64_t resource = old ? a1 : a2, place = old ? a2 : a3;
    const size_t size = old ? isa->pointer : 8;
    uint64_t limit = 0;
    if ((!old && number != isa->prlimit) || (resource != RLIMIT_AS && resource != RLIMIT_DATA) ||
        !place || read_memory(&plugin.chain, place, &limit, size) != size)
        return;
    if (limit != (size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX))
        add(&plugin.ledger.header->unlimited);
}

/* What the kernel may have and QEMU has not. A library that asks for clone3 first makes a clone
 * then, which comes to the same. */
static void watch_result(const struct isa *isa, int64_t number, int64_t result)
{
    struct account_header *header = plugin.ledger.header;
    const uint64_t entry = (uint64_t)number + 1, forgiven = (uint64_t)isa->clone3 + 1;
    for (size_t index = 0; index < ACCOUNT_REFUSED && number == isa->clone && result >= 0; index++)
        if (header->refused[index] == forgiven)
            header->refused[index] = 0;
    if (result == -ENOMEM)
        add(&header->starved);
    for (size_t index = 0; index < ACCOUNT_REFUSED && result == -ENOSYS; index++) {
        uint64_t none = 0;
        if (header->refused[index] == entry ||
            __atomic_compare_exchange_n(&header->refused[index], &none, entry, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
            none == entry)
            return;
    }
}

/* A program that executes another one would leave QEMU, and what follows be counted by nobody: so
 * that one is executed in QEMU, too, where it can be. */
static void called(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                   uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    (void)id, (void)vcpu, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    struct account_header *header = plugin.ledger.header;
    add(&header->calls);
    plugin.chain.base = header->base;
    watch_limit(find_isa(plugin.isa), number, a1, a2, a3);
    if (!leaves(number))
        return;
    chain_read_name(&plugin.chain, number == plugin.leaves[0] ? a1 : a2, header->other,
                    sizeof(header->other));
    if (number == plugin.leaves[0]) {
        add(&header->followed);
        chain_execute(&plugin.chain, header->other, a2, a3);
        __atomic_fetch_sub(&header->followed, 1, __ATOMIC_RELAXED);
    }
    add(&header->leaving);
}

static void returned(uint64_t id, unsigned vcpu, int64_t number, int64_t result)
{
    (void)id, (void)vcpu;
    watch_result(find_isa(plugin.isa), number, result);
    if (leaves(number))
        __atomic_fetch_sub(&plugin.ledger.header->leaving, 1, __ATOMIC_RELAXED);
}

static void in_child(void)
{
    memset(plugin.latest, 0, sizeof(plugin.latest));
    plugin.repeated = NULL;
    (void)ledger_fork(&plugin.ledger);
}

/* --- being loaded --- */

static const char *take_arguments(int count_of, char **arguments)
{
    const char *folder = NULL;
    for (int index = 0; index < count_of; index++)
        if (strncmp(arguments[index], "folder=", 7) == 0)
            folder = arguments[index] + 7;
        else if (strcmp(arguments[index], "maps=on") == 0)
            plugin.mapping = true;
        else
            return NULL;
    return folder;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
    const char *folder = take_arguments(argc, argv);
    if (!folder) {
        fputs("assay-qemu-run: takes folder=FOLDER[,maps=on]\n", stderr);
        return -1;
    }
    snprintf(plugin.isa, sizeof(plugin.isa), "%s", info->target_name);
    if (info->system_emulation || !manner_leaves(plugin.isa, plugin.leaves)) {
        fprintf(stderr, "assay-qemu-run: counts programs of user mode on ISAs it knows, not %s\n",
                info->system_emulation ? "machines" : plugin.isa);
        return -1;
    }
    if (!ledger_open(&plugin.ledger, folder, plugin.isa) ||
        pthread_atfork(NULL, NULL, in_child) != 0) {
        fprintf(stderr, "assay-qemu-run: %s: %s\n", folder, strerror(errno));
        return -1;
    }
    chain_open(&plugin.chain, plugin.isa);
    qemu_plugin_register_vcpu_init_cb(id, thread_begun);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, returned);
    return 0;
}
