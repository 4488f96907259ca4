/*
 * What a server that has locked itself in can still do, tried from inside by a child of its own.
 */
#include "server/sandbox.h"

#include "base/landlock.h"
#include "base/sanitized.h"
#include "llm/model.h"
#include "server/notify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], outside[64];
static const char *further_ports = ""; /* server.connect_ports */
static const char *own_ports = "off";  /* council.local_ports */

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/witan-sandbox-XXXXXX");
    strcpy(outside, "/tmp/witan-outside-XXXXXX");
    return mkdtemp(folder) && mkdtemp(outside) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[256];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s %s", folder, outside);
    return system(command) == 0 ? 0 : -1;
}

static int landlock_version(void)
{
    struct landlock landlock;

    assert_true(landlock_open(&landlock, LANDLOCK_LISTENS_AND_CONNECTS));
    if (landlock.fd >= 0)
        close(landlock.fd);
    return landlock.version;
}

/* Errors as numbers, so that a child can tell of them by its exit code; 0 means that it worked. */
static int try_write(const char *where)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/file", where);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), why = errno;

    if (fd < 0)
        return why;
    close(fd);
    return unlink(path) == 0 ? 0 : errno;
}

static int try_read(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), why = errno;

    if (fd < 0)
        return why;
    close(fd);
    return 0;
}

static struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int try_listen(int port)
{
    struct sockaddr_in address = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    int why = bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : errno;

    close(fd);
    return why;
}

static int try_connect(int port)
{
    struct sockaddr_in address = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int why = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : errno;

    close(fd);
    return why;
}

static int try_program(void)
{
    char *const argv[] = { "true", NULL }, *const none[] = { NULL };

    execve("/bin/true", argv, none);
    return errno;
}

