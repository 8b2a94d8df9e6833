/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A machine that is about to start. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "lab/archive.h"
#include "lab/machine.h"
#include "lab/packages.h"
#include "lab/place.h"

/* --- The plan of a boot --- */

void plan_put(struct text *plan, const char *key, const char *value)
{
    text_printf(plan, "%s=%s", key, value);
    text_putc(plan, '\0');
}

void plan_settings(struct text *plan, const struct lab_settings *settings)
{
    char value[64];
    if (settings->pmu) {
        snprintf(value, sizeof(value), "kernel/perf_user_access=%d", settings->user_access);
        plan_put(plan, "sysctl", value);
    }
    if (settings->paranoid != LAB_PARANOID_UNSET) {
        snprintf(value, sizeof(value), "kernel/perf_event_paranoid=%d", settings->paranoid);
        plan_put(plan, "sysctl", value);
    }
    if (settings->nobody)
        plan_put(plan, "user", "65534");
    plan_put(plan, "env", "ASSAY_EMULATED=lab");
}

/* ----------------------------------------------------------------------------------------------
 * What to say about a kernel that is not in the lab: looks it up in the lists that the last
 * installation left, and among the installed ones. */

/* What apt's lists know. */
struct known {
    struct text names; /* of the kernels on offer, newest first */
    char *kernel;      /* what the wanted name stands for; NULL: nothing on offer */
};

static bool is_installed(const struct lab_kernels *installed, const char *name)
{
    for (size_t i = 0; i < installed->count; i++)
        if (strcmp(installed->list[i].name, name) == 0)
            return true;
    return false;
}

static int say_missing(const struct known *known, const struct lab_kernels *installed,
                       const char *isa, const char *name, struct failure *failure)
{
    char nearest[LAB_KERNEL_NAME_MAX];
    if (known->kernel && is_installed(installed, known->kernel))
        return fail_with(failure, -ENOENT,
                         "no kernel in the lab is called %s, but %s is there, for which it stands: "
                         "kernel=%s boots it",
                         name, known->kernel, known->kernel);
    if (known->kernel || !known->names.length)
        return fail_with(failure, -ENOENT,
                         "the kernel %s is not in the lab: assay lab install %s --kernel %s "
                         "fetches it%s, assay lab list shows the others",
                         name, isa, name, known->kernel ? "" : " if Debian offers it");
    AUTO_TEXT struct text all = {0};
    for (size_t i = 0; i < installed->count; i++)
        text_printf(&all, "%s\n", installed->list[i].name);
    text_puts(&all, text_string(&known->names));
    kernel_nearest(text_string(&all), name, nearest);
    if (!*nearest)
        return fail_with(failure, -ENOENT,
                         "the kernel %s is neither in the lab nor on offer: assay lab list shows "
                         "those that are",
                         name);
    if (is_installed(installed, nearest))
        return fail_with(failure, -ENOENT,
                         "the kernel %s is neither in the lab nor on offer; the nearest is %s, "
                         "which is installed: kernel=%s boots it",
                         name, nearest, nearest);
    return fail_with(failure, -ENOENT,
                     "the kernel %s is neither in the lab nor on offer; the nearest is %s: assay "
                     "lab install %s --kernel %s fetches it, assay lab list shows the others",
                     name, nearest, isa, nearest);
}

/* ----------------------------------------------------------------------------------------------
 * QEMU's argument vector. Time in the machine advances with the instructions it executes (-icount),
 * on one CPU: only so are its counts exact. Input and output are two ports, because the driver in
 * the machine would block for ever on writing to a port whose host side has ended. */

struct words {
    char **list;
    size_t count;
};

static void add(struct words *words, char *word)
{
    *memory_add(words->list, words->count) = word;
}

