/*
 * mkprompts - turns the texts of src/prompts into C.
 *
 *   mkprompts OUT.h OUT.c NAME.txt...
 *
 * Each becomes an entry of prompt_texts[], indexed by enum prompt_text. Line breaks at the end of a file are
 * left out.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX     (64 * 1024)
#define NAME_MAX_LEN 40

static bool complain(const char *file, const char *message)
{
    fprintf(stderr, "%s: error: %s\n", file, message);
    return false;
}

/* "src/prompts/vote.txt" is called vote. */
static bool name_of(const char *path, char name[NAME_MAX_LEN + 1])
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path, *dot = strrchr(start, '.');
    size_t len = strspn(start, "abcdefghijklmnopqrstuvwxyz_");

    if (!dot || strcmp(dot, ".txt") != 0 || start + len != dot || len == 0 || len > NAME_MAX_LEN)
        return complain(path, "a prompt's file is named by small letters and ends in .txt");
    memcpy(name, start, len);
    name[len] = '\0';
    return true;
}

/* Question marks are escaped because two of them may begin a trigraph. */
static void write_literal(FILE *out, const char *bytes, size_t len)
{
    fputs("\n      \"", out);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];

        if (c == '\n')
            fputs("\\n\"\n      \"", out);
        else if (c == '"' || c == '\\' || c == '?')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputs("\" },\n", out);
}

static bool write_text(FILE *out, const char *path)
{
    static char text[TEXT_MAX + 1];
    char name[NAME_MAX_LEN + 1];
    FILE *file = fopen(path, "rb");

    if (!file || !name_of(path, name)) {
        if (file)
            fclose(file);
        return file ? false : complain(path, strerror(errno));
    }
    size_t len = fread(text, 1, sizeof(text), file);
    bool failed = ferror(file) != 0;

    fclose(file);
    while (len > 0 && text[len - 1] == '\n')
        len--;
    if (failed || len == 0 || len > TEXT_MAX || memchr(text, '\0', len))
        return complain(path, "cannot be read, is empty, larger than 64 KB, or holds NUL bytes");
    fprintf(out, "    { \"%s\",", name);
    write_literal(out, text, len);
    return true;
}

static bool write_header(FILE *out, char **paths, int count)
{
    fputs("/* Made by mkprompts from src/prompts; changes belong there. */\n"
          "#ifndef WITAN_GEN_PROMPTS_H\n#define WITAN_GEN_PROMPTS_H\n\nenum prompt_text {\n",
          out);
    for (int i = 0; i < count; i++) {
        char name[NAME_MAX_LEN + 1];

        if (!name_of(paths[i], name))
            return false;
        fputs("    PROMPT_TEXT_", out);
        for (const char *c = name; *c; c++)
            fputc(toupper((unsigned char)*c), out);
        fputs(",\n", out);
    }
    fputs(
        "    PROMPT_TEXTS\n};\n\nstruct prompt_words {\n    const char *name, *text;\n};\n\n"
        "/* Indexed by enum prompt_text. */\nextern const struct prompt_words prompt_texts[PROMPT_TEXTS];\n\n"
        "#endif\n",
        out);
    return true;
}

static bool write_source(FILE *out, char **paths, int count)
{
    bool ok = true;

    fputs("/* Made by mkprompts from src/prompts; changes belong there. */\n#include \"gen/prompts.h\"\n\n"
          "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
          "const struct prompt_words prompt_texts[PROMPT_TEXTS] = {\n",
          out);
    for (int i = 0; ok && i < count; i++)
        ok = write_text(out, paths[i]);
    fputs("};\n", out);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: mkprompts OUT.h OUT.c NAME.txt...\n", stderr);
        return 2;
    }
    for (int i = 1; i <= 2; i++) {
        FILE *out = fopen(argv[i], "wb");

        if (!out)
            return complain(argv[i], strerror(errno)) ? 0 : 1;
        bool ok = i == 1 ? write_header(out, argv + 3, argc - 3) : write_source(out, argv + 3, argc - 3);

        if (fclose(out) != 0 || !ok)
            return 1;
    }
    return 0;
}
