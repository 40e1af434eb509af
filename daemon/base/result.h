// Result<T>: a value or an Error, with std::expected's member names (libstdc++ 12 has <expected> only for C++23).
// A function that can fail returns one; the caller looks at it in the next line:
//
//     auto file = MappedFile::open(path);
//     if (!file) return file.error();
//     use(*file);
#pragma once

#include <utility>
#include <variant>

#include "base/error.h"

namespace llmd::base {

template <typename T>
class Result;

// A type that converts to T and has no constructor of its own in Result<T>, for example unique_ptr<Derived> for
// unique_ptr<Base>.
template <typename U, typename T>
concept ConvertsToValue =
    std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
    !std::is_same_v<std::remove_cvref_t<U>, Error> && !std::is_same_v<std::remove_cvref_t<U>, Result<T>>;

template <typename T>
class [[nodiscard]] Result {
public:
    using value_type = T;

    Result(const T& value) : state_(std::in_place_index<0>, value) {}
    Result(T&& value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(const Error& error) : state_(std::in_place_index<1>, error) {}
    Result(Error&& error) : state_(std::in_place_index<1>, std::move(error)) {}
    template <ConvertsToValue<T> U>  // never copies nor moves a Result
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload)
    Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    // Precondition of these: has_value().
    T& operator*() & { return *std::get_if<0>(&state_); }
    const T& operator*() const& { return *std::get_if<0>(&state_); }
    T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
    T* operator->() { return std::get_if<0>(&state_); }
    const T* operator->() const { return std::get_if<0>(&state_); }

    // Precondition: !has_value().
    const Error& error() const& { return *std::get_if<1>(&state_); }
    Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

private:
    std::variant<T, Error> state_;
};

// Success without a value: `return {};`
template <>
class [[nodiscard]] Result<void> {
public:
    using value_type = void;

    Result() = default;
    Result(const Error& error) : error_(error), failed_(true) {}
    Result(Error&& error) : error_(std::move(error)), failed_(true) {}

    bool has_value() const { return !failed_; }
    explicit operator bool() const { return has_value(); }
    const Error& error() const& { return error_; }
    Error&& error() && { return std::move(error_); }

private:
    Error error_;
    bool failed_ = false;
};

}  // namespace llmd::base
