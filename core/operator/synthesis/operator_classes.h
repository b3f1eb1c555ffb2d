// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/synthesis/graph_builder.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace sparserl {

/// The kind of tensor that flows through a stack of operators.
enum class Stream
{
    Matrix,   ///< [rows, features]
    Sequence, ///< [batch, steps, features]
    Image     ///< [batch, channels, height, width]
};
constexpr unsigned maskOf(Stream stream)
{
    return 1u << static_cast<unsigned>(stream);
}

/// The choices of an operator in a stack.
struct Choice
{
    std::uint64_t draw = 0;   ///< A random number, which is the same at all sizes of a task.
    std::int64_t extent = 16; ///< The number of new features or channels at this size.
};

/// A class of operators, with a name that users of PyTorch know. It has a form for each of its streams.
struct OperatorClass
{
    std::string_view name;
    unsigned streams = 0; ///< The streams to which the class applies, as a sum of maskOf().
    bool last = false;    ///< Whether nothing may be stacked on it, because its result is small.
    /// Appends the calls of the class to a stack whose top is a value of `stream`. Returns the new top.
    int (*append)(GraphBuilder& graph, Stream stream, int top, const Choice& choice);
};

std::span<const OperatorClass> operatorClasses();

} // namespace sparserl
