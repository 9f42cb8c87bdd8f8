// The C++ interface, as far as ranges and marks with a text go.
#pragma once
#include <nvToolsExt.h>

namespace nvtx3 {
inline namespace v1 {
class scoped_range {
public:
    explicit scoped_range(const char *text) { nvtxRangePushA(text); }
    scoped_range(const scoped_range &) = delete;
    scoped_range &operator=(const scoped_range &) = delete;
    ~scoped_range() { nvtxRangePop(); }
};
inline void mark(const char *text) { nvtxMarkA(text); }
}
}
#define NVTX3_FUNC_RANGE() ::nvtx3::scoped_range __nvtx3_range(__func__)
