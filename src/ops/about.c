#include "ops/about.h"

const struct field about_fields[] = {
    { "kind", T_ENUM, REQUIRED, "What kind of thing; null when it is gone, or has none.",
      .values = named_kinds, .flags = F_NULL },
    { "id", T_TEXT, REQUIRED, "By which it is opened; null when it is gone.", .flags = F_NULL },
    { "name", T_TEXT, REQUIRED, "What it is called now, or the beginning of its text." },
    { "projectId", T_ID, REQUIRED, "The project it belongs to.", .flags = F_NULL },
    { 0 },
};

void about_write(const struct named *named, struct json_out *out)
{
    if (!named->name) {
        json_none(out, "about");
        return;
    }
    json_map(out, "about");
    json_text(out, "kind", named_kind_word(named->kind));
    json_text(out, "id", named->id);
    json_text(out, "name", named->name);
    json_text(out, "projectId", named->project_id);
    json_map_end(out);
}
