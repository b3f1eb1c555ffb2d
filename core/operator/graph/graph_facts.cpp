// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/graph_facts.h"

#include "operator/graph/known_operators.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

namespace sparserl {

namespace {

constexpr std::size_t fewNodes = 2, someNodes = 10; ///< The most nodes of levels 1 and 2.

/// A set of inputs and weights, one bit each.
class TensorSet
{
public:
    explicit TensorSet(std::size_t count)
        : m_words((count + bits - 1) / bits)
    {
    }
    void add(std::size_t tensor) { m_words[tensor / bits] |= std::uint64_t(1) << tensor % bits; }
    void add(const TensorSet& other)
    {
        for (std::size_t i = 0; i < m_words.size(); ++i)
            m_words[i] |= other.m_words[i];
    }
    bool has(std::size_t tensor) const { return m_words[tensor / bits] >> tensor % bits & 1; }

private:
    static constexpr std::size_t bits = 64;
    std::vector<std::uint64_t> m_words;
};

std::optional<int> firstValue(const GraphNode& node)
{
    const auto uses = referencesOf(node);
    return uses.empty() ? std::nullopt : std::optional(uses.front());
}

double elementsOf(const OperatorGraph& graph, int value)
{
    double count = 1;
    for (const std::int64_t extent : graph.values[static_cast<std::size_t>(value)].shape)
        count *= static_cast<double>(extent);
    return count;
}

/// Returns the type of the value that is the argument at this place, or nullptr.
const TensorType* tensorAt(const OperatorGraph& graph, const GraphNode& node, std::size_t place)
{
    const auto number = place < node.arguments.size() ? node.arguments[place].reference() : std::nullopt;
    return number ? &graph.values[static_cast<std::size_t>(*number)] : nullptr;
}

double lastExtent(const TensorType* type)
{
    return type && !type->shape.empty() ? static_cast<double>(type->shape.back()) : 1;
}

double convolutionFlops(const OperatorGraph& graph, const GraphNode& node, double results)
{
    const TensorType* const weight = tensorAt(graph, node, 1);
    if (!weight || weight->shape.empty() || weight->shape.front() == 0)
        return results;
    constexpr std::size_t transposedAt = 6;
    bool transposed = node.op.starts_with("conv_transpose");
    if (node.op == "convolution" || node.op == "_convolution")
        transposed =
            node.arguments.size() > transposedAt && node.arguments[transposedAt] == GraphArgument{true};
    const auto input = node.arguments.front().reference();
    const double applied = transposed && input ? elementsOf(graph, *input) : results;
    return 2 * applied * static_cast<double>(weight->elements()) / static_cast<double>(weight->shape.front());
}

double nodeFlops(const OperatorGraph& graph, const GraphNode& node, OperatorKind kind)
{
    double results = 0;
    for (const int output : node.outputs)
        if (output >= 0 && results == 0)
            results = elementsOf(graph, output);
    const std::string_view op = plainName(node.op);
    if (kind == OperatorKind::MatMul) {
        // The last extent of the first matrix is the number of products in a sum.
        const bool adds = op.starts_with("add") || op == "baddbmm";
        const double products = 2 * results * lastExtent(tensorAt(graph, node, adds ? 1 : 0));
        return op == "outer" || op == "kron" || op == "addr" ? results : products + (adds ? results : 0);
    }
    if (kind == OperatorKind::Convolve)
        return convolutionFlops(graph, node, results);
    double most = results;
    for (const int use : referencesOf(node))
        most = std::max(most, elementsOf(graph, use));
    return most;
}

bool computes(OperatorKind kind)
{
    return kind == OperatorKind::Compute || kind == OperatorKind::MatMul || kind == OperatorKind::Convolve ||
           kind == OperatorKind::Composite;
}

double movedBytes(const OperatorGraph& graph, const GraphNode& node)
{
    double bytes = 0;
    const auto add = [&](int value) {
        bytes += elementsOf(graph, value) *
                 static_cast<double>(bytesOf(graph.values[static_cast<std::size_t>(value)].element));
    };
    for (const int use : referencesOf(node))
        add(use);
    for (const int output : node.outputs)
        if (output >= 0)
            add(output);
    return bytes;
}

/// Visits the tensors of a graph with their numbers: first the inputs, then the weights.
template <typename Visit>
void eachTensor(const OperatorGraph& graph, const Visit& visit)
{
    std::size_t number = 0;
    for (const GraphInput& input : graph.inputs)
        visit(number++, input.name, input.value);
    for (const GraphWeight& weight : graph.weights)
        visit(number++, weight.name, weight.value);
}

/// Returns the inputs and weights on which each memory depends after the last node.
std::vector<TensorSet> dependences(const OperatorGraph& graph, const std::vector<int>& memory)
{
    const std::size_t tensors = graph.inputs.size() + graph.weights.size();
    std::vector<TensorSet> of(graph.values.size(), TensorSet(0));
    const auto at = [&](int value) -> TensorSet& {
        return of[static_cast<std::size_t>(memory[static_cast<std::size_t>(value)])];
    };
    for (std::size_t value = 0; value < memory.size(); ++value)
        if (memory[value] == static_cast<int>(value))
            of[value] = TensorSet(tensors);
    eachTensor(graph, [&](std::size_t number, const std::string&, int value) { at(value).add(number); });
    for (const GraphNode& node : graph.nodes) {
        if (operatorKind(node.op) == OperatorKind::Make)
            continue; // The result depends only on the shapes of the arguments.
        TensorSet from(tensors);
        for (const int use : referencesOf(node))
            from.add(at(use));
        for (const int written : writtenValues(node))
            at(written).add(from);
        for (const int output : node.outputs)
            if (output >= 0)
                at(output).add(from);
    }
    return of;
}

} // namespace

std::vector<int> memoryOfValues(const OperatorGraph& graph)
{
    std::vector<int> memory(graph.values.size());
    std::iota(memory.begin(), memory.end(), 0);
    for (const GraphNode& node : graph.nodes) {
        const auto first = firstValue(node);
        if (!first || !sharesMemory(node))
            continue;
        for (const int output : node.outputs)
            if (output >= 0)
                memory[static_cast<std::size_t>(output)] = memory[static_cast<std::size_t>(*first)];
    }
    return memory;
}

std::vector<bool> liveNodes(const OperatorGraph& graph)
{
    const auto memory = memoryOfValues(graph);
    std::vector<bool> wanted(graph.values.size(), false), live(graph.nodes.size(), false);
    const auto at = [&](int value) -> std::vector<bool>::reference {
        return wanted[static_cast<std::size_t>(memory[static_cast<std::size_t>(value)])];
    };
    for (const GraphOutput& output : graph.outputs)
        at(output.value) = true;
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
        const GraphNode& node = graph.nodes[i];
        bool needed = false;
        for (const int output : node.outputs)
            needed = needed || (output >= 0 && at(output));
        for (const int written : writtenValues(node))
            needed = needed || at(written);
        live[i] = needed;
        if (needed)
            for (const int use : referencesOf(node))
                at(use) = true;
    }
    return live;
}

