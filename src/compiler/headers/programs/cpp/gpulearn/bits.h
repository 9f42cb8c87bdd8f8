// std::vector<bool>: elements are read and written through a stand-in. A byte holds one here, where
// other libraries pack eight.
#pragma once
#include <vector>

namespace std {

struct __bit_reference {
    unsigned char *byte;
    operator bool() const { return *byte; }
    bool operator~() const { return !*byte; }
    __bit_reference &operator=(bool value) {
        *byte = value;
        return *this;
    }
    __bit_reference &operator=(const __bit_reference &other) { return *this = bool(other); }
    __bit_reference(unsigned char *b) : byte(b) {}
    __bit_reference(const __bit_reference &) = default;
    void flip() { *byte = !*byte; }
    template <class B>
    __bit_reference &operator|=(B b) { return *this = *byte || b; }
    template <class B>
    __bit_reference &operator&=(B b) { return *this = *byte && b; }
    template <class B>
    __bit_reference &operator^=(B b) { return *this = *byte != bool(b); }
};
inline void swap(__bit_reference a, __bit_reference b) {
    bool kept = a;
    a = bool(b);
    b = kept;
}

struct __bit_iterator {
    using iterator_category = random_access_iterator_tag;
    using value_type = bool;
    using difference_type = ptrdiff_t;
    using pointer = void;
    using reference = __bit_reference;
    unsigned char *at = nullptr;
    __bit_reference operator*() const { return at; }
    __bit_reference operator[](ptrdiff_t n) const { return at + n; }
    __bit_iterator &operator++() { ++at; return *this; }
    __bit_iterator operator++(int) { return {at++}; }
    __bit_iterator &operator--() { --at; return *this; }
    __bit_iterator operator--(int) { return {at--}; }
    __bit_iterator &operator+=(ptrdiff_t n) { at += n; return *this; }
    __bit_iterator &operator-=(ptrdiff_t n) { at -= n; return *this; }
    __bit_iterator operator+(ptrdiff_t n) const { return {at + n}; }
    __bit_iterator operator-(ptrdiff_t n) const { return {at - n}; }
    ptrdiff_t operator-(__bit_iterator other) const { return at - other.at; }
    bool operator==(__bit_iterator other) const { return at == other.at; }
    bool operator!=(__bit_iterator other) const { return at != other.at; }
    bool operator<(__bit_iterator other) const { return at < other.at; }
    bool operator>(__bit_iterator other) const { return at > other.at; }
};

template <class A>
class vector<bool, A> {
    vector<unsigned char> bytes;

  public:
    using value_type = bool;
    using size_type = size_t;
    using difference_type = ptrdiff_t;
    using reference = __bit_reference;
    using const_reference = bool;
    using iterator = __bit_iterator;
    using const_iterator = const unsigned char *;

    constexpr vector() = default;
    explicit vector(size_t n, bool value = false) : bytes(n, value) {}
    vector(initializer_list<bool> list) : bytes(list.begin(), list.end()) {}
    template <class I, class = __if_iterator<I>>
    vector(I from, I to) : bytes(from, to) {}

    size_t size() const { return bytes.size(); }
    size_t capacity() const { return bytes.capacity(); }
    bool empty() const { return bytes.empty(); }
    __bit_iterator begin() { return {bytes.begin()}; }
    __bit_iterator end() { return {bytes.end()}; }
    const_iterator begin() const { return bytes.begin(); }
    const_iterator end() const { return bytes.end(); }
    __bit_reference operator[](size_t i) { return &bytes[i]; }
    bool operator[](size_t i) const { return bytes[i]; }
    __bit_reference at(size_t i) { return &bytes.at(i); }
    bool at(size_t i) const { return bytes.at(i); }
    __bit_reference front() { return &bytes.front(); }
    __bit_reference back() { return &bytes.back(); }
    void push_back(bool value) { bytes.push_back(value); }
    void emplace_back(bool value) { bytes.push_back(value); }
    void pop_back() { bytes.pop_back(); }
    void clear() { bytes.clear(); }
    void reserve(size_t n) { bytes.reserve(n); }
    void resize(size_t n, bool value = false) { bytes.resize(n, value); }
    void assign(size_t n, bool value) { bytes.assign(n, value); }
    __bit_iterator insert(__bit_iterator at, bool value) { return {bytes.insert(at.at, value)}; }
    __bit_iterator erase(__bit_iterator at) { return {bytes.erase(at.at)}; }
    __bit_iterator erase(__bit_iterator from, __bit_iterator to) { return {bytes.erase(from.at, to.at)}; }
    void flip() {
        for (unsigned char &byte : bytes) byte = !byte;
    }
    void swap(vector &other) { bytes.swap(other.bytes); }
    friend bool operator==(const vector &a, const vector &b) { return a.bytes == b.bytes; }
    friend bool operator!=(const vector &a, const vector &b) { return a.bytes != b.bytes; }
};

}  // namespace std
