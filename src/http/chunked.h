/*
 * chunked.h - a chunked body, taken apart strictly (RFC 9112, section 7.1).
 *
 * The bytes may come in any pieces. Lines end with CR LF and nothing else; sizes are plain hexadecimal;
 * extensions are read by their grammar and passed over, and so are trailer fields. Both are bounded, since
 * they count as nothing.
 */
#ifndef HTTP_CHUNKED_H
#define HTTP_CHUNKED_H

#include <stddef.h>
#include <stdint.h>

struct chunked {
    uint64_t left;     /* of the chunk's data, or its size so far */
    uint32_t overhead; /* bytes of extensions and trailers */
    uint8_t state;
    uint8_t digits;
};

enum chunked_found { CHUNKED_MORE, CHUNKED_DATA, CHUNKED_END, CHUNKED_BAD };

/*
 * Zeroed `chunked` begins a body. Takes bytes off the front of *in: CHUNKED_DATA hands out a piece of the
 * body that lies in the input, and asks to be called again; CHUNKED_MORE has used up the input; CHUNKED_END
 * leaves what follows the message.
 */
enum chunked_found chunked_next(struct chunked *chunked, const char **in, size_t *len, const char **data,
                                size_t *data_len);

#endif
