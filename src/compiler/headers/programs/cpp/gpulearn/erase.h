// Elements erased by what they are.
#pragma once
#include <gpulearn/ranges.h>

namespace std {

// Of a container of nodes; returns how many.
template <class C, class Is>
size_t __erase_nodes(C &from, Is is) {
    size_t before = from.size();
    for (auto it = from.begin(); it != from.end();) it = is(*it) ? from.erase(it) : ++it;
    return before - from.size();
}
// Of a sequence.
template <class C, class Is>
size_t __erase_from(C &from, Is is) {
    auto end = std::remove_if(from.begin(), from.end(), is);
    size_t n = from.end() - end;
    from.erase(end, from.end());
    return n;
}

}  // namespace std
