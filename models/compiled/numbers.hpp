// Arithmetic of arrays, and the functions of Python and NumPy that compiled functions use.
#pragma once

#include <cmath>

#include "arrays.hpp"

namespace backbeat {

template <class A> auto first_entry(const A& a) {
    if constexpr (is_array<A>) {
        return typename A::Entry{};
    } else {
        return a;
    }
}
template <class A, class B, class F> auto combine(const A& a, const B& b, F f) {
    using T = decltype(f(first_entry(a), first_entry(b)));
    auto make = [&] {
        if constexpr (is_array<A>) {
            return empty_like<T>(a);
        } else {
            return empty_like<T>(b);
        }
    };
    auto out = make();
    each(out, [&](auto& x, auto... i) { x = f(entry(a, i...), entry(b, i...)); });
    return out;
}

#define BACKBEAT_OPERATOR(SIGN)                                                         \
    template <class A, class B, class = std::enable_if_t<is_array<A> || is_array<B>>>   \
    auto operator SIGN(const A& a, const B& b) {                                        \
        return combine(a, b, [](auto x, auto y) { return x SIGN y; });                  \
    }                                                                                   \
    template <class A, class B, class = std::enable_if_t<is_array<A>>>                  \
    void operator SIGN##=(const A& a, const B& b) {                                     \
        each(a, [&](auto& x, auto... i) { x = x SIGN entry(b, i...); });                \
    }
BACKBEAT_OPERATOR(+)
BACKBEAT_OPERATOR(-)
BACKBEAT_OPERATOR(*)
#undef BACKBEAT_OPERATOR
template <class A, class = std::enable_if_t<is_array<A>>> auto operator-(const A& a) {
    return -1.0 * a;
}

// Quotients of whole numbers are fractions, as in Python.
template <class A, class B> auto divide(const A& a, const B& b) {
    if constexpr (is_array<A> || is_array<B>) {
        return combine(a, b, [](auto x, auto y) { return divide(x, y); });
    } else {
        return static_cast<double>(a) / static_cast<double>(b);
    }
}
inline auto operator~(const Array<bool, 1>& a) {
    auto out = empty_like<bool>(a);
    each(out, [&](bool& x, Int i) { x = !a(i); });
    return out;
}
inline auto operator&(const Array<bool, 1>& a, const Array<bool, 1>& b) {
    auto out = empty_like<bool>(a);
    each(out, [&](bool& x, Int i) { x = a(i) && b(i); });
    return out;
}
inline Int floor_divide(Int a, Int b) {
    Int q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
inline Int modulo(Int a, Int b) { return a - b * floor_divide(a, b); }
inline double modulo(double a, double b) {
    double r = std::fmod(a, b);
    return r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r;
}
template <class T> auto square(const T& x) { return x * x; }

// As Python has them: the first, where nothing is beyond it or anything is no number.
template <class A, class B> auto larger(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(b) > static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B> auto smaller(A a, B b) {
    using T = std::common_type_t<A, B>;
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B, class... C> auto max(A a, B b, C... more) {
    if constexpr (sizeof...(C) == 0) {
        return larger(a, b);
    } else {
        return max(larger(a, b), more...);
    }
}
template <class A, class B, class... C> auto min(A a, B b, C... more) {
    if constexpr (sizeof...(C) == 0) {
        return smaller(a, b);
    } else {
        return min(smaller(a, b), more...);
    }
}
template <class T> auto abs(T x) { return x < 0 ? -x : (x == 0 ? T(0) : x); }
inline double abs(double x) { return std::fabs(x); }

template <class A> auto copy(const A& a) {
    auto out = empty_like<typename A::Entry>(a);
    put(out, a);
    return out;
}
template <class T, int N> auto ravel(const Array<T, N>& a) {
    return Array<T, 1>{a.data, {a.size()}};
}
template <class A> auto transpose_array(const A& a) {
    Strided<typename A::Entry, A::ndim> in = a, out = a;
    for (int i = 0; i < A::ndim; ++i) {
        out.shape[i] = in.shape[A::ndim - 1 - i];
        out.strides[i] = in.strides[A::ndim - 1 - i];
    }
    return out;
}
// a.T of an array; named tuples may have an entry of that name.
template <class A> auto transpose(const A& a) {
    if constexpr (is_array<A>) {
        return transpose_array(a);
    } else {
        return a.T;
    }
}
template <class A> bool any(const A& a) {
    bool found = false;
    each(a, [&](auto& x, auto...) { found = found || x; });
    return found;
}
template <class A> bool all(const A& a) {
    bool every = true;
    each(a, [&](auto& x, auto...) { every = every && x; });
    return every;
}
template <class A, class B> auto matmul(const A& a, const B& b) {
    if constexpr (A::ndim == 1 && B::ndim == 1) {
        double s = 0.0;
        for (Int k = 0; k < a.shape[0]; ++k) s += a(k) * b(k);
        return s;
    } else if constexpr (B::ndim == 1) {
        auto out = empty<double>(a.shape[0]);
        for (Int i = 0; i < a.shape[0]; ++i) out(i) = matmul(a(i), b);
        return out;
    } else {
        auto out = zeros<double>(a.shape[0], b.shape[1]);
        for (Int i = 0; i < a.shape[0]; ++i)
            for (Int k = 0; k < b.shape[0]; ++k)
                for (Int j = 0; j < b.shape[1]; ++j) out(i, j) += a(i, k) * b(k, j);
        return out;
    }
}
// x with A x = b: elimination with partial pivoting.
template <class A, class B> auto solve(const A& matrix, const B& right) {
    auto W = copy(matrix);
    auto x = copy(right);
    const Int n = x.shape[0];
    for (Int k = 0; k < n; ++k) {
        Int p = k;
        for (Int i = k + 1; i < n; ++i)
            if (abs(W(i, k)) > abs(W(p, k))) p = i;
        for (Int j = 0; p != k && j < n; ++j) {
            double t = W(k, j);
            W(k, j) = W(p, j), W(p, j) = t;
        }
        double t = x(k);
        x(k) = x(p), x(p) = t;
        for (Int i = k + 1; i < n; ++i) {
            double m = W(i, k) / W(k, k);
            for (Int j = k; j < n; ++j) W(i, j) -= m * W(k, j);
            x(i) -= m * x(k);
        }
    }
    for (Int i = n - 1; i >= 0; --i) {
        for (Int j = i + 1; j < n; ++j) x(i) -= W(i, j) * x(j);
        x(i) /= W(i, i);
    }
    return x;
}
template <class A, class V> Int searchsorted(const A& a, V value, bool right) {
    Int low = 0, high = a.shape[0];
    while (low < high) {
        Int middle = (low + high) / 2;
        bool before = right ? !(value < a(middle)) : a(middle) < value;
        (before ? low : high) = before ? middle + 1 : middle;
    }
    return low;
}

inline auto eye(Int n) {
    auto a = zeros<double>(n, n);
    for (Int i = 0; i < n; ++i) a(i, i) = 1.0;
    return a;
}

}  // namespace backbeat
