/*
 * mknouns - turns the tables of nouns into C and SQL.
 *
 *   mknouns GEN INCLUDE FILE.noun...
 *
 * The form of a table is told in src/core/NOUNS.md. From src/core/questions/job.noun come:
 *
 *   INCLUDE/nouns/job.h         struct job and what is declared below; core/questions/job.h includes it
 *   GEN/nouns/job.c             job_from_row, job_from_rows: the readers; job_write_members: as clients see
 *                               it; job_put_insert, job_put_update: the values of the lists below
 *   GEN/nouns.sql               lists of columns for statements, read by mksql before all others: {job},
 *                               {job_brief}; {job_insert}, {job_insert_values} and, for many rows as a JSON
 *                               list of lists r.value, {job_insert_rows}; {job_update} with the noun's first
 *                               column as $1, {job_update_rows}
 *   INCLUDE/nouns/job_fields.h  JOB_FIELDS, the members of a reply; only ops includes it
 *
 * A file is only rewritten when its content changes.
 */
#include "tools/genfile.h"
#include "tools/nounfile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NOUNS_MAX 256
#define WHOLE     (-1) /* not a part of it */

/* What is gathered lives until the process ends. */
static struct noun *nouns[NOUNS_MAX];
static size_t noun_count;

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void write_origin(FILE *out, const struct noun *noun)
{
    fprintf(out, "/* Made by mknouns from %s; changes belong there. */\n", noun->file);
}

static bool has_trait(const struct noun *noun, unsigned trait)
{
    for (size_t i = 0; i < noun->member_count; i++)
        if (noun->members[i].traits & trait)
            return true;
    return false;
}

/* "restartOf" becomes restart_of. */
static void write_snake(FILE *out, const char *json)
{
    for (; *json; json++) {
        if (isupper((unsigned char)*json))
            fputc('_', out);
        fputc(tolower((unsigned char)*json), out);
    }
}

/* The struct */

static const char *c_type(const struct noun_member *member)
{
    switch (member->kind) {
    case NOUN_INT:
    case NOUN_MS: return "int64_t ";
    case NOUN_BOOL: return "bool ";
    default: return "const char *";
    }
}

/* What it is where there is none; the help of a member that nobody sees says that itself. */
static const char *else_what(const struct noun_member *member)
{
    if (!member->null || !member->json)
        return "";
    return member->kind == NOUN_INT || member->kind == NOUN_MS || member->kind == NOUN_ENUM ? " Or 0."
                                                                                            : " Or NULL.";
}

static void write_declaration(FILE *out, const struct noun_member *member)
{
    fputs("    ", out);
    if (member->kind == NOUN_ENUM)
        fprintf(out, "enum %s ", member->c_type);
    else if (member->kind == NOUN_KEPT)
        fprintf(out, "%s%s", member->c_type, member->c_type[strlen(member->c_type) - 1] == '*' ? "" : " ");
    else
        fputs(c_type(member), out);
    fprintf(out, "%s; /* %s%s */\n", member->name, member->help, else_what(member));
}

/* NAME_from_row, and NAME_PART_from_row. */
static void write_reader_name(FILE *out, const struct noun *noun, int part, const char *ending)
{
    fprintf(out, "bool %s%s%s_from_row%s", noun->name, part == WHOLE ? "" : "_",
            part == WHOLE ? "" : noun->parts[part], ending);
}

static void write_reader_head(FILE *out, const struct noun *noun, int part, const char *end)
{
    write_reader_name(out, noun, part, "(const struct db_rows *rows, size_t row, ");
    fprintf(out, "struct %s *%s, struct err *err)%s", noun->name, noun->name, end);
}

static void write_readers_head(FILE *out, const struct noun *noun, const char *end)
{
    write_reader_name(out, noun, WHOLE, "s(const struct tx *tx, const struct db_rows *rows, size_t count, ");
    fprintf(out, "struct %s **list)%s", noun->name, end);
}

static void write_put_head(FILE *out, const struct noun *noun, const char *what, const char *end)
{
    fprintf(out, "void %s_put_%s(const struct %s *%s, struct db_arg row[static ", noun->name, what,
            noun->name, noun->name);
    gen_upper(out, noun->name);
    fputc('_', out);
    gen_upper(out, what);
    fprintf(out, "_WIDTH])%s", end);
}

