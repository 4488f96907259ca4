/*
 * The lines of a rehearsal: three rounds that fit whatever the topic is, so that somebody without a model
 * sees how a discussion goes. They say what a speaker in that place would do, and do not pretend to know the
 * topic.
 */
#include "llm/script.h"

const char rehearsal_script[] =
    "Divergent: Three ways to look at this. "
    "First, the quick one: what is the smallest step that would teach us something by tomorrow?\\nSecond, the long one: which choice will still be right in two years, and what would have to be true for that?\\nThird, the one the question does not suggest: what happens if we do nothing at all?\n"
    "Convergent: These are less far apart than they look. "
    "Take the smallest step first, but choose it so that it also tests what the long view depends on. "
    "Doing nothing is then what we compare it with, and no third plan.\n"
    "Critical: Two things are missing. "
    "Nobody has said how we would notice that the small step has failed, and a step that cannot fail teaches nothing. "
    "And who undoes it, if it has to be undone?\n"
    "Divergent: Critical's second point opens another way: decide first how to go back, and only then which way to go. "
    "Where going back is cheap we need less certainty than we are asking for here.\n"
    "Convergent: Then this is the proposal. "
    "Write down the way back, name one sign of failure that can be seen within a week, take the small step, and look at that sign together on a fixed day.\n"
    "Critical: With the sign and the day written down I have no further objection. "
    "One condition: whoever reads the sign should not be the one who took the step.\n"
    "Divergent: [PASS] Every way that differs in kind has been named.\n"
    "Convergent: [PASS] The proposal stands, with Critical's condition.\n"
    "Critical: One last safeguard: put the date for looking at it again into the calendar now. "
    "What has no date is not looked at.\n"
    "Moderator: In one sentence: take the smallest step that can be undone, and decide beforehand what would make you undo it. "
    "A model would now answer your own question; this is only how its answer would be shown.\n"
    "*: From where I stand the first thing to settle is what we would regard as a good outcome.\n"
    "*: That narrows it down. I can go along with the proposal as it now stands.\n"
    "*: [PASS]\n"
    /* Choices by their numbers, whatever they are called. One is against, as one often is. */
    "Divergent (ballot): {\"choice\": 2, \"confidence\": 0.6, \"ranking\": [2, 1]}\n"
    "Convergent (ballot): {\"choice\": 1, \"confidence\": 0.8, \"ranking\": [1, 2]}\n"
    "Critical (ballot): {\"choice\": 1, \"confidence\": 0.7, \"ranking\": [1, 2]}\n"
    "* (ballot): {\"choice\": 1, \"confidence\": 0.7, \"ranking\": [1, 2]}\n"
    "* (judge): {\"go_on\": true, \"reason\": \"A rehearsal shows all of its rounds.\"}\n"
    "* (summary): They want to begin with the smallest step that can be undone, with a sign of failure and a day for looking at it written down beforehand. "
    "(This is a rehearsal: a model would sum up what was said.)\n";
