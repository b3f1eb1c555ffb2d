// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/fill.h"
#include "operator/graph/tensor_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sparserl {

/// Refers to a value of the graph by its number.
struct ValueRef
{
    int number = 0;
    bool operator==(const ValueRef&) const = default;
};

enum class MemoryFormat
{
    Contiguous,
    Preserve,
    ChannelsLast,
    ChannelsLast3d
};
/// Stands for the strided layout, which all tensors of graphs have.
struct StridedLayout
{
    bool operator==(const StridedLayout&) const = default;
};
/// Stands for the device on which the graph runs, whatever device the task named.
struct OwnDevice
{
    bool operator==(const OwnDevice&) const = default;
};

/// An argument of an operator, in the types of PyTorch's dispatcher. std::monostate stands for None.
struct GraphArgument
{
    std::variant<std::monostate, bool, std::int64_t, double, std::string, ValueRef, TensorElement,
                 MemoryFormat, StridedLayout, OwnDevice, std::vector<GraphArgument>>
        value;

    bool isNone() const { return std::holds_alternative<std::monostate>(value); }
    const std::vector<GraphArgument>* list() const { return std::get_if<std::vector<GraphArgument>>(&value); }
    std::optional<int> reference() const
    {
        const auto* const found = std::get_if<ValueRef>(&value);
        return found ? std::optional(found->number) : std::nullopt;
    }
    /// Returns a whole or real number as a double; nullopt for everything else, including booleans.
    std::optional<double> number() const
    {
        if (const auto* const whole = std::get_if<std::int64_t>(&value))
            return static_cast<double>(*whole);
        const auto* const real = std::get_if<double>(&value);
        return real ? std::optional(*real) : std::nullopt;
    }
    bool operator==(const GraphArgument&) const = default;
};

/// One call of an ATen operator.
struct GraphNode
{
    std::string op;       ///< Name without the namespace: "addmm", "relu_".
    std::string overload; ///< "Tensor", "dim_IntList", or empty.
    std::vector<GraphArgument> arguments;
    std::vector<std::pair<std::string, GraphArgument>> named; ///< Keyword arguments.
    /// The numbers of the values that the call returns, with lists flattened; -1 for a result that is None.
    /// An operator that works in place returns one of its arguments, under the number of this argument.
    std::vector<int> outputs;

    bool operator==(const GraphNode&) const = default;
};

/// A tensor argument of the task's `forward`.
struct GraphInput
{
    std::string name;
    int value = 0;
    std::optional<Fill> fill;
    bool operator==(const GraphInput&) const = default;
};

/// An argument of `forward` that is not a tensor. The graph is valid only for this value.
struct BakedInput
{
    std::string name, text;
    bool operator==(const BakedInput&) const = default;
};

enum class WeightKind
{
    Parameter,
    Buffer,
    Constant ///< A tensor that the task created outside the graph.
};
std::string_view nameOf(WeightKind kind); ///< "parameter", "buffer", "constant"

struct GraphWeight
{
    std::string name;
    WeightKind kind = WeightKind::Parameter;
    int value = 0;
    std::optional<Fill> fill;
    bool operator==(const GraphWeight&) const = default;
};

struct GraphOutput
{
    std::string name;
    int value = 0;
    bool operator==(const GraphOutput&) const = default;
};

/// A task as a list of calls of ATen operators, in the order in which they were made. Values have numbers.
/// Each value is an input, a weight, or the result of exactly one node, and is used only after its definition
/// (docs/formats.md 8).
struct OperatorGraph
{
    std::string name;     ///< Name of the task.
    std::string size;     ///< Name of the size: "base", "odd1", ...
    std::string mode;     ///< "train" or "eval", or empty.
    std::string recorder; ///< The program that recorded the graph: "torch 1.13.0", or empty.
    /// Whether the calls depend on the contents of inputs or on earlier calls. If so, the graph is valid only
    /// for the recorded inputs.
    bool dependsOnValues = false;
    std::vector<TensorType> values;
    std::vector<GraphInput> inputs;
    std::vector<BakedInput> baked;
    std::vector<GraphWeight> weights;
    std::vector<GraphNode> nodes;
    std::vector<GraphOutput> outputs;

    bool operator==(const OperatorGraph&) const = default;
};

/// Appends the numbers of all values in an argument, including those in lists.
void appendReferences(const GraphArgument& argument, std::vector<int>& into);
/// Returns the numbers of the values in all arguments of a node, in the order of the arguments.
std::vector<int> referencesOf(const GraphNode& node);

} // namespace sparserl
