// Sorted trees under maps and sets: treaps, balanced by priorities that look random and are the same
// in every run. What does not depend on the elements is not a template.
#pragma once
#include <gpulearn/allocator.h>
#include <gpulearn/compare.h>
#include <gpulearn/erase.h>
#include <gpulearn/out_of_range.h>
#include <gpulearn/pair.h>
#include <gpulearn/ranges.h>

namespace std {

// A node; the tree itself is one whose left child is the root, so that it lies after the last.
struct __tree_node {
    __tree_node *parent = nullptr, *left = nullptr, *right = nullptr;
    unsigned priority = ~0u;
};

__noinline__ inline __tree_node *__tree_next(__tree_node *node) {
    if (node->right) {
        for (node = node->right; node->left;) node = node->left;
        return node;
    }
    while (node->parent->right == node) node = node->parent;
    return node->parent;
}
__noinline__ inline __tree_node *__tree_previous(__tree_node *node) {
    if (node->left) {
        for (node = node->left; node->right;) node = node->right;
        return node;
    }
    while (node->parent->left == node) node = node->parent;
    return node->parent;
}
inline void __tree_replace(__tree_node *node, __tree_node *with) {
    (node->parent->left == node ? node->parent->left : node->parent->right) = with;
    if (with) with->parent = node->parent;
}
// `child` comes up to where its parent is; the order stays.
__noinline__ inline void __tree_rotate_up(__tree_node *child) {
    __tree_node *parent = child->parent;
    __tree_replace(parent, child);
    __tree_node *&from = parent->left == child ? child->right : child->left;
    (parent->left == child ? parent->left : parent->right) = from;
    if (from) from->parent = parent;
    from = parent;
    parent->parent = child;
}
__noinline__ inline void __tree_link(__tree_node *node, __tree_node *parent, bool left, unsigned number) {
    // The finaliser of MurmurHash3 (Austin Appleby, public domain) on a count.
    unsigned h = number * 0x9e3779b9u;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    node->priority = (h ^ h >> 16) >> 1;
    node->parent = parent;
    node->left = node->right = nullptr;
    (left ? parent->left : parent->right) = node;
    while (node->parent->priority < node->priority) __tree_rotate_up(node);
}
__noinline__ inline void __tree_unlink(__tree_node *node) {
    while (node->left && node->right)
        __tree_rotate_up(node->left->priority > node->right->priority ? node->left : node->right);
    __tree_replace(node, node->left ? node->left : node->right);
}

template <class T>
struct __tree_value : __tree_node {
    T value;
    template <class... A>
    explicit __tree_value(in_place_t, A &&...args) : value(static_cast<A &&>(args)...) {}
};

template <class T>
struct __tree_iterator {
    using iterator_category = bidirectional_iterator_tag;
    using value_type = remove_const_t<T>;
    using difference_type = ptrdiff_t;
    using pointer = T *;
    using reference = T &;
    __tree_node *node = nullptr;

    __tree_iterator() = default;
    explicit __tree_iterator(__tree_node *n) : node(n) {}
    template <class U, class = enable_if_t<is_same<const U, T>::value>>
    __tree_iterator(__tree_iterator<U> other) : node(other.node) {}
    T &operator*() const { return static_cast<__tree_value<value_type> *>(node)->value; }
    T *operator->() const { return &**this; }
    __tree_iterator &operator++() { node = __tree_next(node); return *this; }
    __tree_iterator operator++(int) {
        __tree_iterator before = *this;
        ++*this;
        return before;
    }
    __tree_iterator &operator--() { node = __tree_previous(node); return *this; }
    __tree_iterator operator--(int) {
        __tree_iterator before = *this;
        --*this;
        return before;
    }
    friend bool operator==(__tree_iterator a, __tree_iterator b) { return a.node == b.node; }
    friend bool operator!=(__tree_iterator a, __tree_iterator b) { return a.node != b.node; }
};

// T has its key in `Key::of(value)`; `multi`: equal keys may be there more than once.
template <class T, class K, class Key, class Less, bool multi>
class __tree {
    using Node = __tree_value<T>;
    __tree_node head;
    size_t nodes = 0;
    unsigned made = 0;

  protected:
    Less less;

