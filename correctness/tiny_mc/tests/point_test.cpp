// The stages of tiny_mc at the points that are timed.
#include "correctness/support/point_tests.h"
