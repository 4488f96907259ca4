/*
 * prompt_row.h - reads a prompt from a row: what prompt.c and prompt_list.c share and nobody else needs.
 */
#ifndef CORE_CHAT_PROMPT_ROW_H
#define CORE_CHAT_PROMPT_ROW_H

#include "core/chat/prompt.h"

/* The row's columns are those of prompt_get, which every statement on whole prompts returns. */
CHECKED bool prompt_from_row(const struct db_rows *rows, size_t row, struct prompt *prompt, struct err *err);

#endif
