// Products by warpgroups: types, widths, and how the matrices lie in shared memory. Of whole numbers the sums
// are held to a plain loop's; of others a checksum of their bits is printed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef unsigned long long u64;

// Operands of asm by number, and a warp's sums.
#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9"
#define LIST2 "%0, %1"
#define LIST4 "%0, %1, %2, %3"
#define LIST12 TEN() ", %10, %11"
#define LIST16 TEN() ", %10, %11, %12, %13, %14, %15"
#define LIST32 TEN() ", " TEN(1) ", " TEN(2) ", %30, %31"
#define LIST128                                                                                             \
    TEN() ", " TEN(1) ", " TEN(2) ", " TEN(3) ", " TEN(4) ", " TEN(5) ", " TEN(6) ", " TEN(7) ", " TEN(8)    \
    ", " TEN(9) ", " TEN(10) ", " TEN(11) ", %120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS2(c, i) c(d[i]), c(d[i + 1])
#define SUMS4(c, i) SUMS2(c, i), SUMS2(c, i + 2)
#define SUMS12(c, i) SUMS4(c, i), SUMS4(c, i + 4), SUMS4(c, i + 8)
#define SUMS16(c, i) SUMS4(c, i), SUMS4(c, i + 4), SUMS4(c, i + 8), SUMS4(c, i + 12)
#define SUMS32(c, i) SUMS16(c, i), SUMS16(c, i + 16)
#define SUMS128(c, i) SUMS32(c, i), SUMS32(c, i + 32), SUMS32(c, i + 64), SUMS32(c, i + 96)


enum Kind { F16, BF16, TF32, S8, U8 };

// What every product has: its types, columns, registers of sums, and how many sums are in one.
#define HAS(kind_, n_, sum_, registers_, each_)                                                             \
    typedef sum_ Sum;                                                                                       \
    static const int kind = kind_, n = n_, registers = registers_, each = each_;

// Elements of 16 bits, which may lie along k or across it. %A to %D: the operands behind the sums.
#define SIXTEEN(name, form, kind_, n_, sum_, c, registers_, each_, A, B, C, D)                              \
    template <int across_a, int across_b> struct name {                                                     \
        HAS(kind_, n_, sum_, registers_, each_)                                                             \
        static __device__ void run(sum_ (&d)[registers_], u64 a, u64 b) {                                   \
            asm volatile("wgmma.mma_async.sync.aligned." form " {" LIST##registers_ "}, " A ", " B          \
                         ", 1, 1, 1, " C ", " D ";"                                                         \
                         : SUMS##registers_(c, 0)                                                           \
                         : "l"(a), "l"(b), "n"(across_a), "n"(across_b));                                   \
        }                                                                                                   \
    };

// Others, which lie along k.
#define ALONG(name, form, kind_, sum_, c, A, B, tail)                                                       \
    template <int, int> struct name {                                                                       \
        HAS(kind_, 64, sum_, 32, 1)                                                                         \
        static __device__ void run(sum_ (&d)[32], u64 a, u64 b) {                                           \
            asm volatile("wgmma.mma_async.sync.aligned." form " {" LIST32 "}, " A ", " B ", 1" tail ";"     \
                         : SUMS32(c, 0)                                                                     \
                         : "l"(a), "l"(b));                                                                 \
        }                                                                                                   \
    };

SIXTEEN(Narrow, "m64n8k16.f32.f16.f16", F16, 8, float, "+f", 4, 1, "%4", "%5", "%6", "%7")
SIXTEEN(Odd, "m64n24k16.f32.f16.f16", F16, 24, float, "+f", 12, 1, "%12", "%13", "%14", "%15")
SIXTEEN(Middle, "m64n64k16.f32.f16.f16", F16, 64, float, "+f", 32, 1, "%32", "%33", "%34", "%35")
SIXTEEN(Wide, "m64n256k16.f32.f16.f16", F16, 256, float, "+f", 128, 1, "%128", "%129", "%130", "%131")
SIXTEEN(Halves, "m64n8k16.f16.f16.f16", F16, 8, unsigned, "+r", 2, 2, "%2", "%3", "%4", "%5")
SIXTEEN(MoreHalves, "m64n64k16.f16.f16.f16", F16, 64, unsigned, "+r", 16, 2, "%16", "%17", "%18", "%19")
SIXTEEN(Brain, "m64n64k16.f32.bf16.bf16", BF16, 64, float, "+f", 32, 1, "%32", "%33", "%34", "%35")
ALONG(Tensor, "m64n64k8.f32.tf32.tf32", TF32, float, "+f", "%32", "%33", ", 1, 1")
ALONG(Negated, "m64n64k8.f32.tf32.tf32", TF32, float, "+f", "%32", "%33", ", -1, 1")
ALONG(Signed, "m64n64k32.s32.s8.s8", S8, int, "+r", "%32", "%33", "")
ALONG(Unsigned, "m64n64k32.s32.u8.u8", U8, int, "+r", "%32", "%33", "")

