// Uniform integers from any generator, as common libraries draw them, so that their numbers come out.
#pragma once
#include <gpulearn/move.h>

namespace std {

// From 0 to `range`, both included. 64-bit and 32-bit generators are scaled by a multiplication
// (Lemire 2019, "Fast random integer generation in an interval"); others by a division.
template <class U, class G>
U __uniform(G &g, U range) {
    using Wide = common_type_t<typename remove_reference_t<G>::result_type, U>;
    constexpr Wide least = G::min(), span = Wide(G::max()) - least;
    const Wide wanted = range;
    if (span > wanted) {
        const Wide n = wanted + 1;
        if constexpr (span == Wide(-1) && sizeof(Wide) == 8) {
            unsigned long value = g();
            unsigned long low = value * n;
            if (low < n)
                for (unsigned long threshold = -n % n; low < threshold; low = value * n) value = g();
            return U(__umul64hi(value, n));
        } else if constexpr (span == 0xffffffffu) {
            unsigned long product = (unsigned long)g() * n;
            if (unsigned(product) < n)
                for (unsigned threshold = -unsigned(n) % unsigned(n); unsigned(product) < threshold;)
                    product = (unsigned long)g() * n;
            return U(product >> 32);
        } else {
            const Wide scale = span / n, past = n * scale;
            Wide value;
            do value = Wide(g()) - least;
            while (value >= past);
            return U(value / scale);
        }
    }
    if constexpr (span == Wide(-1)) {
        return U(g());
    } else {
        if (span == wanted) return U(Wide(g()) - least);
        // More than the generator has: high digits first.
        Wide value, high;
        do {
            const Wide n = span + 1;
            high = n * std::__uniform<U>(g, U(wanted / n));
            value = high + (Wide(g()) - least);
        } while (value > wanted || value < high);
        return U(value);
    }
}

}  // namespace std
