/* System call filters (confine_filter.h), as programs of the kernel's classic BPF, made from tables:
 * seccomp_data is what they look at. What does not pass fails with EPERM, so that a library that only tries
 * something goes on; a call in another instruction set's numbering ends the process. */
#include "base/confine_filter.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* What an argument must be for the call to pass. */
typedef enum { ANYTHING, BITS_SET, BITS_CLEAR, EQUAL, OWN_PROCESS, BROKER } condition;

typedef struct {
    int number;
    condition condition;
    uint32_t argument, value;
} rule;

/* --- Before the seal: these are refused ------------------------------------------------------------------
 */

static const int refused[] = {
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_open_by_handle_at,
    SYS_quotactl,
    SYS_settimeofday,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_personality,
#ifdef SYS_userfaultfd
    SYS_userfaultfd,
#endif
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
};

/* --- After it: only these pass ---------------------------------------------------------------------------
 */

static const rule passing[] = {
    /* memory, but no code */
    {SYS_mmap, BITS_CLEAR, 2, PROT_EXEC},
    {SYS_mprotect, BITS_CLEAR, 2, PROT_EXEC},
    {SYS_munmap, ANYTHING, 0, 0},
    {SYS_mremap, ANYTHING, 0, 0},
    {SYS_madvise, ANYTHING, 0, 0},
    {SYS_brk, ANYTHING, 0, 0},
    /* threads, but no processes */
    {SYS_clone, BITS_SET, 0, CLONE_THREAD},
    {SYS_futex, ANYTHING, 0, 0},
    {SYS_set_robust_list, ANYTHING, 0, 0},
    {SYS_get_robust_list, ANYTHING, 0, 0},
#ifdef SYS_rseq
    {SYS_rseq, ANYTHING, 0, 0},
#endif
    {SYS_gettid, ANYTHING, 0, 0},
    {SYS_getpid, ANYTHING, 0, 0},
    {SYS_sched_yield, ANYTHING, 0, 0},
    {SYS_sched_getaffinity, ANYTHING, 0, 0},
    {SYS_membarrier, ANYTHING, 0, 0},
    {SYS_exit, ANYTHING, 0, 0},
    {SYS_exit_group, ANYTHING, 0, 0},
    {SYS_restart_syscall, ANYTHING, 0, 0},
    /* signals within the process */
    {SYS_rt_sigaction, ANYTHING, 0, 0},
    {SYS_rt_sigprocmask, ANYTHING, 0, 0},
    {SYS_rt_sigreturn, ANYTHING, 0, 0},
    {SYS_rt_sigtimedwait, ANYTHING, 0, 0},
    {SYS_sigaltstack, ANYTHING, 0, 0},
    {SYS_tgkill, OWN_PROCESS, 0, 0},
    /* time */
    {SYS_clock_gettime, ANYTHING, 0, 0},
    {SYS_clock_getres, ANYTHING, 0, 0},
    {SYS_clock_nanosleep, ANYTHING, 0, 0},
    {SYS_nanosleep, ANYTHING, 0, 0},
    {SYS_gettimeofday, ANYTHING, 0, 0},
    {SYS_getrusage, ANYTHING, 0, 0},
    {SYS_times, ANYTHING, 0, 0},
    {SYS_timer_create, ANYTHING, 0, 0}, /* Z3's limits of time */
    {SYS_timer_settime, ANYTHING, 0, 0},
    {SYS_timer_delete, ANYTHING, 0, 0},
    /* what is open, and what the parent opens */
    {SYS_read, ANYTHING, 0, 0},
    {SYS_write, ANYTHING, 0, 0},
    {SYS_readv, ANYTHING, 0, 0},
    {SYS_writev, ANYTHING, 0, 0},
    {SYS_pread64, ANYTHING, 0, 0},
    {SYS_lseek, ANYTHING, 0, 0},
    {SYS_close, ANYTHING, 0, 0},
    {SYS_fstat, ANYTHING, 0, 0},
    {SYS_ppoll, ANYTHING, 0, 0},
    {SYS_sendmsg, BROKER, 0, 0},
    {SYS_recvmsg, BROKER, 0, 0},
    {SYS_ioctl, EQUAL, 1, TCGETS}, /* whether it is a terminal */
    {SYS_fcntl, EQUAL, 1, F_GETFL},
    {SYS_fcntl, EQUAL, 1, F_GETFD},
    /* harmless facts */
    {SYS_getrandom, ANYTHING, 0, 0},
    {SYS_sysinfo, ANYTHING, 0, 0},
    {SYS_uname, ANYTHING, 0, 0},
#ifdef __x86_64__
    {SYS_poll, ANYTHING, 0, 0},
    {SYS_time, ANYTHING, 0, 0},
#endif
};

