/*
 * draw.h - the model on the window.
 */
#ifndef CLI_SCREEN_DRAW_H
#define CLI_SCREEN_DRAW_H

#include "cli/screen/model.h"

void draw(struct model *model);
/* How many rows of a list or a text there is room for. */
size_t draw_page(void);

#endif
