// The stages of officers at the points that are timed.
#include "correctness/support/point_tests.h"
