/*
 * The service of a machine, as its units, drop-ins, files of variables and settings describe it: read under a
 * folder that stands for the machine.
 */
#include "server/service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/files.h"
#include "server/variables.h"

static char root[64];
static struct arena arena;
static struct service service;
static struct err err;

static int set_up(void **state)
{
    (void)state;
    strcpy(root, "/tmp/witan-service-XXXXXX");
    err = (struct err){ 0 };
    unsetenv("WITAN_STORE_URL");
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    arena_done(&arena);
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command);
}

static const char *put(const char *path, const char *text)
{
    const char *whole = arena_format(&arena, "%s%s", root, path);

    unlink(whole);
    assert_true(files_make_folders(whole, &err));
    assert_true(files_write(whole, text, strlen(text), &err));
    return whole;
}

#define UNIT "/usr/lib/systemd/system/witan.service"

static bool found(const char *unit)
{
    put(UNIT, unit);
    return service_find(&arena, root, &service, &err);
}

static const char *variable(const char *name)
{
    return variables_get(service.variables, name);
}

static void no_unit_is_no_service(void **state)
{
    (void)state;
    assert_true(service_find(&arena, root, &service, &err));
    assert_null(service.unit);
}

static void a_masked_unit_is_no_service(void **state)
{
    (void)state;
    put(UNIT, "[Service]\nExecStart=/usr/bin/witan serve\n");
    put("/etc/systemd/system/other", "");
    assert_int_equal(symlink("/dev/null", arena_format(&arena, "%s/etc/systemd/system/witan.service", root)),
                     0);
    assert_true(service_find(&arena, root, &service, &err));
    assert_null(service.unit);
}

static void an_empty_unit_is_no_service(void **state)
{
    (void)state;
    put(UNIT, "[Service]\nExecStart=/usr/bin/witan serve\n");
    put("/etc/systemd/system/witan.service", "");
    assert_true(service_find(&arena, root, &service, &err));
    assert_null(service.unit);
}

static void the_packaged_unit_is_understood(void **state)
{
    struct config config = { 0 };

    (void)state;
    assert_true(
        found("# A remark\n[Unit]\nUser=nobody\n[Service]\nUser=daemon\nExecStart=/usr/bin/witan serve\n"
              "Environment=XDG_CONFIG_HOME=/etc XDG_DATA_HOME=/var/lib HOME=/var/lib/witan\n"
              "EnvironmentFile=-/etc/witan/environment\n[Install]\nUser=nobody\n"));
    assert_string_equal(service.user, "daemon");
    assert_true(service.user_known);
    assert_true(service.uid != 0);
    assert_string_equal(variable("XDG_DATA_HOME"), "/var/lib");
    assert_string_equal(service.settings, "/etc/witan/config.yaml");
    assert_true(service_config(&arena, &service, &config, &err));
    assert_string_equal(config.settings.store_url, "sqlite:/var/lib/witan/witan.db");
    config_done(&config);
}

static void the_first_folder_counts_and_drop_ins_go_over_it(void **state)
{
    (void)state;
    put(UNIT, "[Service]\nExecStart=/usr/bin/witan serve --db sqlite:/wrong.db\n");
    put("/etc/systemd/system/witan.service",
        "[Service]\nEnvironment=A=1 B=2\nExecStart=/usr/bin/witan serve --db sqlite:/a.db\n");
    put("/usr/lib/systemd/system/witan.service.d/20-late.conf", "[Service]\nEnvironment=B=hidden\n");
    put("/etc/systemd/system/witan.service.d/20-late.conf", "[Service]\nEnvironment=B=late\n");
    put("/run/systemd/system/witan.service.d/10-early.conf",
        "[Service]\nEnvironment=B=early C=3\nExecStart=\nExecStart=/usr/bin/witan --config=/x.yaml serve \\\n"
        "# between the lines\n  --db sqlite:${C}.db\n");
    put("/etc/systemd/system/witan.service.d/note.txt", "[Service]\nEnvironment=B=no\n");
    assert_true(service_find(&arena, root, &service, &err));
    assert_string_equal(service.db, "sqlite:3.db");
    assert_string_equal(service.config, "/x.yaml");
    assert_string_equal(variable("A"), "1");
    assert_string_equal(variable("B"), "late");
}

static void words_are_quoted_as_systemd_quotes(void **state)
{
    (void)state;
    assert_true(found("[Service]\nEnvironment=\"A=two words\" 'B=it is' C=a\\x D=tab\\there E=100%%%n\n"
                      "Environment=\"F=\"quoted\"\"\nUnsetEnvironment=C B=other\n"
                      "ExecStart=-@/usr/bin/witan witan serve '--db' \"sqlite:/my store.db\"\n"));
    assert_string_equal(variable("A"), "two words");
    assert_string_equal(variable("B"), "it is");
    assert_null(variable("C"));
    assert_string_equal(variable("D"), "tab\there");
    assert_string_equal(variable("E"), "100%witan.service");
    assert_string_equal(service.db, "sqlite:/my store.db");
}

