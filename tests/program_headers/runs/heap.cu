// The malloc family.
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main() {
    int *a = (int *)malloc(4 * sizeof(int));
    for (int i = 0; i < 4; ++i) a[i] = i * i;
    a = (int *)realloc(a, 1000 * sizeof(int));
    a[999] = 5;
    printf("%d %d %d\n", a[2], a[3], a[999]);
    char *zeros = (char *)calloc(100, 10);
    int sum = 0;
    for (int i = 0; i < 1000; ++i) sum += zeros[i];
    void *aligned = aligned_alloc(256, 512), *other = NULL;
    int status = posix_memalign(&other, 128, 64);
    printf("%d %d %d %d\n", sum, status, (int)((uintptr_t)aligned % 256), (int)((uintptr_t)other % 128));
    printf("%d %d\n", posix_memalign(&other, 3, 64), realloc(NULL, 0) == (void *)1);
    long *numbers = new long[10]();
    struct Node {
        int value;
        Node *next;
    } *list = nullptr;
    for (int i = 0; i < 3; ++i) list = new Node{i, list};
    for (Node *node = list; node;) {
        printf("%d ", node->value);
        Node *next = node->next;
        delete node;
        node = next;
    }
    printf("%ld\n", numbers[9]);
    delete[] numbers;
    free(aligned);
    free(zeros);
    free(NULL);
    free(a);
    return 0;
}

//~ exits: 0
//> 4 9 5
//> 0 0 0 0
//> 22 0
//> 2 1 0 0
