// Arrays and arithmetic as compiled Python functions use them.
//
// Array<T, N> is contiguous in memory (C order), Strided<T, N> need not be. Both are
// views: copies share the numbers, as in NumPy. Memory that a function asks for is taken
// from a stack of its thread, and is given back when the function ends.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>

#if defined(BACKBEAT_CHECKED)
#include <cstdio>
#endif

namespace backbeat {

using Int = long;

// --- memory --------------------------------------------------------------------------

struct Chunk {
    Chunk* next;
    size_t size, used;
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

inline thread_local Chunk* first_chunk = nullptr;
inline thread_local Chunk* chunk = nullptr;

// Memory of at least `size` bytes, which starts where vectors may.
inline void* take(size_t size) {
    size = (size + 63) / 64 * 64;
    while (chunk == nullptr || chunk->used + size > chunk->size) {
        if (chunk != nullptr && chunk->next != nullptr) {
            chunk = chunk->next;
            chunk->used = 0;
            continue;
        }
        size_t most = size > (1 << 20) ? size : (1 << 20);
        auto* made = static_cast<Chunk*>(std::malloc(sizeof(Chunk) + most));
        if (made == nullptr) std::abort();
        *made = {nullptr, most, 0};
        (chunk == nullptr ? first_chunk : chunk->next) = made;
        chunk = made;
    }
    void* start = chunk->bytes() + chunk->used;
    chunk->used += size;
    return start;
}

// Gives back, at the end of a block, what was taken in it.
struct Mark {
    Chunk* at = chunk;
    size_t used = chunk == nullptr ? 0 : chunk->used;
    Mark() = default;
    Mark(const Mark&) = delete;
    ~Mark() {
        chunk = at == nullptr ? first_chunk : at;
        if (chunk != nullptr) chunk->used = at == nullptr ? 0 : used;
    }
};

// --- arrays --------------------------------------------------------------------------

struct Range { Int first, last; };  // first:last
struct From { Int first; };         // first:
struct All {};                      // :

inline Int at_end(Int index, Int size) { return index < 0 ? index + size : index; }

inline void inside([[maybe_unused]] Int index, [[maybe_unused]] Int size) {
#if defined(BACKBEAT_CHECKED)
    if (index < 0 || index >= size) {
        std::fprintf(stderr, "index %ld of an axis of %ld\n", index, size);
        std::abort();
    }
#endif
}

template <class T, int N> struct Array;
template <class T, int N> struct Strided;

template <class X> struct IsArray : std::false_type {};
template <class T, int N> struct IsArray<Array<T, N>> : std::true_type {};
template <class T, int N> struct IsArray<Strided<T, N>> : std::true_type {};
template <class X> constexpr bool is_array = IsArray<std::decay_t<X>>::value;
template <class X> constexpr bool is_number = std::is_arithmetic_v<std::decay_t<X>>;

// A name that is assigned becomes another view; a part that is assigned, as in
// a[i] = b, gets other numbers.
template <class A, class V> void put(const A& a, const V& value);
#define BACKBEAT_ASSIGNMENT(KIND)                                                       \
    KIND& operator=(const KIND&) & = default;                                           \
    void operator=(const KIND& value) && { put(*this, value); }                         \
    template <class V> void operator=(const V& value) && { put(*this, value); }

template <class T, int N> struct Array {
    using Entry = T;
    static constexpr int ndim = N;
    T* data;
    Int shape[N];

    BACKBEAT_ASSIGNMENT(Array)
    Int stride(int axis) const {
        Int s = 1;
        for (int i = axis + 1; i < N; ++i) s *= shape[i];
        return s;
    }
    Int size() const { return shape[0] * stride(0); }
    template <class... I> decltype(auto) operator()(I... index) const {
        constexpr int n = sizeof...(I);
        const Int given[] = {static_cast<Int>(index)...};
        Int offset = 0;
        for (int i = 0; i < n; ++i) {
            inside(given[i], shape[i]);
            offset = offset * shape[i] + given[i];
        }
        if constexpr (n == N) {
            return static_cast<T&>(data[offset]);
        } else {
            Array<T, N - n> part;
            part.data = data + offset * stride(n - 1);
            for (int i = n; i < N; ++i) part.shape[i - n] = shape[i];
            return part;
        }
    }
};

template <class T, int N> struct Strided {
    using Entry = T;
    static constexpr int ndim = N;
    T* data;
    Int shape[N], strides[N];

    Strided() = default;
    Strided(const Strided&) = default;
    Strided(const Array<T, N>& other) : data(other.data) {
        for (int i = 0; i < N; ++i)
            shape[i] = other.shape[i], strides[i] = other.stride(i);
    }
    BACKBEAT_ASSIGNMENT(Strided)
    Int stride(int axis) const { return strides[axis]; }
    Int size() const {
        Int s = 1;
        for (int i = 0; i < N; ++i) s *= shape[i];
        return s;
    }
    template <class... I> decltype(auto) operator()(I... index) const {
        constexpr int n = sizeof...(I);
        const Int given[] = {static_cast<Int>(index)...};
        Int offset = 0;
        for (int i = 0; i < n; ++i) {
            inside(given[i], shape[i]);
            offset += given[i] * strides[i];
        }
        if constexpr (n == N) {
            return static_cast<T&>(data[offset]);
        } else {
            Strided<T, N - n> part;
            part.data = data + offset;
            for (int i = n; i < N; ++i)
                part.shape[i - n] = shape[i], part.strides[i - n] = strides[i];
            return part;
        }
    }
};

// Applies one index or slice to axis `from` of what is left; `to` counts axes kept.
template <class T, int N, int M>
void apply(const Strided<T, N>& a, Strided<T, M>& out, int& from, int&, Int index) {
    inside(index, a.shape[from]);
    out.data += index * a.strides[from++];
}
template <class T, int N, int M>
void apply(const Strided<T, N>& a, Strided<T, M>& out, int& from, int& to, Range r) {
    Int size = a.shape[from], last = at_end(r.last, size);
    Int first = at_end(r.first, size);
    if (last > size) last = size;
    if (first > last) first = last;
    out.data += first * a.strides[from];
    out.shape[to] = last - first;
    out.strides[to++] = a.strides[from++];
}
template <class T, int N, int M>
void apply(const Strided<T, N>& a, Strided<T, M>& out, int& from, int& to, From r) {
    apply(a, out, from, to, Range{r.first, a.shape[from]});
}
template <class T, int N, int M>
void apply(const Strided<T, N>& a, Strided<T, M>& out, int& from, int& to, All) {
    apply(a, out, from, to, Range{0, a.shape[from]});
}

// a[index, ...] where at least one index is a slice.
template <class A, class... I> auto slice(const A& array, I... index) {
    using T = typename A::Entry;
    constexpr int N = A::ndim;
    constexpr int gone = ((std::is_integral_v<I> ? 1 : 0) + ...);
    Strided<T, N> a = array;
    Strided<T, N - gone> out;
    out.data = a.data;
    int from = 0, to = 0;
    (apply(a, out, from, to, index), ...);
    for (; from < N; ++from, ++to)
        out.shape[to] = a.shape[from], out.strides[to] = a.strides[from];
    // Integers, then one slice, leave a contiguous array contiguous.
    constexpr int n = sizeof...(I);
    if constexpr (std::is_same_v<A, Array<T, N>> && gone == n - 1) {
        if constexpr (!std::is_integral_v<std::tuple_element_t<n - 1, std::tuple<I...>>>) {
            Array<T, N - gone> part;
            part.data = out.data;
            for (int i = 0; i < N - gone; ++i) part.shape[i] = out.shape[i];
            return part;
        } else {
            return out;
        }
    } else {
        return out;
    }
}

template <class T, class... I> auto empty(I... shape) {
    Array<T, sizeof...(I)> a{nullptr, {static_cast<Int>(shape)...}};
    a.data = static_cast<T*>(take(sizeof(T) * a.size()));
    return a;
}
template <class T, class... I> auto zeros(I... shape) {
    auto a = empty<T>(shape...);
    std::memset(static_cast<void*>(a.data), 0, sizeof(T) * a.size());
    return a;
}
// An array in memory that the caller has, all of whose sizes are written in the source.
template <class T, class... I> auto within(T* memory, I... shape) {
    return Array<T, sizeof...(I)>{memory, {static_cast<Int>(shape)...}};
}
template <class T, class A> auto empty_like(const A& a) {
    Array<T, A::ndim> out;
    for (int i = 0; i < A::ndim; ++i) out.shape[i] = a.shape[i];
    out.data = static_cast<T*>(take(sizeof(T) * out.size()));
    return out;
}
// --- assignment ----------------------------------------------------------------------

template <class A, class F> void each(const A& a, F f) {
    if constexpr (A::ndim == 1) {
        for (Int i = 0; i < a.shape[0]; ++i) f(a(i), i);
    } else {
        for (Int i = 0; i < a.shape[0]; ++i)
            each(a(i), [&](auto& x, auto... rest) { f(x, i, rest...); });
    }
}
// The entry of an operand that belongs to an index; of fewer axes, the last ones.
template <class V, class... I> auto entry(const V& value, Int i, I... rest) {
    if constexpr (!is_array<V>) {
        return value;
    } else if constexpr (V::ndim == sizeof...(I) + 1) {
        return value(i, rest...);
    } else {
        return entry(value, rest...);
    }
}
// a[...] = value
template <class A, class V> void put(const A& a, const V& value) {
    if constexpr (is_array<V>) static_assert(V::ndim <= A::ndim);
    each(a, [&](auto& x, auto... i) { x = entry(value, i...); });
}
template <size_t I, class... T> auto& item(const std::tuple<T...>& t) {
    return std::get<I>(t);
}
template <size_t I, class T> auto& item(const T& t) {
    return std::get<I>(const_cast<T&>(t).entries());
}

// What a parameter is inside of a function: numbers and views are its own, tuples of
// many arrays stay where they are.
template <class T> auto hold(const T& value)
    -> std::conditional_t<is_number<T> || is_array<T>, T, const T&> {
    return value;
}

}  // namespace backbeat
