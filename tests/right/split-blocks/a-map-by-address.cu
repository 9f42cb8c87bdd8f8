// A map of blocks by their addresses: the next one is the neighbour.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

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

    size_t count() const {
        return blocks.size();
    }

    void *allocate(size_t bytes) {
        bytes = (bytes + 255) / 256 * 256;

        Block *best = nullptr;
        for (auto &at : blocks) {
            Block &its = at.second;
            if (!its.in_use && its.bytes >= bytes && (!best || its.bytes < best->bytes)) {
                best = &its;
            }
        }
        if (!best) {
            char *segment;
            CHECK(cudaMalloc(&segment, bytes));
            reserved += bytes;
            best = &(blocks[segment] = {segment, bytes, false, segment});
        }
        Block &block = *best;
        block.in_use = true;
        char *start = block.start;
        if (block.bytes > bytes) {
            Block rest = {start + bytes, block.bytes - bytes, false, block.segment};
            block.bytes = bytes;
            blocks[rest.start] = rest;
        }
        return start;
    }

    void release(void *start) {
        auto at = blocks.find((char *)start);
        at->second.in_use = false;
        join_with_next(at);
        if (at != blocks.begin()) {
            join_with_next(std::prev(at));
        }
    }

    void empty() {
        for (auto at = blocks.begin(); at != blocks.end();) {
            const Block &block = at->second;
            auto next = std::next(at);
            bool last = next == blocks.end() || next->second.segment != block.segment;
            if (!block.in_use && block.start == block.segment && last) {
                CHECK(cudaFree(block.segment));
                reserved -= block.bytes;
                blocks.erase(at);
            }
            at = next;
        }
    }

  private:
    std::map<char *, Block> blocks;

    void join_with_next(std::map<char *, Block>::iterator at) {
        auto next = std::next(at);
        if (next != blocks.end() && at->second.segment == next->second.segment &&
            !at->second.in_use && !next->second.in_use) {
            at->second.bytes += next->second.bytes;
            blocks.erase(next);
        }
    }
};

__global__ void mark(int *block, size_t last, int owner) {
    *(int4 *)block = make_int4(owner, owner, owner, owner);
    block[last] = owner;
}

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