static void write_object_head(FILE *out, const struct noun *noun, const struct noun_member *member,
                              const char *end)
{
    fprintf(out, "void %s_write_", noun->name);
    write_snake(out, member->json);
    fprintf(out, "(const struct %s *%s, const char *key, struct json_out *out)%s", noun->name, noun->name,
            end);
}

static bool is_shown(const struct noun *noun)
{
    for (size_t i = 0; i < noun->member_count; i++)
        if (noun->members[i].json)
            return true;
    return false;
}

/* How many values a row of this list has; an update begins with the noun's first column. */
static size_t width_of(const struct noun *noun, unsigned trait)
{
    size_t width = trait == NOUN_UPDATE;

    for (size_t i = 0; i < noun->member_count; i++)
        width += (noun->members[i].traits & trait) != 0;
    return width;
}

static void declare_put(FILE *out, const struct noun *noun, const char *what, unsigned trait)
{
    if (!has_trait(noun, trait))
        return;
    fputs("\n#define ", out);
    gen_upper(out, noun->name);
    fputc('_', out);
    gen_upper(out, what);
    fprintf(out, "_WIDTH %zu\n", width_of(noun, trait));
    write_put_head(out, noun, what, ";\n");
}

static void declare_readers(FILE *out, const struct noun *noun)
{
    if (!noun_is_read(noun))
        return;
    fprintf(
        out,
        "\n/* The row begins with the columns of {%s}; see the rows with the trait `behind`. */\nCHECKED ",
        noun->name);
    write_reader_head(out, noun, WHOLE, ";\n");
    for (int part = 0; part < (int)noun->part_count; part++) {
        fputs("CHECKED ", out);
        write_reader_head(out, noun, part, ";\n");
    }
    fputs("/* The first `count` of them, in the arena. */\nCHECKED ", out);
    write_readers_head(out, noun, ";\n");
}

static void declare_writers(FILE *out, const struct noun *noun)
{
    const char *name = noun->name;

    if (!is_shown(noun))
        return;
    fprintf(out,
            "\n/* The object's members, without braces. */\n"
            "void %s_write_members(const struct %s *%s, struct json_out *out);\n",
            name, name, name);
    if (noun->whole)
        fprintf(out,
                "/* key NULL: the root or inside a list. */\n"
                "void %s_write(const struct %s *%s, const char *key, struct json_out *out);\n",
                name, name, name);
    if (noun->as_text)
        fprintf(out,
                "/* The object as a text in the arena. */\n"
                "const char *%s_text(struct arena *arena, const struct %s *%s);\n",
                name, name, name);
    for (size_t i = 0; i < noun->member_count; i++)
        if (noun->members[i].inner_count > 0)
            write_object_head(out, noun, &noun->members[i], ";\n");
}

static bool write_header(FILE *out, const void *context)
{
    const struct noun *noun = context;

    write_origin(out, noun);
    fputs("#ifndef GEN_NOUNS_", out);
    gen_upper(out, noun->name);
    fputs("_H\n#define GEN_NOUNS_", out);
    gen_upper(out, noun->name);
    fprintf(
        out,
        "_H\n\n#include \"base/json.h\"\n#include \"base/words.h\"\n#include \"core/caller/tx.h\"\n\nstruct %s {\n",
        noun->name);
    for (size_t i = 0; i < noun->member_count; i++)
        if (*noun->members[i].name)
            write_declaration(out, &noun->members[i]);
    fputs("};\n", out);
    declare_readers(out, noun);
    declare_writers(out, noun);
    declare_put(out, noun, "insert", NOUN_INSERT);
    declare_put(out, noun, "update", NOUN_UPDATE);
    fputs("\n#endif\n", out);
    return true;
}

/* The readers */

static bool is_in(const struct noun_member *member, int part)
{
    return part == WHOLE || (member->parts >> part & 1);
}

/* Whether its cell stands behind the list: of its parts where it has any, else of the whole. */
static bool is_behind(const struct noun_member *member, int part)
{
    return (member->traits & NOUN_BEHIND) &&
           (member->parts ? part != WHOLE && is_in(member, part) : part == WHOLE);
}

/* "COL_JOB_ID", "COL_PROMPT_LOCK_END". */
static void write_place(FILE *out, const struct noun *noun, int part, const char *column)
{
    fputs("COL_", out);
    gen_upper(out, noun->name);
    if (part != WHOLE) {
        fputc('_', out);
        gen_upper(out, noun->parts[part]);
    }
    fputc('_', out);
    gen_upper(out, column);
}

