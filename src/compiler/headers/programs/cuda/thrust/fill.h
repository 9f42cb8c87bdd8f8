// See thrust/detail/elementwise.h.
#pragma once
#include <thrust/detail/elementwise.h>
