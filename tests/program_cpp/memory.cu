#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

struct Noisy {
    int id;
    Noisy(int i) : id(i) { printf("+%d ", id); }
    virtual ~Noisy() { printf("-%d ", id); }
    virtual int kind() const { return 0; }
};
struct Derived : Noisy {
    Derived(int i) : Noisy(i) {}
    int kind() const override { return 1; }
};
struct FreeDeleter {
    void operator()(void *p) const {
        printf("freed ");
        free(p);
    }
};
struct Node : std::enable_shared_from_this<Node> {
    int value = 5;
    std::shared_ptr<Node> next;
    std::weak_ptr<Node> back;
    ~Node() { printf("node%d ", value); }
};

std::unique_ptr<Noisy> make(int i) { return std::make_unique<Derived>(i); }

int main() {
    {
        auto p = make(1);
        std::unique_ptr<Noisy> q = std::move(p);
        printf("%d %d %d %zu\n", !p, q->kind(), (*q).id, sizeof q);
        q.reset(new Noisy(2));
        Noisy *raw = q.release();
        delete raw;
        std::unique_ptr<int[]> array = std::make_unique<int[]>(4);
        array[2] = 7;
        printf("%d %d\n", array[2], array[0]);
        std::unique_ptr<float, FreeDeleter> mallocd((float *)malloc(16));
        std::unique_ptr<int, void (*)(int *)> custom(new int(3), [](int *x) {
            printf("deleted %d ", *x);
            delete x;
        });
        auto capture = [](void *p) { free(p); };
        std::unique_ptr<void, decltype(capture)> opaque(malloc(8), capture);
        printf("%d\n", *custom);
    }
    printf("\n");
    {
        std::shared_ptr<Noisy> a = std::make_shared<Derived>(3), b = a;
        std::weak_ptr<Noisy> w = b;
        printf("%ld ", a.use_count());
        printf("%d\n", w.lock()->kind());
        a.reset();
        printf("%ld %d\n", b.use_count(), w.expired());
        b = nullptr;
        printf("%d %d\n", w.expired(), w.lock() == nullptr);
        std::shared_ptr<int> deleter(new int(4), [](int *x) {
            printf("custom ");
            delete x;
        });
        std::shared_ptr<Derived> d = std::make_shared<Derived>(6);
        std::shared_ptr<Noisy> up = d;
        auto down = std::static_pointer_cast<Derived>(up);
        printf("%ld %d\n", down.use_count(), up == down);
        std::shared_ptr<Noisy> from = make(8);
        printf("%d\n", from->id);
    }
    printf("\n");
    {
        auto first = std::make_shared<Node>();
        first->next = std::make_shared<Node>();
        first->next->back = first;
        first->next->value = 6;
        auto self = first->shared_from_this();
        printf("%ld ", first.use_count());
        printf("%d\n", first->next->back.lock()->value);
    }
    printf("\n");
    std::vector<std::unique_ptr<Noisy>> owned;
    for (int i = 10; i < 13; ++i) owned.push_back(std::make_unique<Noisy>(i));
    owned.erase(owned.begin());
    printf("%zu\n", owned.size());
    owned.clear();
    alignas(Noisy) unsigned char place[sizeof(Noisy)];
    Noisy *built = new (place) Noisy(20);
    built->~Noisy();
    int *quiet = new (std::nothrow) int(5);
    printf("%d\n", *quiet);
    delete quiet;
    struct alignas(64) Line { char bytes[64]; };
    Line *line = new Line;
    std::vector<Line> lines(3);
    printf("%d %d\n", int(reinterpret_cast<size_t>(line) % 64), int(reinterpret_cast<size_t>(lines.data()) % 64));
    delete line;
}
