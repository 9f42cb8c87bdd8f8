// Arithmetic of vector types, as NVIDIA's samples have it.
#pragma once
#include <cuda_runtime.h>

inline float lerp(float a, float b, float t) { return a + t * (b - a); }
inline float clamp(float x, float low, float high) { return fmaxf(low, fminf(x, high)); }
inline int clamp(int x, int low, int high) { return max(low, min(x, high)); }
inline unsigned clamp(unsigned x, unsigned low, unsigned high) { return max(low, min(x, high)); }

#define __GPULEARN_EACH2(op) a.x op b.x, a.y op b.y
#define __GPULEARN_EACH3(op) __GPULEARN_EACH2(op), a.z op b.z
#define __GPULEARN_EACH4(op) __GPULEARN_EACH3(op), a.w op b.w
#define __GPULEARN_ALL2(s) s, s
#define __GPULEARN_ALL3(s) s, s, s
#define __GPULEARN_ALL4(s) s, s, s, s
#define __GPULEARN_OPERATOR(V, S, n, op)                                                                 \
    inline V operator op(V a, V b) { return {__GPULEARN_EACH##n(op)}; }                                  \
    inline V operator op(V a, S s) { V b = {__GPULEARN_ALL##n(s)}; return {__GPULEARN_EACH##n(op)}; }    \
    inline V operator op(S s, V b) { V a = {__GPULEARN_ALL##n(s)}; return {__GPULEARN_EACH##n(op)}; }    \
    inline void operator op##=(V &a, V b) { a = a op b; }                                                \
    inline void operator op##=(V &a, S b) { a = a op b; }
#define __GPULEARN_VECTORS(S, B)                                                                         \
    __GPULEARN_OPERATOR(B##2, S, 2, +) __GPULEARN_OPERATOR(B##3, S, 3, +) __GPULEARN_OPERATOR(B##4, S, 4, +) \
    __GPULEARN_OPERATOR(B##2, S, 2, -) __GPULEARN_OPERATOR(B##3, S, 3, -) __GPULEARN_OPERATOR(B##4, S, 4, -) \
    __GPULEARN_OPERATOR(B##2, S, 2, *) __GPULEARN_OPERATOR(B##3, S, 3, *) __GPULEARN_OPERATOR(B##4, S, 4, *) \
    inline S dot(B##2 a, B##2 b) { return a.x * b.x + a.y * b.y; }                                       \
    inline S dot(B##3 a, B##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                           \
    inline S dot(B##4 a, B##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }               \
    inline B##2 make_##B##2(S s) { return {__GPULEARN_ALL2(s)}; }                                        \
    inline B##3 make_##B##3(S s) { return {__GPULEARN_ALL3(s)}; }                                        \
    inline B##4 make_##B##4(S s) { return {__GPULEARN_ALL4(s)}; }                                        \
    inline B##2 make_##B##2(B##3 a) { return {a.x, a.y}; }                                               \
    inline B##3 make_##B##3(B##2 a, S z) { return {a.x, a.y, z}; }                                       \
    inline B##3 make_##B##3(B##4 a) { return {a.x, a.y, a.z}; }                                          \
    inline B##4 make_##B##4(B##3 a, S w) { return {a.x, a.y, a.z, w}; }
__GPULEARN_VECTORS(float, float)
__GPULEARN_VECTORS(int, int)
__GPULEARN_VECTORS(unsigned, uint)

#define __GPULEARN_FLOATS(V, n)                                             \
    __GPULEARN_OPERATOR(V, float, n, /)                                     \
    inline V operator-(V b) { return 0.0f - b; }                            \
    inline float length(V a) { return sqrtf(dot(a, a)); }                   \
    inline V normalize(V a) { return a * rsqrtf(dot(a, a)); }               \
    inline V lerp(V a, V b, float t) { return a + t * (b - a); }            \
    inline V reflect(V a, V n_) { return a - 2.0f * n_ * dot(n_, a); }
__GPULEARN_FLOATS(float2, 2)
__GPULEARN_FLOATS(float3, 3)
__GPULEARN_FLOATS(float4, 4)
inline float3 cross(float3 a, float3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float2 fminf(float2 a, float2 b) { return {fminf(a.x, b.x), fminf(a.y, b.y)}; }
inline float3 fminf(float3 a, float3 b) { return {fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)}; }
inline float4 fminf(float4 a, float4 b) {
    return {fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.w, b.w)};
}
inline float2 fmaxf(float2 a, float2 b) { return {fmaxf(a.x, b.x), fmaxf(a.y, b.y)}; }
inline float3 fmaxf(float3 a, float3 b) { return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)}; }
inline float4 fmaxf(float4 a, float4 b) {
    return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)};
}
inline float3 clamp(float3 a, float low, float high) {
    return {clamp(a.x, low, high), clamp(a.y, low, high), clamp(a.z, low, high)};
}
inline float4 clamp(float4 a, float low, float high) {
    return {clamp(a.x, low, high), clamp(a.y, low, high), clamp(a.z, low, high), clamp(a.w, low, high)};
}
