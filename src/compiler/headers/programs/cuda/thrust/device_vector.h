// A vector in device memory.
#pragma once
#include <initializer_list>
// NVIDIA's brings it along, and programs rely on that.
#include <iostream>
#include <thrust/detail/elementwise.h>
#include <thrust/host_vector.h>

namespace thrust {

template <class T, class A = void>
class device_vector {
    device_ptr<T> first;
    size_t count = 0, room = 0;

    void grow(size_t n) {
        if (n <= room) return;
        device_ptr<T> fresh = device_malloc<T>(n);
        if (count) detail::check(cudaMemcpy(fresh.get(), first.get(), count * sizeof(T), cudaMemcpyDeviceToDevice));
        release();
        first = fresh;
        room = n;
    }
    void release() {
        if (first) cudaFree(first.get());
        first = nullptr;
        room = 0;
    }

  public:
    using value_type = T;
    using size_type = size_t;
    using difference_type = ptrdiff_t;
    using pointer = device_ptr<T>;
    using const_pointer = device_ptr<const T>;
    using reference = device_reference<T>;
    using const_reference = device_reference<const T>;
    using iterator = device_ptr<T>;
    using const_iterator = device_ptr<const T>;

    device_vector() {}
    explicit device_vector(size_t n) { resize(n); }
    device_vector(size_t n, const T &value) { resize(n, value); }
    template <class I, class = std::enable_if_t<!std::is_arithmetic_v<I>>>
    device_vector(I from, I to) { assign(from, to); }
    device_vector(std::initializer_list<T> list) { assign(list.begin(), list.end()); }
    device_vector(const device_vector &other) { assign(other.begin(), other.end()); }
    device_vector(device_vector &&other) { swap(other); }
    template <class U>
    device_vector(const device_vector<U> &other) { assign(other.begin(), other.end()); }
    template <class U, class B>
    device_vector(const std::vector<U, B> &other) { assign(other.begin(), other.end()); }
    ~device_vector() { release(); }

    device_vector &operator=(const device_vector &other) {
        if (this != __builtin_addressof(other)) assign(other.begin(), other.end());
        return *this;
    }
    device_vector &operator=(device_vector &&other) { return swap(other), *this; }
    device_vector &operator=(std::initializer_list<T> list) { return assign(list.begin(), list.end()), *this; }
    template <class U>
    device_vector &operator=(const device_vector<U> &other) {
        return assign(other.begin(), other.end()), *this;
    }
    template <class U, class B>
    device_vector &operator=(const std::vector<U, B> &other) {
        return assign(other.begin(), other.end()), *this;
    }

    template <class I, class = std::enable_if_t<!std::is_arithmetic_v<I>>>
    void assign(I from, I to) {
        size_t n = std::distance(from, to);
        if (n > room) {
            count = 0;
            grow(n);
        }
        count = n;
        thrust::copy(from, to, begin());
    }
    void assign(size_t n, const T &value) {
        clear();
        resize(n, value);
    }
    void resize(size_t n, const T &value = T()) {
        grow(n);
        size_t before = count;
        count = n;
        if (n > before) thrust::fill(begin() + before, end(), value);
    }
    void reserve(size_t n) { grow(n); }
    void shrink_to_fit() {}
    void clear() { count = 0; }
    void swap(device_vector &other) {
        std::swap(first, other.first);
        std::swap(count, other.count);
        std::swap(room, other.room);
    }
    void push_back(const T &value) {
        if (count == room) grow(count ? 2 * count : 1);
        ++count;
        back() = value;
    }
    void pop_back() { --count; }
    iterator erase(iterator from, iterator to) {
        size_t behind = end() - to;
        if (behind && from != to) {
            device_vector rest(to, end());
            thrust::copy(rest.begin(), rest.end(), from);
        }
        count -= to - from;
        return from;
    }
    iterator erase(iterator at) { return erase(at, at + 1); }
    iterator insert(iterator at, const T &value) {
        size_t place = at - begin();
        device_vector rest(at, end());
        resize(count + 1);
        (*this)[place] = value;
        thrust::copy(rest.begin(), rest.end(), begin() + place + 1);
        return begin() + place;
    }

    size_t size() const { return count; }
    size_t capacity() const { return room; }
    size_t max_size() const { return size_t(-1) / sizeof(T) / 2; }
    bool empty() const { return count == 0; }
    iterator begin() { return first; }
    iterator end() { return first + count; }
    const_iterator begin() const { return first; }
    const_iterator end() const { return const_iterator(first) + count; }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    std::reverse_iterator<iterator> rbegin() { return std::reverse_iterator<iterator>(end()); }
    std::reverse_iterator<iterator> rend() { return std::reverse_iterator<iterator>(begin()); }
    pointer data() { return first; }
    const_pointer data() const { return first; }
    reference operator[](size_t n) { return first[n]; }
    const_reference operator[](size_t n) const { return begin()[n]; }
    reference front() { return first[0]; }
    reference back() { return first[count - 1]; }
    const_reference front() const { return begin()[0]; }
    const_reference back() const { return begin()[count - 1]; }

    operator std::vector<T>() const { return host_vector<T>(*this); }
};

template <class T>
bool operator==(const device_vector<T> &a, const device_vector<T> &b) {
    return host_vector<T>(a) == host_vector<T>(b);
}
template <class T>
bool operator!=(const device_vector<T> &a, const device_vector<T> &b) { return !(a == b); }
template <class T>
bool operator==(const device_vector<T> &a, const host_vector<T> &b) { return host_vector<T>(a) == b; }
template <class T>
bool operator==(const host_vector<T> &a, const device_vector<T> &b) { return a == host_vector<T>(b); }

} // namespace thrust

// NVIDIA's own header brings these in, and programs rely on that.
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
