// Where data lies, as iterators say it; pointers to device memory and what they lead to.
#pragma once
#include <cuda_runtime.h>
#include <cstdlib>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#define THRUST_VERSION 200800
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 8
// What CUB and programs write before names of Thrust, wherever they stand.
#define THRUST_NS_QUALIFIER ::thrust

namespace thrust {

using std::advance;
using std::distance;

template <class T>
class device_reference;
template <class T>
class device_ptr;

namespace detail {

// CUDA's error ends the program, as Thrust's exception would where nobody catches it.
inline void check(cudaError_t error) {
    if (error != cudaSuccess) {
        printf("terminate called after throwing an instance of 'thrust::system::system_error'\n  what():  %s\n",
               cudaGetErrorString(error));
        abort();
    }
}

// Whether an iterator's data is a device's, nobody's (it is computed), or the host's.
enum class place { host, nobody, device };
template <class I>
struct place_of {
    static constexpr place value = place::host;
};
template <class T>
struct place_of<device_ptr<T>> {
    static constexpr place value = place::device;
};
template <class... I>
constexpr place joined() {
    place found = place::nobody;
    ((found = place_of<I>::value == place::device || found == place::device ? place::device
              : place_of<I>::value == place::host                          ? place::host
                                                                            : found),
     ...);
    return found;
}

// An iterator as kernels use it: with plain pointers.
template <class I>
constexpr I raw(I it) {
    return it;
}
template <class T>
constexpr T *raw(device_ptr<T> it);

template <class I>
using value_of = typename std::iterator_traits<I>::value_type;

} // namespace detail

// A pointer to device memory. The host reads and writes what it leads to by copies.
template <class T>
class device_ptr {
    T *address;

  public:
    using value_type = std::remove_cv_t<T>;
    using element_type = T;
    using difference_type = ptrdiff_t;
    using pointer = device_ptr;
    using reference = device_reference<T>;
    using iterator_category = std::random_access_iterator_tag;

    constexpr device_ptr() : address(nullptr) {}
    constexpr device_ptr(decltype(nullptr)) : address(nullptr) {}
    explicit constexpr device_ptr(T *p) : address(p) {}
    template <class U, class = std::enable_if_t<std::is_convertible_v<U *, T *>>>
    constexpr device_ptr(device_ptr<U> other) : address(other.get()) {}

    constexpr T *get() const { return address; }
    reference operator*() const { return reference(*this); }
    reference operator[](ptrdiff_t n) const { return reference(*this + n); }
    constexpr explicit operator bool() const { return address != nullptr; }
    constexpr device_ptr &operator+=(ptrdiff_t n) { return address += n, *this; }
    constexpr device_ptr &operator-=(ptrdiff_t n) { return address -= n, *this; }
    constexpr device_ptr &operator++() { return ++address, *this; }
    constexpr device_ptr &operator--() { return --address, *this; }
    constexpr device_ptr operator++(int) { return device_ptr(address++); }
    constexpr device_ptr operator--(int) { return device_ptr(address--); }
    friend constexpr device_ptr operator+(device_ptr p, ptrdiff_t n) { return device_ptr(p.address + n); }
    friend constexpr device_ptr operator+(ptrdiff_t n, device_ptr p) { return device_ptr(p.address + n); }
    friend constexpr device_ptr operator-(device_ptr p, ptrdiff_t n) { return device_ptr(p.address - n); }
    friend constexpr ptrdiff_t operator-(device_ptr p, device_ptr q) { return p.address - q.address; }
    friend constexpr bool operator==(device_ptr p, device_ptr q) { return p.address == q.address; }
    friend constexpr bool operator!=(device_ptr p, device_ptr q) { return p.address != q.address; }
    friend constexpr bool operator<(device_ptr p, device_ptr q) { return p.address < q.address; }
    friend constexpr bool operator>(device_ptr p, device_ptr q) { return p.address > q.address; }
    friend constexpr bool operator<=(device_ptr p, device_ptr q) { return p.address <= q.address; }
    friend constexpr bool operator>=(device_ptr p, device_ptr q) { return p.address >= q.address; }
};

namespace detail {
template <class T>
constexpr T *raw(device_ptr<T> it) {
    return it.get();
}
} // namespace detail

// An element in device memory, as the host sees it: each use is a copy.
template <class T>
class device_reference {
    device_ptr<T> at;
    using value = std::remove_cv_t<T>;

