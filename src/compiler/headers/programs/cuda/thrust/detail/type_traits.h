// For programs that include it themselves.
#pragma once
#include <type_traits>
