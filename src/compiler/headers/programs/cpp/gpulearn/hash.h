// Hashes of what is built in. Numbers hash to themselves, as common libraries have it.
#pragma once
#include <stddef.h>

namespace std {

template <class T>
struct hash {
    size_t operator()(T value) const noexcept {
        static_assert(__is_enum(T), "std::hash has no specialisation for this type: write one, or pass a hash of yours");
        return size_t(value);
    }
};
template <class T>
struct hash<T *> {
    size_t operator()(T *p) const noexcept { return reinterpret_cast<size_t>(p); }
};
#define __GPULEARN_HASH(type) \
    template <>               \
    struct hash<type> {       \
        constexpr size_t operator()(type value) const noexcept { return size_t(value); } \
    };
__GPULEARN_HASH(bool) __GPULEARN_HASH(char) __GPULEARN_HASH(signed char) __GPULEARN_HASH(unsigned char)
__GPULEARN_HASH(short) __GPULEARN_HASH(unsigned short) __GPULEARN_HASH(int) __GPULEARN_HASH(unsigned)
__GPULEARN_HASH(long) __GPULEARN_HASH(unsigned long) __GPULEARN_HASH(long long) __GPULEARN_HASH(unsigned long long)
#undef __GPULEARN_HASH

// MurmurHash64A (Austin Appleby, public domain) with the seed that common libraries use for strings.
__noinline__ inline size_t __hash_bytes(const void *data, size_t n, size_t seed = 0xc70f6907u) {
    constexpr size_t multiplier = 0xc6a4a7935bd1e995u;
    const unsigned char *bytes = static_cast<const unsigned char *>(data);
    auto word = [&](size_t count) {
        size_t value = 0;
        for (size_t i = count; i > 0; --i) value = value << 8 | bytes[i - 1];
        return value;
    };
    size_t h = seed ^ n * multiplier;
    for (; n >= 8; n -= 8, bytes += 8) {
        size_t k = word(8) * multiplier;
        h = (h ^ (k ^ k >> 47) * multiplier) * multiplier;
    }
    if (n > 0) h = (h ^ word(n)) * multiplier;
    h = (h ^ h >> 47) * multiplier;
    return h ^ h >> 47;
}
template <>
struct hash<float> {
    size_t operator()(float value) const noexcept { return value == 0 ? 0 : __hash_bytes(&value, sizeof value); }
};
template <>
struct hash<double> {
    size_t operator()(double value) const noexcept { return value == 0 ? 0 : __hash_bytes(&value, sizeof value); }
};

}  // namespace std
