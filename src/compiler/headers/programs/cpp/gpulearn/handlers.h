// What a `throw` does, and handlers that end the program. Nothing can go back from a `throw` to the handler that
// catches what is thrown, as the compiler has no exceptions; but a handler that leaves main() can run where it is
// thrown, and end the program with what it returns. The tool puts such handlers into lambdas, and only where no
// destructor would be missed on the way.
#pragma once
#include <gpulearn/throw.h>

#ifndef __GPULEARN_HANDLERS

// This is a macro for the same reason as that of has_element.h.
#define __GPULEARN_THROW(value) __gpulearn_throw("exception", thrown)

namespace __gpulearn {

// Lives as long as what a handler stands behind.
struct Trying {
    Trying() { __gpulearn_try(1); }
    ~Trying() { __gpulearn_try(-1); }
};

}  // namespace __gpulearn

#else

#include <stdlib.h>
#include <type_traits>

#define __GPULEARN_THROW(value) throw_value(value)

namespace std {

class exception;
class logic_error;
class invalid_argument;
class domain_error;
class length_error;
class out_of_range;
class runtime_error;
class range_error;
class overflow_error;
class underflow_error;

}  // namespace std

namespace __gpulearn {

template <class... T>
struct Types {};

// The classes of which it is known what is derived from them. Of a program's own base class it is not.
using Known = Types<std::exception, std::logic_error, std::invalid_argument, std::domain_error, std::length_error,
                    std::out_of_range, std::runtime_error, std::range_error, std::overflow_error, std::underflow_error>;

template <class T, class... K>
constexpr bool is_one_of(Types<K...>) {
    return (std::is_same_v<T, K> || ...);
}

// Its address tells a type from others.
template <class T>
inline char type_tag;

// What `catch (...)` takes.
struct Anything {};

// What is thrown; as() gives the part of it that is of a type, if it is known to have one.
struct Object {
    const void *value;
    const void *(*as)(const void *value, const char *type);
    size_t bytes;
    bool is_own_class, is_polymorphic, is_pointer;
};

template <class T, class K>
void find_part(const T *value, const char *type, const void *&found) {
    if constexpr (std::is_convertible_v<const T *, const K *>) {
        if (type == &type_tag<K>) found = static_cast<const K *>(value);
    }
}
template <class T, class... K>
const void *part(const T *value, const char *type, Types<K...>) {
    const void *found = type == &type_tag<T> ? value : nullptr;
    if constexpr (std::is_class_v<T>) (find_part<T, K>(value, type, found), ...);
    return found;
}
template <class T>
const void *part_of(const void *value, const char *type) {
    return part(static_cast<const T *>(value), type, Known());
}

// Returns whether an object may be one of a class derived from T, or a pointer that converts to T.
template <class T>
bool may_be(const Object &object) {
    if (std::is_pointer_v<T>) return object.is_pointer;
    if (!std::is_class_v<T> || std::is_final_v<T> || is_one_of<T>(Known())) return false;
    return object.is_own_class && sizeof(T) <= object.bytes && (object.is_polymorphic || !std::is_polymorphic_v<T>);
}

// Lives as long as what handlers stand behind. Without `offer`, it is not known what they do.
struct Trying {
    Trying *outer;
    void (*offer)(Trying *its, const Object &object) = nullptr;
    Trying();
    ~Trying();
};
inline Trying *trying;
inline Trying::Trying() : outer(trying) {
    trying = this;
    __gpulearn_try(1);
}
inline Trying::~Trying() {
    trying = outer;
    __gpulearn_try(-1);
}

// How a handler was left: with a value for main() to return, or at its end, where the program would go on behind it.
struct Left {
    bool by_return = false;
    int value = 0;
    Left() = default;
    Left(int code) : by_return(true), value(code) {}
};

// Called where the program would go on behind a handler, and where it is not known whether one catches what is thrown.
[[noreturn]] inline void not_known() {
    __gpulearn_try(1);
    __gpulearn_throw("exception", thrown);
}

[[noreturn]] inline void end_by(Left left) {
    if (left.by_return) exit(left.value);
    not_known();
}

// Ends the program by a handler if that takes the object.
template <class L, class P>
void offer_to(const L &handler, Left (L::*)(P) const, const Object &object) {
    using Type = std::remove_cv_t<std::remove_reference_t<P>>;
    if constexpr (std::is_same_v<Type, Anything>) {
        end_by(handler(Anything()));
    } else {
        const void *its = object.as(object.value, &type_tag<Type>);
        if (its) end_by(handler(*const_cast<Type *>(static_cast<const Type *>(its))));
        if (may_be<Type>(object)) not_known();
    }
}

template <class... L>
struct Handlers : Trying, L... {
    explicit Handlers(L... handlers) : L(handlers)... { offer = &offer_to_all; }
    static void offer_to_all(Trying *its, const Object &object) {
        (offer_to(static_cast<const L &>(*static_cast<Handlers *>(its)), &L::operator(), object), ...);
    }
};
template <class... L>
Handlers(L...) -> Handlers<L...>;

template <class T>
[[noreturn]] __noinline__ void throw_value(const T &value) {
    bool is_own_class = std::is_class_v<T> && !is_one_of<T>(Known());
    const Object object{&value, &part_of<T>, sizeof(T), is_own_class, std::is_polymorphic_v<T>, std::is_pointer_v<T>};
    while (Trying *its = trying) {
        trying = its->outer;
        __gpulearn_try(-1);
        if (!its->offer) not_known();
        its->offer(its, object);
    }
    __gpulearn_throw("exception", thrown);
}
template <class T, size_t n>
[[noreturn]] __noinline__ void throw_value(const T (&value)[n]) {
    const T *first = value;
    throw_value(first);
}

}  // namespace __gpulearn

#endif