  public:
    using value_type = value;
    explicit device_reference(device_ptr<T> p) : at(p) {}
    device_ptr<T> operator&() const { return at; }
    operator value() const {
        value held;
        detail::check(cudaMemcpy((void *)__builtin_addressof(held), at.get(), sizeof(T), cudaMemcpyDeviceToHost));
        return held;
    }
    const device_reference &operator=(const value &other) const {
        detail::check(cudaMemcpy(at.get(), __builtin_addressof(other), sizeof(T), cudaMemcpyHostToDevice));
        return *this;
    }
    const device_reference &operator=(const device_reference &other) const { return *this = value(other); }
    template <class U>
    const device_reference &operator+=(const U &by) const { return *this = value(*this) + by; }
    template <class U>
    const device_reference &operator-=(const U &by) const { return *this = value(*this) - by; }
    template <class U>
    const device_reference &operator*=(const U &by) const { return *this = value(*this) * by; }
    template <class U>
    const device_reference &operator/=(const U &by) const { return *this = value(*this) / by; }
    const device_reference &operator++() const { return *this += 1; }
    const device_reference &operator--() const { return *this -= 1; }
    template <class O>
    friend O &operator<<(O &out, const device_reference &r) { return out << value(r); }
};

template <class T>
constexpr device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T>
constexpr device_ptr<T> device_pointer_cast(device_ptr<T> p) { return p; }
template <class T>
constexpr T *raw_pointer_cast(device_ptr<T> p) { return p.get(); }
template <class T>
constexpr T *raw_pointer_cast(T *p) { return p; }

template <class T>
device_ptr<T> device_malloc(size_t n) {
    void *p = nullptr;
    detail::check(cudaMalloc(&p, n * sizeof(T)));
    return device_ptr<T>(static_cast<T *>(p));
}
template <class T>
void device_free(device_ptr<T> p) { detail::check(cudaFree((void *)p.get())); }

// Who is to do the work: with none, the place of the data decides.
namespace detail {

struct policy {};
struct automatic : policy {
    cudaStream_t stream = 0;
    template <class... I>
    static constexpr bool on_device() { return joined<I...>() != place::host; }
};
struct on_host : policy {
    cudaStream_t stream = 0;
    template <class... I>
    static constexpr bool on_device() { return false; }
};
struct on_device : policy {
    cudaStream_t stream = 0;
    bool waits = true;
    constexpr on_device(cudaStream_t s = 0, bool w = true) : stream(s), waits(w) {}
    constexpr on_device on(cudaStream_t s) const { return on_device(s, waits); }
    template <class A>
    constexpr on_device operator()(A &&) const { return *this; }
};
template <class P, class... I>
constexpr bool works_on_device() {
    if constexpr (std::is_same_v<P, on_device>) return true;
    else return P::template on_device<I...>();
}
template <class P>
constexpr bool is_policy = std::is_base_of_v<policy, std::remove_cv_t<std::remove_reference_t<P>>>;

} // namespace detail

inline constexpr detail::on_host host{}, seq{};
inline constexpr detail::on_device device{};
namespace cuda {
inline constexpr detail::on_device par{}, par_nosync{0, false};
}
namespace omp {
inline constexpr detail::on_host par{};
}
namespace cpp {
inline constexpr detail::on_host par{};
}

} // namespace thrust

// An algorithm by its name: with a policy before its arguments, or without.
#define __GPULEARN_THRUST(name)                                                          \
    template <class First, class... A>                                                   \
    auto name(First first, A... rest) {                                                  \
        if constexpr (detail::is_policy<First>) return detail::name(first, rest...);     \
        else return detail::name(detail::automatic(), first, rest...);                   \
    }