static void write_cell(FILE *out, const struct noun_member *member)
{
    const char *how = "db_cell";

    if (member->kind == NOUN_INT || member->kind == NOUN_MS)
        how = "db_cell_int";
    else if (member->kind == NOUN_BOOL)
        how = "db_cell_bool";
    else if (member->kind == NOUN_ENUM)
        how = "db_cell_word";
    fprintf(out, "        .%s = %s(rows, row, ", member->name, how);
}

static void write_reader(FILE *out, const struct noun *noun, int part)
{
    int behind = 0;

    fputc('\n', out);
    write_reader_head(out, noun, part, "\n{\n    const char *strange = NULL;\n\n");
    fprintf(out, "    *%s = (struct %s){\n", noun->name, noun->name);
    for (size_t i = 0; i < noun->member_count; i++) {
        const struct noun_member *member = &noun->members[i];
        bool listed = noun_member_is_listed(member) && is_in(member, part);

        if (!listed && !is_behind(member, part))
            continue;
        write_cell(out, member);
        write_place(out, noun, part, listed ? member->column : "end");
        if (!listed)
            fprintf(out, " + %d", behind++);
        if (member->kind == NOUN_ENUM)
            fprintf(out, ", %s, &strange", member->words);
        fputs("),\n", out);
    }
    fputs("    };\n", out);
    for (size_t i = 0; i < noun->member_count; i++)
        if (noun->members[i].read && is_in(&noun->members[i], part))
            fprintf(out, "    %s->%s = %s;\n", noun->name, noun->members[i].name, noun->members[i].read);
    fputs("    return db_words_known(strange, err);\n}\n", out);
}

static void write_readers(FILE *out, const struct noun *noun)
{
    write_reader(out, noun, WHOLE);
    for (int part = 0; part < (int)noun->part_count; part++)
        write_reader(out, noun, part);
    fputc('\n', out);
    write_readers_head(out, noun, "\n{\n");
    fprintf(out,
            "    *list = arena_array(tx->arena, struct %s, count);\n"
            "    for (size_t i = 0; i < count; i++)\n"
            "        if (!%s_from_row(rows, i, &(*list)[i], tx->err))\n"
            "            return false;\n"
            "    return true;\n}\n",
            noun->name, noun->name);
}

/* The writer */

static void write_value(FILE *out, const struct noun *noun, const struct noun_member *member)
{
    if (member->value)
        fputs(member->value, out);
    else
        fprintf(out, "%s->%s", noun->name, member->name);
}

static const char *json_call(enum noun_kind kind)
{
    switch (kind) {
    case NOUN_INT: return "json_int";
    case NOUN_BOOL: return "json_bool";
    case NOUN_MS: return "json_time";
    case NOUN_JSON:
    case NOUN_JSONB: return "json_raw";
    default: return "json_text";
    }
}

static void write_call(FILE *out, const struct noun *noun, const struct noun_member *member, const char *json)
{
    fprintf(out, "%s(out, \"%s\", ", json_call(member->kind), json);
    if (member->kind == NOUN_ENUM)
        fprintf(out, "%s_word(", member->c_type);
    write_value(out, noun, member);
    fputs(member->kind == NOUN_ENUM ? "));\n" : ");\n", out);
}

/* Texts write their NULL themselves. */
static bool is_null_by_zero(const struct noun_member *member)
{
    return member->null && !(member->traits & NOUN_GIVEN) &&
           (member->kind == NOUN_INT || member->kind == NOUN_MS);
}

static void write_shown(FILE *out, const struct noun *noun, const struct noun_member *member,
                        const char *json)
{
    if ((member->traits & NOUN_OPTIONAL) || is_null_by_zero(member)) {
        fputs("    if (", out);
        write_value(out, noun, member);
        fputs(")\n    ", out);
    }
    fputs("    ", out);
    write_call(out, noun, member, json);
    if (!(member->traits & NOUN_OPTIONAL) && is_null_by_zero(member))
        fprintf(out, "    else\n        json_none(out, \"%s\");\n", json);
}

/* An object that is made of members; the first of them says whether there is one. */
static void write_object(FILE *out, const struct noun *noun, const struct noun_member *object)
{
    if (object->inner_count == 0)
        return;
    fputc('\n', out);
    write_object_head(out, noun, object, "\n{\n");
    if (object->null)
        fprintf(out, "    if (!%s->%s) {\n        json_none(out, key);\n        return;\n    }\n", noun->name,
                noun->members[object->inner[0].member].name);
    fputs("    json_map(out, key);\n", out);
    for (size_t i = 0; i < object->inner_count; i++)
        write_shown(out, noun, &noun->members[object->inner[i].member], object->inner[i].json);
    fputs("    json_map_end(out);\n}\n", out);
}

