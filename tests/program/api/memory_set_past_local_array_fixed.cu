// A local array is set from its middle on, to its end.
#include <cstdio>
#include <cstring>

struct Point {
    int x, y;
};

__global__ void nothing() {}

int main(int argc, char **argv) {
    Point points[8];
    int grid[4][4];
    int half = 4 * argc;
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    // All rows through the first, and those from the second on.
    memset(grid[0], 0, argc * sizeof grid);
    memset(&grid[1][0], 1, 3 * argc * sizeof grid[0]);
    memset(points, 0, argc * sizeof points);
    printf("%d %d %d\n", grid[0][3], grid[3][3], points[7].y);
    memset(points + half, 1, sizeof points / 2);
    printf("%d\n", points[half].x);
}
