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

/// A value of the graph, by number.
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
/// The layout of every tensor here.
struct StridedLayout
{
    bool operator==(const StridedLayout&) const = default;
};
/// The device on which the graph runs, whatever the task said.
struct OwnDevice
{
    bool operator==(const OwnDevice&) const = default;
};

/// An argument of an operator, as PyTorch's dispatcher takes it. std::monostate: None.
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
    /// A number, whole or not; booleans are none.
    std::optional<double> number() const
    {
        if (const auto* const whole = std::get_if<std::int64_t>(&value))
            return static_cast<double>(*whole);
        const auto* const real = std::get_if<double>(&value);
        return real ? std::optional(*real) : std::nullopt;
    }
    bool operator==(const GraphArgument&) const = default;
};

/// One call of an operator of ATen.
struct GraphNode
{
    std::string op;       ///< Without its namespace: "addmm", "relu_".
    std::string overload; ///< "Tensor", "dim_IntList", or empty.
    std::vector<GraphArgument> arguments;
    std::vector<std::pair<std::string, GraphArgument>> named; ///< Keyword arguments.
    /// Values that the call returns, lists flattened; -1: a result that is None. A number may be that of an
    /// argument: an operator that works in place returns it.
    std::vector<int> outputs;

    bool operator==(const GraphNode&) const = default;
};

/// An argument of the task's `forward` that is a tensor.
struct GraphInput
{
    std::string name;
    int value = 0;
    std::optional<Fill> fill;
    bool operator==(const GraphInput&) const = default;
};

/// An argument of `forward` that is no tensor. The graph holds for this value only.
struct BakedInput
{
    std::string name, text;
    bool operator==(const BakedInput&) const = default;
};

enum class WeightKind
{
    Parameter,
    Buffer,
    Constant ///< A tensor that the task made outside of its graph.
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

/// A task as a list of calls of ATen's operators in the order in which they were made. Values are numbered;
/// each is an input, a weight, or the result of exactly one node, and is used after that only
/// (docs/formats.md 8).
struct OperatorGraph
{
    std::string name;     ///< Of the task.
    std::string size;     ///< Which of the task's sizes: "base", "odd1", ...
    std::string mode;     ///< "train" or "eval", or empty.
    std::string recorder; ///< What recorded it: "torch 1.13.0", or empty.
    /// The calls depend on what is in the inputs, or on earlier calls: the graph holds for what was recorded.
    bool dependsOnValues = false;
    std::vector<TensorType> values;
    std::vector<GraphInput> inputs;
    std::vector<BakedInput> baked;
    std::vector<GraphWeight> weights;
    std::vector<GraphNode> nodes;
    std::vector<GraphOutput> outputs;

    bool operator==(const OperatorGraph&) const = default;
};

/// Numbers of all values that an argument names, those in lists too.
void appendReferences(const GraphArgument& argument, std::vector<int>& into);
/// Those of all arguments of a node, in their order.
std::vector<int> referencesOf(const GraphNode& node);

} // namespace sparserl
