// bfs: how many steps it takes from vertex 0 to each other vertex.
//
// Launched nine times:
//   1. prepare(…)                     one block
//   2. expand(…, queue_a, queue_b, counts, 0)
//   3. expand(…, queue_b, queue_a, counts, 1)
//   …  and so on, to level 7          4 blocks of 64 threads each
//
// offsets, targets: the graph. The edges of vertex v lead to targets[e], for
//     e from offsets[v] to offsets[v + 1] - 1.
// distance: -1 where no path was found yet.
// counts: how many vertices each level has. That of level 0 is 1, the others
//     begin at 0.
//
// prepare is written already.

// Builds the graph, with a running sum of how many edges each vertex has, and sets
// everything to its initial value.
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

// One level: for each edge that leads from a vertex of the frontier to one not
// seen before, that vertex gets the distance level + 1, and a place in next.
// frontier: the counts[level] vertices whose distance is level.
// next:     room for those of level + 1; counts[level + 1] says how many.
extern "C" __global__ void expand(const int *offsets, const int *targets, int *distance,
                                  const int *frontier, int *next, int *counts, int level) {
    // Write here what one thread does.
}
