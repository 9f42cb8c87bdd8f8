// malloc and free on the device, and new and delete.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = i * 6 + 5
struct alignas(64) Wide {
    int values[16];
};
struct Node {
    int value;
    Node *next;
};
extern "C" __global__ void allocate(int *y) {
    int i = threadIdx.x;
    Node *list = nullptr;
    for (int k = 0; k < 3; k++) {
        list = new Node{i * 2 + k, list};
    }
    int *extra = (int *)malloc(2 * sizeof(int));
    extra[0] = 1;
    extra[1] = 1;
    int total = extra[0] + extra[1];
    free(extra);
    Wide *wide = new Wide[2];
    wide[1].values[3] = (unsigned long long)wide % 64;
    total += wide[1].values[3];
    delete[] wide;
    while (list) {
        Node *next = list->next;
        total += list->value;
        delete list;
        list = next;
    }
    y[i] = total;
}
