// SPDX-License-Identifier: Apache-2.0
#include "training/learning/data_parallel.h"

#include "training/work/packed.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace sparserl {

void sumGradients(const NamedTensors& parameters, ProcessGroup& processes)
{
    if (processes.alone() || parameters.empty())
        return;
    const torch::NoGradGuard guard;
    // One tensor, so that there is one exchange; behind the gradients who has any.
    const auto options = parameters.front().second.options().requires_grad(false);
    std::vector<torch::Tensor> parts;
    std::vector<float> has;
    for (const auto& [name, parameter] : parameters) {
        const auto& gradient = parameter.grad();
        has.push_back(gradient.defined() ? 1.0f : 0.0f);
        parts.push_back(gradient.defined() ? gradient.reshape({-1})
                                           : torch::zeros({parameter.numel()}, options));
    }
    parts.push_back(torch::tensor(has).to(options));
    std::vector<torch::Tensor> flat{torch::cat(parts)};
    processes.sum(flat);
    const auto count = static_cast<std::int64_t>(parameters.size());
    const auto any = flat[0].slice(0, flat[0].numel() - count).to(torch::kCPU, torch::kFloat32).contiguous();
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        auto parameter = parameters[i].second;
        const auto end = begin + parameter.numel();
        parameter.mutable_grad() = any.const_data_ptr<float>()[i] > 0
                                       ? flat[0].slice(0, begin, end).view(parameter.sizes())
                                       : torch::Tensor();
        begin = end;
    }
}

void shareWeights(const NamedTensors& parameters, ProcessGroup& processes)
{
    if (processes.alone())
        return;
    const torch::NoGradGuard guard;
    std::vector<torch::Tensor> tensors;
    for (const auto& [name, parameter] : parameters)
        tensors.push_back(parameter.detach());
    processes.broadcast(tensors);
}

void shareWeights(const Policy& policy, ProcessGroup& processes)
{
    shareWeights(policy.parameters(), processes);
    std::set<std::string> trained;
    for (const auto& [name, parameter] : policy.parameters())
        trained.insert(name);
    NamedTensors frozen = policy.model().weights();
    std::erase_if(frozen, [&](const auto& weight) { return trained.contains(weight.first); });
    requireSameWeights(frozen, processes);
}

void requireSameWeights(const NamedTensors& parameters, ProcessGroup& processes)
{
    if (processes.alone() || parameters.empty())
        return;
    const torch::NoGradGuard guard;
    std::vector<torch::Tensor> norms;
    for (const auto& [name, parameter] : parameters)
        norms.push_back(parameter.detach().norm(2, torch::kFloat32));
    const auto all = torch::stack(norms).to(torch::kCPU, torch::kFloat64).contiguous();
    const auto everybody =
        gatherNumbers(processes, {all.const_data_ptr<double>(), all.const_data_ptr<double>() + all.numel()});
    for (std::size_t rank = 1; rank < everybody.size(); ++rank) {
        for (std::size_t i = 0; i < everybody[0].size(); ++i) {
            const double here = everybody[rank][i], there = everybody[0][i];
            if (std::isnan(here) && std::isnan(there))
                continue;
            if (!(std::abs(here - there) <= 1e-4 * std::max(std::abs(there), 1e-6)))
                throw ProcessFault("The policies of the processes 0 and " + std::to_string(rank) +
                                   " have come apart: \"" + parameters[i].first +
                                   "\" is no longer the same in both");
        }
    }
}

torch::Tensor gatherRows(const torch::Tensor& own, ProcessGroup& processes)
{
    if (processes.alone())
        return own;
    const auto values = own.to(torch::kCPU, torch::kFloat32).contiguous();
    Packer packer;
    packer.numbers(std::span(values.const_data_ptr<float>(), static_cast<std::size_t>(values.numel())));
    std::vector<torch::Tensor> parts;
    for (const auto& bytes : processes.gather(packer.take())) {
        const auto numbers = Unpacker(bytes).numbers<float>();
        parts.push_back(torch::tensor(numbers).reshape({-1, own.size(1)}));
    }
    return torch::cat(parts);
}

} // namespace sparserl
