// SPDX-License-Identifier: Apache-2.0
#include "operator/synthesis/similarity.h"

#include "operator/graph/graph_facts.h"
#include "operator/graph/known_operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace sparserl {

namespace {

/// Returns one name for all forms in which an operator is recorded.
std::string partName(std::string_view op)
{
    struct Pair
    {
        std::string_view name, common;
    };
    constexpr std::array pairs{Pair{"addmm", "linear"},
                               Pair{"mm", "linear"},
                               Pair{"matmul", "linear"},
                               Pair{"addmv", "linear"},
                               Pair{"mv", "linear"},
                               Pair{"baddbmm", "bmm"},
                               Pair{"conv1d", "convolution"},
                               Pair{"conv2d", "convolution"},
                               Pair{"conv3d", "convolution"},
                               Pair{"_convolution", "convolution"},
                               Pair{"conv_transpose1d", "convolution"},
                               Pair{"conv_transpose2d", "convolution"},
                               Pair{"conv_transpose3d", "convolution"},
                               Pair{"native_batch_norm", "batch_norm"},
                               Pair{"_native_batch_norm_legit", "batch_norm"},
                               Pair{"instance_norm", "batch_norm"},
                               Pair{"native_group_norm", "group_norm"},
                               Pair{"native_layer_norm", "layer_norm"},
                               Pair{"_softmax", "softmax"},
                               Pair{"_log_softmax", "log_softmax"},
                               Pair{"linalg_vector_norm", "norm"},
                               Pair{"clip", "clamp"},
                               Pair{"max_pool2d_with_indices", "max_pool2d"},
                               Pair{"max_pool3d_with_indices", "max_pool3d"}};
    const auto* const found = std::ranges::find(pairs, op, &Pair::name);
    return std::string(found == pairs.end() ? op : found->common);
}

} // namespace

GraphParts partsOf(const OperatorGraph& graph)
{
    GraphParts parts;
    const auto live = liveNodes(graph);
    // For each value, the operator whose result it is. For inputs and weights, their role.
    std::vector<std::string> source(graph.values.size(), "weight");
    for (const GraphInput& input : graph.inputs)
        source[static_cast<std::size_t>(input.value)] = "input";
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const GraphNode& node = graph.nodes[i];
        if (!live[i])
            continue;
        const auto uses = referencesOf(node);
        const auto kind = operatorKind(node.op).value_or(OperatorKind::Compute);
        const bool looksThrough =
            kind == OperatorKind::Reshape || kind == OperatorKind::Permute || kind == OperatorKind::View;
        std::string made = partName(plainName(node.op));
        if (looksThrough && !uses.empty()) {
            made = source[static_cast<std::size_t>(uses.front())];
        } else {
            ++parts[made];
            for (const int use : uses)
                ++parts[source[static_cast<std::size_t>(use)] + " > " + made];
        }
        for (const int output : node.outputs)
            if (output >= 0)
                source[static_cast<std::size_t>(output)] = made;
    }
    return parts;
}

double similarityOf(const GraphParts& a, const GraphParts& b)
{
    double shared = 0, all = 0;
    for (const auto& [part, times] : a) {
        const auto found = b.find(part);
        const int other = found == b.end() ? 0 : found->second;
        shared += std::min(times, other);
        all += std::max(times, other);
    }
    for (const auto& [part, times] : b)
        if (!a.contains(part))
            all += times;
    return all > 0 ? shared / all : 1;
}

} // namespace sparserl
