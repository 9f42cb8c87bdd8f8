// See thrust/detail/select.h.
#pragma once
#include <thrust/detail/select.h>
