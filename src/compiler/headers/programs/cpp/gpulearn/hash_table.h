// Hash tables under unordered maps and sets: one list of nodes, in which those of a bucket are
// together. Growth and order are those of common libraries, so that loops over them print the same.
#pragma once
#include <gpulearn/allocator.h>
#include <gpulearn/compare.h>
#include <gpulearn/erase.h>
#include <gpulearn/hash.h>
#include <gpulearn/pair.h>
#include <gpulearn/ranges.h>

namespace std {

struct __hash_node {
    __hash_node *next = nullptr;
    size_t code = 0;
};

// The least of the sizes used that is not below `n`: about doubled primes.
// A template, so that the table is there only where it is used.
template <class Unsigned = unsigned>
__noinline__ size_t __bucket_count(size_t n) {
    static constexpr Unsigned sizes[] = {
        1,        2,        3,         5,         7,         11,        13,         17,         19,        23,       29,
        31,       37,       41,        43,        47,        53,        59,         61,         67,        71,       73,
        79,       83,       89,        97,        103,       109,       113,        127,        137,       139,      149,
        157,      167,      179,       193,       199,       211,       227,        241,        257,       277,      293,
        313,      337,      359,       383,       409,       439,       467,        503,        541,       577,      619,
        661,      709,      761,       823,       887,       953,       1031,       1109,       1193,      1289,     1381,
        1493,     1613,     1741,      1879,      2029,      2179,      2357,       2549,       2753,      2971,     3209,
        3469,     3739,     4027,      4349,      4703,      5087,      5503,       5953,       6427,      6949,     7517,
        8123,     8783,     9497,      10273,     11113,     12011,     12983,      14033,      15173,     16411,    17749,
        19183,    20753,    22447,     24281,     26267,     28411,     30727,      33223,      35933,     38873,    42043,
        45481,    49201,    53201,     57557,     62233,     67307,     72817,      78779,      85229,     92203,    99733,
        107897,   116731,   126271,    136607,    147793,    159871,    172933,     187091,     202409,    218971,   236897,
        256279,   277261,   299951,    324503,    351061,    379787,    410857,     444487,     480881,    520241,   562841,
        608903,   658753,   712697,    771049,    834181,    902483,    976369,     1056323,    1142821,   1236397,  1337629,
        1447153,  1565659,  1693859,   1832561,   1982627,   2144977,   2320627,    2510653,    2716249,   2938679,  3179303,
        3439651,  3721303,  4026031,   4355707,   4712381,   5098259,   5515729,    5967347,    6456007,   6984629,  7556579,
        8175383,  8844859,  9569143,   10352717,  11200489,  12117689,  13109983,   14183539,   15345007,  16601593, 17961079};
    for (Unsigned size : sizes)
        if (size >= n) return size;
    return n | 1;
}

template <class T>
struct __hash_value : __hash_node {
    T value;
    template <class... A>
    explicit __hash_value(in_place_t, A &&...args) : value(static_cast<A &&>(args)...) {}
};
template <class T>
struct __hash_iterator {
    using iterator_category = forward_iterator_tag;
    using value_type = remove_const_t<T>;
    using difference_type = ptrdiff_t;
    using pointer = T *;
    using reference = T &;
    __hash_node *node = nullptr;

    __hash_iterator() = default;
    explicit __hash_iterator(__hash_node *n) : node(n) {}
    template <class U, class = enable_if_t<is_same<const U, T>::value>>
    __hash_iterator(__hash_iterator<U> other) : node(other.node) {}
    T &operator*() const { return static_cast<__hash_value<value_type> *>(node)->value; }
    T *operator->() const { return &**this; }
    __hash_iterator &operator++() { node = node->next; return *this; }
    __hash_iterator operator++(int) {
        __hash_iterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(__hash_iterator a, __hash_iterator b) { return a.node == b.node; }
    friend bool operator!=(__hash_iterator a, __hash_iterator b) { return a.node != b.node; }
};

template <class T, class K, class Key, class Hash, class Same>
class __hash_table {
    using Node = __hash_value<T>;
    // Before each bucket's first node; the list begins after `head`.
    __hash_node **buckets = &single;
    size_t bucket_number = 1;
    __hash_node head;
    size_t nodes = 0;
    size_t grow_at = 0;
    __hash_node *single = nullptr;
    float most = 1;
    Hash hasher;
    Same same;