const int A_BYTES = 8192, BYTES = A_BYTES + 32768;

template <class Product> __global__ void multiply(const unsigned *image, unsigned *out, u64 a, u64 b) {
    __shared__ __align__(1024) unsigned room[BYTES / 4];
    for (int i = threadIdx.x; i < BYTES / 4; i += 128) room[i] = image[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    unsigned base = (unsigned)__cvta_generic_to_shared(room) >> 4;
    typename Product::Sum d[Product::registers];
#pragma unroll
    for (int i = 0; i < Product::registers; i++) d[i] = 0;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    // Twice: the second adds to the first.
    Product::run(d, a + base, b + base + A_BYTES / 16);
    Product::run(d, a + base, b + base + A_BYTES / 16);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < Product::registers; i++) {
        memcpy(&out[i * 128 + threadIdx.x], &d[i], 4);
    }
}

// How a matrix lies in shared memory: the bytes in which chunks of 16 change places, or 16.
struct Place {
    int width;
    bool across;
    int rows;

    int leading() const { return across ? (width == 16 ? 128 : 16 * width) : rows * 16; }
    int stride() const { return across ? (width == 16 ? 256 : 8 * width) : 8 * (width == 16 ? 16 : width); }

    int exchanged(int row, int chunk) const {
        return width == 128 ? chunk ^ row : width == 64 ? chunk ^ row / 2 : width == 32 ? chunk ^ row / 4 : chunk;
    }

    // Of the byte `byte` along k of a row, or of a 16-bit element's.
    int offset(int row, int byte) const {
        if (!across) {
            int start = row / 8 * stride(), chunk = byte / 16;
            if (width == 16) return start + chunk * leading() + row % 8 * 16 + byte % 16;
            return start + row % 8 * width + exchanged(row % 8, chunk) * 16 + byte % 16;
        }
        int k = byte / 2, low = byte % 2;
        if (width == 16) return row / 8 * stride() + k / 8 * leading() + k % 8 * 16 + row % 8 * 2 + low;
        int block = row / (width / 2), within = row % (width / 2);
        return block * leading() + k / 8 * stride() + k % 8 * width + exchanged(k % 8, within / 8) * 16 +
               within % 8 * 2 + low;
    }

    u64 descriptor() const {
        u64 mode = width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;
        return (u64)(leading() >> 4) << 16 | (u64)(stride() >> 4) << 32 | mode << 62;
    }
};

int bytes_of(int kind) { return kind == TF32 ? 4 : kind >= S8 ? 1 : 2; }

