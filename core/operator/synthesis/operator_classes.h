// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/synthesis/graph_builder.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace sparserl {

/// What flows through a stack of operators.
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

/// What an operator of a stack may choose, the same at all sizes of a task.
struct Choice
{
    std::uint64_t draw = 0;   ///< Any number.
    std::int64_t extent = 16; ///< Of new features or channels at this size.
};

/// A class of operators as PyTorch's users name them, in all forms it has for a stream.
struct OperatorClass
{
    std::string_view name;
    unsigned streams = 0; ///< maskOf() those it takes.
    bool last = false;    ///< Nothing is stacked on it: its result is small.
    /// Appends its calls to a stack whose top is a value of `stream`, and returns the new top.
    int (*append)(GraphBuilder& graph, Stream stream, int top, const Choice& choice);
};

std::span<const OperatorClass> operatorClasses();

} // namespace sparserl
