// See thrust/detail/iterators.h.
#pragma once
#include <thrust/detail/iterators.h>
