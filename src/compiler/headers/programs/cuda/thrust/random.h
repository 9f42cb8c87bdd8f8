// Random numbers: those of the C++ library.
#pragma once
#include <random>
#include <thrust/detail/system.h>

namespace thrust {
using std::linear_congruential_engine;
using std::minstd_rand;
using std::minstd_rand0;
using std::normal_distribution;
using std::uniform_int_distribution;
using std::uniform_real_distribution;
using default_random_engine = std::minstd_rand;
namespace random {
using std::minstd_rand;
using std::normal_distribution;
using std::uniform_int_distribution;
using std::uniform_real_distribution;
using default_random_engine = std::minstd_rand;
} // namespace random
} // namespace thrust
