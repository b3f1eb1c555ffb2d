// SPDX-License-Identifier: Apache-2.0
#include "training/learning/optimizer.h"

#include "training/parameters/enum_names.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sparserl {

Adam::Adam(NamedTensors parameters, AdamOptions options, bool together)
    : m_options(options)
    , m_together(together || (!parameters.empty() && !parameters.front().second.is_cpu()))
{
    for (auto& [name, tensor] : parameters)
        m_slots.push_back({name, tensor, torch::zeros_like(tensor), torch::zeros_like(tensor)});
}

NamedTensors Adam::parameters() const
{
    NamedTensors all;
    for (const auto& slot : m_slots)
        all.emplace_back(slot.name, slot.parameter);
    return all;
}

void Adam::zeroGradients()
{
    for (auto& slot : m_slots)
        slot.parameter.mutable_grad() = torch::Tensor();
}

double Adam::normTogether() const
{
    std::vector<torch::Tensor> gradients;
    for (const auto& slot : m_slots) {
        if (slot.parameter.grad().defined())
            gradients.push_back(slot.parameter.grad());
    }
    // One number comes to the host, so a GPU is waited for once.
    return gradients.empty()
               ? 0
               : torch::stack(at::_foreach_norm(gradients)).to(torch::kFloat64).norm().item<double>();
}

double Adam::clipGradients(double maxNorm)
{
    const torch::NoGradGuard guard;
    double squares = 0;
    for (const auto& slot : m_slots) {
        if (const auto& gradient = slot.parameter.grad(); gradient.defined() && !m_together) {
            const double norm = gradient.norm().item<double>();
            squares += norm * norm;
        }
    }
    const double norm = m_together ? normTogether() : std::sqrt(squares);
    if (maxNorm > 0 && std::isfinite(norm) && norm > maxNorm) {
        const double scale = maxNorm / (norm + 1e-6);
        for (auto& slot : m_slots) {
            if (slot.parameter.grad().defined())
                slot.parameter.mutable_grad().mul_(scale);
        }
    }
    return norm;
}

void Adam::stepTogether(double learningRate)
{
    // Matrices with weight decay, then scales without.
    for (const bool matrices : {true, false}) {
        std::vector<torch::Tensor> parameters, gradients, m, v, steps;
        for (auto& slot : m_slots) {
            if (!slot.parameter.grad().defined() || (slot.parameter.dim() > 1) != matrices)
                continue;
            parameters.push_back(slot.parameter);
            gradients.push_back(slot.parameter.grad());
            m.push_back(slot.m);
            v.push_back(slot.v);
        }
        if (parameters.empty())
            continue;
        const auto step =
            torch::full({}, static_cast<double>(m_steps), parameters.front().options().requires_grad(false));
        steps.assign(parameters.size(), step);
        at::_fused_adamw_(parameters, gradients, m, v, {}, steps, learningRate, m_options.beta1,
                          m_options.beta2, matrices ? m_options.weightDecay : 0, m_options.epsilon,
                          /*amsgrad=*/false, /*maximize=*/false);
    }
}

void Adam::step(double learningRate)
{
    const torch::NoGradGuard guard;
    ++m_steps;
    if (m_together) {
        stepTogether(learningRate);
        return;
    }
    const auto t = static_cast<double>(m_steps);
    const double correction1 = 1 - std::pow(m_options.beta1, t);
    const double correction2 = std::sqrt(1 - std::pow(m_options.beta2, t));
    for (auto& slot : m_slots) {
        const auto& gradient = slot.parameter.grad();
        if (!gradient.defined())
            continue;
        slot.m.mul_(m_options.beta1).add_(gradient, 1 - m_options.beta1);
        slot.v.mul_(m_options.beta2).addcmul_(gradient, gradient, 1 - m_options.beta2);
        if (m_options.weightDecay > 0 && slot.parameter.dim() > 1)
            slot.parameter.mul_(1 - learningRate * m_options.weightDecay);
        const auto denominator = slot.v.sqrt().div_(correction2).add_(m_options.epsilon);
        slot.parameter.addcdiv_(slot.m, denominator, -learningRate / correction1);
    }
}

Adam::State Adam::state() const
{
    State state;
    for (const auto& slot : m_slots) {
        state.parameters.push_back(slot.parameter.detach().clone());
        state.m.push_back(slot.m.clone());
        state.v.push_back(slot.v.clone());
    }
    state.steps = m_steps;
    return state;
}

void Adam::restore(const State& state)
{
    const torch::NoGradGuard guard;
    for (std::size_t i = 0; i < m_slots.size(); ++i) {
        m_slots[i].parameter.copy_(state.parameters[i]);
        m_slots[i].m.copy_(state.m[i]);
        m_slots[i].v.copy_(state.v[i]);
    }
    m_steps = state.steps;
    zeroGradients();
}

void Adam::save(SafeTensors& into, const std::string& prefix) const
{
    for (const auto& slot : m_slots) {
        into.tensors.emplace_back(prefix + ".m." + slot.name, slot.m);
        into.tensors.emplace_back(prefix + ".v." + slot.name, slot.v);
    }
    into.metadata[prefix + ".steps"] = std::to_string(m_steps);
}

Status Adam::load(const SafeTensors& from, const std::string& prefix)
{
    const auto steps = from.metadata.find(prefix + ".steps");
    if (steps == from.metadata.end())
        return fail("the checkpoint has no optimizer state \"" + prefix + "\"",
                    "Start a new run from its policy instead of resuming");
    const torch::NoGradGuard guard;
    for (auto& slot : m_slots) {
        const auto* m = from.find(prefix + ".m." + slot.name);
        const auto* v = from.find(prefix + ".v." + slot.name);
        if (m == nullptr || v == nullptr || m->sizes() != slot.m.sizes() || v->sizes() != slot.v.sizes())
            return fail("the optimizer state of \"" + slot.name + "\" is missing or has another shape",
                        "Start a new run from the checkpoint's policy instead of resuming");
        slot.m.copy_(*m);
        slot.v.copy_(*v);
    }
    m_steps = std::strtoll(steps->second.c_str(), nullptr, 10);
    return {};
}

std::string_view nameOf(Schedule schedule)
{
    switch (schedule) {
    case Schedule::Constant:
        return "constant";
    case Schedule::Linear:
        return "linear";
    case Schedule::Cosine:
        return "cosine";
    }
    return "constant";
}

Result<Schedule> scheduleFromName(std::string_view name)
{
    return enumNamed(name, {Schedule::Constant, Schedule::Linear, Schedule::Cosine},
                     "learning-rate schedule");
}

double learningRateAt(Schedule schedule, double peak, std::int64_t step, std::int64_t warmup,
                      std::int64_t total, double floor)
{
    if (step < warmup)
        return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
    if (schedule == Schedule::Constant || total <= warmup + 1)
        return peak;
    const double part =
        std::clamp(static_cast<double>(step - warmup) / static_cast<double>(total - 1 - warmup), 0.0, 1.0);
    const double shape =
        schedule == Schedule::Linear ? 1 - part : 0.5 * (1 + std::cos(std::numbers::pi * part));
    return peak * (floor + (1 - floor) * shape);
}

} // namespace sparserl
