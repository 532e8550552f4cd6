// Calls from Python: arguments become numbers and views, results become objects.
//
// What is declared here of Python is its stable ABI (docs.python.org/3/c-api/stable),
// so that a build needs no headers of Python, and one build serves all versions.
#pragma once

#include <new>
#include <utility>

#include "numbers.hpp"

extern "C" {
struct PyObject;
struct PyThreadState;
using Size = long;
struct Py_buffer {
    void* buf;
    PyObject* obj;
    Size len, itemsize;
    int readonly, ndim;
    char* format;
    Size *shape, *strides, *suboffsets;
    void* internal;
};
using Function = PyObject* (*)(PyObject*, PyObject* const*, Size);
struct PyMethodDef {
    const char* name;
    Function function;
    int flags;
    const char* text;
};
extern PyObject* PyExc_TypeError;
PyObject* PyErr_Occurred();
PyObject* PyErr_Format(PyObject*, const char*, ...);
void PyErr_Clear();
PyObject* Py_BuildValue(const char*, ...);
void Py_DecRef(PyObject*);
int PyObject_GetBuffer(PyObject*, Py_buffer*, int);
void PyBuffer_Release(Py_buffer*);
PyObject* PyObject_GetAttr(PyObject*, PyObject*);
int PyObject_SetAttr(PyObject*, PyObject*, PyObject*);
int PyObject_IsTrue(PyObject*);
Size PyTuple_Size(PyObject*);
PyObject* PyTuple_GetItem(PyObject*, Size);
PyObject* PyTuple_New(Size);
int PyTuple_SetItem(PyObject*, Size, PyObject*);
double PyFloat_AsDouble(PyObject*);
PyObject* PyFloat_FromDouble(double);
long PyLong_AsLong(PyObject*);
PyObject* PyLong_FromLong(long);
PyObject* PyBool_FromLong(long);
PyObject* PyUnicode_InternFromString(const char*);
PyObject* PyCapsule_New(void*, const char*, void (*)(PyObject*));
void* PyCapsule_GetPointer(PyObject*, const char*);
int PyCapsule_IsValid(PyObject*, const char*);
PyObject* PyCFunction_NewEx(PyMethodDef*, PyObject*, PyObject*);
PyObject* PyDict_New();
int PyDict_SetItemString(PyObject*, const char*, PyObject*);
PyThreadState* PyEval_SaveThread();
void PyEval_RestoreThread(PyThreadState*);
}

namespace backbeat {

// PyBUF_STRIDES | PyBUF_FORMAT, PyBUF_C_CONTIGUOUS and METH_FASTCALL of its headers.
constexpr int ANY = 0x0010 | 0x0008 | 0x0004, CONTIGUOUS = ANY | 0x0020, FAST = 0x0080;

template <class T> struct Bound { T content; };

// --- what a type is made of ----------------------------------------------------------

// Named tuples say their entries through `entries(tuple)`, a std::tuple of references.
template <class T> struct Entries;
template <class... T> struct Entries<std::tuple<T...>> {
    static auto of(std::tuple<T...>& t) {
        return std::apply([](auto&... x) { return std::tie(x...); }, t);
    }
};
template <class T> struct Entries {
    static auto of(T& t) { return t.entries(); }
};

template <class T> constexpr int count_arrays();
template <class T> struct Count {
    template <class... X> static constexpr int sum(std::tuple<X&...>*) {
        return (0 + ... + count_arrays<X>());
    }
};
template <class T> struct Count<Bound<T>> {};
template <class T> struct IsBound : std::false_type {};
template <class T> struct IsBound<Bound<T>> : std::true_type {};

template <class T> constexpr int count_arrays() {
    if constexpr (is_number<T> || IsBound<T>::value) {
        return 0;
    } else if constexpr (is_array<T>) {
        return 1;
    } else {
        using E = decltype(Entries<T>::of(std::declval<T&>()));
        return Count<T>::sum(static_cast<E*>(nullptr));
    }
}

// --- from Python ---------------------------------------------------------------------

template <class T> constexpr const char* kind_of() {
    if constexpr (std::is_same_v<T, double>) return "float64";
    if constexpr (std::is_same_v<T, long>) return "int64";
    if constexpr (std::is_same_v<T, int>) return "int32";
    if constexpr (std::is_same_v<T, bool>) return "bool";
}
template <class T> constexpr char format_of() {
    if constexpr (std::is_same_v<T, double>) return 'd';
    if constexpr (std::is_same_v<T, long>) return 'l';
    if constexpr (std::is_same_v<T, int>) return 'i';
    if constexpr (std::is_same_v<T, bool>) return '?';
}
// A name of a type that tells it from all others.
template <class T> const char* signature() { return __PRETTY_FUNCTION__; }

// Looks at objects one after the other, and keeps their memory until it is done.
struct Reader {
    const char *function, *argument;
    Py_buffer* free;