static void put(struct words *words, const char *option, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put(struct words *words, const char *option, const char *format, ...)
{
    add(words, memory_copy(option));
    if (!format)
        return;
    va_list arguments;
    va_start(arguments, format);
    add(words, memory_vformat(format, arguments));
    va_end(arguments);
}

/* A port of the machine whose bytes go to a descriptor that QEMU inherits. */
static void put_port(struct words *words, struct text *plan, const char *key, const char *name,
                     int descriptor)
{
    if (descriptor < 0)
        return;
    put(words, "-chardev", "file,id=%s,path=/proc/self/fd/%d", key, descriptor);
    put(words, "-device", "virtserialport,chardev=%s,name=%s", key, name);
    plan_put(plan, key, name);
}

static void inherit(struct lab_machine *machine, int descriptor)
{
    if (descriptor >= 0)
        machine->inherited[machine->inherited_count++] = descriptor;
}

/* A kernel with pages of 16 KiB on a CPU without them stops before its first word. */
static int check_pages(const struct lab_settings *settings, const char *folder,
                       struct failure *failure)
{
    size_t length = strlen(folder);
    bool pages_16k = length > 4 && strcmp(folder + length - 4, "-16k") == 0;
    if (!pages_16k || settings->cpu->pages_16k)
        return 0;
    return fail_with(
        failure, -EINVAL,
        "a %s has no pages of 16 KiB, which this kernel needs: take cpu=neoverse-n1 or "
        "cpu=max with it",
        settings->cpu->name);
}

static int check_whole(const char *isa, const char *folder, struct failure *failure)
{
    const char *kernel = strrchr(folder, '/') + 1;
    const char *lacking = lab_kernel_lacks(folder);
    if (!lacking)
        return 0;
    return fail_with(failure, -ENOENT,
                     "the kernel %s in the lab is damaged: %s/%s is missing or empty; assay lab "
                     "install %s --kernel %s fetches it anew",
                     kernel, folder, lacking, isa, kernel);
}

static int choose_kernel(char **folder, const struct lab_settings *settings,
                         struct failure *failure)
{
    int status = lab_kernel_find(folder, settings->isa, settings->kernel, failure);
    if (status == -ENOENT && *settings->kernel) {
        /* Always -ENOENT: the failure names the command that fetches it or, where apt's lists do
         * not have it either, the nearest that can be had. Does not fetch. */
        struct known known = {0};
        struct lab_kernels installed = {0};
        struct failure unheard;
        char *place = NULL;
        struct packages packages = {0};
        if (lab_place(&place, &unheard) == 0 && packages_look(&packages, place, &unheard) == 0 &&
            packages_kernels(&packages, &known.names, &unheard) == 0 && known.names.length)
            packages_resolve(&packages, settings->kernel, &known.kernel, &unheard);

        lab_kernels_list(&installed, settings->isa, &unheard);
        status = say_missing(&known, &installed, settings->isa, settings->kernel, failure);
        text_free(&known.names);
        return status;
    }

    if (status == 0)
        status = check_pages(settings, *folder, failure);
    return status < 0 ? status : check_whole(settings->isa, *folder, failure);
}

int lab_machine_prepare(struct lab_machine *machine, const struct lab_order *order,
                        struct failure *failure)
{
    *machine = (struct lab_machine){.archive = -1};
    const struct lab_settings *settings = order->settings;
    AUTO_FREE char *emulator = NULL;
    char *folder = NULL;
    int status = emulator_find(&emulator, settings->isa, failure);
    if (status == 0)
        status = emulator_check_cpu(emulator, settings->cpu, failure);
    if (status == 0)
        status = choose_kernel(&folder, settings, failure);
    if (status < 0)
        return status;
    struct words words = {0};
    add(&words, memory_copy(emulator));
    /* Arm's own algorithm of pointer authentication takes most of a boot where it is emulated. */
    const char *quick = strcmp(settings->cpu->name, "max") == 0 ? ",pauth-impdef=on" : "";
    put(&words, "-nodefaults", NULL);
    put(&words, "-no-user-config", NULL);
    put(&words, "-no-reboot", NULL);
    put(&words, "-display", "none");
    put(&words, "-machine", "virt,gic-version=3");
    put(&words, "-accel", "tcg,thread=single");
    put(&words, "-icount", "shift=0");
    put(&words, "-smp", "1");
    put(&words, "-m", "%u", settings->memory_mb);
    put(&words, "-cpu", "%s%s%s", settings->cpu->name, quick, settings->pmu ? "" : ",pmu=off");
    put(&words, "-chardev", "file,id=console,path=/proc/self/fd/2");
    put(&words, "-serial", "chardev:console");
    put(&words, "-device", "virtio-serial-device");
    put(&words, "-chardev", "stdio,id=in,signal=off");
    put(&words, "-device", "virtserialport,chardev=in,name=%s", LAB_PORT_IN);
    plan_put(order->plan, "in", LAB_PORT_IN);
    put(&words, "-chardev", "file,id=out,path=/proc/self/fd/1");
    put(&words, "-device", "virtserialport,chardev=out,name=%s", LAB_PORT_OUT);
    plan_put(order->plan, "out", LAB_PORT_OUT);
    put_port(&words, order->plan, "err", LAB_PORT_ERR, order->errors);
    put_port(&words, order->plan, "status", LAB_PORT_STATUS, order->status);

    plan_settings(order->plan, settings);
    const struct boot_content content = {.kernel_folder = folder,
                                         .kit_folder = order->kit_folder,
                                         .plan = order->plan,
                                         .files = order->files,
                                         .file_count = order->file_count,
                                         .memory_mb = settings->memory_mb};
    machine->archive = boot_archive_make(&content, failure);
    put(&words, "-kernel", "%s/vmlinuz", folder);
    put(&words, "-initrd", "/proc/self/fd/%d", machine->archive);
    put(&words, "-append",
        "%sconsole=ttyAMA0 panic=-1 cryptomgr.notests rdinit=/kit/assay-probe -- boot",
        order->verbose ? "" : "quiet ");

    add(&words, NULL);
    machine->argv = words.list;
    inherit(machine, machine->archive);
    inherit(machine, order->errors);
    inherit(machine, order->status);
    if (machine->archive < 0)
        status = machine->archive;
    if (status < 0)
        lab_machine_release(machine);
    return status;
}

void lab_machine_release(struct lab_machine *machine)
{
    /* Closes the archive; the words stay. */
    cleanup_close(&machine->archive);
    machine->archive = -1;

    machine->argv = NULL;
}
