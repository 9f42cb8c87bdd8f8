// Tuples: those of the C++ library.
#pragma once
#include <thrust/pair.h>
#include <tuple>

namespace thrust {
using std::get;
using std::ignore;
using std::make_tuple;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
} // namespace thrust