static void files_of_variables_go_over_the_unit(void **state)
{
    struct config config = { 0 };

    (void)state;
    put("/etc/witan/environment", "# secrets\n; more\nWITAN_STORE_URL=\"postgres://w:p\\\"q@h/d\"  \n"
                                  "  SPACED = a b  \nLONG=one \\\ntwo\nSINGLE='a\\b'\nno variable\nEMPTY=\n");
    assert_true(found("[Service]\nEnvironment=WITAN_STORE_URL=sqlite:/x.db SPACED=no\n"
                      "EnvironmentFile=/etc/witan/environment\nEnvironmentFile=-/etc/witan/nothing\n"
                      "ExecStart=/usr/local/bin/witan serve\n"));
    assert_string_equal(variable("SPACED"), "a b");
    assert_string_equal(variable("LONG"), "one two");
    assert_string_equal(variable("SINGLE"), "a\\b");
    assert_string_equal(variable("EMPTY"), "");
    assert_true(service_config(&arena, &service, &config, &err));
    assert_string_equal(config.settings.store_url, "postgres://w:p\"q@h/d");
    config_done(&config);
}

/* The options of the unit go over its variables, and the caller's own variables over its settings. */
static void settings_are_the_services(void **state)
{
    struct config config = { 0 };
    const char *file = put("/etc/witan.yaml", "store.url: sqlite:/by-file.db\nserver.listen: 127.0.0.1:9\n"
                                              "audit.key_file: /a\n");

    (void)state;
    assert_true(found(arena_format(&arena,
                                   "[Service]\nEnvironment=WITAN_STORE_READERS=3\n"
                                   "ExecStart=/usr/bin/witan serve --config %s\n",
                                   file)));
    setenv("WITAN_AUDIT_KEY_FILE", "/b", 1);
    setenv("XDG_DATA_HOME", "/elsewhere", 1);
    assert_true(service_config(&arena, &service, &config, &err));
    unsetenv("WITAN_AUDIT_KEY_FILE");
    assert_string_equal(config.settings.store_url, "sqlite:/by-file.db");
    assert_string_equal(config.settings.server_listen, "127.0.0.1:9");
    assert_int_equal(config.settings.store_readers, 3);
    assert_string_equal(config.settings.audit_key_file, "/b");
    config_done(&config);
}

static void what_cannot_be_known_is_refused(void **state)
{
    static const char *const units[] = {
        "[Service]\n",
        "[Service]\nExecStart=/bin/sh -c 'exec witan serve'\n",
        "[Service]\nExecStart=/usr/bin/witan inbox\n",
        "[Service]\nExecStart=/usr/bin/witan serve\nRootDirectory=/srv/root\n",
        "[Service]\nExecStart=/usr/bin/witan serve\nRootDirectory=/srv/root\nRootImage=\n",
        "[Service]\nExecStart=/usr/bin/witan serve --db sqlite:/%H.db\n",
        "[Service]\nExecStart=/usr/bin/witan serve 'open\n",
        "[Service]\nExecStart=/usr/bin/witan serve\nEnvironmentFile=/etc/witan/*.env\n",
        "[Service]\nExecStart=/usr/bin/witan serve\nEnvironmentFile=/etc/witan/missing\n",
        "[Service]\nExecStart=/usr/bin/witan serve\nExecStart=/usr/bin/witan serve --db sqlite:/b.db\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        err = (struct err){ 0 };
        assert_false(found(units[i]));
        assert_non_null(service.unit);
        assert_non_null(strstr(err.text, "Cannot tell which store"));
    }
}

static void a_user_of_its_own_is_not_known_beforehand(void **state)
{
    (void)state;
    assert_true(found("[Service]\nDynamicUser=yes\nExecStart=/usr/bin/witan serve\n"));
    assert_false(service.user_known);
    assert_true(found("[Service]\nExecStart=/usr/bin/witan serve\n"));
    assert_true(service.user_known);
    assert_int_equal(service.uid, 0);
    assert_true(found("[Service]\nUser=nobody-is-called-so\nExecStart=/usr/bin/witan serve\n"));
    assert_false(service.user_known);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(no_unit_is_no_service),
        CASE(a_masked_unit_is_no_service),
        CASE(an_empty_unit_is_no_service),
        CASE(the_packaged_unit_is_understood),
        CASE(the_first_folder_counts_and_drop_ins_go_over_it),
        CASE(words_are_quoted_as_systemd_quotes),
        CASE(files_of_variables_go_over_the_unit),
        CASE(settings_are_the_services),
        CASE(what_cannot_be_known_is_refused),
        CASE(a_user_of_its_own_is_not_known_beforehand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
