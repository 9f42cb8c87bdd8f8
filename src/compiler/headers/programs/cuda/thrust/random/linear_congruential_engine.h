// See thrust/random.h.
#pragma once
#include <thrust/random.h>
