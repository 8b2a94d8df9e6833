/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counter qemu: a whole program in QEMU's user mode, each of whose instructions our plugin
 * counts. Threads, forks and programs that it executes are followed. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/command/detail.h"
#include "probe/sources/program.h"
#include "probe/sources/qemu.h"

/* ----------------------------------------------------------------------------------------------
 * What QEMU must be told of a program: which QEMU runs it, and with which words. Scripts are
 * taken apart, the emulator is chosen by the ELF file, and environment and argv[0] reach the
 * program as they would without QEMU. */

#define QEMU_RUN_PLUGIN "assay-qemu-run.so"
#define QEMU_WORDS      16

struct qemu_program {
    char *emulator;                /* path */
    const char *target;            /* its name of the ISA */
    struct text option;            /* of the plugin */
    const char *words[QEMU_WORDS]; /* before the program; end with NULL */
};

#define SEED "1" /* of what QEMU gives the program as random bytes, where it is controlled */

/* --- scripts --- */

/* words: interpreter, its argument, the script, and what followed its name. */
static int take_apart(struct execution *execution, const struct script *script)
{
    size_t count = 0, at = 0;
    while (execution->words[count])
        count++;
    char **words = calloc(count + 3, sizeof(*words));
    char *program = strdup(script->interpreter);
    if (!words || !program) {
        free(words);
        free(program);
        return -ENOMEM;
    }
    words[at++] = strdup(script->interpreter);
    if (script->argument)
        words[at++] = strdup(script->argument);
    words[at++] = execution->program;
    free(execution->words[0]);
    for (size_t index = 1; index < count; index++)
        words[at++] = execution->words[index];
    free(execution->words);
    execution->words = words;
    execution->program = program;
    return words[0] ? 0 : -ENOMEM;
}

static int follow_scripts(const struct command_visit *visit, struct execution *execution)
{
    struct script script;
    for (int depth = 0; script_read(execution->program, &script); depth++) {
        if (depth == SCRIPT_DEEP)
            return command_fail(visit, -ELOOP, "%.300s: too many scripts that interpret scripts",
                                execution->program);
        if (access(script.interpreter, X_OK) < 0)
            return command_fail(visit, -errno, "%.300s asks for the interpreter %.200s: %s",
                                execution->program, script.interpreter, strerror(errno));
        if (take_apart(execution, &script) < 0)
            return command_fail(visit, -ENOMEM, "out of memory");
    }
    return 0;
}

/* --- the emulator --- */

/* Programs of another word size that a machine runs by itself. */
static const struct narrow {
    int own, machine;
    const char *emulator, *target;
} narrows[] = {{EM_X86_64, EM_386, "qemu-i386", "i386"}};

static bool is_wide(const char *path)
{
    unsigned char start[EI_NIDENT] = {0};
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd >= 0 && read(fd, start, sizeof(start)) == (ssize_t)sizeof(start) &&
           start[EI_CLASS] == ELFCLASS64;
}

static int choose(struct qemu_program *program, const struct command_visit *visit,
                  const struct execution *execution)
{
    AUTO_TEXT struct text probe = {0};
    text_printf(&probe, "%s/assay-probe", visit->kit);
    int own = program_machine(text_string(&probe));
    int machine = program_machine(execution->program);
    if (machine < 0)
        return command_fail(visit, -ENOEXEC,
                            "%.300s is neither an ELF file nor a script that begins with #!",
                            execution->program);
    if (machine != own || !is_wide(execution->program)) {
        for (size_t index = 0; index < sizeof(narrows) / sizeof(*narrows); index++) {
            const struct narrow *narrow = &narrows[index];
            if (narrow->own != own || narrow->machine != machine)
                continue;
            program->target = narrow->target;
            program->emulator = program_find(narrow->emulator);
            if (program->emulator)
                return 0;
            return command_fail(
                visit, -ENOENT,
                "%.200s is a 32-bit program, and there is no %s on this machine: "
                "install QEMU's user mode for it, for example with `apt-get install "
                "qemu-user`",
                execution->program, narrow->emulator);
        }
        return command_fail(
            visit, -ENOEXEC,
            "%.200s is no program of an ISA that QEMU's user mode runs for this kit "
            "(" PROBE_ISA "): the sources step and valgrind may count it",
            execution->program);
    }
    program->target = PROBE_ISA;
    program->emulator = program_emulator();
    return program->emulator ? 0 : command_fail(visit, -ENOENT, "qemu-" PROBE_ISA " is gone");
}

/* --- environment and words --- */

/* QEMU gives the program its own environment in the opposite order, and hears on some of it. */
static int turn_environment(const struct command_visit *visit, char **list)
{
    size_t count = 0;
    for (; list[count]; count++)
        if (strncmp(list[count], "QEMU_", 5) == 0)
            return command_fail(visit, -EINVAL,
                                "the variable %.100s of the environment changes what QEMU does: "
                                "unset it, or control the environment",
                                list[count]);
    for (size_t index = 0; index < count / 2; index++) {
        char *other = list[count - 1 - index];
        list[count - 1 - index] = list[index];
        list[index] = other;
    }
    return 0;
}

