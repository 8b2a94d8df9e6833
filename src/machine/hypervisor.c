/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of hypervisors, and of monitors (Firecracker runs on KVM, as do many clouds) that
 * differ from their hypervisor in what they offer. Pure data. */
#include "machine/hypervisor.h"

#include <stddef.h>
#include <string.h>

#include "events/situation.h"

const struct hypervisor hypervisors[] = {
    {"kvm", "KVM", "KVM passes the counters through when the machine is started so.",
     "on the host, QEMU: -cpu host,pmu=on\n"
     "on the host, libvirt: <cpu mode='host-passthrough'/> and <pmu state='on'/> in <features>"},
    {"qemu-tcg", "QEMU without KVM",
     "QEMU interprets its instructions, and for x86 it emulates no PMU.",
     "on the host, where /dev/kvm exists: -accel kvm -cpu host,pmu=on"},
    {"vmware", "VMware", "VMware offers counters per virtual machine.",
     "with the machine off, in its .vmx file: vpmc.enable = \"TRUE\"\n"
     "or in its CPU settings: virtualize CPU performance counters"},
    {"xen", "Xen", "Xen offers counters to HVM and PVH guests when booted so.",
     "on Xen's own command line, then reboot the host: vpmu=on"},
    {"virtualbox", "VirtualBox",
     "VirtualBox offers no counters to its guests; nothing inside or outside changes that.", ""},
    {"bhyve", "bhyve",
     "bhyve offers no counters to its guests; nothing inside or outside changes that.", ""},
    {"parallels", "Parallels", "Parallels offers counters per virtual machine.",
     "in the machine's CPU settings, advanced: enable PMU virtualization"},
    {"acrn", "ACRN", "ACRN gives the PMU to a guest only by its scenario file.",
     "in the ACRN configuration, for this VM: vpmu"},
    {"jailhouse", "Jailhouse",
     "Jailhouse hands out whole cores: the PMU belongs to the cell that owns the core.", ""},
    {"hyper-v", "Hyper-V", "Hyper-V offers counters per virtual machine.",
     "on the host, with the machine off: Set-VMProcessor -VMName NAME -Perfmon @(\"pmu\")"},
    {"powervm", "PowerVM", "PowerVM lets partitions use the PMU by a profile setting.",
     "in the partition's profile: allow performance information collection"},
    {"qemu", "QEMU", "QEMU passes the counters through under KVM, and on arm64 emulates them.",
     "on the host, with KVM: -cpu host,pmu=on\n"
     "on the host, emulated arm64: -icount shift=0"},
    {"virt", "a virtual machine (device tree says virt)",
     "its monitor (the device tree says virt) must describe a PMU to it.",
     "on the host, QEMU: -cpu host,pmu=on\non the host, emulated arm64: -icount shift=0"},
    /* monitors */
    {"firecracker", "Firecracker", FIRECRACKER_COUNTERS ".", ""},
    {"microvm", "microVM",
     "its monitor looks like Firecracker, which offers no counters, whatever is set; for hardware "
     "events take bare metal, or KVM under QEMU with pmu=on.",
     ""},
    {"cloud-hypervisor", "Cloud Hypervisor",
     "Cloud Hypervisor passes the counters through where its host has them.", ""},
    {"amazon", "Amazon EC2",
     "EC2 offers counters on .metal instances and on some large sizes of newer types.",
     "choose an instance type ending in .metal"},
    {"google", "Google Compute Engine",
     "Compute Engine offers counters on some machine types (C4, C4A), off by default.",
     "gcloud compute instances create NAME --machine-type=c4-standard-8 "
     "--performance-monitoring-unit=standard"},
    {"azure", "Azure", "Azure offers no counters on most sizes; bare-metal sizes have them.", ""},
    {NULL, NULL, NULL, NULL},
};

const struct hypervisor *hypervisor_find(const char *id)
{
    for (const struct hypervisor *known = hypervisors; id && known->id; known++)
        if (strcmp(known->id, id) == 0)
            return known;
    return NULL;
}