    static const K &key_of(__tree_node *node) { return Key::of(static_cast<Node *>(node)->value); }
    // The first whose key is not less, or greater.
    template <class Q>
    __noinline__ __tree_node *bound(const Q &key, bool upper) const {
        __tree_node *found = const_cast<__tree_node *>(&head);
        for (__tree_node *node = head.left; node;) {
            bool before = upper ? !less(key, key_of(node)) : less(key_of(node), key);
            if (!before) found = node;
            node = before ? node->right : node->left;
        }
        return found;
    }
    template <class Q>
    __tree_node *find_node(const Q &key) const {
        __tree_node *node = bound(key, false);
        return node == &head || less(key, key_of(node)) ? const_cast<__tree_node *>(&head) : node;
    }
    __tree_node *end_node() const { return const_cast<__tree_node *>(&head); }
    // Links a node, unless its key is there.
    __noinline__ pair<__tree_node *, bool> add(Node *node) {
        const K &key = Key::of(node->value);
        __tree_node *parent = &head, *at = head.left;
        bool left = true;
        while (at) {
            parent = at;
            left = less(key, key_of(at));
            at = left ? at->left : at->right;
        }
        if constexpr (!multi) {
            __tree_node *same = left ? (parent == &head || parent == first() ? nullptr : __tree_previous(parent)) : parent;
            if (same && !less(key_of(same), key)) {
                delete node;
                return {same, false};
            }
        }
        __tree_link(node, parent, left, ++made);
        ++nodes;
        return {node, true};
    }
    __tree_node *first() const {
        __tree_node *node = const_cast<__tree_node *>(&head);
        while (node->left) node = node->left;
        return node;
    }

  public:
    using key_type = K;
    using value_type = T;
    using size_type = size_t;
    using difference_type = ptrdiff_t;
    using key_compare = Less;
    using reference = T &;
    using const_reference = const T &;
    // Keys do not change in place.
    using iterator = __tree_iterator<conditional_t<is_same<T, K>::value, const T, T>>;
    using const_iterator = __tree_iterator<const T>;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    __tree() = default;
    explicit __tree(const Less &l) : less(l) {}
    __tree(const __tree &other) : less(other.less) {
        for (const T &value : other) emplace(value);
    }
    __tree(__tree &&other) noexcept { swap(other); }
    ~__tree() { clear(); }
    __tree &operator=(__tree other) noexcept {
        swap(other);
        return *this;
    }
    __noinline__ void swap(__tree &other) noexcept {
        std::swap(head.left, other.head.left);
        if (head.left) head.left->parent = &head;
        if (other.head.left) other.head.left->parent = &other.head;
        std::swap(nodes, other.nodes);
        std::swap(made, other.made);
        std::swap(less, other.less);
    }
    // Down to the leaves and up again, without a stack.
    __noinline__ void clear() noexcept {
        for (__tree_node *node = head.left; node && node != &head;) {
            if (node->left) {
                node = node->left;
            } else if (node->right) {
                node = node->right;
            } else {
                __tree_node *parent = node->parent;
                __tree_replace(node, nullptr);
                delete static_cast<Node *>(node);
                node = parent;
            }
        }
        nodes = 0;
    }

    iterator begin() noexcept { return iterator(first()); }
    iterator end() noexcept { return iterator(&head); }
    const_iterator begin() const noexcept { return const_iterator(first()); }
    const_iterator end() const noexcept { return const_iterator(end_node()); }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }
    reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
    reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
    const_reverse_iterator crbegin() const noexcept { return rbegin(); }
    const_reverse_iterator crend() const noexcept { return rend(); }
    size_t size() const noexcept { return nodes; }
    size_t max_size() const noexcept { return size_t(-1) / 2 / sizeof(Node); }
    bool empty() const noexcept { return nodes == 0; }
    key_compare key_comp() const { return less; }
    auto value_comp() const {
        return [its = less](const T &a, const T &b) { return its(Key::of(a), Key::of(b)); };
    }

