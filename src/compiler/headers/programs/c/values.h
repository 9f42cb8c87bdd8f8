#pragma once
#include <float.h>
#include <limits.h>
#define MAXINT INT_MAX
#define MININT INT_MIN
#define MAXLONG LONG_MAX
#define MINLONG LONG_MIN
#define MAXFLOAT FLT_MAX
#define MINFLOAT FLT_MIN
#define MAXDOUBLE DBL_MAX
#define MINDOUBLE DBL_MIN
