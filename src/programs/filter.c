#include "programs/filter.h"

#include "programs/calls.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEPS_MOST 4096 /* BPF_MAXINSNS */

static const enum calls_group refused[] = { CALLS_PROCESSES, CALLS_ROOTS, CALLS_KERNEL, CALLS_CLOCKS };

/* Who may trace a process can have it do what he may not do himself. */
static const char *const tracing[] = { "ptrace" };

static const unsigned namespaces[] = { CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                       CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP };

static bool refuse_namespaces(scmp_filter_ctx filter)
{
    for (size_t i = 0; i < sizeof(namespaces) / sizeof(*namespaces); i++)
        if (!CALLS_REFUSE(filter, EPERM, SCMP_SYS(clone), 1,
                          SCMP_CMP(CLONE_FLAGS, SCMP_CMP_MASKED_EQ, namespaces[i], namespaces[i])))
            return false;
    return calls_refuse_clone3(filter);
}

/* The times of a file that is open are its own, as its rights are. */
static bool refuse_times(scmp_filter_ctx filter)
{
    static const char *const by_path[] = { "utime", "utimes", "futimesat" };

    return calls_refuse_named(filter, by_path, sizeof(by_path) / sizeof(*by_path)) &&
           CALLS_REFUSE(filter, EPERM, SCMP_SYS(utimensat), 1, SCMP_A1(SCMP_CMP_NE, 0));
}

static bool refuse_all(scmp_filter_ctx filter, bool network, bool file_rights)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        if (!calls_refuse(filter, refused[i]))
            return false;
    return calls_refuse_named(filter, tracing, 1) && refuse_namespaces(filter) &&
           (network || seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 0) == 0) &&
           (file_rights || (calls_refuse(filter, CALLS_FILE_RIGHTS) && refuse_times(filter)));
}

/* The library writes it to a file only. */
static bool take_steps(scmp_filter_ctx made, struct filter *filter)
{
    int fd = memfd_create("filter", MFD_CLOEXEC);
    struct stat info;
    bool good = fd >= 0 && seccomp_export_bpf(made, fd) == 0 && fstat(fd, &info) == 0 && info.st_size > 0 &&
                (size_t)info.st_size <= STEPS_MOST * sizeof(*filter->steps);

    filter->steps = good ? malloc((size_t)info.st_size) : NULL;
    good = filter->steps && pread(fd, filter->steps, (size_t)info.st_size, 0) == info.st_size;
    if (good)
        filter->count = (unsigned short)((size_t)info.st_size / sizeof(*filter->steps));
    if (fd >= 0)
        close(fd);
    return good;
}

bool filter_make(struct filter *filter, bool network, bool file_rights)
{
    scmp_filter_ctx made = seccomp_init(SCMP_ACT_ALLOW);

    if (!made)
        return false;
    (void)seccomp_attr_set(made, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    bool good = refuse_all(made, network, file_rights) && take_steps(made, filter);

    seccomp_release(made);
    return good;
}

bool filter_enter(const struct filter *filter)
{
    struct sock_fprog program = { .len = filter->count, .filter = filter->steps };

    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
