// The stages of bmn at the points that are timed.
#include "correctness/support/point_tests.h"