    template <class... A>
    conditional_t<multi, iterator, pair<iterator, bool>> emplace(A &&...args) {
        auto [node, fresh] = add(new Node(in_place, static_cast<A &&>(args)...));
        if constexpr (multi) return iterator(node);
        else return {iterator(node), fresh};
    }
    template <class... A>
    iterator emplace_hint(const_iterator, A &&...args) {
        return iterator(add(new Node(in_place, static_cast<A &&>(args)...)).first);
    }
    auto insert(const T &value) { return emplace(value); }
    auto insert(T &&value) { return emplace(std::move(value)); }
    template <class V, class = enable_if_t<__is_constructible(T, V &&)>>
    auto insert(V &&value) {
        return emplace(static_cast<V &&>(value));
    }
    iterator insert(const_iterator at, const T &value) { return emplace_hint(at, value); }
    iterator insert(const_iterator at, T &&value) { return emplace_hint(at, std::move(value)); }
    template <class I, class = __if_iterator<I>>
    void insert(I from, I to) {
        for (; from != to; ++from) emplace(*from);
    }
    void insert(initializer_list<T> list) { insert(list.begin(), list.end()); }
    __noinline__ iterator erase(const_iterator at) {
        __tree_node *next = __tree_next(at.node);
        __tree_unlink(at.node);
        delete static_cast<Node *>(at.node);
        --nodes;
        return iterator(next);
    }
    iterator erase(const_iterator from, const_iterator to) {
        while (from != to) from = erase(from);
        return iterator(to.node);
    }
    size_t erase(const K &key) {
        size_t before = nodes;
        erase(lower_bound(key), upper_bound(key));
        return before - nodes;
    }
    template <class Q = K>
    iterator find(const Q &key) { return iterator(find_node<lookup<Q>>(key)); }
    template <class Q = K>
    const_iterator find(const Q &key) const { return const_iterator(find_node<lookup<Q>>(key)); }
    template <class Q = K>
    size_t count(const Q &key) const { return std::distance(lower_bound(key), upper_bound(key)); }
    template <class Q = K>
    bool contains(const Q &key) const { return find_node<lookup<Q>>(key) != &head; }
    template <class Q = K>
    iterator lower_bound(const Q &key) { return iterator(bound<lookup<Q>>(key, false)); }
    template <class Q = K>
    iterator upper_bound(const Q &key) { return iterator(bound<lookup<Q>>(key, true)); }
    template <class Q = K>
    const_iterator lower_bound(const Q &key) const { return const_iterator(bound<lookup<Q>>(key, false)); }
    template <class Q = K>
    const_iterator upper_bound(const Q &key) const { return const_iterator(bound<lookup<Q>>(key, true)); }
    template <class Q = K>
    pair<iterator, iterator> equal_range(const Q &key) { return {lower_bound(key), upper_bound(key)}; }
    template <class Q = K>
    pair<const_iterator, const_iterator> equal_range(const Q &key) const {
        return {lower_bound(key), upper_bound(key)};
    }
    // Takes what is not here yet; the rest stays there.
    template <class L, bool m>
    void merge(__tree<T, K, Key, L, m> &other) {
        for (auto it = other.begin(); it != other.end();) {
            if (multi || !contains(Key::of(*it))) {
                emplace(std::move(const_cast<T &>(*it)));
                it = other.erase(it);
            } else {
                ++it;
            }
        }
    }
    template <class L, bool m>
    void merge(__tree<T, K, Key, L, m> &&other) { merge(other); }

  private:
    template <class L, class = void>
    struct transparent { enum { value = false }; };
    template <class L>
    struct transparent<L, void_t<typename L::is_transparent>> { enum { value = true }; };
    // What is looked for is made a key once, unless the order takes any type.
    template <class Q>
    using lookup = conditional_t<bool(transparent<Less>::value), Q, K>;
};
template <class T, class K, class Key, class Less, bool multi>
bool operator==(const __tree<T, K, Key, Less, multi> &a, const __tree<T, K, Key, Less, multi> &b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}
template <class T, class K, class Key, class Less, bool multi>
bool operator!=(const __tree<T, K, Key, Less, multi> &a, const __tree<T, K, Key, Less, multi> &b) {
    return !(a == b);
}
template <class T, class K, class Key, class Less, bool multi>
bool operator<(const __tree<T, K, Key, Less, multi> &a, const __tree<T, K, Key, Less, multi> &b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

template <class T, class K, class Key, class Less, bool multi>
bool operator>(const __tree<T, K, Key, Less, multi> &a, const __tree<T, K, Key, Less, multi> &b) {
    return b < a;
}
template <class T, class K, class Key, class Less, bool multi>
bool operator<=(const __tree<T, K, Key, Less, multi> &a, const __tree<T, K, Key, Less, multi> &b) {
    return !(b < a);
}
template <class T, class K, class Key, class Less, bool multi>
bool operator>=(const __tree<T, K, Key, Less, multi> &a, const __tree<T, K, Key, Less, multi> &b) {
    return !(a < b);
}
#if __cplusplus >= 202002L
template <class T, class K, class Key, class Less, bool multi, class Is>
size_t erase_if(__tree<T, K, Key, Less, multi> &from, Is is) {
    return std::__erase_nodes(from, is);
}
#endif

template <class T>
struct __itself {
    static const T &of(const T &value) { return value; }
};
template <class P>
struct __first_of {
    static const auto &of(const P &value) { return value.first; }
};

}  // namespace std
