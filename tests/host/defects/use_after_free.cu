// note: It was freed at line 10.
//> 5
struct Node { int value; Node *next; };
int main() {
    Node *list = nullptr;
    for (int i = 0; i < 5; i++) list = new Node{i, list};
    int count = 0;
    for (Node *n = list; n; count++) {
        Node *next = n->next;
        delete n;
#ifdef FIXED
        n = next;
#else
        n = n->next; //~ H002
#endif
        (void)next;
    }
    printf("%d\n", count);
}
