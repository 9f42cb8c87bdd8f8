// A vector in host memory that can be made of one on the device.
#pragma once
#include <thrust/detail/elementwise.h>
#include <vector>

namespace thrust {

template <class T, class A>
class device_vector;

template <class T, class A = std::allocator<T>>
class host_vector : public std::vector<T, A> {
    using base = std::vector<T, A>;

  public:
    using base::base;
    host_vector() = default;
    host_vector(const host_vector &) = default;
    host_vector(host_vector &&) = default;
    host_vector &operator=(const host_vector &) = default;
    host_vector &operator=(host_vector &&) = default;
    host_vector(const base &other) : base(other) {}
    template <class U, class B>
    host_vector(const device_vector<U, B> &other) : base(other.size()) {
        thrust::copy(other.begin(), other.end(), this->data());
    }
    template <class U>
    host_vector(device_ptr<U> from, device_ptr<U> to) : base(to - from) {
        thrust::copy(from, to, this->data());
    }
    template <class U, class B>
    host_vector &operator=(const device_vector<U, B> &other) {
        this->resize(other.size());
        thrust::copy(other.begin(), other.end(), this->data());
        return *this;
    }
};

} // namespace thrust
