// Looks at the next block, not at the one before.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

struct Block {
    char *start;
    size_t bytes;
    bool in_use;
    char *segment; // what cudaMalloc gave, of which it is a part
};

class Cache {
  public:
    size_t reserved = 0; // bytes that it has from cudaMalloc

    // How many blocks there are, in use and free.
    size_t count() const {
        return blocks.size();
    }

    // Device memory of at least so many bytes, at a multiple of 256.
    void *allocate(size_t bytes) {
        // With sizes that are multiples of 256, what is left of a block begins at one.
        bytes = (bytes + 255) / 256 * 256;

        size_t best = blocks.size();
        for (size_t i = 0; i < blocks.size(); i++) {
            bool fits = !blocks[i].in_use && blocks[i].bytes >= bytes;
            if (fits && (best == blocks.size() || blocks[i].bytes < blocks[best].bytes)) {
                best = i;
            }
        }
        if (best == blocks.size()) {
            char *segment;
            CHECK(cudaMalloc(&segment, bytes)); //~ leak
            reserved += bytes;
            blocks.push_back({segment, bytes, false, segment});
        }

        Block &block = blocks[best];
        block.in_use = true;
        char *start = block.start;
        if (block.bytes > bytes) {
            Block rest = {start + bytes, block.bytes - bytes, false, block.segment};
            block.bytes = bytes;
            // Behind it, so that neighbours in memory are neighbours here.
            blocks.insert(blocks.begin() + best + 1, rest);
        }
        return start;
    }

    // The block is not needed any more. It is joined with free neighbours.
    void release(void *start) {
        size_t i = 0;
        while (blocks[i].start != start) {
            i++;
        }
        blocks[i].in_use = false;
        join_with_next(i);
    }

    // Frees the segments of which nobody uses a part.
    void empty() {
        for (size_t i = 0; i < blocks.size();) {
            const Block &block = blocks[i];
            // A free block is its whole segment if no neighbour is of the same.
            bool first = i == 0 || blocks[i - 1].segment != block.segment;
            bool last = i + 1 == blocks.size() || blocks[i + 1].segment != block.segment;
            if (!block.in_use && first && last) {
                CHECK(cudaFree(block.segment));
                reserved -= block.bytes;
                blocks.erase(blocks.begin() + i);
            } else {
                i++;
            }
        }
    }

  private:
    // In the order of their segments, and inside of these of their addresses.
    std::vector<Block> blocks;

    void join_with_next(size_t i) {
        bool both = i + 1 < blocks.size() && blocks[i].segment == blocks[i + 1].segment &&
                    !blocks[i].in_use && !blocks[i + 1].in_use;
        if (both) {
            blocks[i].bytes += blocks[i + 1].bytes;
            blocks.erase(blocks.begin() + i + 1);
        }
    }
};

// Marks both ends of a block as somebody's own. (It writes four ints at once, which
// needs an address that is a multiple of 16.)
__global__ void mark(int *block, size_t last, int owner) {
    *(int4 *)block = make_int4(owner, owner, owner, owner);
    block[last] = owner;
}

// Counts the ends that are not the owner's any more.
__global__ void look(const int *block, size_t last, int owner, int *broken) {
    *broken += (block[0] != owner) + (block[last] != owner);
}

int *make(Cache &cache, size_t count, int owner) {
    int *block = (int *)cache.allocate(count * sizeof(int));
    mark<<<1, 1>>>(block, count - 1, owner);
    CHECK(cudaGetLastError());
    return block;
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 40;
    unsigned random = argc > 2 ? atoi(argv[2]) : 1;
    Cache cache;

    // One matrix, then two of half the size at the same time, then three.
    for (int arrays = 1; arrays <= 3; arrays++) {
        std::vector<int *> blocks;
        for (int i = 0; i < arrays; i++) {
            blocks.push_back(make(cache, 4096 * 2048 / arrays, 7));
        }
        printf("%d at a time: reserved %zu, blocks %zu\n", arrays, cache.reserved, cache.count());
        for (int *block : blocks) {
            cache.release(block);
        }
    }
    printf("released: reserved %zu, blocks %zu\n", cache.reserved, cache.count());
    cache.empty();
    printf("emptied: reserved %zu, blocks %zu\n", cache.reserved, cache.count());

    // A segment of which only one part is in use, and the cache is emptied.
    int *broken, h_broken;
    CHECK(cudaMalloc(&broken, sizeof(int)));
    CHECK(cudaMemset(broken, 0, sizeof(int)));
    cache.release(make(cache, 4096, 7));
    for (int kept = 0; kept < 2; kept++) {
        int *pair[2] = {make(cache, 1000, 1), make(cache, 1000, 1)};
        cache.release(pair[1 - kept]);
        cache.empty();
        printf("one of two in use: reserved %zu, blocks %zu\n", cache.reserved, cache.count());
        look<<<1, 1>>>(pair[kept], 999, 1, broken);
        CHECK(cudaGetLastError());
        cache.release(pair[kept]);
    }

    // All of a segment but 256 bytes, the smallest rest there can be.
    int *most = make(cache, 4096 - 64, 1);
    printf("all but 256 bytes: reserved %zu, blocks %zu\n", cache.reserved, cache.count());
    cache.release(most);
    cache.empty();

    // Users who come and go as they like. A large block has been here before them.
    const int USERS = 8;
    int *block[USERS] = {};
    size_t count[USERS];
    cache.release(make(cache, 800000, 7));
    for (int step = 1; step <= steps; step++) {
        random = random * 1664525 + 1013904223;
        int user = (random >> 24) % USERS;
        if (block[user]) {
            look<<<1, 1>>>(block[user], count[user] - 1, 100 + user, broken);
            CHECK(cudaGetLastError());
            cache.release(block[user]);
            block[user] = nullptr;
        } else {
            random = random * 1664525 + 1013904223;
            count[user] = 4 + (random >> 8) % 300000;
            block[user] = make(cache, count[user], 100 + user);
        }
        if (step % 10 == 0) {
            printf("step %d: reserved %zu, blocks %zu\n", step, cache.reserved, cache.count());
        }
        if (step % 20 == 15) {
            cache.empty();
            printf("emptied: reserved %zu, blocks %zu\n", cache.reserved, cache.count());
        }
    }
    for (int user = 0; user < USERS; user++) {
        if (block[user]) {
            cache.release(block[user]);
        }
    }
    printf("released: reserved %zu, blocks %zu\n", cache.reserved, cache.count());
    cache.empty();
    CHECK(cudaMemcpy(&h_broken, broken, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(broken));
    printf("emptied: reserved %zu, broken %d\n", cache.reserved, h_broken);
}
