/*
 * What a server that has locked itself in can still do, tried from inside by a child of its own.
 */
#include "server/sandbox.h"

#include "base/sanitized.h"
#include "llm/model.h"
#include "server/landlock.h"
#include "server/notify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], outside[64];
static const char *further_ports = ""; /* server.connect_ports */

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

    assert_true(landlock_open(&landlock, true));
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
                                     .council_ollama = "off" };
        struct sandbox sandbox;
        struct err err = { 0 };

        if (!sandbox_enter(&settings, &sandbox, &err)) {
            fprintf(stderr, "%s\n", err.text);
            _exit(255);
        }
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
        cmocka_unit_test(the_service_manager_is_told),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
