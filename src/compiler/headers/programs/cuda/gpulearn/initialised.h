// Variables outside functions whose values are made before main: what becomes of them as the program exits.
#pragma once

template <class T>
inline void __gpulearn_destroy(T &object) {
    object.~T();
}
template <class T, size_t n>
inline void __gpulearn_destroy(T (&objects)[n]) {
    for (size_t i = n; i-- > 0;) __gpulearn_destroy(objects[i]);
}
template <class T>
inline void __gpulearn_at_exit(void (*destroy)()) {
    if constexpr (!__has_trivial_destructor(T)) atexit(destroy);
}
// Its result has the type that `auto` has with a value.
template <class T>
T __gpulearn_auto(T value);
