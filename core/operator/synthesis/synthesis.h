// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "operator/synthesis/operator_classes.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

constexpr std::size_t mostStacked = 5;

/// The shares of tasks with 1 to 5 operator classes. They are those of CUDA Agent's set.
inline constexpr std::array<double, mostStacked> defaultMixture{3.4, 83.8, 7.6, 2.8, 1.2};

/// A stack of operators. buildStack() makes a graph of it at any size.
struct OperatorStack
{
    struct Layer
    {
        const OperatorClass* kind = nullptr;
        std::uint64_t draw = 0;
        std::int64_t full = 1024; ///< The number of new features or channels at the full size.
    };
    Stream stream = Stream::Matrix;
    Shape full; ///< The shape of the first input at the full size.
    std::vector<Layer> layers;

    /// Returns the names of the operator classes: "linear relu".
    std::string words() const;
};

/// Draws a stack of `layers` operators, each of which can take the result of the one before it.
OperatorStack drawStack(std::size_t layers, Rng& rng);

/// The sizes of a task.
inline constexpr std::array<const char*, 4> stackSizes{"base", "odd1", "odd3", "full"};
/// Returns the graph of a stack at one of the sizes.
OperatorGraph buildStack(const OperatorStack& stack, const std::string& name, const std::string& size);

} // namespace sparserl
