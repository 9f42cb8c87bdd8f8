// Elements that a whole device selects by CUB: by a test, by flags, the first of each run, in place, or all of them with
// the selected ones in front; and how long the runs are.
#include <cub/cub.cuh>
#include <cstdio>
#include <vector>

#define CHECK(call)                                            \
    do {                                                       \
        cudaError_t error = call;                              \
        if (error != cudaSuccess) {                            \
            printf("%s: %s\n", #call, cudaGetErrorString(error)); \
            exit(1);                                           \
        }                                                      \
    } while (0)

struct Below {
    int limit;
    explicit Below(int its) : limit(its) {}
    __device__ bool operator()(const int &x) const { return x < limit; }
};

int wrong(const std::vector<int> &wanted, const int *found, int count) {
    int bad = (int)wanted.size() != count;
    for (int i = 0; i < (int)wanted.size() && i < count; i++) bad += wanted[i] != found[i];
    return bad;
}

int main() {
    const int most = 20000;
    int *in, *out, *count, *lengths;
    char *flags;
    void *memory;
    const size_t room = 1 << 20;
    cudaMallocManaged(&in, most * sizeof(int));
    cudaMallocManaged(&out, most * sizeof(int));
    cudaMallocManaged(&lengths, most * sizeof(int));
    cudaMallocManaged(&count, sizeof(int));
    cudaMallocManaged(&flags, most);
    cudaMalloc(&memory, room);
    // One piece of memory that is large enough for all.
    size_t needed = 0, bytes = 0;
    cub::DeviceSelect::If(nullptr, bytes, in, count, most, Below(0));
    needed = bytes > needed ? bytes : needed;
    cub::DeviceRunLengthEncode::Encode(nullptr, bytes, in, out, lengths, count, most);
    needed = bytes > needed ? bytes : needed;
    printf("%s\n", needed <= room ? "one piece of memory for all" : "too small");
    for (int n : {0, 1, 1000, most}) {
        std::vector<int> some, flagged, runs, heads, rest, starts, long_lengths;
        for (int i = 0; i < n; i++) {
            in[i] = i * i / 3 % 11;
            flags[i] = i * 5 % 3 == 1 || i > most / 2;
        }
        for (int i = 0; i < n; i++) {
            (in[i] < 4 ? some : rest).push_back(in[i]);
            if (flags[i]) flagged.push_back(in[i]);
            if (i == 0 || in[i] != in[i - 1]) {
                heads.push_back(in[i]);
                runs.push_back(0);
            }
            if (++runs.back() == 2) starts.push_back(i - 1);
        }
        for (int length : runs)
            if (length > 1) long_lengths.push_back(length);
        size_t bytes = room;
        CHECK(cub::DeviceSelect::If(memory, bytes, in, out, count, n, Below(4)));
        cudaDeviceSynchronize();
        int bad[7] = {wrong(some, out, *count)};
        CHECK(cub::DeviceSelect::Flagged(memory, bytes, in, flags, out, count, n));
        cudaDeviceSynchronize();
        bad[1] = wrong(flagged, out, *count);
        CHECK(cub::DeviceSelect::Unique(memory, bytes, in, out, count, n));
        cudaDeviceSynchronize();
        bad[2] = wrong(heads, out, *count);
        CHECK(cub::DeviceRunLengthEncode::Encode(memory, bytes, in, out, lengths, count, n));
        cudaDeviceSynchronize();
        bad[3] = wrong(heads, out, *count) + wrong(runs, lengths, *count);
        CHECK(cub::DeviceRunLengthEncode::NonTrivialRuns(memory, bytes, in, out, lengths, count, n));
        cudaDeviceSynchronize();
        bad[4] = wrong(starts, out, *count) + wrong(long_lengths, lengths, *count);
        CHECK(cub::DevicePartition::If(memory, bytes, in, out, count, n, Below(4)));
        cudaDeviceSynchronize();
        std::vector<int> all = some;
        for (int i = (int)rest.size(); i-- > 0;) all.push_back(rest[i]);
        bad[5] = wrong(all, out, n) + (*count != (int)some.size());
        CHECK(cub::DeviceSelect::If(memory, bytes, in, count, n, Below(4)));
        cudaDeviceSynchronize();
        bad[6] = wrong(some, in, *count);
        printf("%d: %d selected, %d flagged, %d runs,", n, (int)some.size(), (int)flagged.size(), (int)runs.size());
        for (int which : bad) printf(" %d", which);
        printf(" wrong\n");
    }
    for (int *p : {in, out, count, lengths}) cudaFree(p);
    cudaFree(flags), cudaFree(memory);
}
