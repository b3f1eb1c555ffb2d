// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/graph_digest.h"

#include "base/format.h"
#include "base/hash.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/known_operators.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace sparserl {

namespace {

/// Returns one name for a call that versions of PyTorch record under different names. The arguments of these
/// calls are the same and in the same order.
std::string_view commonName(std::string_view name)
{
    struct Pair
    {
        std::string_view name, common;
    };
    constexpr std::array<Pair, 8> pairs{{{"linalg_vector_norm", "norm"},
                                         {"_native_batch_norm_legit", "native_batch_norm"},
                                         {"_softmax", "softmax"},
                                         {"_log_softmax", "log_softmax"},
                                         {"unsafe_chunk", "chunk"},
                                         {"unsafe_split", "split"},
                                         {"unsafe_split_with_sizes", "split_with_sizes"},
                                         {"clip", "clamp"}}};
    for (const Pair& pair : pairs)
        if (pair.name == name)
            return pair.common;
    return name;
}

/// Returns whether the result does not change in any bit if the first two arguments are swapped.
bool isCommutative(std::string_view name)
{
    constexpr std::array<std::string_view, 8> names{"add", "mul",         "maximum",    "minimum",
                                                    "eq",  "logical_and", "logical_or", "ne"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string shapeText(const TensorType& type, bool sizes)
{
    if (!sizes)
        return "#" + std::to_string(type.shape.size());
    std::string text;
    for (const std::int64_t extent : type.shape)
        text += std::to_string(extent) + ",";
    return text;
}

/// Hashes what values mean, not how they came about. A memory has contents. A value shows the contents of its
/// memory through a path, which is a sequence of views.
class Digester
{
public:
    Digester(const OperatorGraph& graph, bool sizes)
        : m_graph(graph)
        , m_sizes(sizes)
        , m_memory(memoryOfValues(graph))
        , m_contents(graph.values.size())
        , m_path(graph.values.size())
        , m_live(liveNodes(graph))
    {
    }

    std::string hex()
    {
        nameTensors();
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i)
            if (m_live[i])
                take(m_graph.nodes[i]);
        std::string all = "graph";
        for (const GraphOutput& output : m_graph.outputs)
            all += " " + meaning(output.value);
        return sha256Hex(all);
    }

private:
    const TensorType& type(int value) const { return m_graph.values[static_cast<std::size_t>(value)]; }
    std::string& contents(int value)
    {
        return m_contents[static_cast<std::size_t>(m_memory[static_cast<std::size_t>(value)])];
    }
    std::string& path(int value) { return m_path[static_cast<std::size_t>(value)]; }

    std::string typeText(int value) const
    {
        return std::string(nameOf(type(value).element)) + "[" + shapeText(type(value), m_sizes) + "]";
    }

    std::string meaning(int value)
    {
        return path(value).empty() ? contents(value) : sha256Hex(path(value) + " of " + contents(value));
    }

    /// Names inputs by their place among the inputs of the graph, and weights by their place among the
    /// weights that live nodes or outputs use.
    void nameTensors()
    {
        std::size_t number = 0;
        for (const GraphInput& input : m_graph.inputs)
            contents(input.value) = "input " + std::to_string(number++) + " " + typeText(input.value);
        std::vector<bool> used(m_graph.values.size(), false);
        const auto mark = [&](int value) { used[static_cast<std::size_t>(value)] = true; };
        for (std::size_t i = 0; i < m_graph.nodes.size(); ++i)
            if (m_live[i])
                for (const int use : referencesOf(m_graph.nodes[i]))
                    mark(use);
        for (const GraphOutput& output : m_graph.outputs)
            mark(output.value);
        number = 0;
        for (const GraphWeight& weight : m_graph.weights)
            if (used[static_cast<std::size_t>(weight.value)])
                contents(weight.value) = "weight " + std::to_string(number++) + " " + typeText(weight.value);
    }

    /// Returns an argument as text. A whole and a real number with the same value have the same text, because
    /// the type of the result says which was meant.
    std::string argumentText(const GraphArgument& argument)
    {
        if (const auto reference = argument.reference())
            return meaning(*reference);
        if (const auto number = argument.number()) {
            const bool whole = std::holds_alternative<std::int64_t>(argument.value);
            return !m_sizes && whole ? std::string("*") : formatNumber(*number);
        }
        if (const auto* const truth = std::get_if<bool>(&argument.value))
            return *truth ? "true" : "false";
        if (const auto* const text = std::get_if<std::string>(&argument.value))
            return "'" + *text + "'";
        if (const auto* const list = argument.list()) {
            std::string all = "(";
            const bool numbers = std::all_of(list->begin(), list->end(), [](const GraphArgument& item) {
                return std::holds_alternative<std::int64_t>(item.value);
            });
            if (!m_sizes && numbers)
                return "(*)";
            for (const GraphArgument& item : *list)
                all += argumentText(item) + ",";
            return all + ")";
        }
        return "-"; // None, a device or a layout. A data type shows in the result.
    }

    /// Returns the name of a call and its arguments without the first `skipped`.
    std::string callText(const GraphNode& node, std::size_t skipped)
    {
        const std::string_view name = commonName(plainName(node.op));
        std::vector<std::string> parts;
        for (std::size_t i = skipped; i < node.arguments.size(); ++i)
            parts.push_back(argumentText(node.arguments[i]));
        while (!parts.empty() && parts.back() == "-")
            parts.pop_back();
        if (skipped == 0 && parts.size() > 1 && isCommutative(name) && parts[1] < parts[0])
            std::swap(parts[0], parts[1]);
        std::string text(name);
        for (const std::string& part : parts)
            text += " " + part;
        auto named = node.named;
        std::sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [key, argument] : named)
            if (const std::string part = argumentText(argument); part != "-" && key != "pin_memory")
                text += " " + key + "=" + part;
        return text;
    }

    /// Returns the dimensions in their new order, or an empty text if the order does not change.
    std::string permutationOf(const GraphNode& node, int from) const
    {
        const auto rank = static_cast<std::int64_t>(type(from).shape.size());
        std::vector<std::int64_t> order(type(from).shape.size());
        std::iota(order.begin(), order.end(), std::int64_t(0));
        const auto dimension = [&](const GraphArgument& argument) {
            const auto* const whole = std::get_if<std::int64_t>(&argument.value);
            return whole ? (*whole < 0 ? *whole + rank : *whole) : std::int64_t(-1);
        };
        const auto inside = [&](std::int64_t d) { return d >= 0 && d < rank; };
        if (node.op == "t" && rank == 2) {
            std::swap(order[0], order[1]);
        } else if (node.op == "transpose" && node.arguments.size() == 3) {
            const auto a = dimension(node.arguments[1]), b = dimension(node.arguments[2]);
            if (inside(a) && inside(b))
                std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
        } else if (node.op == "permute" && node.arguments.size() == 2 && node.arguments[1].list()) {
            order.clear();
            for (const GraphArgument& item : *node.arguments[1].list())
                order.push_back(dimension(item));
        }
        if (std::is_sorted(order.begin(), order.end()))
            return {};
        std::string text = "permute";
        for (const std::int64_t d : order)
            text += " " + std::to_string(d);
        return text;
    }

    /// Returns the step that a view adds to the path of its argument, or an empty text if it adds none.
    std::string step(const GraphNode& node, OperatorKind kind, int from, int to, std::size_t which)
    {
        const bool same = type(from).shape == type(to).shape;
        if (kind == OperatorKind::Permute)
            return permutationOf(node, from);
        if (kind == OperatorKind::Reshape)
            return same ? std::string() : "view " + shapeText(type(to), m_sizes);
        if (same && node.op != "as_strided")
            return {}; // The view shows everything: it is a slice of the whole, or expands nothing.
        return callText(node, 1) + " #" + std::to_string(which) + " " + shapeText(type(to), m_sizes);
    }

    void takeView(const GraphNode& node, OperatorKind kind, int from)
    {
        std::size_t which = 0;
        for (const int output : node.outputs) {
            if (output >= 0 && output != from) {
                const std::string next = step(node, kind, from, output, which);
                path(output) = path(from);
                if (!next.empty())
                    path(output) += (path(from).empty() ? "" : "; ") + next;
                if (path(output).size() > longestPath)
                    path(output) = sha256Hex(path(output));
            }
            ++which;
        }
    }

    void take(const GraphNode& node)
    {
        const auto kind = operatorKind(node.op).value_or(OperatorKind::Compute);
        const auto uses = referencesOf(node);
        const bool view =
            kind == OperatorKind::Reshape || kind == OperatorKind::Permute || kind == OperatorKind::View;
        if (view && !uses.empty()) {
            takeView(node, kind, uses.front());
            return;
        }
        const bool copies = !uses.empty() && !node.outputs.empty() && node.outputs.front() >= 0 &&
                            (node.op == "clone" || node.op == "_to_copy") &&
                            node.outputs.front() != uses.front() &&
                            type(uses.front()).element == type(node.outputs.front()).element;
        if (copies) {
            const std::string what = meaning(uses.front());
            contents(node.outputs.front()) = what;
            return;
        }
        const std::string call = callText(node, 0);
        std::string results;
        for (const int output : node.outputs)
            results += output >= 0 ? " " + typeText(output) : " -";
        const std::string hash = sha256Hex(call + " ->" + results);
        const auto written = writtenValues(node);
        std::size_t number = 0;
        for (const int value : written) {
            const std::string result = worksInPlace(node.op)
                                           ? sha256Hex(hash + " 0")
                                           : sha256Hex(hash + " written " + std::to_string(number));
            ++number;
            contents(value) =
                path(value).empty()
                    ? result
                    : sha256Hex("write " + path(value) + " of " + contents(value) + ": " + result);
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const int output = node.outputs[i];
            const bool own = output < 0 || std::find(uses.begin(), uses.end(), output) != uses.end();
            if (!own)
                contents(output) = sha256Hex(hash + " " + std::to_string(i));
        }
    }

    static constexpr std::size_t longestPath = 4096;
    const OperatorGraph& m_graph;
    bool m_sizes;
    std::vector<int> m_memory;
    std::vector<std::string> m_contents; ///< By memory.
    std::vector<std::string> m_path;     ///< By value.
    std::vector<bool> m_live;
};

} // namespace

std::string graphDigest(const OperatorGraph& graph)
{
    return Digester(graph, true).hex();
}

std::string graphStructure(const OperatorGraph& graph)
{
    return Digester(graph, false).hex();
}

} // namespace sparserl