unsigned seed;
unsigned random_bits() {
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

typedef void (*Kernel)(const unsigned *, unsigned *, u64, u64);

// A product as the host sees it; its kernel where A and B lie across k.
struct Form {
    const char *name;
    int kind, n, registers, each, sign;
};

template <class Product> Form form(const char *name, int sign) {
    return {name, Product::kind, Product::n, Product::registers, Product::each, sign};
}

// Bits of a small whole number.
unsigned encode(int kind, int value) {
    float as_float = (float)value;
    unsigned bits;
    memcpy(&bits, &as_float, 4);
    if (kind == TF32) return bits;
    if (kind == BF16) return bits >> 16;
    if (kind >= S8) return value & 0xff;
    return value == 0 ? 0 : (bits >> 16 & 0x8000) | (((bits & 0x7fffffff) >> 13) - (112 << 10));
}

// Bits of a number that is not whole; exponents differ.
unsigned any(int kind) {
    unsigned bits = random_bits(), sign = bits >> 20 & 1;
    if (kind == TF32) return sign << 31 | (118 + bits % 16) << 23 | (random_bits() & 0x7fffff);
    if (kind == BF16) return sign << 15 | (118 + bits % 16) << 7 | (random_bits() & 0x7f);
    if (kind >= S8) return bits & 0xff;
    return sign << 15 | (8 + bits % 12) << 10 | (random_bits() & 0x3ff);
}

double decoded(const unsigned *out, int each, bool integers, int item, int thread) {
    unsigned word = out[item / each * 128 + thread];
    if (each == 2) {
        unsigned half = item % 2 ? word >> 16 : word & 0xffff;
        if ((half & 0x7fff) == 0) return 0;
        double value = 1 + (half & 0x3ff) / 1024.0;
        for (int e = half >> 10 & 31; e > 15; e--) value *= 2;
        return half & 0x8000 ? -value : value;
    }
    float value;
    memcpy(&value, &word, 4);
    return integers ? (double)(int)word : (double)value;
}

void put(std::vector<unsigned> &image, int at, unsigned byte) {
    image[at / 4] |= (byte & 0xff) << at % 4 * 8;
}

__noinline__ bool try_one(const Form &form, Kernel kernel, Place a, Place b) {
    const int size = bytes_of(form.kind), k = 32 / size, n = form.n;
    const bool integers = form.kind >= S8;
    std::vector<unsigned> out(form.registers * 128);
    std::vector<int> left(64 * k), right(n * k);
    unsigned *d_image, *d_out;
    cudaMalloc(&d_image, BYTES);
    cudaMalloc(&d_out, out.size() * 4);
    int wrong = 0;
    unsigned hash = 2166136261u;
    for (int whole = 1; whole >= 0; whole--) {
        std::vector<unsigned> image(BYTES / 4);
        for (int i = 0; i < (64 + n) * k; i++) {
            bool of_a = i < 64 * k;
            int row = of_a ? i / k : i / k - 64, value = random_bits() % 7 - (form.kind == U8 ? 0 : 3);
            (of_a ? left[i] : right[i - 64 * k]) = value;
            unsigned bits = whole ? encode(form.kind, value) : any(form.kind);
            for (int byte = 0; byte < size; byte++) {
                int at = (of_a ? a : b).offset(row, i % k * size + byte);
                put(image, at + (of_a ? 0 : A_BYTES), bits >> byte * 8);
            }
        }
        cudaMemcpy(d_image, image.data(), BYTES, cudaMemcpyHostToDevice);
        kernel<<<1, 128>>>(d_image, d_out, a.descriptor(), b.descriptor());
        cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost);
        if (!whole) {
            for (unsigned word : out) hash = (hash ^ word) * 16777619u;
            continue;
        }
        for (int thread = 0; thread < 128; thread++) {
            for (int item = 0; item < n / 2; item++) {
                int row = thread / 32 * 16 + thread % 32 / 4 + item / 2 % 2 * 8;
                int column = item / 4 * 8 + thread % 4 * 2 + item % 2, sum = 0;
                for (int i = 0; i < k; i++) sum += left[row * k + i] * right[column * k + i];
                wrong += decoded(out.data(), form.each, integers, item, thread) != 2 * form.sign * sum;
            }
        }
    }
    const char *error = cudaGetErrorString(cudaGetLastError());
    printf("%s, %d bytes, %c %c: %s, %d wrong, %08x\n", form.name, a.width, a.across ? 'm' : 'k', b.across ? 'n' : 'k',
           error, wrong, hash);
    cudaFree(d_image);
    cudaFree(d_out);
    return wrong == 0;
}

const int WIDTHS[4] = {16, 32, 64, 128};

__noinline__ bool all_widths(const Form &form, Kernel kernel, bool a_across, bool b_across) {
    bool right = true;
    for (int i = 0; i < 4; i++) {
        right &= try_one(form, kernel, {WIDTHS[i], a_across, 64}, {WIDTHS[i], b_across, form.n});
    }
    return right;
}

template <template <int, int> class Product> bool along(const char *name, int sign = 1) {
    return all_widths(form<Product<0, 0>>(name, sign), multiply<Product<0, 0>>, false, false);
}

template <template <int, int> class Product> bool across(const char *name) {
    Form its = form<Product<0, 0>>(name, 1);
    return along<Product>(name) & all_widths(its, multiply<Product<0, 1>>, false, true) &
           all_widths(its, multiply<Product<1, 0>>, true, false) &
           all_widths(its, multiply<Product<1, 1>>, true, true);
}

int main() {
    bool right = along<Narrow>("f16 n8") & along<Odd>("f16 n24") & across<Middle>("f16 n64");
    right &= along<Wide>("f16 n256");
    right &= try_one(form<Wide<0, 1>>("f16 n256", 1), multiply<Wide<0, 1>>, {128, false, 64}, {128, true, 256});
    right &= along<Halves>("f16 sums n8") & along<MoreHalves>("f16 sums n64") & across<Brain>("bf16 n64");
    right &= along<Tensor>("tf32 n64") & along<Negated>("tf32 n64, -a", -1);
    right &= along<Signed>("s8 n64") & along<Unsigned>("u8 n64");
    printf("%s\n", right ? "all right" : "not all right");
    return !right;
}