/* --- Programs --------------------------------------------------------------------------------------------
 */

enum { MOST = 512, LOW = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4 };

typedef struct {
    struct sock_filter code[MOST];
    unsigned short length;
} program;

static void put(program *p, uint16_t code, uint32_t value, uint8_t yes, uint8_t no) {
    if (p->length < MOST) p->code[p->length++] = (struct sock_filter){code, yes, no, value};
}

static void put_load(program *p, size_t offset) {
    put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void put_return(program *p, uint32_t value) {
    put(p, BPF_RET | BPF_K, value, 0, 0);
}

static void put_start(program *p) {
    put_load(p, offsetof(struct seccomp_data, arch));
    put(p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    put_return(p, SECCOMP_RET_KILL_PROCESS);
    put_load(p, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    put(p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1); /* x32 */
    put_return(p, SECCOMP_RET_KILL_PROCESS);
#endif
}

/* The low halves of arguments are looked at: all that is compared has 32 bits, and kernels look at no more of
 * flags, commands, descriptors and process numbers. */
static void put_rule(program *p, const rule *r, int broker) {
    if (r->condition == ANYTHING) {
        put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->number, 0, 1);
        put_return(p, SECCOMP_RET_ALLOW);
        return;
    }
    uint32_t value = r->condition == OWN_PROCESS ? (uint32_t)getpid()
                     : r->condition == BROKER    ? (uint32_t)broker
                                                 : r->value;
    bool bits = r->condition == BITS_SET || r->condition == BITS_CLEAR, clear = r->condition == BITS_CLEAR;
    put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->number, 0, 4);
    put_load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)r->argument + LOW);
    put(p, BPF_JMP | BPF_K | (bits ? BPF_JSET : BPF_JEQ), value, clear ? 1 : 0, clear ? 0 : 1);
    put_return(p, SECCOMP_RET_ALLOW);
    put_load(p, offsetof(struct seccomp_data, nr)); /* for the rules that follow */
}

static void make_start(program *p) {
    put_start(p);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)refused[k], 0, 1);
        put_return(p, SECCOMP_RET_ERRNO | EPERM);
    }
    put_return(p, SECCOMP_RET_ALLOW);
}

static void make_seal(program *p, int broker) {
    put_start(p);
#ifdef SYS_clone3
    put(p, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1); /* its flags are in memory: clone is taken instead */
    put_return(p, SECCOMP_RET_ERRNO | ENOSYS);
#endif
    for (size_t k = 0; k < sizeof passing / sizeof *passing; k++) put_rule(p, &passing[k], broker);
    put_return(p, SECCOMP_RET_ERRNO | EPERM);
}

bool ls_filter_install(ls_filter filter, int broker) {
    program p = {.length = 0};
    if (filter == LS_FILTER_START)
        make_start(&p);
    else
        make_seal(&p, broker);
    struct sock_fprog all = {p.length, p.code};
    if (p.length == MOST || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return false;
    return !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &all);
}

bool ls_filter_possible(void) {
    uint32_t action = SECCOMP_RET_ERRNO;
    return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

#else

bool ls_filter_possible(void) {
    return false;
}

bool ls_filter_install(ls_filter filter, int broker) {
    (void)filter;
    (void)broker;
    return false;
}

#endif
