/*
 * tool_projects.h - tools of config.yaml that are for projects only: whether there are such projects.
 *
 * One that is for a project which nobody has made yet is no error, since projects come and go while the file
 * stays; but nobody can call it, and a slip of the pen would never be found.
 */
#ifndef SERVER_TOOL_PROJECTS_H
#define SERVER_TOOL_PROJECTS_H

#include "core/caller/tx.h"
#include "toolbox/setup.h"

/* Says of each in the log. */
CHECKED bool tool_projects_say(const struct tx *tx, const struct toolbox_setup *setup);

#endif
