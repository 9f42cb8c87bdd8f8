// See thrust/detail/sort.h.
#pragma once
#include <thrust/detail/sort.h>