GraphFacts graphFacts(const OperatorGraph& graph)
{
    GraphFacts facts;
    const auto live = liveNodes(graph);
    std::set<std::string> rough;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const GraphNode& node = graph.nodes[i];
        if (!live[i]) {
            ++facts.dead;
            continue;
        }
        const std::string plain(plainName(node.op));
        ++facts.operators[plain];
        const auto kind = operatorKind(node.op).value_or(OperatorKind::Compute);
        if (computes(kind) || kind == OperatorKind::Copy)
            facts.movedBytes += movedBytes(graph, node);
        if (!computes(kind))
            continue;
        ++facts.computing;
        facts.flops += nodeFlops(graph, node, kind);
        if (kind == OperatorKind::Composite || plain == "einsum" || plain == "tensordot" || plain == "addbmm")
            rough.insert(plain);
    }
    facts.countedRoughly.assign(rough.begin(), rough.end());
    facts.level = facts.computing <= fewNodes ? 1 : facts.computing <= someNodes ? 2 : 3;

    const auto memory = memoryOfValues(graph);
    const auto depends = dependences(graph, memory);
    TensorSet used(graph.inputs.size() + graph.weights.size());
    for (const GraphOutput& output : graph.outputs) {
        const auto& on = depends[static_cast<std::size_t>(memory[static_cast<std::size_t>(output.value)])];
        used.add(on);
        auto& entry = facts.outputs.emplace_back(OutputDependence{output.name, {}});
        eachTensor(graph, [&](std::size_t number, const std::string& name, int) {
            if (on.has(number))
                entry.on.push_back(name);
        });
        facts.compulsoryBytes +=
            static_cast<double>(graph.values[static_cast<std::size_t>(output.value)].bytes());
    }
    eachTensor(graph, [&](std::size_t number, const std::string& name, int value) {
        if (used.has(number))
            facts.compulsoryBytes +=
                static_cast<double>(graph.values[static_cast<std::size_t>(value)].bytes());
        else
            facts.unused.push_back(name);
    });
    return facts;
}

} // namespace sparserl
