// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/operator_target.h"

#include "base/format.h"
#include "base/hash.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/shown_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

namespace sparserl {

namespace {

constexpr double mostOperations = 1e9;  ///< Of a call: some ten seconds of simulation.
constexpr double mostBytes = 256 << 20; ///< Of all tensors.

/// The full sizes of tasks are for GPUs.
Status checkWork(const OperatorSignature& signature)
{
    double bytes = 0;
    for (const WorkTensor& tensor : signature.tensors)
        bytes += static_cast<double>(tensor.bytes());
    if (signature.flops <= mostOperations && bytes <= mostBytes)
        return {};
    return fail(
        fmt::format("this size is too large for the simulated device: {} operations and {} of tensors, where "
                    "{} and {} are the most",
                    formatCount(signature.flops), formatBytes(bytes), formatCount(mostOperations),
                    formatBytes(mostBytes)),
        "Take a smaller size, such as base");
}

ElementType elementTypeOf(TensorElement element)
{
    switch (element) {
    case TensorElement::F64:
        return ElementType::F64;
    case TensorElement::F32:
        return ElementType::F32;
    case TensorElement::F16:
        return ElementType::F16;
    case TensorElement::BF16:
        return ElementType::BF16;
    case TensorElement::I64:
        return ElementType::I64;
    case TensorElement::I32:
        return ElementType::I32;
    case TensorElement::U8:
        return ElementType::U8;
    case TensorElement::Bool:
        return ElementType::Bool;
    }
    return ElementType::F32;
}

/// Adds tensors to a signature, each under a name of its own.
class SignatureWriter
{
public:
    explicit SignatureWriter(const OperatorGraph& graph)
        : m_graph(graph)
    {
    }

    Status add(const std::string& name, int value, TensorRole role)
    {
        const TensorType& type = m_graph.values[static_cast<std::size_t>(value)];
        if (const std::string problem = problemOfTensorName(name); !problem.empty())
            return fail(fmt::format("no plan can name the tensor \"{}\": {}", shownName(name), problem),
                        "Rename it in the graph");
        if (!m_names.insert(name).second)
            return fail(fmt::format("two tensors have the name \"{}\" in plans", shownName(name)),
                        "Rename one of them in the graph");
        m_signature.tensors.push_back({name, role, elementTypeOf(type.element), type.shape});
        return {};
    }

    OperatorSignature take() { return std::move(m_signature); }

private:
    const OperatorGraph& m_graph;
    OperatorSignature m_signature;
    std::set<std::string> m_names;
};

} // namespace

Result<OperatorSignature> signatureOf(const OperatorGraph& graph)
{
    if (graph.dependsOnValues)
        return fail(
            "the calls of this graph depend on the values of its inputs, so it cannot be run with others");
    if (graph.outputs.empty())
        return fail("the graph has no output");
    const GraphFacts facts = graphFacts(graph);
    SignatureWriter writer(graph);
    const auto isLeftOut = [&](const std::string& name, int value) {
        return graph.values[static_cast<std::size_t>(value)].element != TensorElement::F32 &&
               std::ranges::find(facts.unused, name) != facts.unused.end();
    };
    for (const GraphInput& input : graph.inputs)
        if (!isLeftOut(input.name, input.value))
            SPARSERL_CHECK(writer.add(input.name, input.value, TensorRole::Input));
    for (const GraphWeight& weight : graph.weights)
        if (!isLeftOut(weight.name, weight.value))
            SPARSERL_CHECK(writer.add(weight.name, weight.value, TensorRole::Input));
    for (std::size_t i = 0; i < graph.outputs.size(); ++i)
        SPARSERL_CHECK(
            writer.add(outputName(i, graph.outputs.size()), graph.outputs[i].value, TensorRole::Output));
    OperatorSignature signature = writer.take();
    signature.digest = graphDigest(graph);
    signature.flops = facts.flops;
    signature.compulsoryBytes = static_cast<std::int64_t>(facts.compulsoryBytes);
    SPARSERL_CHECK(checkWork(signature));
    return signature;
}

Result<Target> operatorTarget(std::shared_ptr<const OperatorTask> task)
{
    const OperatorGraph& graph = task->own.graph;
    Target target;
    const auto add = [&](const OperatorGraph& at) -> Status {
        SPARSERL_TRY(auto signature, signatureOf(at));
        target.signatures.push_back(std::make_shared<const OperatorSignature>(std::move(signature)));
        return {};
    };
    SPARSERL_CHECK(add(graph));
    for (const OperatorSize& other : task->others)
        SPARSERL_CHECK(add(other.graph));
    target.id.contents = sha256Hex(formatSignature(*target.signatures.front()));
    target.id.name = graph.name.empty() ? "operator" : graph.name;
    if (!graph.size.empty())
        target.id.name += ", " + graph.size;
    target.id.variant = TargetVariant::of(Task::Operator, 1);
    target.operation = std::move(task);
    return target;
}

} // namespace sparserl
