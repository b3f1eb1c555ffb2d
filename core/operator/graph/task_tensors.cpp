// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/task_tensors.h"

#include "base/format.h"
#include "base/printable.h"

namespace sparserl {

namespace {

constexpr std::uint64_t firstSeed = 1; ///< Of fills whose tensor is not stored, if no seed is given.

} // namespace

Result<HostTensors> taskTensors(const OperatorGraph& graph, const HostTensors& stored,
                                std::optional<std::uint64_t> seed, std::uint64_t limit)
{
    HostTensors all;
    std::uint64_t bytes = 0;
    const auto add = [&](const std::string& name, int value, const std::optional<Fill>& fill) -> Status {
        const TensorType& type = graph.values[static_cast<std::size_t>(value)];
        bytes += static_cast<std::uint64_t>(type.bytes());
        if (bytes > limit)
            return fail("the inputs and weights have more than " + formatBytes(static_cast<double>(limit)));
        const auto found = stored.find(name);
        if (found == stored.end() && !fill)
            return fail("the tensor \"" + shortened(printableLine(name), 60) +
                            "\" is neither stored nor has a fill",
                        "Put it into the safetensors file next to the graph");
        if (found == stored.end() || (seed && fill)) {
            Rng rng = Rng(seed.value_or(firstSeed)).derive(name);
            all[name] = filledTensor(type, *fill, rng);
            return {};
        }
        const TensorType plain{type.element, type.shape, {}};
        if (!(found->second.type == plain))
            return fail("the stored tensor \"" + shortened(printableLine(name), 60) + "\" is " +
                        found->second.type.words() + ", and the graph says " + plain.words());
        all[name] = found->second;
        return {};
    };
    for (const GraphInput& input : graph.inputs)
        SPARSERL_CHECK(add(input.name, input.value, input.fill));
    for (const GraphWeight& weight : graph.weights)
        SPARSERL_CHECK(add(weight.name, weight.value, weight.fill));
    return all;
}

} // namespace sparserl
