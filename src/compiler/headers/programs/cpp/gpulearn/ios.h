// What streams of both directions have: how to format, and whether they are still good.
#pragma once
#include <gpulearn/exceptions.h>
#include <stddef.h>

namespace std {

using streamsize = long;
using streamoff = long;
using streampos = long;

class ios_base {
  public:
    // Enumerators, because each constant of a class ends up as a global variable.
    using fmtflags = unsigned;
    enum : fmtflags {
        boolalpha = 1,
        dec = 2,
        fixed = 4,
        hex = 8,
        internal = 16,
        left = 32,
        oct = 64,
        right = 128,
        scientific = 256,
        showbase = 512,
        showpoint = 1024,
        showpos = 2048,
        skipws = 4096,
        unitbuf = 8192,
        uppercase = 16384,
        adjustfield = left | right | internal,
        basefield = dec | oct | hex,
        floatfield = fixed | scientific
    };
    using iostate = unsigned;
    enum : iostate { goodbit = 0, badbit = 1, eofbit = 2, failbit = 4 };
    using openmode = unsigned;
    enum : openmode { app = 1, ate = 2, binary = 4, in = 8, out = 16, trunc = 32 };
    enum seekdir { beg, cur, end };

    // A format of its own, as of `std::ios before(nullptr)`.
    explicit constexpr ios_base(decltype(nullptr)) {}

    // What it throws then.
    class failure : public exception {
        const char *message;

      public:
        explicit failure(const char *text) : message(text) { __gpulearn::what(text); }
        const char *what() const noexcept override { return message; }
    };

    fmtflags flags() const { return shared ? shared->format : format; }
    fmtflags flags(fmtflags f) {
        fmtflags before = flags();
        (shared ? shared->format : format) = f;
        return before;
    }
    fmtflags setf(fmtflags f) { return flags(format | f); }
    fmtflags setf(fmtflags f, fmtflags mask) { return flags((format & ~mask) | (f & mask)); }
    void unsetf(fmtflags f) { flags(flags() & ~f); }
    streamsize width() const { return columns; }
    streamsize width(streamsize n) {
        streamsize before = columns;
        columns = n;
        return before;
    }
    streamsize precision() const { return digits; }
    streamsize precision(streamsize n) {
        streamsize before = digits;
        digits = n;
        return before;
    }
    char fill() const { return filler; }
    char fill(char c) {
        char before = filler;
        filler = c;
        return before;
    }
    static bool sync_with_stdio(bool = true) { return true; }

    iostate rdstate() const { return state; }
    bool good() const { return state == 0; }
    bool eof() const { return state & eofbit; }
    bool fail() const { return state & (failbit | badbit); }
    bool bad() const { return state & badbit; }
    void clear(iostate s = goodbit) {
        state = s;
        if (state & throws) __gpulearn_throw("std::ios_base::failure", "basic_ios::clear: iostream error");
    }
    void setstate(iostate s) { clear(state | s); }
    iostate exceptions() const { return throws; }
    void exceptions(iostate s) {
        throws = s;
        clear(state);
    }
    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }
    ios_base *tie() const { return nullptr; }
    ios_base *tie(ios_base *) { return nullptr; }
    void copyfmt(const ios_base &other) {
        flags(other.flags());
        columns = other.columns;
        digits = other.digits;
        filler = other.filler;
    }

  protected:
    constexpr ios_base() = default;
    ios_base(const ios_base &) = default;
    // Of a stream of both directions, one has the flags of both.
    void share_flags(ios_base *with) { shared = with; }

  private:
    fmtflags format = skipws | dec;
    ios_base *shared = nullptr;
    iostate state = 0;
    // States in which it throws.
    iostate throws = 0;
    int columns = 0;
    int digits = 6;
    char filler = ' ';
};
using ios = ios_base;

#define __GPULEARN_FLAG(name, set, mask)        \
    inline ios_base &name(ios_base &stream) {   \
        stream.setf(set, mask);                 \
        return stream;                          \
    }
__GPULEARN_FLAG(dec, ios_base::dec, ios_base::basefield)
__GPULEARN_FLAG(hex, ios_base::hex, ios_base::basefield)
__GPULEARN_FLAG(oct, ios_base::oct, ios_base::basefield)
__GPULEARN_FLAG(fixed, ios_base::fixed, ios_base::floatfield)
__GPULEARN_FLAG(scientific, ios_base::scientific, ios_base::floatfield)
__GPULEARN_FLAG(hexfloat, ios_base::floatfield, ios_base::floatfield)
__GPULEARN_FLAG(defaultfloat, 0, ios_base::floatfield)
__GPULEARN_FLAG(left, ios_base::left, ios_base::adjustfield)
__GPULEARN_FLAG(right, ios_base::right, ios_base::adjustfield)
__GPULEARN_FLAG(internal, ios_base::internal, ios_base::adjustfield)
__GPULEARN_FLAG(boolalpha, ios_base::boolalpha, ios_base::boolalpha)
__GPULEARN_FLAG(noboolalpha, 0, ios_base::boolalpha)
__GPULEARN_FLAG(showbase, ios_base::showbase, ios_base::showbase)
__GPULEARN_FLAG(noshowbase, 0, ios_base::showbase)
__GPULEARN_FLAG(showpoint, ios_base::showpoint, ios_base::showpoint)
__GPULEARN_FLAG(noshowpoint, 0, ios_base::showpoint)
__GPULEARN_FLAG(showpos, ios_base::showpos, ios_base::showpos)
__GPULEARN_FLAG(noshowpos, 0, ios_base::showpos)
__GPULEARN_FLAG(uppercase, ios_base::uppercase, ios_base::uppercase)
__GPULEARN_FLAG(nouppercase, 0, ios_base::uppercase)
__GPULEARN_FLAG(skipws, ios_base::skipws, ios_base::skipws)
__GPULEARN_FLAG(noskipws, 0, ios_base::skipws)
__GPULEARN_FLAG(unitbuf, ios_base::unitbuf, ios_base::unitbuf)
__GPULEARN_FLAG(nounitbuf, 0, ios_base::unitbuf)
#undef __GPULEARN_FLAG

}  // namespace std
