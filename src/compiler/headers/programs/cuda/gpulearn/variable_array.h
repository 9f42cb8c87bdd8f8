// Arrays whose size is worked out where their declaration is come to, which gcc has in C++ too. `float a[n];` is written as
// `__gpulearn_array __gpulearn_array_of_a; float *a = __gpulearn_array_of_a.of(n);`, and its memory is freed where that goes out of scope.
#pragma once
#include <new>
#include <stdlib.h>
#include <string.h>

class __gpulearn_array {
    void *memory = nullptr;
    size_t count = 0, size = 0;
    void (*destroy)(void *, size_t) = nullptr;

    template <class T>
    T *allocate(size_t elements, bool zeros) {
        count = elements;
        size = elements * sizeof(T);
        memory = malloc(size);
        if (zeros) memset(memory, 0, size);
        T *first = static_cast<T *>(memory);
        if constexpr (!__has_trivial_constructor(T))
            for (size_t i = 0; i < elements; i++) new (static_cast<void *>(first + i)) T;
        if constexpr (!__has_trivial_destructor(T))
            destroy = [](void *all, size_t n) {
                while (n-- > 0) static_cast<T *>(all)[n].~T();
            };
        return first;
    }

  public:
    // So many of what it is assigned to points to.
    struct elements {
        __gpulearn_array &array;
        size_t count;
        bool zeros;
        template <class T>
        operator T *() const {
            return array.allocate<T>(count, zeros);
        }
    };

    __gpulearn_array() = default;
    __gpulearn_array(const __gpulearn_array &) = delete;
    ~__gpulearn_array() {
        if (destroy) destroy(memory, count);
        free(memory);
    }
    elements of(size_t n) { return {*this, n, false}; }
    elements zeros(size_t n) { return {*this, n, true}; }
    // Gives its first elements values: `float a[n] = {1, 2};`.
    template <class T>
    struct same {
        typedef T type;
    };
    template <class T, size_t n>
    static void set(T *first, const typename same<T>::type (&values)[n]) {
        for (size_t i = 0; i < n; i++) first[i] = values[i];
    }
    // What sizeof gives of the array.
    size_t bytes() const { return size; }
};
