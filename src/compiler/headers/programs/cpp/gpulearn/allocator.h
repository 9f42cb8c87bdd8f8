// Memory for containers.
#pragma once
#include <gpulearn/move.h>
#include <gpulearn/throw.h>
#include <new>

namespace std {

template <class T>
struct allocator {
    using value_type = T;
    using size_type = size_t;
    using difference_type = ptrdiff_t;
    using pointer = T *;
    using const_pointer = const T *;
    using reference = T &;
    using const_reference = const T &;
    using propagate_on_container_move_assignment = true_type;
    template <class U>
    struct rebind {
        using other = allocator<U>;
    };
    constexpr allocator() noexcept {}
    template <class U>
    constexpr allocator(const allocator<U> &) noexcept {}
    T *allocate(size_t n) {
        void *memory = nullptr;
        if (n <= size_t(-1) / 2 / sizeof(T)) {
            if constexpr (alignof(T) > 16) memory = ::operator new(n * sizeof(T), align_val_t(alignof(T)));
            else memory = ::operator new(n * sizeof(T));
        }
        if (!memory) __gpulearn_throw("std::bad_alloc", "out of memory");
        return static_cast<T *>(memory);
    }
    void deallocate(T *p, size_t) {
        if constexpr (alignof(T) > 16) ::operator delete(p, align_val_t(alignof(T)));
        else ::operator delete(p);
    }
};
template <class T, class U>
constexpr bool operator==(const allocator<T> &, const allocator<U> &) noexcept {
    return true;
}
template <class T, class U>
constexpr bool operator!=(const allocator<T> &, const allocator<U> &) noexcept {
    return false;
}

template <class A>
struct allocator_traits {
    using allocator_type = A;
    using value_type = typename A::value_type;
    using pointer = value_type *;
    using const_pointer = const value_type *;
    using size_type = size_t;
    using difference_type = ptrdiff_t;
    static pointer allocate(A &a, size_t n) { return a.allocate(n); }
    static void deallocate(A &a, pointer p, size_t n) { a.deallocate(p, n); }
    template <class T, class... Args>
    static void construct(A &, T *p, Args &&...args) {
        ::new ((void *)p) T(static_cast<Args &&>(args)...);
    }
    template <class T>
    static void destroy(A &, T *p) {
        p->~T();
    }
};

template <class T>
void destroy_at(T *p) {
    p->~T();
}
template <class I>
void destroy(I first, I last) {
    for (; first != last; ++first) std::destroy_at(std::addressof(*first));
}

}  // namespace std
