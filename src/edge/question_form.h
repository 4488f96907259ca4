/*
 * question_form.h - a question as a page with a form, and the form as an answer.
 *
 * Thread: any.
 */
#ifndef EDGE_QUESTION_FORM_H
#define EDGE_QUESTION_FORM_H

#include "base/buf.h"
#include "base/json.h"
#include "http/url.h"

/*
 * The whole of a question, as question_get shows it, without the beginning and the end of the page. While it
 * is open a form to `id`'s page follows, which holds `check`: proof, when it comes back, that it is ours; or,
 * for who may not answer, the reason.
 */
void question_form_write(struct buf *page, const json_t *question, const char *id, const char *check);
/*
 * How a question ended before an answer to it came, from what question_answer refused it with, and what that
 * answer said: nobody's words are lost.
 */
void question_form_write_lost(struct buf *page, const json_t *refusal, const json_t *response);
/* The response that the fields of a form mean, for question_answer; the caller's to free. ERR_INVALID. */
CHECKED bool question_form_read(const struct url_query *fields, json_t **response, struct err *err);

#endif
