// See thrust/detail/system.h.
#pragma once
#include <thrust/detail/system.h>

namespace thrust {
using std::next;
using std::prev;
} // namespace thrust
