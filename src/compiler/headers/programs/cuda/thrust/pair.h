// Pairs: those of the C++ library.
#pragma once
#include <utility>

namespace thrust {
using std::get;
using std::make_pair;
using std::pair;
using std::swap;
} // namespace thrust