static void write_member(FILE *out, const struct noun *noun, const struct noun_member *member)
{
    if (member->kind != NOUN_WRITTEN) {
        write_shown(out, noun, member, member->json);
        return;
    }
    fprintf(out, "    %s_write_", noun->name);
    write_snake(out, member->json);
    fprintf(out, "(%s, \"%s\", out);\n", noun->name, member->json);
}

static void write_writers(FILE *out, const struct noun *noun)
{
    const char *name = noun->name;

    for (size_t i = 0; i < noun->member_count; i++)
        write_object(out, noun, &noun->members[i]);
    fprintf(out, "\nvoid %s_write_members(const struct %s *%s, struct json_out *out)\n{\n", name, name, name);
    for (size_t i = 0; i < noun->member_count; i++)
        if (noun->members[i].json)
            write_member(out, noun, &noun->members[i]);
    fputs("}\n", out);
    if (noun->whole)
        fprintf(out,
                "\nvoid %s_write(const struct %s *%s, const char *key, struct json_out *out)\n{\n"
                "    json_map(out, key);\n    %s_write_members(%s, out);\n    json_map_end(out);\n}\n",
                name, name, name, name, name);
    if (noun->as_text)
        fprintf(out,
                "\nconst char *%s_text(struct arena *arena, const struct %s *%s)\n{\n"
                "    BUF_AUTO text = { 0 };\n    struct json_out out;\n\n"
                "    json_begin(&out, &text);\n    %s_write(%s, NULL, &out);\n"
                "    return arena_copy(arena, text.bytes, text.len);\n}\n",
                name, name, name, name, name);
}

/* What is stored */

static void write_arg(FILE *out, const struct noun *noun, const struct noun_member *member)
{
    const char *how = "db_text";

    if (member->bind) {
        fputs(member->bind, out);
        return;
    }
    if (member->kind == NOUN_INT || member->kind == NOUN_MS)
        how = member->null ? "db_ms" : "db_int";
    else if (member->kind == NOUN_BOOL)
        how = "db_bool";
    fprintf(out, member->kind == NOUN_ENUM ? "%s(%s_word(" : "%s(", how, member->c_type);
    fprintf(out, "%s->%s%s", noun->name, member->name, member->kind == NOUN_ENUM ? "))" : ")");
}

static void write_put(FILE *out, const struct noun *noun, const char *what, unsigned trait)
{
    size_t at = 0;

    if (!has_trait(noun, trait))
        return;
    fputc('\n', out);
    write_put_head(out, noun, what, "\n{\n");
    for (size_t i = 0; i < noun->member_count; i++) {
        if (!(noun->members[i].traits & trait) && !(trait == NOUN_UPDATE && i == 0))
            continue;
        fprintf(out, "    row[%zu] = ", at++);
        write_arg(out, noun, &noun->members[i]);
        fputs(";\n", out);
    }
    fputs("}\n", out);
}

/* "src/core/questions/" of "src/core/questions/job.noun", without src/. */
static void write_include(FILE *out, const struct noun *noun)
{
    const char *path = strncmp(noun->file, "src/", 4) == 0 ? noun->file + 4 : noun->file;

    fprintf(out, "#include \"%.*s", (int)(file_name(path) - path), path);
    if (noun->header)
        fprintf(out, "%s\"\n\n", noun->header);
    else
        fprintf(out, "%s.h\"\n\n", noun->name);
    for (size_t i = 0; i < noun->use_count; i++)
        fprintf(out, "#include \"%s\"\n", noun->uses[i]);
}

static bool write_source(FILE *out, const void *context)
{
    const struct noun *noun = context;

    write_origin(out, noun);
    write_include(out, noun);
    if (noun_is_read(noun))
        write_readers(out, noun);
    if (is_shown(noun))
        write_writers(out, noun);
    write_put(out, noun, "insert", NOUN_INSERT);
    write_put(out, noun, "update", NOUN_UPDATE);
    return true;
}

/* The lists of columns */

