// In place of libcu++'s, which makes 64 bits `long long` for this compiler: a program's host part
// means the system's types.
#pragma once
#include <stdint.h>
