#include "tools/genfile.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (1024 * 1024)

bool gen_complain(const char *file, int line, const char *message)
{
    fprintf(stderr, "%s:%d: error: %s\n", file, line, message);
    return false;
}

bool gen_read(const char *path, char **bytes, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(FILE_MAX + 1);
    bool whole;

    if (!file || !text) {
        if (file)
            fclose(file);
        free(text);
        return gen_complain(path, 0, strerror(errno));
    }
    *len = fread(text, 1, FILE_MAX + 1, file);
    whole = !ferror(file) && *len <= FILE_MAX;
    fclose(file);
    if (!whole) {
        free(text);
        return gen_complain(path, 0, "cannot be read, or is larger than 1 MB");
    }
    *bytes = text;
    return true;
}

static bool is_same(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "rb");
    bool same = file != NULL;

    for (size_t i = 0; same && i < len; i++)
        same = fgetc(file) == (unsigned char)bytes[i];
    same = same && fgetc(file) == EOF;
    if (file)
        fclose(file);
    return same;
}

bool gen_write(const char *path, bool (*write)(FILE *out, const void *context), const void *context)
{
    char *bytes = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&bytes, &len);
    bool ok;
    FILE *file;

    if (!memory)
        return gen_complain(path, 0, strerror(errno));
    ok = write(memory, context);
    ok = fclose(memory) == 0 && ok;
    if (ok && !is_same(path, bytes, len)) {
        file = fopen(path, "wb");
        ok = file && fwrite(bytes, 1, len, file) == len;
        ok = file && fclose(file) == 0 && ok;
        if (!ok)
            gen_complain(path, 0, strerror(errno));
    }
    free(bytes);
    return ok;
}

/* Question marks are escaped because two of them may begin a trigraph. */
void gen_char(FILE *out, unsigned char c)
{
    if (c == '"' || c == '\\' || c == '?')
        fprintf(out, "\\%c", c);
    else if (c < 0x20 || c >= 0x7f)
        fprintf(out, "\\%03o", c);
    else
        fputc(c, out);
}

void gen_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        gen_char(out, (unsigned char)*text);
    fputc('"', out);
}

void gen_upper(FILE *out, const char *name)
{
    for (; *name; name++)
        fputc(toupper((unsigned char)*name), out);
}
