// See thrust/detail/reduce.h.
#pragma once
#include <thrust/detail/reduce.h>