    bool refuse(const char* asked) const {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: %s has to be %s", function, argument, asked);
        return false;
    }
    bool read(PyObject* object, double& out) {
        out = PyFloat_AsDouble(object);
        return out != -1.0 || PyErr_Occurred() == nullptr || refuse("a number");
    }
    bool read(PyObject* object, long& out) {
        out = PyLong_AsLong(object);
        return out != -1 || PyErr_Occurred() == nullptr || refuse("a whole number");
    }
    bool read(PyObject* object, bool& out) {
        int truth = PyObject_IsTrue(object);
        out = truth > 0;
        return truth >= 0;
    }
    template <class T, int N> bool read(PyObject* object, Array<T, N>& out) {
        if (!take<T>(object, CONTIGUOUS, N)) return false;
        const Py_buffer& b = free[-1];
        out.data = static_cast<T*>(b.buf);
        for (int i = 0; i < N; ++i) out.shape[i] = b.shape[i];
        return true;
    }
    template <class T, int N> bool read(PyObject* object, Strided<T, N>& out) {
        if (!take<T>(object, ANY, N)) return false;
        const Py_buffer& b = free[-1];
        out.data = static_cast<T*>(b.buf);
        for (int i = 0; i < N; ++i) {
            out.shape[i] = b.shape[i];
            out.strides[i] = b.strides[i] / static_cast<Size>(sizeof(T));
        }
        return true;
    }
    // Looks at the memory of an array of N dimensions.
    template <class T> bool take(PyObject* object, int asked, int N) {
        if (PyObject_GetBuffer(object, free, asked) != 0) {
            PyErr_Clear();
            return refuse("made of arrays, contiguous in C order");
        }
        const Py_buffer& b = *free++;
        if (b.ndim == N && b.format[0] == format_of<T>() && b.format[1] == 0)
            return true;
        PyErr_Format(PyExc_TypeError,
                     "%s: %s has an array of %d dimensions and format '%s' where it "
                     "has to be %d and %s",
                     function, argument, b.ndim, b.format, N, kind_of<T>());
        return false;
    }
    template <class T> bool read(PyObject* object, T& out) {
        auto entries = Entries<T>::of(out);
        return read_all(object, entries);
    }
    template <class... T> bool read_all(PyObject* object, std::tuple<T&...>& entries) {
        if (PyTuple_Size(object) != static_cast<Size>(sizeof...(T)))
            return refuse("a tuple with other entries");
        Size i = 0;
        return std::apply(
            [&](auto&... x) { return (read(PyTuple_GetItem(object, i++), x) && ...); },
            entries);
    }
};

// An argument, and the memory that it looks at.
template <class T> struct Argument {
    static constexpr int most = count_arrays<T>() > 0 ? count_arrays<T>() : 1;
    T value;
    Py_buffer buffers[most];
    Py_buffer* end = buffers;
    Argument() = default;
    Argument(const Argument&) = delete;
    ~Argument() {
        while (end != buffers) PyBuffer_Release(--end);
    }
    bool read(PyObject* object, const char* function, const char* argument) {
        Reader reader{function, argument, buffers};
        bool good = reader.read(object, value);
        end = reader.free;
        return good;
    }
    const T& get() const { return value; }
};

// Bound arguments are looked at once; the object keeps what was seen.
inline PyObject *seen_name = nullptr, *content_name = nullptr;

template <class T> struct Argument<Bound<T>> {
    PyObject* capsule = nullptr;
    const Bound<T>* value = nullptr;

    Argument() = default;
    Argument(const Argument&) = delete;
    ~Argument() { Py_DecRef(capsule); }
    struct Seen {
        Bound<T> bound;
        Argument<T> content;
    };
    static void forget(PyObject* capsule) {
        delete static_cast<Seen*>(PyCapsule_GetPointer(capsule, signature<T>()));
    }
    bool read(PyObject* object, const char* function, const char* argument) {
        capsule = PyObject_GetAttr(object, seen_name);
        if (capsule == nullptr) return false;
        if (!PyCapsule_IsValid(capsule, signature<T>())) {
            Py_DecRef(capsule);
            capsule = look(object, function, argument);
            if (capsule == nullptr) return false;
        }
        auto* seen = static_cast<Seen*>(PyCapsule_GetPointer(capsule, signature<T>()));
        value = &seen->bound;
        return true;
    }
    static PyObject* look(PyObject* object, const char* function, const char* name) {
        PyObject* content = PyObject_GetAttr(object, content_name);
        if (content == nullptr) return nullptr;
        auto* seen = new (std::nothrow) Seen;
        bool good = seen != nullptr && seen->content.read(content, function, name);
        Py_DecRef(content);
        if (!good) {
            delete seen;
            return nullptr;
        }
        seen->bound.content = seen->content.value;
        PyObject* made = PyCapsule_New(seen, signature<T>(), &forget);
        if (made == nullptr || PyObject_SetAttr(object, seen_name, made) != 0) {
            Py_DecRef(made);
            return nullptr;
        }
        return made;
    }
    const Bound<T>& get() const { return *value; }
};

// --- to Python -----------------------------------------------------------------------

inline PyObject* to_python(double x) { return PyFloat_FromDouble(x); }
inline PyObject* to_python(bool x) { return PyBool_FromLong(x); }
inline PyObject* to_python(long x) { return PyLong_FromLong(x); }
inline PyObject* to_python(int x) { return PyLong_FromLong(x); }
template <class... T> PyObject* to_python(const std::tuple<T...>& t) {
    PyObject* out = PyTuple_New(sizeof...(T));
    Size i = 0;
    std::apply([&](auto... x) { (PyTuple_SetItem(out, i++, to_python(x)), ...); }, t);
    return out;
}

// --- a call --------------------------------------------------------------------------

template <class... T, class F, size_t... I>
PyObject* enter(const char* function, const char* const* names, PyObject* const* given,
                Size count, F f, std::index_sequence<I...>) {
    if (count != static_cast<Size>(sizeof...(T))) {
        return PyErr_Format(PyExc_TypeError, "%s takes %d arguments, %zd were given",
                            function, static_cast<int>(sizeof...(T)), count);
    }
    std::tuple<Argument<T>...> a;
    if (!(std::get<I>(a).read(given[I], function, names[I]) && ...)) return nullptr;
    Mark mark;
    auto work = [&]() -> decltype(auto) { return f(std::get<I>(a).get()...); };
    PyThreadState* state = PyEval_SaveThread();
    if constexpr (std::is_void_v<decltype(work())>) {
        work();
        PyEval_RestoreThread(state);
        return Py_BuildValue("");
    } else {
        auto result = work();
        PyEval_RestoreThread(state);
        return to_python(result);
    }
}

}  // namespace backbeat
