// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/causal_stepper.h"

#include "policy/compute/transfer.h"
#include "policy/kernels/head_product.h"

#include <algorithm>

namespace sparserl {

using torch::Tensor;

CausalStepper::CausalStepper(const CausalModel& model, std::shared_ptr<const CausalInputs> inputs, int places,
                             int maxTokens)
    : m_model(model)
    , m_inputs(std::move(inputs))
    , m_head(headOperand(model.head().weight))
    , m_length(std::size_t(places), 0)
    , m_fresh(std::size_t(places))
{
    std::int64_t longest = 0;
    for (std::size_t m = 0; m + 1 < m_inputs->offsets.size(); ++m)
        longest = std::max(longest, m_inputs->offsets[m + 1] - m_inputs->offsets[m]);
    const CausalConfig& config = model.config();
    const auto options =
        torch::TensorOptions().device(model.compute().device).dtype(model.compute().precision);
    for (int i = 0; i < config.num_hidden_layers; ++i) {
        const auto cache = [&] {
            return torch::zeros({places, longest + maxTokens, config.num_key_value_heads, config.head_dim},
                                options);
        };
        m_cache.push_back({cache(), cache()});
    }
}

void CausalStepper::start(int place, int input, std::span<const std::int32_t> prefix)
{
    const torch::NoGradGuard guard;
    const auto at = std::size_t(place);
    const std::int64_t from = m_inputs->offsets[std::size_t(input)];
    const std::int64_t rows = m_inputs->offsets[std::size_t(input) + 1] - from;
    for (std::size_t i = 0; i < m_cache.size(); ++i) {
        const KeyValue& read = m_inputs->layers[i];
        m_cache[i].key[place].narrow(0, 0, rows).copy_(read.key.narrow(0, from, rows));
        m_cache[i].value[place].narrow(0, 0, rows).copy_(read.value.narrow(0, from, rows));
    }
    m_length[at] = rows;
    m_fresh[at] = m_inputs->last[input];
    for (const std::int32_t token : prefix)
        m_fresh[at] = advance({place}, {token})[0];
}

void CausalStepper::regroup(std::span<const int> from)
{
    const torch::NoGradGuard guard;
    const auto length = m_length;
    const auto fresh = m_fresh;
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < from.size(); ++i) {
        rows.push_back(from[i]);
        m_length[i] = length[std::size_t(from[i])];
        m_fresh[i] = fresh[std::size_t(from[i])];
    }
    const Tensor index = onDevice(torch::tensor(rows, torch::kInt64), m_model.compute().device);
    for (KeyValue& cache : m_cache) {
        for (Tensor* part : {&cache.key, &cache.value})
            part->narrow(0, 0, std::int64_t(from.size())).copy_(part->index_select(0, index));
    }
}

Tensor CausalStepper::advance(const std::vector<int>& places, const std::vector<std::int64_t>& tokens)
{
    const torch::Device device = m_model.compute().device;
    const auto count = std::int64_t(places.size());
    std::vector<std::int64_t> rows, positions;
    for (const int place : places) {
        rows.push_back(place);
        positions.push_back(m_length[std::size_t(place)]++);
    }
    const std::int64_t keys = *std::ranges::max_element(positions) + 1;
    const auto there = [&](const std::vector<std::int64_t>& of) {
        return onDevice(torch::tensor(of, torch::kInt64), device);
    };
    const Tensor row = there(rows), position = there(positions);
    const Rope::Angles angles = m_model.rope().anglesOf(position);
    // [n, 1, 1, keys]: what a place has not read yet is not seen.
    const Tensor ahead =
        torch::arange(keys, torch::TensorOptions().device(device).dtype(torch::kInt64)).unsqueeze(0) >
        position.unsqueeze(1);
    const Tensor mask =
        (ahead.to(torch::kFloat32) * maskedScore).view({count, 1, 1, keys}).to(m_model.compute().precision);
    const bool shared = m_model.config().num_key_value_heads != m_model.config().num_attention_heads;
    Tensor x = torch::embedding(m_model.words(), there(tokens)).to(torch::kFloat32);
    for (std::size_t i = 0; i < m_cache.size(); ++i) {
        const CausalBlock& block = m_model.blocks()[i];
        const auto [query, keyValue] = m_model.project(block, x, angles);
        m_cache[i].key.index_put_({row, position}, keyValue.key);
        m_cache[i].value.index_put_({row, position}, keyValue.value);
        const auto seen = [&](const Tensor& cache) { // [n, heads, keys, head_dim]
            return cache.narrow(1, 0, keys).index_select(0, row).transpose(1, 2);
        };
        const Tensor attended =
            at::scaled_dot_product_attention(query.unsqueeze(2), seen(m_cache[i].key), seen(m_cache[i].value),
                                             mask, 0.0, false, std::nullopt, shared);
        x = m_model.finish(block, x, attended.flatten(1));
    }
    return m_model.lastNorm(x);
}

void CausalStepper::step(std::span<const int> places, std::span<const std::int32_t> tokens,
                         const std::function<void(std::size_t, const float*)>& consume)
{
    const torch::NoGradGuard guard;
    std::vector<int> going;
    std::vector<std::int64_t> read;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (m_fresh[std::size_t(places[i])].defined())
            continue;
        going.push_back(places[i]);
        read.push_back(tokens[i]);
    }
    const Tensor after = going.empty() ? Tensor() : advance(going, read);
    std::vector<Tensor> hidden;
    std::int64_t next = 0;
    for (const int place : places) {
        Tensor& fresh = m_fresh[std::size_t(place)];
        hidden.push_back(fresh.defined() ? fresh : after[next++]);
        fresh = Tensor();
    }
    const Tensor logits =
        headProduct(torch::stack(hidden), m_head).to(torch::kCPU, torch::kFloat32).contiguous();
    for (std::size_t i = 0; i < places.size(); ++i)
        consume(i, logits.const_data_ptr<float>() + std::int64_t(i) * logits.size(1));
}

std::unique_ptr<Stepper> CausalModel::stepper(const std::shared_ptr<const ReadInputs>& inputs, int places,
                                              int maxTokens) const
{
    auto own = std::dynamic_pointer_cast<const CausalInputs>(inputs);
    TORCH_CHECK(own, "inputs were read by another model");
    return std::make_unique<CausalStepper>(*this, std::move(own), places, maxTokens);
}

} // namespace sparserl
