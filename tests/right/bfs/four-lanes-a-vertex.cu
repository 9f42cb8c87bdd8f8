// Four lanes have a vertex, one for each edge; it is claimed by atomicMin() of unsigned numbers.
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
    int lane = threadIdx.x % 4, count = counts[level];
    for (int i = (blockIdx.x * 64 + threadIdx.x) / 4; i < count; i += gridDim.x * 16) {
        int from = frontier[i];
        for (int e = offsets[from] + lane; e < offsets[from + 1]; e += 4) {
            int to = targets[e];
            if (atomicMin((unsigned *)&distance[to], (unsigned)level + 1) == 0xffffffffu)
                next[atomicAdd(&counts[level + 1], 1)] = to;
        }
    }
}