    __hash_node **make(size_t n) {
        if (n == 1) {
            single = nullptr;
            return &single;
        }
        __hash_node **fresh = allocator<__hash_node *>().allocate(n);
        std::fill(fresh, fresh + n, nullptr);
        return fresh;
    }
    void drop_buckets() {
        if (buckets != &single) ::operator delete(buckets);
    }
    __noinline__ void link(__hash_node *node) {
        __hash_node *&before = buckets[node->code % bucket_number];
        if (before) {
            node->next = before->next;
            before->next = node;
        } else {
            node->next = head.next;
            head.next = node;
            if (node->next) buckets[node->next->code % bucket_number] = node;
            before = &head;
        }
    }
    __noinline__ void resize(size_t n) {
        __hash_node **old = buckets == &single ? nullptr : buckets;
        buckets = make(n);
        ::operator delete(old);
        bucket_number = n;
        __hash_node *node = head.next;
        head.next = nullptr;
        while (node) {
            __hash_node *next = node->next;
            link(node);
            node = next;
        }
        grow_at = size_t(n * double(most));
    }
    template <class Q>
    __noinline__ __hash_node *find_node(const Q &key, size_t code) const {
        size_t bucket = code % bucket_number;
        if (!buckets[bucket]) return nullptr;
        for (__hash_node *node = buckets[bucket]->next; node && node->code % bucket_number == bucket; node = node->next)
            if (node->code == code && same(key, Key::of(static_cast<Node *>(node)->value))) return node;
        return nullptr;
    }
    __hash_node *find_key(const K &key) const { return find_node(key, hasher(key)); }
    __noinline__ __hash_node *add(__hash_node *node, size_t code) {
        if (nodes + 1 > grow_at) {
            double wanted = (nodes + 1 > (grow_at ? 0 : 11) ? nodes + 1 : 11) / double(most);
            if (wanted >= bucket_number) {
                size_t n = size_t(wanted) + 1;
                resize(__bucket_count<>(n > 2 * bucket_number ? n : 2 * bucket_number));
            } else {
                grow_at = size_t(bucket_number * double(most));
            }
        }
        node->code = code;
        link(node);
        ++nodes;
        return node;
    }

  public:
    using key_type = K;
    using value_type = T;
    using size_type = size_t;
    using difference_type = ptrdiff_t;
    using hasher_type = Hash;
    using key_equal = Same;
    using iterator = __hash_iterator<conditional_t<is_same<T, K>::value, const T, T>>;
    using const_iterator = __hash_iterator<const T>;

    __hash_table() = default;
    explicit __hash_table(size_t n, const Hash &h = Hash(), const Same &s = Same()) : hasher(h), same(s) {
        if (n > 1) resize(__bucket_count<>(n));
    }
    __hash_table(const __hash_table &other) : most(other.most), hasher(other.hasher), same(other.same) {
        if (other.bucket_number > 1) resize(other.bucket_number);
        // In the same order.
        __hash_node *last = &head;
        for (__hash_node *from = other.head.next; from; from = from->next) {
            Node *node = new Node(in_place, static_cast<Node *>(from)->value);
            node->code = from->code;
            last->next = node;
            __hash_node *&before = buckets[node->code % bucket_number];
            if (!before) before = last;
            last = node;
        }
        nodes = other.nodes;
        grow_at = other.grow_at;
    }
    __hash_table(__hash_table &&other) noexcept { swap(other); }
    ~__hash_table() {
        clear();
        drop_buckets();
    }
    __hash_table &operator=(__hash_table other) noexcept {
        swap(other);
        return *this;
    }
    __noinline__ void swap(__hash_table &other) noexcept {
        bool mine = buckets == &single, theirs = other.buckets == &other.single;
        std::swap(buckets, other.buckets);
        std::swap(single, other.single);
        if (theirs) buckets = &single;
        if (mine) other.buckets = &other.single;
        std::swap(bucket_number, other.bucket_number);
        std::swap(head.next, other.head.next);
        std::swap(nodes, other.nodes);
        std::swap(grow_at, other.grow_at);
        std::swap(most, other.most);
        std::swap(hasher, other.hasher);
        std::swap(same, other.same);
        if (head.next) buckets[head.next->code % bucket_number] = &head;
        if (other.head.next) other.buckets[other.head.next->code % other.bucket_number] = &other.head;
    }
    __noinline__ void clear() noexcept {
        for (__hash_node *node = head.next; node;) {
            __hash_node *next = node->next;
            delete static_cast<Node *>(node);
            node = next;
        }
        head.next = nullptr;
        nodes = 0;
        std::fill(buckets, buckets + bucket_number, nullptr);
    }

