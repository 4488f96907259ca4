/*
 * doctor.h - looks at the settings, the store and the server, and says what is wrong and what to do.
 */
#ifndef SERVER_DOCTOR_H
#define SERVER_DOCTOR_H

#include "edge/cli/cli.h"

/* Runs `witan doctor`: exit code 1 when something fails, 0 when all is well or only worth a warning. */
int doctor_run(struct cli *cli);

#endif
