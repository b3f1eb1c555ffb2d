// SPDX-License-Identifier: Apache-2.0
// Graphs of operator tasks: what is read refers to what exists, can be written and read again, and its facts
// and digests come to an end.
#include "fuzz.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/graph_file.h"
#include "operator/graph/known_operators.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace {

using namespace sparserl;

void checkReferences(const OperatorGraph& graph)
{
    const auto count = static_cast<int>(graph.values.size());
    std::vector<bool> made(graph.values.size(), false);
    const auto make = [&](int value) {
        FUZZ_CHECK(value >= 0 && value < count && !made[static_cast<std::size_t>(value)]);
        made[static_cast<std::size_t>(value)] = true;
    };
    const auto use = [&](int value) {
        FUZZ_CHECK(value >= 0 && value < count && made[static_cast<std::size_t>(value)]);
    };
    for (const GraphInput& input : graph.inputs)
        make(input.value);
    for (const GraphWeight& weight : graph.weights)
        make(weight.value);
    for (const GraphNode& node : graph.nodes) {
        FUZZ_CHECK(operatorKind(node.op).has_value() && !isRandomOperator(node.op));
        for (const int value : referencesOf(node))
            use(value);
        for (const int value : node.outputs)
            if (value >= 0 && !made[static_cast<std::size_t>(value)])
                make(value);
    }
    for (const GraphOutput& output : graph.outputs)
        use(output.value);
    for (const TensorType& type : graph.values) {
        FUZZ_CHECK(type.elements() >= 0 && type.elements() <= GraphLimits::elements);
        FUZZ_CHECK(type.strides.empty() || type.strides.size() == type.shape.size());
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto graph = parseGraph(fuzz::textOf(data, size), "input.json");
    if (!graph) {
        fuzz::checkError(graph.error());
        return 0;
    }
    checkReferences(*graph);
    const auto again = graphFromJson(toJson(*graph), "again.json");
    FUZZ_CHECK(again.has_value());
    // NaN differs from itself; texts do not.
    FUZZ_CHECK(toJson(*again) == toJson(*graph));
    const auto facts = graphFacts(*graph);
    FUZZ_CHECK(std::isfinite(facts.flops) && facts.flops >= 0 && std::isfinite(facts.compulsoryBytes));
    FUZZ_CHECK(facts.dead <= graph->nodes.size() && facts.outputs.size() == graph->outputs.size());
    FUZZ_CHECK(graphDigest(*graph) == graphDigest(*again) &&
               graphStructure(*graph) == graphStructure(*again));
    return 0;
}
