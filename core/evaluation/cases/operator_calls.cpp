// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/operator_calls.h"

#include "evaluation/cases/target_context.h"
#include "operator/graph/shown_name.h"
#include "operator/graph/task_tensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace sparserl {

namespace {

constexpr std::uint64_t mostBytes = std::uint64_t(1) << 30; ///< Of the inputs and weights of a call.
constexpr std::uint64_t drawnCalls = 2;

struct Change
{
    const char* words;
    double factor, summand;
};
constexpr std::array<Change, 4> changes{
    {{"inputs times 10", 10, 0}, {"inputs plus 5", 1, 5}, {"inputs minus 5", 1, -5}, {"zeros", 0, 0}}};

Numbers numbersIn(const HostTensor& tensor, ElementType type)
{
    const auto copied = [&]<typename T>(std::vector<T> numbers) {
        if (!tensor.bytes.empty())
            std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
        return Numbers(std::move(numbers));
    };
    const auto count = static_cast<std::size_t>(tensor.type.elements());
    if (type == ElementType::F32)
        return copied(std::vector<float>(count));
    if (type == ElementType::F64)
        return copied(std::vector<double>(count));
    return {type, tensor.bytes};
}

/// Changes the inputs of `forward`, but not the weights, and no whole numbers.
HostTensors changed(const OperatorGraph& graph, HostTensors tensors, const Change& change)
{
    for (const GraphInput& input : graph.inputs) {
        HostTensor& tensor = tensors.at(input.name);
        if (!isFloating(tensor.type.element))
            continue; // It may be an index.
        for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.type.elements()); ++i)
            setElement(tensor, i, change.factor * elementOf(tensor, i) + change.summand);
    }
    return tensors;
}

Result<OperatorCall> callWith(const OperatorGraph& graph, const OperatorSignature& signature,
                              const HostTensors& tensors, OracleProcess& oracle, const char* words)
{
    SPARSERL_TRY(auto outputs, oracle.compute(graph, tensors));
    OperatorCall call;
    call.words = words;
    std::vector<ElementType> types;
    for (const WorkTensor& tensor : signature.tensors) {
        if (tensor.role == TensorRole::Output)
            types.push_back(tensor.type);
        else
            call.inputs.push_back(numbersIn(tensors.at(tensor.name), tensor.type));
    }
    call.expected = std::make_shared<const OperatorExpectation>(std::move(outputs), types);
    return call;
}

/// An output that is the same number in every call needs no program.
Status checkVariety(const OperatorCalls& calls, const OperatorGraph& graph)
{
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
        const auto value = calls.drawn.front().expected->onlyValue(i);
        const auto isSame = [&](const OperatorCall& call) { return call.expected->onlyValue(i) == value; };
        if (value && std::ranges::all_of(calls.drawn, isSame) && std::ranges::all_of(calls.changed, isSame))
            return fail(fmt::format("all elements of {} are always {:.6g}: a constant would pass",
                                    shownName(graph.outputs[i].name), *value));
    }
    return {};
}

} // namespace

Result<OperatorCalls> operatorCalls(const OperatorSize& size, const OperatorSignature& signature,
                                    OracleProcess& oracle, std::uint64_t seed)
{
    const OperatorGraph& graph = size.graph;
    OperatorCalls calls;
    HostTensors first;
    for (std::uint64_t i = 0; i < drawnCalls; ++i) {
        SPARSERL_TRY(auto tensors,
                     taskTensors(graph, size.stored, deriveSeed(seed, i, "operator inputs"), mostBytes));
        SPARSERL_TRY(auto call, callWith(graph, signature, tensors, oracle, ""));
        if (!call.expected->meaningful())
            return fail(
                fmt::format("an output of the size \"{}\" is not finite, little more than rounding, "
                            "or has whole numbers that are too large to be compared exactly: almost any "
                            "program would pass",
                            graph.size.empty() ? "base" : graph.size));
        calls.drawn.push_back(std::move(call));
        if (i == 0)
            first = std::move(tensors);
    }
    for (const Change& change : changes) {
        const HostTensors other = changed(graph, first, change);
        if (other == first)
            continue; // All inputs are whole numbers.
        SPARSERL_TRY(auto call, callWith(graph, signature, other, oracle, change.words));
        if (call.expected->meaningful())
            calls.changed.push_back(std::move(call));
    }
    SPARSERL_CHECK(checkVariety(calls, graph));
    return calls;
}

} // namespace sparserl
