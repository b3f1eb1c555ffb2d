// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/joined_linear.h"

namespace sparserl {

using torch::Tensor;

JoinedLinear::JoinedLinear(const std::vector<const CausalLinear*>& layers, double scale,
                           torch::ScalarType precision, bool join)
{
    for (const CausalLinear* layer : layers) {
        const auto own = [&](const Tensor& tensor) {
            return tensor.defined() ? tensor.detach().to(precision) : Tensor();
        };
        const Tensor up = layer->up.defined() ? layer->up.detach() * scale : Tensor();
        m_parts.push_back({own(layer->weight), own(layer->bias), own(layer->down), own(up)});
    }
    if (!join || m_parts.size() < 2)
        return;
    std::vector<Tensor> weights, biases, downs, ups;
    bool anyBias = false;
    for (const Part& part : m_parts)
        anyBias = anyBias || part.bias.defined();
    for (const Part& part : m_parts) {
        weights.push_back(part.weight);
        if (anyBias)
            biases.push_back(
                part.bias.defined() ? part.bias : torch::zeros({part.weight.size(0)}, part.weight.options()));
        if (part.down.defined())
            downs.push_back(part.down);
        // A layer without an adapter has rows of zeros below the others'.
        ups.push_back(part.up.defined() ? part.up
                                        : torch::zeros({part.weight.size(0), 0}, part.weight.options()));
    }
    Part all{torch::cat(weights), anyBias ? torch::cat(biases) : Tensor(), {}, {}};
    if (!downs.empty()) {
        all.down = torch::cat(downs);
        all.up = torch::block_diag(ups);
    }
    m_parts = {std::move(all)};
}

Tensor JoinedLinear::operator()(const Tensor& x) const
{
    std::vector<Tensor> outputs;
    for (const Part& part : m_parts) {
        const Tensor y =
            part.bias.defined() ? torch::addmm(part.bias, x, part.weight.t()) : torch::mm(x, part.weight.t());
        outputs.push_back(part.down.defined() ? torch::addmm(y, torch::mm(x, part.down.t()), part.up.t())
                                              : y);
    }
    return outputs.size() == 1 ? outputs.front() : torch::cat(outputs, 1);
}

} // namespace sparserl