static void write_column(FILE *out, const struct noun *noun, const struct noun_member *member)
{
    if (member->sql)
        fprintf(out, "%s AS %s", member->sql, member->column);
    else if (member->kind == NOUN_TIME && !noun->view)
        fprintf(out, "witan_time(.%s) AS %s", member->column, member->column);
    else
        fputs(member->column, out);
}

static void write_list(FILE *out, const struct noun *noun, int part, bool brief)
{
    const char *comma = "";

    fprintf(out, "-- columns: %s%s%s\n", noun->name,
            brief           ? "_brief"
            : part == WHOLE ? ""
                            : "_",
            part == WHOLE ? "" : noun->parts[part]);
    for (size_t i = 0; i < noun->member_count; i++) {
        const struct noun_member *member = &noun->members[i];

        if (!noun_member_is_listed(member) || !is_in(member, part))
            continue;
        fputs(comma, out);
        comma = ", ";
        if (brief && (member->traits & NOUN_LARGE))
            fprintf(out, "NULL AS %s", member->column);
        else
            write_column(out, noun, member);
    }
    fputs(";\n\n", out);
}

/* A value of a row that came as JSON. */
static void write_row_value(FILE *out, enum noun_kind kind, size_t at)
{
    const char *type = NULL;

    switch (kind) {
    case NOUN_INT:
    case NOUN_MS: type = "BIGINT"; break;
    case NOUN_BOOL: type = "BOOLEAN"; break;
    case NOUN_TIME: type = "TIMESTAMPTZ"; break;
    case NOUN_JSONB: type = "JSONB"; break;
    default: break;
    }
    if (type)
        fprintf(out, "CAST(r.value ->> %zu AS %s)", at, type);
    else
        fprintf(out, "r.value ->> %zu", at);
}

static void write_new_value(FILE *out, enum noun_kind kind, size_t at, bool of_rows)
{
    if (of_rows)
        write_row_value(out, kind, at);
    else
        fprintf(out, "$%zu", at + 1);
}

/* "status = $2", or what the member makes of the new value. */
static void write_setting(FILE *out, const struct noun_member *member, size_t at, bool of_rows)
{
    const char *text = member->set ? member->set : "$";

    fprintf(out, "%s = ", member->column);
    for (; *text; text++) {
        if (*text == '$')
            write_new_value(out, member->kind, at, of_rows);
        else
            fputc(*text, out);
    }
}

enum list_form { FORM_NAMES, FORM_VALUES, FORM_ROWS };

static void write_stored(FILE *out, const struct noun *noun, unsigned trait, enum list_form form)
{
    static const char *const endings[] = { "", "_values", "_rows" };
    bool is_update = trait == NOUN_UPDATE;
    const char *comma = "";
    size_t at = is_update;

    if (!has_trait(noun, trait))
        return;
    fprintf(out, "-- columns: %s_%s%s\n", noun->name, is_update ? "update" : "insert", endings[form]);
    for (size_t i = 0; i < noun->member_count; i++) {
        const struct noun_member *member = &noun->members[i];

        if (!(member->traits & trait))
            continue;
        fputs(comma, out);
        comma = ", ";
        if (is_update)
            write_setting(out, member, at, form == FORM_ROWS);
        else if (form != FORM_NAMES)
            write_new_value(out, member->kind, at, form == FORM_ROWS);
        if (is_update || form != FORM_NAMES)
            fputs(" AS ", out);
        fputs(member->column, out);
        at++;
    }
    fputs(";\n\n", out);
}

static bool write_sql(FILE *out, const void *context)
{
    (void)context;
    fputs("-- Made by mknouns from the .noun files; changes belong there.\n\n", out);
    for (size_t i = 0; i < noun_count; i++) {
        if (!noun_is_read(nouns[i]))
            continue;
        write_list(out, nouns[i], WHOLE, false);
        if (nouns[i]->brief)
            write_list(out, nouns[i], WHOLE, true);
        for (int part = 0; part < (int)nouns[i]->part_count; part++)
            write_list(out, nouns[i], part, false);
        write_stored(out, nouns[i], NOUN_INSERT, FORM_NAMES);
        write_stored(out, nouns[i], NOUN_INSERT, FORM_VALUES);
        write_stored(out, nouns[i], NOUN_INSERT, FORM_ROWS);
        write_stored(out, nouns[i], NOUN_UPDATE, FORM_NAMES);
        write_stored(out, nouns[i], NOUN_UPDATE, FORM_ROWS);
    }
    return true;
}

/* The reply's fields */

