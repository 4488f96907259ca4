/*
 * address.h - whose an address is, as far as limits are concerned.
 *
 * A machine that has one IPv6 address has the 2^64 of its network, so limits count those together. An IPv4
 * address that is written as an IPv6 one ("::ffff:192.0.2.1") is the IPv4 address.
 *
 * Thread: any.
 */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include <stdbool.h>

#define ADDRESS_KEY_SIZE 64

/* "192.0.2.1", or "2001:db8:1:2::/64"; a text that is no address stands for itself, cut if need be. */
void address_key(const char *address, char key[static ADDRESS_KEY_SIZE]);
bool address_is_loopback(const char *address);

#endif
