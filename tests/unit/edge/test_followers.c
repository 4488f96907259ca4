/*
 * Who is told of an event: those who follow what it is about, and nobody else.
 */
#include "edge/mcp/followers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static struct {
    struct outlet *outlet;
    char uri[100];
} told[16];
static size_t told_count;

static void put(struct outlet *outlet, const char *uri)
{
    told[told_count].outlet = outlet;
    snprintf(told[told_count++].uri, sizeof(told[0].uri), "%s", uri);
}

/* Never looked into here. */
static struct outlet *outlet_at(uintptr_t at)
{
    return (struct outlet *)at;
}

static struct listening listening(uintptr_t at)
{
    return (struct listening){
        .outlet = outlet_at(at),
        .filter = { .workspace_id = "w", .hearer = { .role = ROLE_OWNER, .person = true, .id = "local" } }
    };
}

static void tell(struct followers *followers, const struct notice *notice)
{
    told_count = 0;
    followers_tell(followers, notice, put);
}

static struct notice about(const char *subject)
{
    return (struct notice){
        .workspace_id = "w", .type = EVENT_QUESTION_ANSWERED, .subject = subject, .hears = ROLES_READ
    };
}

static void an_event_reaches_those_who_follow_its_subject(void **state)
{
    struct followers *followers = followers_new();
    struct listening one = listening(1), two = listening(2), alone = listening(3);
    struct notice notice = about("abc");

    (void)state;
    follower_join(follower_of_session(followers, 7), &one);
    follower_join(follower_of_session(followers, 8), &two);
    follower_join(follower_alone(), &alone);
    assert_true(follower_follow(followers, one.follower, "witan://questions/ABC"));
    assert_true(follower_follow(followers, one.follower, "witan://questions/ABC"));
    assert_true(follower_follow(followers, two.follower, "witan://questions/other"));
    assert_true(follower_follow(followers, alone.follower, "witan://inbox"));
    tell(followers, &notice);
    assert_int_equal(told_count, 1);
    assert_ptr_equal(told[0].outlet, outlet_at(1));
    assert_string_equal(told[0].uri, "witan://questions/ABC");

    notice.type = EVENT_NOTIFICATION_ADDED;
    tell(followers, &notice);
    assert_int_equal(told_count, 2);
    notice.workspace_id = "another";
    tell(followers, &notice);
    assert_int_equal(told_count, 0);

    follower_part(followers, &alone);
    follower_part(followers, &one);
    follower_part(followers, &two);
    followers_free(followers);
}

static void what_an_event_names_twice_is_told_once(void **state)
{
    struct followers *followers = followers_new();
    struct listening one = listening(1);
    struct notice notice = about("abc");

    (void)state;
    notice.job_id = "abc";
    notice.discussion_id = "d";
    follower_join(follower_of_session(followers, 7), &one);
    assert_true(follower_follow(followers, one.follower, "witan://jobs/abc/log"));
    tell(followers, &notice);
    assert_int_equal(told_count, 1);
    follower_unfollow(followers, one.follower, "witan://jobs/abc/log");
    tell(followers, &notice);
    assert_int_equal(told_count, 0);
    follower_part(followers, &one);
    followers_free(followers);
}

/* A session's interests outlive its stream; those who went away make room for those who are there. */
static void sessions_without_a_stream_make_room(void **state)
{
    struct followers *followers = followers_new();
    struct listening one = listening(1);
    char uri[64];

    (void)state;
    for (uint64_t session = 1; session <= 64; session++) {
        struct follower *follower = follower_of_session(followers, session);

        for (int i = 0; i < FOLLOWED_MOST; i++) {
            snprintf(uri, sizeof(uri), "witan://questions/%d", i);
            assert_true(follower_follow(followers, follower, uri));
        }
        assert_false(follower_follow(followers, follower, "witan://inbox"));
    }
    assert_ptr_equal(follower_interests(follower_of_session(followers, 3))->follower,
                     follower_of_session(followers, 3));
    follower_join(follower_of_session(followers, 99), &one);
    assert_true(follower_follow(followers, one.follower, "witan://questions/5"));
    struct notice notice = about("5");

    tell(followers, &notice);
    assert_int_equal(told_count, 1);
    follower_part(followers, &one);
    followers_free(followers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_reaches_those_who_follow_its_subject),
        cmocka_unit_test(what_an_event_names_twice_is_told_once),
        cmocka_unit_test(sessions_without_a_stream_make_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