static int try_socket(int family)
{
    int fd = socket(family, SOCK_RAW | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static bool machine_sockets; /* whether this sandbox leaves them open */

/* Runs something inside the sandbox of these settings, and gives back its error number. */
static int inside(const char *store, const char *listen, bool on, int (*what)(const void *), const void *with)
{
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        struct settings settings = { .store_url = store,
                                     .server_listen = listen,
                                     .server_sandbox = on,
                                     .server_connect_ports = further_ports,
                                     .council_ollama = "off",
                                     .council_local_ports = own_ports };
        struct sandbox sandbox;
        struct err err = { 0 };

        if (!sandbox_enter(&settings, NULL, NULL, &sandbox, &err)) {
            fprintf(stderr, "%s\n", err.text);
            _exit(255);
        }
        machine_sockets = sandbox.sockets;
        _exit(what(with));
    }
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int write_there(const void *where)
{
    return try_write(where);
}

static int read_there(const void *path)
{
    return try_read(path);
}

static int listen_there(const void *port)
{
    return try_listen(*(const int *)port);
}

static int connect_there(const void *port)
{
    return try_connect(*(const int *)port);
}

static int start_program(const void *nothing)
{
    (void)nothing;
    return try_program();
}

static int open_socket(const void *family)
{
    return try_socket(*(const int *)family);
}

static int signal_parent(const void *nothing)
{
    (void)nothing;
    return kill(getppid(), 0) == 0 ? 0 : errno;
}

static int trace(const void *nothing)
{
    (void)nothing;
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : errno;
}

static const char *store_in(const char *where)
{
    static char url[128];

    snprintf(url, sizeof(url), "sqlite:%s/x.db", where);
    return url;
}

#define LISTEN "127.0.0.1:0"

static void only_the_folder_of_the_store_is_written(void **state)
{
    (void)state;
    if (landlock_version() < 1)
        skip();
    assert_int_equal(inside(store_in(folder), LISTEN, true, write_there, folder), 0);
    assert_int_equal(inside(store_in(folder), LISTEN, true, write_there, outside), EACCES);
    assert_int_equal(inside("postgres://x@127.0.0.1/x", LISTEN, true, write_there, folder), EACCES);
    assert_int_equal(inside(store_in(folder), LISTEN, false, write_there, outside), 0);
}

static void only_what_is_needed_is_read(void **state)
{
    char path[128], url[256];

    (void)state;
    if (landlock_version() < 1 || SANITIZED)
        skip();
    snprintf(path, sizeof(path), "%s/secret", outside);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    snprintf(url, sizeof(url), "postgres://x@127.0.0.1/x?sslrootcert=%s", path);
    assert_int_equal(inside(store_in(folder), LISTEN, true, read_there, "/etc/passwd"), 0);
    assert_int_equal(inside(store_in(folder), LISTEN, true, read_there, path), EACCES);
    assert_int_equal(inside(url, LISTEN, true, read_there, path), 0);
}

/* A port that somebody listens on, so that connecting to it works. */
static int listener(int *port)
{
    struct sockaddr_in address = loopback(0);
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static void only_its_own_ports_are_used(void **state)
{
    char url[128], listen[64];
    int first, second, a = listener(&first), b = listener(&second);

    (void)state;
    if (landlock_version() < 4) {
        close(a);
        close(b);
        skip();
    }
    snprintf(url, sizeof(url), "postgres://x@127.0.0.1:%d,127.0.0.1:1/x", first);
    assert_int_equal(inside(url, LISTEN, true, connect_there, &first), 0);
    assert_int_equal(inside(url, LISTEN, true, connect_there, &second), EACCES);
    assert_int_equal(inside(store_in(folder), LISTEN, true, connect_there, &first), EACCES);
    close(a);
    close(b);
    snprintf(listen, sizeof(listen), "127.0.0.1:%d", first);
    assert_int_equal(inside(store_in(folder), listen, true, listen_there, &first), 0);
    assert_int_equal(inside(store_in(folder), listen, true, listen_there, &second), EACCES);
}

/* A model's port and files are there for the server, and those of nobody else. */
static void models_are_reached_where_the_settings_name_them(void **state)
{
    char url[64], key[128], other[128], ports[32];
    int first, second, a = listener(&first), b = listener(&second);
    struct llm_model model;
    const struct llm_models list = { &model, 1 };

    (void)state;
    if (landlock_version() < 4) {
        close(a);
        close(b);
        skip();
    }
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/v1", first);
    snprintf(key, sizeof(key), "%s/model.key", outside);
    snprintf(other, sizeof(other), "%s/other.key", outside);
    close(open(key, O_WRONLY | O_CREAT, 0600));
    close(open(other, O_WRONLY | O_CREAT, 0600));
    model_init(&model, "local");
    model.base_url = url;
    model.api_key_file = key;
    models_use(&list);
    assert_int_equal(inside(store_in(folder), LISTEN, true, connect_there, &first), 0);
    assert_int_equal(inside(store_in(folder), LISTEN, true, connect_there, &second), EACCES);
    assert_int_equal(inside(store_in(folder), LISTEN, true, read_there, key), 0);
    if (!SANITIZED)
        assert_int_equal(inside(store_in(folder), LISTEN, true, read_there, other), EACCES);
    models_use(NULL);
    assert_int_equal(inside(store_in(folder), LISTEN, true, connect_there, &first), EACCES);
    snprintf(ports, sizeof(ports), "1, %d", second);
    further_ports = ports;
    assert_int_equal(inside(store_in(folder), LISTEN, true, connect_there, &first), EACCES);
    assert_int_equal(inside(store_in(folder), LISTEN, true, connect_there, &second), 0);
    further_ports = "any";
    assert_int_equal(inside(store_in(folder), LISTEN, true, connect_there, &first), 0);
    further_ports = "";
    /* The usual ports of this machine, for a server that only this machine reaches. */
    own_ports = ports;
    assert_int_equal(inside(store_in(folder), LISTEN, true, connect_there, &first), EACCES);
    assert_int_equal(inside(store_in(folder), LISTEN, true, connect_there, &second), 0);
    assert_int_equal(inside(store_in(folder), "0.0.0.0:7117", true, connect_there, &second), EACCES);
    own_ports = "off";
    close(a);
    close(b);
}

static void no_program_is_started_and_nobody_else_is_touched(void **state)
{
    const int packet = AF_PACKET, internet = AF_INET;

    (void)state;
    assert_int_equal(inside(store_in(folder), LISTEN, true, open_socket, &packet), EAFNOSUPPORT);
    assert_int_not_equal(inside(store_in(folder), LISTEN, true, open_socket, &internet), EAFNOSUPPORT);
    if (landlock_version() >= 6)
        assert_int_equal(inside(store_in(folder), LISTEN, true, signal_parent, NULL), EPERM);
    if (SANITIZED)
        return;
    assert_int_equal(inside(store_in(folder), LISTEN, true, start_program, NULL), EPERM);
    assert_int_equal(inside(store_in(folder), LISTEN, true, trace, NULL), EPERM);
}

static void *say_yes(void *nothing)
{
    (void)nothing;
    return (void *)1;
}

static int error_of(long result)
{
    return result < 0 ? errno : 0;
}

/* Each as code that was smuggled in would try it; the number of the first that went otherwise, or 0. */
static int make_processes(const void *nothing)
{
    struct {
        uint64_t flags, rest[10];
    } wanted = { .flags = 0 };
    pthread_t thread;
    void *said = NULL;

    (void)nothing;
#ifdef SYS_fork
    if (error_of(syscall(SYS_fork)) != EPERM)
        return 1;
#endif
#ifdef SYS_vfork
    if (error_of(syscall(SYS_vfork)) != EPERM)
        return 2;
#endif
    if (error_of(syscall(SYS_clone, (long)SIGCHLD, 0, 0, 0, 0)) != EPERM)
        return 3;
    if (error_of(syscall(SYS_clone, (long)(CLONE_VM | SIGCHLD), 0, 0, 0, 0)) != EPERM)
        return 4;
#ifdef SYS_clone3
    if (error_of(syscall(SYS_clone3, &wanted, sizeof(wanted))) != ENOSYS)
        return 5;
#endif
    if (error_of(fork()) != EPERM)
        return 6;
    if (pthread_create(&thread, NULL, say_yes, NULL) != 0 || pthread_join(thread, &said) != 0 || !said)
        return 7;
    return 0;
}

static int change_rights(const void *where)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/rights", (const char *)where);
    if (error_of(chmod(path, 0777)) != EPERM)
        return 1;
    if (error_of(fchmodat(AT_FDCWD, path, 0777, 0)) != EPERM)
        return 2;
    if (error_of(chown(path, getuid(), getgid())) != EPERM)
        return 3;
    if (error_of(fchownat(AT_FDCWD, path, getuid(), getgid(), 0)) != EPERM)
        return 4;
    if (error_of(utimensat(AT_FDCWD, path, NULL, 0)) != EPERM)
        return 5;
    return 0;
}

/* SQLite does this to the logs that it makes. */
static int give_rights(const void *where)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/log", (const char *)where);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        return 1;
    if (fchmod(fd, 0640) != 0 || fchown(fd, getuid(), getgid()) != 0)
        return 2;
    if (error_of(fchmod(fd, 04755)) != EPERM || error_of(fchmod(fd, 02755)) != EPERM)
        return 3;
    close(fd);
    return unlink(path) == 0 ? 0 : 4;
}

static int socket_error(int family, int kind, int protocol)
{
    int fd = socket(family, kind | SOCK_CLOEXEC, protocol), why = fd < 0 ? errno : 0;

    if (fd >= 0)
        close(fd);
    return why;
}

/* What is like TCP and not held to its ports, and what sees more than a server needs. */
static int open_strange_sockets(const void *nothing)
{
    static const int families[] = { AF_INET, AF_INET6 };
    struct sockaddr_in address = loopback(9);
    struct addrinfo *found = NULL;

    (void)nothing;
    for (size_t i = 0; i < 2; i++) {
        if (socket_error(families[i], SOCK_STREAM, 262) != EPROTONOSUPPORT || /* MPTCP */
            socket_error(families[i], SOCK_STREAM, IPPROTO_SCTP) != EPROTONOSUPPORT ||
            socket_error(families[i], SOCK_DGRAM, IPPROTO_ICMP) != EPROTONOSUPPORT ||
            socket_error(families[i], SOCK_RAW, IPPROTO_TCP) != EPERM ||
            socket_error(families[i], SOCK_SEQPACKET, 0) != EPERM)
            return 1 + (int)i;
    }
    if (socket_error(AF_INET, SOCK_STREAM, 0) != 0 || socket_error(AF_INET, SOCK_STREAM, IPPROTO_TCP) != 0 ||
        socket_error(AF_INET, SOCK_DGRAM, 0) != 0)
        return 3;
    if (socket_error(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) != 0)
        return 4;
    if (socket_error(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC) != EPROTONOSUPPORT)
        return 5;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (error_of(sendto(fd, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (const struct sockaddr *)&address,
                        sizeof(address))) != EPERM)
        return 6;
    close(fd);
    if (getaddrinfo("localhost", "80", NULL, &found) != 0)
        return 7;
    freeaddrinfo(found);
    return 0;
}

/* The machine's own: 1 when they are open, 0 when they are not. */
static int open_machine_sockets(const void *nothing)
{
    int pair[2];
    bool streams = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
    bool datagrams = socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) == 0;
    int why = socket_error(AF_UNIX, SOCK_STREAM, 0), other = socket_error(AF_UNIX, SOCK_DGRAM, 0);

    (void)nothing;
    if (!streams)
        return 10;
    if (why != other || datagrams != machine_sockets)
        return 11;
    if (why == 0)
        return machine_sockets ? 1 : 12;
    return why == EAFNOSUPPORT && !machine_sockets ? 0 : 13;
}

