/*
 * mcp_played.h - MCP servers that are played for tests: a program on its standard input and output, and one
 * that is spoken to over HTTP.
 */
#ifndef TESTS_SUPPORT_MCP_PLAYED_H
#define TESTS_SUPPORT_MCP_PLAYED_H

/* Serves until its input ends: good (the older era), modern, hang, dead, babble (good, with rubbish between),
 * flood.
 */
int played_program(const char *manner);

enum { PLAYED_HANDSHAKE, PLAYED_STATELESS };
/* Listens on a port of its own, which it returns, for as long as the program lives. */
int played_http(void);
void played_era(int era);
/* Forgets its sessions. */
void played_forget(void);
/* How many requests were not as the protocol wants them. */
int played_complaints(void);
/* How many of its sessions were ended by who had them. */
int played_farewells(void);

#endif