    iterator begin() noexcept { return iterator(head.next); }
    iterator end() noexcept { return iterator(); }
    const_iterator begin() const noexcept { return const_iterator(head.next); }
    const_iterator end() const noexcept { return const_iterator(); }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }
    size_t size() const noexcept { return nodes; }
    bool empty() const noexcept { return nodes == 0; }
    size_t bucket_count() const noexcept { return bucket_number; }
    size_t bucket(const K &key) const { return hasher(key) % bucket_number; }
    size_t max_size() const noexcept { return size_t(-1) / 2 / sizeof(Node); }
    Hash hash_function() const { return hasher; }
    Same key_eq() const { return same; }
    float load_factor() const noexcept { return float(nodes) / float(bucket_number); }
    float max_load_factor() const noexcept { return most; }
    void max_load_factor(float m) { most = m; }
    void reserve(size_t n) { rehash(size_t(n / double(most)) + (n / double(most) > size_t(n / double(most)))); }
    void rehash(size_t n) {
        size_t least = size_t(nodes / double(most)) + 1;
        resize(__bucket_count<>(n > least ? n : least));
    }

    template <class... A>
    pair<iterator, bool> emplace(A &&...args) {
        Node *node = new Node(in_place, static_cast<A &&>(args)...);
        const K &key = Key::of(node->value);
        size_t code = hasher(key);
        if (__hash_node *found = find_node(key, code)) {
            delete node;
            return {iterator(found), false};
        }
        return {iterator(add(node, code)), true};
    }
    template <class... A>
    iterator emplace_hint(const_iterator, A &&...args) {
        return emplace(static_cast<A &&>(args)...).first;
    }
    iterator insert(const_iterator, const T &value) { return emplace(value).first; }
    pair<iterator, bool> insert(const T &value) { return emplace(value); }
    pair<iterator, bool> insert(T &&value) { return emplace(std::move(value)); }
    template <class V, class = enable_if_t<__is_constructible(T, V &&)>>
    pair<iterator, bool> insert(V &&value) {
        return emplace(static_cast<V &&>(value));
    }
    template <class I, class = __if_iterator<I>>
    void insert(I from, I to) {
        for (; from != to; ++from) emplace(*from);
    }
    void insert(initializer_list<T> list) { insert(list.begin(), list.end()); }
    __noinline__ iterator erase(const_iterator at) {
        __hash_node *node = at.node, *next = node->next;
        size_t bucket = node->code % bucket_number;
        __hash_node *before = buckets[bucket];
        while (before->next != node) before = before->next;
        size_t next_bucket = next ? next->code % bucket_number : bucket_number;
        if (buckets[bucket] == before && next_bucket != bucket) buckets[bucket] = nullptr;
        if (next && next_bucket != bucket) buckets[next_bucket] = before;
        before->next = next;
        delete static_cast<Node *>(node);
        --nodes;
        return iterator(next);
    }
    iterator erase(const_iterator from, const_iterator to) {
        while (from != to) from = erase(from);
        return iterator(to.node);
    }
    size_t erase(const K &key) {
        __hash_node *node = find_key(key);
        if (!node) return 0;
        erase(const_iterator(node));
        return 1;
    }
    iterator find(const K &key) { return iterator(find_key(key)); }
    const_iterator find(const K &key) const { return const_iterator(find_key(key)); }
    size_t count(const K &key) const { return find_key(key) != nullptr; }
    bool contains(const K &key) const { return find_key(key) != nullptr; }
    pair<iterator, iterator> equal_range(const K &key) {
        iterator found = find(key);
        return {found, found == end() ? found : std::next(found)};
    }
    pair<const_iterator, const_iterator> equal_range(const K &key) const {
        const_iterator found = find(key);
        return {found, found == end() ? found : std::next(found)};
    }
    // Takes what is not here yet; the rest stays there.
    template <class H, class S>
    void merge(__hash_table<T, K, Key, H, S> &other) {
        for (auto it = other.begin(); it != other.end();) {
            if (!contains(Key::of(*it))) {
                emplace(std::move(const_cast<T &>(*it)));
                it = other.erase(it);
            } else {
                ++it;
            }
        }
    }
    template <class H, class S>
    void merge(__hash_table<T, K, Key, H, S> &&other) { merge(other); }
};
template <class T, class K, class Key, class Hash, class Same>
bool operator==(const __hash_table<T, K, Key, Hash, Same> &a, const __hash_table<T, K, Key, Hash, Same> &b) {
    if (a.size() != b.size()) return false;
    for (const T &value : a) {
        auto found = b.find(Key::of(value));
        if (found == b.end() || !(*found == value)) return false;
    }
    return true;
}
template <class T, class K, class Key, class Hash, class Same>
bool operator!=(const __hash_table<T, K, Key, Hash, Same> &a, const __hash_table<T, K, Key, Hash, Same> &b) {
    return !(a == b);
}
#if __cplusplus >= 202002L
template <class T, class K, class Key, class Hash, class Same, class Is>
size_t erase_if(__hash_table<T, K, Key, Hash, Same> &from, Is is) {
    return std::__erase_nodes(from, is);
}
#endif

}  // namespace std
