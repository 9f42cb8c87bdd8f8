//> none
struct Item { int pad[3]; int value; };
__attribute__((noinline)) Item *find(int key) { return key == 3 ? new Item{} : nullptr; }
int main() {
    Item *item = find(4);
#ifdef FIXED
    if (item) item->value = 1;
#else
    item->value = 1; //~ H005
#endif
    printf("none\n");
}