/* After launch_prepare: execution becomes what QEMU can execute as the operating system would.
 * 0, or negative errno with the reason. */
static int program_prepare(struct qemu_program *program, const struct command_visit *visit,
                           struct execution *execution)
{
    int result = follow_scripts(visit, execution);
    if (result == 0)
        result = choose(program, visit, execution);
    if (result == 0)
        result = turn_environment(visit, execution->environment);
    if (result < 0)
        return result;
    AUTO_FREE char *plugin = qemu_find_plugin(visit->kit, program->emulator, QEMU_RUN_PLUGIN);
    if (!plugin)
        return command_fail(visit, -ENOENT, "the plugin for QEMU is gone");
    qemu_put_value(&program->option, plugin);
    text_puts(&program->option, ",folder=");
    qemu_put_value(&program->option, visit->folder);
    if (visit->detail >= 0)
        text_puts(&program->option, ",maps=on");
    if (program->option.failed)
        return command_fail(visit, -ENOMEM, "out of memory");
    size_t count = program_emulator_words(program->emulator, program->words);
    if (control_is_on(visit, CONTROL_ASLR)) {
        program->words[count++] = "-seed";
        program->words[count++] = SEED;
    }
    program->words[count++] = "-plugin";
    program->words[count++] = text_string(&program->option);
    program->words[count++] = "-0"; /* the last option: the plugin relies on it */
    program->words[count++] = execution->words[0];
    program->words[count] = NULL;
    return 0;
}

/* --- The counter --- */

static const char *const classes[] = {"instructions", "instructions-raw", "syscalls", NULL};

static int qemu_usable(const char *kit, char *reason, size_t size)
{
    AUTO_FREE char *emulator = program_emulator();
    return qemu_check(kit, emulator, QEMU_RUN_PLUGIN, reason, size);
}

/* Did the program take another path than it does without QEMU? */
static void look_for_lacks(const struct command_visit *visit, const struct qemu_accounts *accounts,
                           bool narrow, int status)
{
    uint64_t starved = 0, unlimited = 0;
    char name[32], missed[32] = "";
    for (size_t index = 0; index < accounts->count; index++) {
        const struct account_header *header = &accounts->list[index].header;
        starved += header->starved;
        unlimited += header->unlimited;
        for (size_t place = 0; place < ACCOUNT_REFUSED && !*missed; place++) {
            call_name(&(struct stepped_call){.number = (int64_t)header->refused[place] - 1,
                                             .narrow = narrow},
                      name, sizeof(name));
            if (header->refused[place] && call_is_missed(name))
                memcpy(missed, name, sizeof(missed));
        }
    }
    command_remark_calls(visit, "QEMU", *missed ? missed : NULL, starved > 0);
    if (!*missed && unlimited)
        command_remark(visit, "the program limits its memory, which QEMU lets it believe and does "
                              "not do: it may have taken another path");
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGILL && !accounts->faulted &&
        !program_emulated())
        command_remark(visit,
                       "the program was killed by SIGILL, at an instruction that QEMU lacks, "
                       "or that is none");
}

static int qemu_count(const struct command_visit *visit)
{
    struct execution execution = {0};
    struct qemu_program program = {0};
    int status = 0;
    int result = launch_prepare(visit, &execution);
    if (result == 0)
        result = program_prepare(&program, visit, &execution);
    if (result >= 0) {
        launch_forbid_cores();
        result = launch_start(visit, &(struct launch){.prefix = program.words}, &execution);
        if (result == 0 && (result = launch_await(&execution, &status)) < 0)
            command_fail(visit, result, "QEMU was lost: %s", strerror(-result));
        if (result == 0)
            result = launch_clear(visit, &execution);
        if (result >= 0) {
            struct qemu_accounts accounts = {0};
            struct failure failure = {0};
            result = qemu_accounts_read(&accounts, visit->folder, program.target, &failure);
            if (result < 0)
                command_fail(visit, result, "%s", failure.text);
            else if (visit->detail >= 0)
                result = qemu_accounts_tell(&accounts, visit);
            if (result == 0) {
                command_put(visit, command_column(visit, "instructions"), accounts.instructions);
                command_put(visit, command_column(visit, "instructions-raw"),
                            accounts.instructions + accounts.repetitions);
                command_put(visit, command_column(visit, "syscalls"), accounts.calls);
                look_for_lacks(visit, &accounts, execution.bits == 32, status);
                result =
                    launch_finish(visit, &execution, status, accounts.tasks, accounts.processes);
            }
            qemu_accounts_free(&accounts);
        }
    }
    if (result < 0)
        launch_end(&execution);
    free(program.emulator);
    text_free(&program.option);
    return result;
}

const struct command_counter command_counter_qemu = {
    .source = "qemu",
    .classes = classes,
    .details = {[DETAIL_CODE] = true},
    .note = "exact for what QEMU's user mode executed: its CPU (-cpu max on x86) decides which "
            "functions libc chooses, there is no vDSO, and QEMU places memory itself; what QEMU "
            "says of a crash is among the output",
    .usable = qemu_usable,
    .count = qemu_count,
};
