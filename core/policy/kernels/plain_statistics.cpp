// SPDX-License-Identifier: Apache-2.0
#include "policy/kernels/token_statistics.h"

namespace sparserl {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

/// As fused_rows.cpp has it, on any device: one array of log-probabilities is kept for the way back.
struct PlainStatistics : torch::autograd::Function<PlainStatistics>
{
    static variable_list forward(AutogradContext* context, const Tensor& logits, const Tensor& targets,
                                 double temperature, bool withEntropy)
    {
        const Tensor all = torch::log_softmax(temperature == 1.0 ? logits : logits / temperature, -1);
        const Tensor logp = all.gather(1, targets.unsqueeze(1)).squeeze(1);
        const Tensor entropy = withEntropy ? -(all.exp() * all).sum(-1) : torch::zeros_like(logp);
        context->save_for_backward({all, targets, entropy});
        context->saved_data["temperature"] = temperature;
        context->saved_data["entropy"] = withEntropy;
        return {logp, entropy};
    }

    /// d(loss)/d(logits) = (g (1[i = target] - p_i) - h p_i (log p_i + H)) / temperature
    static variable_list backward(AutogradContext* context, variable_list grads)
    {
        const auto saved = context->get_saved_variables();
        const double scale = 1.0 / context->saved_data["temperature"].toDouble();
        const Tensor p = saved[0].exp();
        const Tensor g =
            grads[0].defined() ? (grads[0] * scale).unsqueeze(1) : torch::zeros_like(saved[2]).unsqueeze(1);
        Tensor result = p * -g;
        if (context->saved_data["entropy"].toBool() && grads[1].defined())
            result -= (p * (saved[0] + saved[2].unsqueeze(1))).mul_((grads[1] * scale).unsqueeze(1));
        result.scatter_add_(1, saved[1].unsqueeze(1), g);
        return {result, Tensor(), Tensor(), Tensor()};
    }
};

} // namespace

std::pair<Tensor, Tensor> plainTokenStatistics(const Tensor& logits, const Tensor& targets,
                                               double temperature, bool withEntropy)
{
    const variable_list both = PlainStatistics::apply(logits, targets, temperature, withEntropy);
    return {both[0], withEntropy ? both[1] : Tensor()};
}

} // namespace sparserl
