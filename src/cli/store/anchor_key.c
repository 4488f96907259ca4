/*
 * The file is opened before it is judged and judged by its descriptor, so that nobody can put another in its
 * place in between. One that others could read is refused rather than used with a warning.
 */
#include "cli/store/anchor_key.h"

#include "base/uuid.h"
#include "server/config.h"
#include "server/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE (crypto_sign_SEEDBYTES * 2 + 1) /* the digits and the line end */

const char *anchor_key_path(struct arena *arena, const struct settings *settings)
{
    const char *folder = config_config_dir(arena);

    if (*settings->audit_key_file)
        return settings->audit_key_file;
    return folder ? arena_format(arena, "%s/audit.key", folder) : NULL;
}

bool anchor_key_exists(const char *path)
{
    return path && access(path, F_OK) == 0;
}

static bool fail(const char *path, int number, struct err *err)
{
    err_set(err, ERR_UNAVAILABLE, "The key %s cannot be read or made: %s.", path, strerror(number));
    return err_hint(err, "The setting audit.key_file names another place for it.");
}

static bool make(const char *path, unsigned char seed[static crypto_sign_SEEDBYTES], struct err *err)
{
    char line[LINE + 1];

    if (!files_make_folders(path, err))
        return false;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return fail(path, errno, err);
    random_bytes(seed, crypto_sign_SEEDBYTES);
    sodium_bin2hex(line, sizeof(line), seed, crypto_sign_SEEDBYTES);
    line[LINE - 1] = '\n';
    bool written = write(fd, line, LINE) == LINE && fsync(fd) == 0;
    int number = errno;

    close(fd);
    sodium_memzero(line, sizeof(line));
    if (written)
        return true;
    unlink(path);
    return fail(path, number, err);
}

static bool read_seed(const char *path, int fd, unsigned char seed[static crypto_sign_SEEDBYTES],
                      struct err *err)
{
    char line[LINE + 1];
    ssize_t got = read(fd, line, sizeof(line));
    size_t len = 0;

    if (got >= LINE - 1 && got <= LINE &&
        sodium_hex2bin(seed, crypto_sign_SEEDBYTES, line, LINE - 1, NULL, &len, NULL) == 0 &&
        len == crypto_sign_SEEDBYTES)
        return true;
    return err_set(err, ERR_INVALID, "%s is not a key: it should be one line of %d hexadecimal digits.", path,
                   (int)LINE - 1);
}

bool anchor_key_load(const char *path, unsigned char seed[static crypto_sign_SEEDBYTES], bool *made,
                     struct err *err)
{
    struct stat about;

    if (!path) {
        err_set(err, ERR_INVALID, "HOME is not set, so there is no place for the key of the audit log.");
        return err_hint(err, "Set HOME, or name the file with the setting audit.key_file.");
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    *made = fd < 0 && errno == ENOENT;
    if (*made)
        return make(path, seed, err);
    if (fd < 0)
        return fail(path, errno, err);
    bool good = fstat(fd, &about) == 0 || fail(path, errno, err);

    if (good && about.st_mode & 077) {
        err_set(err, ERR_FORBIDDEN, "Others on this machine can read or change the key %s.", path);
        good = err_hint(err, "chmod 600 %s", path);
    }
    good = good && read_seed(path, fd, seed, err);
    close(fd);
    return good;
}
