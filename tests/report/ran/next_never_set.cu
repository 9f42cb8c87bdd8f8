#include <cstdio>
#include <memory>

struct Node {
    int value;
    Node *next;
};

int main() {
    auto first = std::unique_ptr<Node>(new Node);
    first->value = 3;
    int length = 0;
    for (Node *p = first.get(); p; p = p->next) length++;
    printf("%d\n", length);
}
