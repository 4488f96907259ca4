/*
 * drive_internal.h - what the files of the seam share (drive.h).
 */
#ifndef CORE_COUNCIL_DRIVE_INTERNAL_H
#define CORE_COUNCIL_DRIVE_INTERNAL_H

#include "core/council/discussion.h"
#include "core/council/drive.h"

/* Its discussion, locked. HOLDING_FENCED when another drives it, HOLDING_GONE when it is not there. */
CHECKED bool drive_enter(const struct tx *tx, const struct drive_failure *as, struct discussion *discussion);

#endif
