// Boxes of all ranks, swizzles and sizes of elements, within and without their tensors, against a plain loop over
// their elements; and what is stored of them again, which may not begin before the tensor, and of which 16 bytes are
// written together.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void make(unsigned long long *bar) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(bar)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void announce(unsigned long long *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes)
                 : "memory");
}

__device__ void load(void *to, const CUtensorMap *map, int x, int y, unsigned long long *bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(bar)) : "memory");
}

__device__ void store(const CUtensorMap *map, int x, int y, const void *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                 ::"l"(map), "r"(x), "r"(y), "r"(shared_address(from)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ void wait_for_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

__device__ void wait(unsigned long long *bar, int parity) {
    asm volatile("{ .reg .pred p;\n\t"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t"
                 "@!p bra again; }" ::"r"(shared_address(bar)), "r"(parity) : "memory");
}

const int most = 8192; // bytes of a box, with what a swizzle leaves out

struct At {
    int c[5];
};

// Brings a box to shared memory and gives what is there; then stores it again, by another map.
template <int R>
__global__ void there_and_back(const __grid_constant__ CUtensorMap map, const __grid_constant__ CUtensorMap back, At at,
                               At to_at, unsigned bytes, unsigned char *out) {
    __shared__ alignas(1024) unsigned char box[most];
    __shared__ unsigned long long full;
    for (int i = threadIdx.x; i < most; i += 32) box[i] = 0xee;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    unsigned to = shared_address(box), bar = shared_address(&full);
    if (threadIdx.x == 0) {
        make(&full);
        announce(&full, bytes);
#define BOTH(rank, coordinates)                                                                                        \
    asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {" coordinates "}], [%2];" \
                 ::"r"(to), "l"(&map), "r"(bar), "r"(at.c[0]), "r"(at.c[1]), "r"(at.c[2]), "r"(at.c[3]), "r"(at.c[4]) : "memory"); \
    wait(&full, 0);                                                                                                    \
    asm volatile("cp.async.bulk.tensor." rank ".global.shared::cta.bulk_group [%1, {" coordinates "}], [%0];"         \
                 ::"r"(to), "l"(&back), "r"(bar), "r"(to_at.c[0]), "r"(to_at.c[1]), "r"(to_at.c[2]), "r"(to_at.c[3]), "r"(to_at.c[4]) : "memory")
        if (R == 1) { BOTH("1d", "%3"); }
        if (R == 2) { BOTH("2d", "%3, %4"); }
        if (R == 3) { BOTH("3d", "%3, %4, %5"); }
        if (R == 4) { BOTH("4d", "%3, %4, %5, %6"); }
        if (R == 5) { BOTH("5d", "%3, %4, %5, %6, %7"); }
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        wait_for_stores();
    }
    __syncthreads();
    for (int i = threadIdx.x; i < most; i += 32) out[i] = box[i];
}

struct Kind {
    CUtensorMapDataType type;
    int bytes;
    bool real;
};
const Kind kinds[] = {{CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, false},   {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, true},
                      {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, true}, {CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, false},
                      {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, true},  {CU_TENSOR_MAP_DATA_TYPE_INT32, 4, false},
                      {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, true},  {CU_TENSOR_MAP_DATA_TYPE_INT64, 8, false}};

int main() {
    const int room = 1 << 15;
    static unsigned char tensor[room], back[room], want[room], box[most], found[most];
    unsigned char *d_tensor, *d_back, *d_box;
    cudaMalloc(&d_tensor, room);
    cudaMalloc(&d_back, room);
    cudaMalloc(&d_box, most);
    unsigned state = 1;
    auto random = [&state](unsigned below) { return (state = state * 1664525u + 1013904223u) / 65536 % below; };
    for (int i = 0; i < room; i++) tensor[i] = random(256);
    cudaMemcpy(d_tensor, tensor, room, cudaMemcpyHostToDevice);
    int done = 0, wrong = 0;
    for (int rank = 1; rank <= 5; rank++) {
        for (int span = 16; span <= 128; span *= 2) {
            for (const Kind &kind : kinds) {
                cuuint64_t extents[5], strides[5] = {(cuuint64_t)kind.bytes};
                cuuint32_t box_extents[5], steps[5], counts[5] = {1, 1, 1, 1, 1};
                At at = {}, to_at = {};
                for (int n = 0; n < rank; n++) {
                    extents[n] = n == 0 ? 1 + random(64) : 1 + random(n == 1 ? 12 : 4);
                    steps[n] = 1 + random(3) / 2;
                    box_extents[n] = 1 + random(n == 1 ? 12 : 3);
                    if (n == 0) box_extents[0] = 16 / kind.bytes * (1 + random(span == 16 ? 3 : span / 16));
                    counts[n] = n == 0 ? box_extents[0] : (box_extents[n] + steps[n] - 1) / steps[n];
                    at.c[n] = (int)random(6) - 2;
                    if (n == 0) at.c[0] *= 16 / kind.bytes;
                    to_at.c[n] = at.c[n] < 0 ? 0 : at.c[n];
                    strides[n + 1 < 5 ? n + 1 : 0] = n == 0 ? (extents[0] * kind.bytes + 15) / 16 * 16 + 16 * random(2)
                                                            : strides[n] * extents[n];
                    if (n + 1 == 5) strides[0] = kind.bytes;
                }
                bool nan = kind.real && random(2);
                CUtensorMap map, map_back;
                auto make_map = [&](CUtensorMap *its, void *x) {
                    return cuTensorMapEncodeTiled(
                        its, kind.type, rank, x, extents, strides + 1, box_extents, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                        span == 16 ? CU_TENSOR_MAP_SWIZZLE_NONE : span == 32 ? CU_TENSOR_MAP_SWIZZLE_32B : span == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B,
                        CU_TENSOR_MAP_L2_PROMOTION_NONE,
                        nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
                };
                int made = make_map(&map, d_tensor) + make_map(&map_back, d_back);
                unsigned row = counts[0] * kind.bytes, bytes = row * counts[1] * counts[2] * counts[3] * counts[4];
                unsigned pitch = span > 16 ? span : row;
                cudaMemset(d_back, 0x55, room);
                if (rank == 1) there_and_back<1><<<1, 32>>>(map, map_back, at, to_at, bytes, d_box);
                if (rank == 2) there_and_back<2><<<1, 32>>>(map, map_back, at, to_at, bytes, d_box);
                if (rank == 3) there_and_back<3><<<1, 32>>>(map, map_back, at, to_at, bytes, d_box);
                if (rank == 4) there_and_back<4><<<1, 32>>>(map, map_back, at, to_at, bytes, d_box);
                if (rank == 5) there_and_back<5><<<1, 32>>>(map, map_back, at, to_at, bytes, d_box);
                int failed = cudaMemcpy(found, d_box, most, cudaMemcpyDeviceToHost);
                failed += cudaMemcpy(back, d_back, room, cudaMemcpyDeviceToHost);
                memset(box, 0xee, most);
                memset(want, 0x55, room);
                unsigned rows = counts[1] * counts[2] * counts[3] * counts[4];
                for (unsigned r = 0; r < rows; r++) {
                    long long offset = 0, to_offset = 0, rest = r;
                    bool inside = true, to_inside = true;
                    for (int n = 1; n < rank; n++) {
                        long long step = rest % counts[n] * steps[n];
                        long long index = at.c[n] + step, to_index = to_at.c[n] + step;
                        rest /= counts[n];
                        inside = inside && index >= 0 && index < (long long)extents[n];
                        to_inside = to_inside && to_index < (long long)extents[n];
                        offset += index * (long long)strides[n];
                        to_offset += to_index * (long long)strides[n];
                    }
                    for (unsigned i = 0; i < row; i++) {
                        long long index = at.c[0] + (int)i / kind.bytes;
                        unsigned place = r * pitch + i;
                        place ^= place / 128 % (span / 16) * 16;
                        if (inside && index >= 0 && index < (long long)extents[0]) {
                            box[place] = tensor[offset + (long long)at.c[0] * kind.bytes + i];
                        } else {
                            box[place] = !nan ? 0 : i % 2 ? 0x7f : 0xf7;
                        }
                        // The first element of the 16 bytes decides.
                        long long first = to_at.c[0] + (int)i / 16 * 16 / kind.bytes;
                        if (to_inside && first < (long long)extents[0])
                            want[to_offset + (long long)to_at.c[0] * kind.bytes + i] = box[place];
                    }
                }
                bool same = made == 0 && failed == 0 && memcmp(box, found, most) == 0 && memcmp(want, back, room) == 0;
                if (!same) printf("rank %d, span %d, %d bytes: %d %d, box %d, back %d\n", rank, span, kind.bytes, made, failed, memcmp(box, found, most), memcmp(want, back, room));
                wrong += !same;
                done++;
            }
        }
    }
    printf("%d layouts, %d wrong\n", done, wrong);
    cudaFree(d_tensor);
    cudaFree(d_back);
    cudaFree(d_box);
}
