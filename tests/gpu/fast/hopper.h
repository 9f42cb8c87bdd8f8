// What kernels for Hopper (sm_90a) share: products by a warpgroup, barriers that count bytes, and copies
// of whole tiles. PTX has all of them, CUDA C++ none.

#pragma once
#include <cuda.h>
#include <cuda_fp16.h>

__device__ inline unsigned in_shared(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// ---- Products ----

// Where a matrix lies in shared memory: in rows of 128 bytes (a panel), whose pieces of 16 bytes change places
// with each other, piece p of row r being at p ^ r % 8. Eight rows are 1024 bytes. `next_panel`: the bytes from
// one panel to the next, for a matrix that goes across several.
__device__ inline unsigned long long matrix(unsigned address, unsigned next_panel = 16) {
    return (unsigned long long)((address & 0x3ffff) >> 4) |
           (unsigned long long)(next_panel >> 4) << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

// Operands of asm by number, and sums.
#define HOPPER_TEN(d) "%" #d "0,%" #d "1,%" #d "2,%" #d "3,%" #d "4,%" #d "5,%" #d "6,%" #d "7,%" #d "8,%" #d "9,"
#define HOPPER_LIST_32 HOPPER_TEN() HOPPER_TEN(1) HOPPER_TEN(2) "%30,%31"
#define HOPPER_LIST_64 HOPPER_TEN() HOPPER_TEN(1) HOPPER_TEN(2) HOPPER_TEN(3) HOPPER_TEN(4) HOPPER_TEN(5) "%60,%61,%62,%63"
#define HOPPER_LIST_128                                                                                      \
    HOPPER_TEN() HOPPER_TEN(1) HOPPER_TEN(2) HOPPER_TEN(3) HOPPER_TEN(4) HOPPER_TEN(5) HOPPER_TEN(6)         \
    HOPPER_TEN(7) HOPPER_TEN(8) HOPPER_TEN(9) HOPPER_TEN(10) HOPPER_TEN(11)                                  \
    "%120,%121,%122,%123,%124,%125,%126,%127"
#define HOPPER_SUMS_4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define HOPPER_SUMS_16(i) HOPPER_SUMS_4(i), HOPPER_SUMS_4(i + 4), HOPPER_SUMS_4(i + 8), HOPPER_SUMS_4(i + 12)
#define HOPPER_SUMS_32(i) HOPPER_SUMS_16(i), HOPPER_SUMS_16(i + 16)
#define HOPPER_SUMS_64(i) HOPPER_SUMS_32(i), HOPPER_SUMS_32(i + 32)
#define HOPPER_SUMS_128(i) HOPPER_SUMS_64(i), HOPPER_SUMS_64(i + 64)

// multiply<COLS, ACROSS>: begins sum (64×COLS) += a (64×16) × b (16×COLS), in f16 with sums in f32. Where `add` is
// 0, what was in sum does not count. a lies along its rows; so do the columns of b, or with ACROSS its rows.
template <int COLS, int ACROSS> struct Multiply;
#define HOPPER_MULTIPLY(cols, across, registers, A, B, ADD)                                                  \
    template <> struct Multiply<cols, across> {                                                              \
        static __device__ __forceinline__ void run(float (&sum)[registers], unsigned long long a,            \
                                                   unsigned long long b, int add) {                          \
            asm volatile("{ .reg .pred p; setp.ne.b32 p, " ADD ", 0; "                                       \
                         "wgmma.mma_async.sync.aligned.m64n" #cols "k16.f32.f16.f16 {"                       \
                         HOPPER_LIST_##registers "}, " A ", " B ", p, 1, 1, 0, " #across "; }"               \
                         : HOPPER_SUMS_##registers(0) : "l"(a), "l"(b), "r"(add));                           \
        }                                                                                                    \
    };
HOPPER_MULTIPLY(64, 0, 32, "%32", "%33", "%34")
HOPPER_MULTIPLY(128, 0, 64, "%64", "%65", "%66")
HOPPER_MULTIPLY(256, 0, 128, "%128", "%129", "%130")
HOPPER_MULTIPLY(256, 1, 128, "%128", "%129", "%130")

template <int COLS, int ACROSS, int REGISTERS>
__device__ __forceinline__ void multiply(float (&sum)[REGISTERS], unsigned long long a, unsigned long long b, int add = 1) {
    Multiply<COLS, ACROSS>::run(sum, a, b, add);
}

// The same with a from registers, in which mma.sync has it, too; for 128 columns, b across.
__device__ __forceinline__ void multiply_registers(float (&sum)[64], const unsigned (&a)[4], unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" HOPPER_LIST_64
                 "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
                 : HOPPER_SUMS_64(0) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// Before the first product: other uses of its registers are over.
__device__ __forceinline__ void before_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// The products begun since the last call are a group.
__device__ __forceinline__ void group_of_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Waits until at most `left` groups are under way.
template <int left> __device__ __forceinline__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}

// What this thread has written to shared memory, or copied there and waited for, the tensor cores may see.
__device__ __forceinline__ void show_to_tensor_cores() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- Barriers in shared memory, by address ----

__device__ __forceinline__ void make_barrier(unsigned barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

__device__ __forceinline__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives, and announces copies of so many bytes.
__device__ __forceinline__ void arrive_and_expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Waits until a phase is over: the first, third, … have parity 0. What would be the phase before the first, of
// parity 1, counts as over.
__device__ __forceinline__ void wait(unsigned barrier, int parity) {
    asm volatile("{ .reg .pred over;\n again: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 " @!over bra again; }" ::"r"(barrier), "r"(parity) : "memory");
}

// ---- Copies ----

// Begins to copy the box of a tensor map whose first element is at (row, col). Its pieces change places as
// matrix() has it. By one thread.
__device__ __forceinline__ void copy_box(unsigned to, const CUtensorMap *map, int row, int col, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(map), "r"(barrier), "r"(col), "r"(row) : "memory");
}

// The registers that each thread of this warpgroup may use from here on.
template <int registers> __device__ __forceinline__ void fewer_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers> __device__ __forceinline__ void more_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}
