// Threads with nothing in the frontier return; edges go backwards, by a pointer.
extern "C" __global__ void prepare(const int4 *links, int n, int *offsets, int *targets,
                                   int *distance, int *queue, int *counts, int levels) {
    __shared__ int s[256];
    int t = threadIdx.x, edges = 0; // so far
    for (int start = 0; start < n; start += 256) {
        int v = start + t;
        int4 to = v < n ? links[v] : make_int4(-1, -1, -1, -1); // -1: no edge
        int own = (to.x >= 0) + (to.y >= 0) + (to.z >= 0) + (to.w >= 0);
        s[t] = own;
        __syncthreads();
        for (int back = 1; back < 256; back *= 2) {
            int add = t >= back ? s[t - back] : 0;
            __syncthreads();
            s[t] += add;
            __syncthreads();
        }
        int e = edges + s[t] - own;
        edges += s[255];
        __syncthreads();
        if (v < n) {
            offsets[v] = e;
            if (to.x >= 0) targets[e++] = to.x % n;
            if (to.y >= 0) targets[e++] = to.y % n;
            if (to.z >= 0) targets[e++] = to.z % n;
            if (to.w >= 0) targets[e++] = to.w % n;
            distance[v] = v == 0 ? 0 : -1;
        }
    }
    if (t <= levels) {
        counts[t] = t == 0 ? 1 : 0;
    }
    if (t == 0) {
        offsets[n] = edges;
        queue[0] = 0;
    }
}

extern "C" __global__ void expand(const int *offsets, const int *targets, int *distance,
                                  const int *frontier, int *next, int *counts, int level) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    int count = counts[level];
    if (first >= count) {
        return;
    }
    for (int i = count - 1 - first; i >= 0; i -= step) {
        int from = frontier[i];
        const int *begin = targets + offsets[from];
        for (const int *e = targets + offsets[from + 1]; e-- > begin;) {
            int to = *e;
            if (atomicCAS(&distance[to], -1, level + 1) == -1) {
                int place = atomicAdd(&counts[level + 1], 1);
                next[place] = to;
            }
        }
    }
}