static void no_process_is_made(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    assert_int_equal(inside(store_in(folder), LISTEN, true, make_processes, NULL), 0);
    assert_int_not_equal(inside(store_in(folder), LISTEN, false, make_processes, NULL), 0);
}

static void nobodys_rights_to_files_are_changed(void **state)
{
    char path[128];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/rights", i == 0 ? outside : folder);
        close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        assert_int_equal(inside(store_in(folder), LISTEN, true, change_rights, i == 0 ? outside : folder), 0);
    }
    assert_int_equal(inside(store_in(folder), LISTEN, true, give_rights, folder), 0);
    assert_int_not_equal(inside(store_in(folder), LISTEN, false, change_rights, folder), 0);
}

static void only_what_a_server_needs_is_spoken(void **state)
{
    (void)state;
    assert_int_equal(inside(store_in(folder), LISTEN, true, open_strange_sockets, NULL), 0);
}

/* Where names are looked up by such a socket (/etc/nsswitch.conf), none of them is refused. */
static void the_machines_own_sockets_are_for_stores_that_need_them(void **state)
{
    static const char *const by_network[] = { "postgres://x@127.0.0.1/x", "postgres://x@a:1,b:2/x",
                                              "postgres://x@/x?host=127.0.0.1" };
    static const char *const by_socket[] = { "postgres://x@/x?host=/run/postgresql", "postgres:///x",
                                             "postgres://127.0.0.1/x",
                                             "postgres://x@/x?host=127.0.0.1,/run/x",
                                             "postgres://x@/x?service=y" };
    int usual;

    (void)state;
    unsetenv("PGHOST");
    unsetenv("PGHOSTADDR");
    unsetenv("PGSERVICE");
    usual = inside(store_in(folder), LISTEN, true, open_machine_sockets, NULL);
    assert_in_range(usual, 0, 1);
    for (size_t i = 0; i < sizeof(by_network) / sizeof(*by_network); i++)
        assert_int_equal(inside(by_network[i], LISTEN, true, open_machine_sockets, NULL), usual);
    for (size_t i = 0; i < sizeof(by_socket) / sizeof(*by_socket); i++)
        assert_int_equal(inside(by_socket[i], LISTEN, true, open_machine_sockets, NULL), 1);
}

static void the_service_manager_is_told(void **state)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    char text[32] = "";
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)state;
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify", folder);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    unsetenv("NOTIFY_SOCKET");
    struct notify nobody = notify_open();

    assert_int_equal(nobody.fd, -1);
    notify_say(&nobody, "READY=1");
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
    struct notify manager = notify_open();

    unsetenv("NOTIFY_SOCKET");
    notify_say(&manager, "READY=1");
    assert_int_equal(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT), 7);
    assert_string_equal(text, "READY=1");
    notify_close(&manager);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_folder_of_the_store_is_written),
        cmocka_unit_test(only_what_is_needed_is_read),
        cmocka_unit_test(only_its_own_ports_are_used),
        cmocka_unit_test(models_are_reached_where_the_settings_name_them),
        cmocka_unit_test(no_program_is_started_and_nobody_else_is_touched),
        cmocka_unit_test(no_process_is_made),
        cmocka_unit_test(nobodys_rights_to_files_are_changed),
        cmocka_unit_test(only_what_a_server_needs_is_spoken),
        cmocka_unit_test(the_machines_own_sockets_are_for_stores_that_need_them),
        cmocka_unit_test(the_service_manager_is_told),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