static const char *field_type(enum noun_kind kind)
{
    switch (kind) {
    case NOUN_ID: return "T_ID";
    case NOUN_UUID: return "T_UUID";
    case NOUN_INT: return "T_INT";
    case NOUN_BOOL: return "T_BOOL";
    case NOUN_MS:
    case NOUN_TIME: return "T_TIME";
    case NOUN_JSON:
    case NOUN_JSONB: return "T_JSON";
    case NOUN_ENUM: return "T_ENUM";
    default: return "T_TEXT";
    }
}

/* Whether the field line begins with a type of its own; the rest of it begins with a comma, or is nothing. */
static bool split_field(const char *field, int *type_len, const char **rest)
{
    if (!field || strncmp(field, "T_", 2) != 0)
        return false;
    *type_len = (int)strcspn(field, ",");
    *rest = field + *type_len;
    return true;
}

static void write_flags(FILE *out, const struct noun_member *member)
{
    bool null = member->null && !(member->traits & (NOUN_OPTIONAL | NOUN_GIVEN)),
         open = member->traits & NOUN_OPEN;

    if (null || open)
        fprintf(out, ", .flags = %s%s%s", open ? "F_OPEN" : "", null && open ? " | " : "",
                null ? "F_NULL" : "");
}

static void write_field(FILE *out, const struct noun_member *member)
{
    const char *rest = "";
    int len = 0;
    bool own_type = split_field(member->field, &len, &rest);

    fprintf(out, "{ \"%s\", %.*s, %s, ", member->json, own_type ? len : 99,
            own_type ? member->field : field_type(member->kind),
            member->traits & NOUN_OPTIONAL ? "OPTIONAL" : "REQUIRED");
    gen_text(out, member->help);
    if (own_type)
        fputs(rest, out);
    else if (member->field)
        fprintf(out, ", %s", member->field);
    if (!own_type && member->kind == NOUN_ENUM)
        fprintf(out, ", .values = %s", member->words);
    write_flags(out, member);
    fputs(" }", out);
}

static bool write_fields(FILE *out, const void *context)
{
    const struct noun *noun = context;
    const char *comma = "";

    write_origin(out, noun);
    fputs("#define ", out);
    gen_upper(out, noun->name);
    fputs("_FIELDS \\\n", out);
    for (size_t i = 0; i < noun->member_count; i++) {
        if (!noun->members[i].json)
            continue;
        fprintf(out, "%s    ", comma);
        write_field(out, &noun->members[i]);
        comma = ", \\\n";
    }
    fputs("\n", out);
    return true;
}

static bool add_noun(const char *path)
{
    struct noun *noun = malloc(sizeof *noun);
    struct noun_error err;
    char *bytes;
    size_t len;
    bool ok;

    if (!noun || noun_count == NOUNS_MAX)
        return gen_complain(path, 0, "too many nouns");
    if (!gen_read(path, &bytes, &len))
        return false;
    ok = noun_parse(noun, path, bytes, len, &err) || gen_complain(err.file, err.line, err.message);
    free(bytes);
    if (!ok)
        return false;
    if (strncmp(file_name(path), noun->name, strlen(noun->name)) != 0 ||
        strcmp(file_name(path) + strlen(noun->name), ".noun") != 0)
        return gen_complain(path, 1, "the file is named otherwise than the noun");
    nouns[noun_count++] = noun;
    return true;
}

static bool write_one(const char *folder, const char *ending, const struct noun *noun,
                      bool (*write)(FILE *out, const void *context))
{
    char path[512];

    if ((size_t)snprintf(path, sizeof path, "%s/nouns/%s%s", folder, noun->name, ending) >= sizeof path)
        return gen_complain(noun->file, 0, "the path is too long");
    return gen_write(path, write, noun);
}

static bool write_all(const char *gen, const char *include)
{
    char path[512];

    for (size_t i = 0; i < noun_count; i++)
        if (!write_one(include, ".h", nouns[i], write_header) ||
            !write_one(gen, ".c", nouns[i], write_source) ||
            !write_one(include, "_fields.h", nouns[i], write_fields))
            return false;
    return (size_t)snprintf(path, sizeof path, "%s/nouns.sql", gen) < sizeof path &&
           gen_write(path, write_sql, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: mknouns GEN INCLUDE FILE.noun...\n", stderr);
        return 2;
    }
    for (int i = 3; i < argc; i++)
        if (!add_noun(argv[i]))
            return 1;
    return write_all(argv[1], argv[2]) ? 0 : 1;
}
