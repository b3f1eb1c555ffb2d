// SPDX-License-Identifier: Apache-2.0
// Names of Hugging Face's, and weights that come and go under them.
#include "policy/causal/causal_model.h"

#include "base/rng.h"
#include "policy/files/weight_files.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <string_view>

namespace sparserl {

using torch::Tensor;

void CausalModel::visit(const TensorVisitor& visitor)
{
    visitor("model.embed_tokens.weight", m_words);
    m_matrix.visit(visitor);
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        CausalBlock& block = m_blocks[i];
        const std::string layer = fmt::format("model.layers.{}.", i);
        const auto linear = [&](const char* name, CausalLinear& of) {
            visitor(layer + name + ".weight", of.weight);
            if (of.bias.defined())
                visitor(layer + name + ".bias", of.bias);
            if (of.down.defined()) {
                visitor(layer + name + ".lora_A.weight", of.down);
                visitor(layer + name + ".lora_B.weight", of.up);
            }
        };
        visitor(layer + "input_layernorm.weight", block.attentionNorm);
        linear("self_attn.q_proj", block.query);
        linear("self_attn.k_proj", block.key);
        linear("self_attn.v_proj", block.value);
        linear("self_attn.o_proj", block.out);
        if (block.queryNorm.defined()) {
            visitor(layer + "self_attn.q_norm.weight", block.queryNorm);
            visitor(layer + "self_attn.k_norm.weight", block.keyNorm);
        }
        visitor(layer + "post_attention_layernorm.weight", block.feedNorm);
        if (block.up.weight.defined()) {
            linear("mlp.gate_proj", block.gate);
            linear("mlp.up_proj", block.up);
        } else {
            linear("mlp.gate_up_proj", block.gate);
        }
        linear("mlp.down_proj", block.down);
        if (block.attendedNorm.defined()) {
            visitor(layer + "post_self_attn_layernorm.weight", block.attendedNorm);
            visitor(layer + "post_mlp_layernorm.weight", block.fedNorm);
        }
    }
    visitor("model.norm.weight", m_finalNorm);
    if (m_lmHead.defined())
        visitor("lm_head.weight", m_lmHead);
    if (m_valueWeight.defined()) {
        visitor("value_head.weight", m_valueWeight);
        visitor("value_head.bias", m_valueBias);
    }
}

bool CausalModel::isFrozen(std::string_view name) const
{
    return m_config.lora.any() && name.find(".lora_") == std::string_view::npos &&
           !name.starts_with("matrix.") && !name.starts_with("value_head.");
}

NamedTensors CausalModel::weights() const
{
    NamedTensors list;
    // visit() only hands out references; nothing is changed here.
    const_cast<CausalModel*>(this)->visit(
        [&](const std::string& name, Tensor& tensor) { list.emplace_back(name, tensor); });
    return list;
}

NamedTensors CausalModel::parameters() const
{
    NamedTensors list = weights();
    std::erase_if(list, [this](const auto& weight) { return isFrozen(weight.first); });
    return list;
}

void CausalModel::shareFrozen(const LanguageModel& other)
{
    const auto* owner = dynamic_cast<const CausalModel*>(&other);
    if (owner == nullptr)
        return;
    std::map<std::string, Tensor> shared;
    for (const auto& [name, tensor] : owner->weights()) {
        if (owner->isFrozen(name))
            shared.emplace(name, tensor);
    }
    visit([&](const std::string& name, Tensor& tensor) {
        const auto found = shared.find(name);
        if (found == shared.end() || tensor.requires_grad() || tensor.sizes() != found->second.sizes() ||
            tensor.scalar_type() != found->second.scalar_type())
            return;
        if (torch::equal(tensor.to(found->second.device()), found->second))
            tensor = found->second;
    });
}

SafeTensors CausalModel::exportTensors() const
{
    SafeTensors content;
    content.metadata["format"] = "pt";
    for (const auto& [name, tensor] : weights())
        content.tensors.emplace_back(name, tensor.detach());
    return content;
}

void CausalModel::learn()
{
    visit([this](const std::string& name, Tensor& tensor) {
        if (isFrozen(name))
            return;
        if (tensor.scalar_type() != torch::kFloat32)
            tensor = tensor.detach().to(torch::kFloat32);
        tensor.requires_grad_(true);
    });
}

void CausalModel::moveTo(const Compute& compute)
{
    m_compute = compute;
    m_rope.moveTo(compute.device);
    visit([&](const std::string&, Tensor& tensor) {
        const bool requiresGrad = tensor.requires_grad();
        if (tensor.device() != compute.device)
            tensor = tensor.detach().to(compute.device).requires_grad_(requiresGrad);
    });
}

std::shared_ptr<CausalModel> CausalModel::copyWith(ModelHead head, bool requiresGrad) const
{
    const torch::NoGradGuard guard;
    auto model = std::make_shared<CausalModel>(m_config, embedding(), head);
    std::map<std::string, Tensor> source;
    for (const auto& [name, tensor] : weights())
        source.emplace(name, tensor);
    model->visit([&](const std::string& name, Tensor& tensor) {
        if (const auto found = source.find(name); found != source.end())
            tensor = isFrozen(name) ? found->second : found->second.detach().clone();
    });
    if (requiresGrad)
        model->learn();
    model->moveTo(m_compute);
    return model;
}

std::shared_ptr<LanguageModel> CausalModel::clone(bool requiresGrad) const
{
    return copyWith(m_head, requiresGrad);
}

std::shared_ptr<LanguageModel> CausalModel::withValueHead(std::uint64_t seed) const
{
    auto model = copyWith(ModelHead::Scalar, true);
    const torch::NoGradGuard guard;
    Rng rng = Rng(seed).derive("value_head");
    const Tensor drawn = torch::empty(model->m_valueWeight.sizes());
    fillNormal(rng, drawn, 1.0 / std::sqrt(m_config.hidden_size + 1.0));
    model->m_valueWeight.copy_(drawn);
    return model;
}

Status CausalModel::importTensors(const SafeTensors& content, const std::string& file)
{
    const std::string together = "Check that weights and config.json belong together";
    const auto sources = content.byName();
    std::set<std::string> used;
    if (!m_lmHead.defined())
        used.insert("lm_head.weight"); // a copy of the tied embedding, or nothing of a critic's
    Status status;
    visit([&](const std::string& name, Tensor& tensor) {
        if (!status)
            return;
        used.insert(name);
        const auto found = sources.find(name);
        const Tensor* source = found == sources.end() ? nullptr : found->second;
        if (source == nullptr)
            status = failAt(file, 0, "tensor " + name + " is missing", together);
        else if (source->sizes() != tensor.sizes())
            status = failAt(file, 0,
                            fmt::format("tensor {} has shape [{}], config.json asks for [{}]", name,
                                        fmt::join(source->sizes(), ", "), fmt::join(tensor.sizes(), ", ")),
                            together);
        else if (!source->is_floating_point() || !allFinite(*source))
            status = failAt(file, 0, "tensor " + name + " is not made of finite floating-point numbers",
                            "Take an earlier checkpoint");
        else
            tensor = source->scalar_type() == torch::kFloat64 ? source->to(torch::kFloat32) : *source;
    });
    if (!status)
        return status;
    for (const auto& [name, tensor] : content.tensors) {
        // Old files hold the frequencies of positions, which follow from config.json.
        if (!used.contains(name) && !name.ends_with(".rotary_emb.inv_freq"))
            return failAt(file, 0, "tensor " + name + " is not part of this model", together);
    }
    return {};
}

} // namespace sparserl
