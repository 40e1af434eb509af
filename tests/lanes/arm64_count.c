// arm64_count: a TCG plugin that counts the instructions of the emulated program, all threads together, and writes the number on
// standard error when it ends. QEMU's own libinsn does the same; Debian's packages do not have it, nor the header, of which the few
// declarations used here are repeated (https://www.qemu.org/docs/master/devel/tcg-plugins.html).
#include <stdint.h>
#include <stdio.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* tb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*translated)(qemu_plugin_id_t, struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb* tb, void (*executed)(unsigned vcpu, void* data),
                                          enum qemu_plugin_cb_flags flags, void* data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*ended)(qemu_plugin_id_t, void*), void* data);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int qemu_plugin_version = LLMD_QEMU_PLUGIN_VERSION;

static uint64_t n_instructions;

static void executed(unsigned vcpu, void* n) {
    (void)vcpu;
    __atomic_fetch_add(&n_instructions, (uintptr_t)n, __ATOMIC_RELAXED);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb* tb) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, (void*)(uintptr_t)qemu_plugin_tb_n_insns(tb));
}

static void ended(qemu_plugin_id_t id, void* data) {
    (void)id;
    (void)data;
    fprintf(stderr, "instructions: %llu\n", (unsigned long long)n_instructions);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const void* info, int argc, char** argv) {
    (void)info;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
