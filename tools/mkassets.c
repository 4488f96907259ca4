/*
 * mkassets - turns the built pages into C.
 *
 *   mkassets OUT.c FOLDER ROOT FILE...
 *
 * Each FILE below ROOT becomes a row of assets_built[] (src/edge/assets.h), as it is and gzipped. The bytes
 * are not written into the C file: the assembler takes them from where they are, and what was gzipped is kept
 * in FOLDER. Without a FILE the table is empty, and the program says what is missing.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define FILE_MAX    (4 * 1024 * 1024)
#define GZIP_WINDOW (15 + 16) /* the largest window, with a gzip head */

struct text {
    unsigned char *bytes;
    size_t len;
};

/* Names in this folder carry a hash of their content, so they may be kept for good. */
static const char lasting_folder[] = "/assets/";

static bool complain(const char *file, const char *message)
{
    fprintf(stderr, "mkassets: %s: %s\n", file, message);
    return false;
}

static const char *content_type(const char *path)
{
    static const struct {
        const char *ending, *type;
    } types[] = {
        { ".html", "text/html; charset=utf-8" },
        { ".js", "text/javascript; charset=utf-8" },
        { ".css", "text/css; charset=utf-8" },
        { ".svg", "image/svg+xml" },
        { ".png", "image/png" },
        { ".webmanifest", "application/manifest+json" },
        { ".json", "application/json" },
    };
    const char *ending = strrchr(path, '.');

    for (size_t i = 0; ending && i < sizeof types / sizeof *types; i++) {
        if (strcmp(ending, types[i].ending) == 0)
            return types[i].type;
    }
    return NULL;
}

static bool read_file(const char *path, struct text *out)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return complain(path, strerror(errno));
    out->bytes = malloc(FILE_MAX + 1);
    out->len = out->bytes ? fread(out->bytes, 1, FILE_MAX + 1, file) : FILE_MAX + 1;
    bool whole = !ferror(file) && out->len <= FILE_MAX;

    fclose(file);
    return whole || complain(path, "cannot be read, or is larger than 4 MB");
}

static bool write_file(const char *path, const struct text *text)
{
    FILE *file = fopen(path, "wb");

    if (!file)
        return complain(path, strerror(errno));
    bool whole = fwrite(text->bytes, 1, text->len, file) == text->len;

    return (fclose(file) == 0 && whole) || complain(path, "cannot be written");
}

/* Nothing, when it would not get smaller. */
static struct text pack(const struct text *plain)
{
    struct text packed = { malloc(plain->len + 1), 0 };
    z_stream z = { 0 };

    if (!packed.bytes || deflateInit2(&z, 9, Z_DEFLATED, GZIP_WINDOW, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return packed;
    z.next_in = plain->bytes;
    z.avail_in = (unsigned)plain->len;
    z.next_out = packed.bytes;
    z.avail_out = (unsigned)plain->len;
    if (deflate(&z, Z_FINISH) == Z_STREAM_END)
        packed.len = z.total_out;
    deflateEnd(&z);
    return packed;
}

static void write_bytes(FILE *out, const char *name, const char *path)
{
    fprintf(out,
            "__asm__(\".pushsection .rodata\\n.global %s\\n%s:\\n.incbin \\\"%s\\\"\\n.popsection\\n\");\n"
            "extern const char %s[];\n",
            name, name, path, name);
}

static bool add_asset(FILE *out, FILE *rows, const char *folder, const char *root, const char *file)
{
    static int number;
    const char *path = file + strlen(root), *type = content_type(file);
    struct text plain = { 0 }, packed;
    char name[32], packed_name[32] = "NULL", packed_path[4096];

    if (strncmp(file, root, strlen(root)) != 0 || path[0] != '/' || strpbrk(file, "\"\\\n"))
        return complain(file, "is not below the root, or has a name that cannot be written");
    if (!type)
        return complain(file, "has a type that is not known here");
    if (!read_file(file, &plain))
        return false;
    packed = pack(&plain);
    snprintf(name, sizeof name, "asset_%d", number);
    write_bytes(out, name, file);
    if (packed.len > 0) {
        snprintf(packed_path, sizeof packed_path, "%s/%d.gz", folder, number);
        snprintf(packed_name, sizeof packed_name, "asset_%d_gz", number);
        if (!write_file(packed_path, &packed))
            return false;
        write_bytes(out, packed_name, packed_path);
    }
    number++;
    fprintf(rows, "    { \"%s\", \"%s\", \"\\\"%08lx%zx\\\"\", { %s, %s, %zu, %zu }, %s },\n", path, type,
            crc32(0, plain.bytes, (unsigned)plain.len), plain.len, name, packed_name, plain.len, packed.len,
            strncmp(path, lasting_folder, strlen(lasting_folder)) == 0 ? "true" : "false");
    free(plain.bytes);
    free(packed.bytes);
    return true;
}

int main(int argc, char **argv)
{
    char *rows_text = NULL;
    size_t rows_len;

    if (argc < 4) {
        fprintf(stderr, "usage: mkassets OUT.c FOLDER ROOT FILE...\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "w"), *rows = open_memstream(&rows_text, &rows_len);
    bool good = out && rows;

    if (!good)
        complain(argv[1], strerror(errno));
    else
        fprintf(out, "/* Made by tools/mkassets. */\n#include \"edge/assets.h\"\n\n");
    for (int i = 4; good && i < argc; i++)
        good = add_asset(out, rows, argv[2], argv[3], argv[i]);
    if (rows)
        fclose(rows);
    if (good)
        fprintf(out, "\nconst struct asset assets_built[] = {\n%s    { 0 },\n};\n", rows_text);
    good = out && fclose(out) == 0 && good;
    free(rows_text);
    if (!good)
        remove(argv[1]);
    return good ? 0 : 1;
}
