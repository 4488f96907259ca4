/*
 * patience.h - how long a test waits for what must come.
 *
 * It comes at once, unless the machine is busy; a test that fails because it was has shown nothing. So this
 * is far more than the slowest needs, and only a test that fails ever waits so long.
 */
#ifndef SUPPORT_PATIENCE_H
#define SUPPORT_PATIENCE_H

#define PATIENCE_MS 120000

#endif
