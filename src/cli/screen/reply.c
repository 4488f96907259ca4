#include "cli/screen/reply.h"

#include "base/str.h"
#include "cli/client/question_view.h"

#include <string.h>

static const json_t *question_in(const struct subject *subject)
{
    return json_object_get(subject->found, "question");
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static enum reply_need not_here(const char *instead, struct err *err)
{
    err_set(err, ERR_INVALID, "%s", instead);
    return REPLY_NOT;
}

static enum reply_need choose(struct arena *arena, const struct subject *subject, size_t number,
                              const char **words, struct err *err)
{
    const json_t *options = json_object_get(question_in(subject), "options");
    size_t count = json_array_size(options);

    if (count == 0)
        return not_here("There are no options here to choose by number.", err);
    if (number > count)
        return not_here(arena_format(arena, "There are %zu options.", count), err);
    *words = member_text(arena, json_array_get(options, number - 1), "value");
    return *words ? REPLY_READY : not_here("This option has no value.", err);
}

enum reply_need reply_to(struct arena *arena, const struct subject *subject, struct deed deed,
                         const char **words, struct err *err)
{
    bool approval = str_equal(text_of(question_in(subject), "responseType"), "approval") ||
                    item_sort_of(subject->kind) == ITEM_SET;
    const json_t *you = json_object_get(question_in(subject), "you");
    const char *bar = view_bar(question_in(subject));

    if (!bar)
        bar = view_bar(subject->of.item);
    if (!bar && approval && deed.act == ACT_YES && json_is_false(json_object_get(you, "yesCounts")))
        bar = text_of(you, "reason");
    if (bar)
        return not_here(bar, err);
    if (deed.act == ACT_CHOOSE)
        return choose(arena, subject, deed.code, words, err);
    if (item_is_yes_or_no(subject)) {
        *words = deed.act == ACT_YES ? approval ? "approve" : "yes" : approval ? "reject" : "no";
        return REPLY_READY;
    }
    if (deed.act == ACT_NO && item_sort_of(subject->kind) == ITEM_TURN) {
        *words = ITEM_PASS;
        return REPLY_READY;
    }
    if (deed.act == ACT_NO)
        return not_here("This is not answered by yes or no.", err);
    if (json_array_size(json_object_get(question_in(subject), "options")) > 0 &&
        !json_is_true(json_object_get(question_in(subject), "allowOther")))
        return not_here("Choose an option by its number.", err);
    return REPLY_TYPE;
}
