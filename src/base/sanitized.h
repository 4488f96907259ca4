/*
 * sanitized.h - which sanitizer's run-time this build carries, whichever compiler made it.
 */
#ifndef BASE_SANITIZED_H
#define BASE_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED_ADDRESS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED_ADDRESS 1
#endif
#endif
#ifndef SANITIZED_ADDRESS
#define SANITIZED_ADDRESS 0
#endif

#ifdef __SANITIZE_THREAD__
#define SANITIZED_THREAD 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZED_THREAD 1
#endif
#endif
#ifndef SANITIZED_THREAD
#define SANITIZED_THREAD 0
#endif

#define SANITIZED (SANITIZED_ADDRESS || SANITIZED_THREAD)

#endif
