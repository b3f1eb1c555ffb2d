// SPDX-License-Identifier: Apache-2.0
// Names, initial values, and the exchange with Hugging Face's layout of T5.
#include "policy/files/weight_files.h"
#include "policy/t5/t5.h"

#include "base/rng.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace sparserl {

using torch::Tensor;

void T5Model::visit(const TensorVisitor& visitor)
{
    visitor("shared.weight", m_shared);
    m_matrix.visit(visitor);
    for (T5Stack* stack : {&m_encoder, &m_decoder}) {
        const std::string side = stack == &m_encoder ? "encoder" : "decoder";
        visitor(side + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight", stack->relativeBias);
        for (std::size_t i = 0; i < stack->blocks.size(); ++i) {
            T5Block& block = stack->blocks[i];
            const std::string layer = fmt::format("{}.block.{}.layer.", side, i);
            visitor(layer + "0.layer_norm.weight", block.self.norm);
            visitor(layer + "0.SelfAttention.qkv.weight", block.self.qkv);
            visitor(layer + "0.SelfAttention.o.weight", block.self.out);
            if (block.cross.norm.defined()) {
                visitor(layer + "1.layer_norm.weight", block.cross.norm);
                visitor(layer + "1.EncDecAttention.q.weight", block.cross.query);
                visitor(layer + "1.EncDecAttention.kv.weight", block.cross.keyValue);
                visitor(layer + "1.EncDecAttention.o.weight", block.cross.out);
            }
            const std::string feed = layer + (block.cross.norm.defined() ? "2" : "1");
            visitor(feed + ".layer_norm.weight", block.feed.norm);
            visitor(feed + ".DenseReluDense.wi.weight", block.feed.in);
            visitor(feed + ".DenseReluDense.wo.weight", block.feed.out);
        }
        visitor(side + ".final_layer_norm.weight", stack->finalNorm);
    }
    if (m_lmHead.defined())
        visitor("lm_head.weight", m_lmHead);
    if (m_valueWeight.defined()) {
        visitor("value_head.weight", m_valueWeight);
        visitor("value_head.bias", m_valueBias);
    }
}

std::vector<std::string> T5Model::sourcesOf(const std::string& name, bool gated)
{
    const auto replaceEnd = [&](std::string_view end, std::initializer_list<const char*> parts) {
        std::vector<std::string> names;
        for (const char* part : parts)
            names.push_back(name.substr(0, name.size() - end.size()) + part);
        return names;
    };
    if (name.ends_with(".qkv.weight"))
        return replaceEnd("qkv.weight", {"q.weight", "k.weight", "v.weight"});
    if (name.ends_with(".kv.weight"))
        return replaceEnd("kv.weight", {"k.weight", "v.weight"});
    if (gated && name.ends_with(".wi.weight"))
        return replaceEnd("wi.weight", {"wi_0.weight", "wi_1.weight"});
    return {name};
}

void T5Model::setRequiresGrad(bool requiresGrad)
{
    visit([&](const std::string&, Tensor& tensor) { tensor.requires_grad_(requiresGrad); });
}

void T5Model::moveTo(const Compute& compute)
{
    m_compute = compute;
    visit([&](const std::string&, Tensor& tensor) {
        const bool requiresGrad = tensor.requires_grad();
        if (tensor.device() != compute.device)
            tensor = tensor.detach().to(compute.device).requires_grad_(requiresGrad);
    });
}

std::shared_ptr<T5Model> T5Model::copyWith(ModelHead head, bool requiresGrad) const
{
    auto model = std::make_shared<T5Model>(m_config, embedding(), head);
    model->copyWeightsFrom(*this);
    model->setRequiresGrad(requiresGrad);
    model->moveTo(m_compute);
    return model;
}

std::shared_ptr<LanguageModel> T5Model::clone(bool requiresGrad) const
{
    return copyWith(m_head, requiresGrad);
}

std::shared_ptr<LanguageModel> T5Model::withValueHead(std::uint64_t seed) const
{
    auto model = copyWith(ModelHead::Scalar, true);
    model->initialiseValueHead(seed);
    return model;
}

NamedTensors T5Model::parameters() const
{
    NamedTensors list;
    // visit() only hands out references; nothing is changed here.
    const_cast<T5Model*>(this)->visit(
        [&](const std::string& name, Tensor& t) { list.emplace_back(name, t); });
    return list;
}

void T5Model::initialise(std::uint64_t seed)
{
    const torch::NoGradGuard guard;
    const Rng base(seed);
    const double f = m_config.initializer_factor, d = m_config.d_model;
    const std::int64_t inner = std::int64_t(m_config.num_heads) * m_config.d_kv;
    initialiseMatrix(seed, f);
    visit([&](const std::string& name, Tensor& t) {
        Rng rng = base.derive(name);
        if (name.starts_with("matrix."))
            return;
        if (name.ends_with("norm.weight")) {
            t.fill_(f);
        } else if (name.ends_with(".qkv.weight")) {
            fillNormal(rng, t.narrow(0, 0, inner), f / std::sqrt(d * m_config.d_kv));
            fillNormal(rng, t.narrow(0, inner, 2 * inner), f / std::sqrt(d));
        } else if (name.ends_with("EncDecAttention.q.weight")) {
            fillNormal(rng, t, f / std::sqrt(d * m_config.d_kv));
        } else if (name.ends_with(".o.weight")) {
            fillNormal(rng, t, f / std::sqrt(double(inner)));
        } else if (name.ends_with(".wo.weight")) {
            fillNormal(rng, t, f / std::sqrt(double(m_config.d_ff)));
        } else if (name.starts_with("value_head.")) {
            t.zero_();
        } else if (name == "shared.weight" || name == "lm_head.weight") {
            fillNormal(rng, t, f);
        } else {
            fillNormal(rng, t, f / std::sqrt(d)); // k, v of cross attention, wi, relative_attention_bias
        }
    });
}

void T5Model::initialiseValueHead(std::uint64_t seed)
{
    const torch::NoGradGuard guard;
    Rng rng = Rng(seed).derive("value_head");
    const Tensor drawn = torch::empty(m_valueWeight.sizes());
    float* data = drawn.data_ptr<float>();
    for (std::int64_t i = 0; i < drawn.numel(); ++i)
        data[i] = float(rng.normal() / std::sqrt(m_config.d_model + 1.0));
    m_valueWeight.copy_(drawn);
    m_valueBias.zero_();
}

void T5Model::copyWeightsFrom(const T5Model& other)
{
    const torch::NoGradGuard guard;
    std::map<std::string, Tensor> source;
    for (const auto& [name, tensor] : other.parameters())
        source.emplace(name, tensor);
    visit([&](const std::string& name, Tensor& tensor) {
        if (const auto found = source.find(name); found != source.end())
            tensor.copy_(found->second);
    });
}

SafeTensors T5Model::exportTensors() const
{
    const torch::NoGradGuard guard;
    SafeTensors content;
    content.metadata["format"] = "pt";
    for (const auto& [name, tensor] : parameters()) {
        const auto sources = sourcesOf(name, m_config.gated);
        const auto parts = tensor.detach().chunk(std::int64_t(sources.size()), 0);
        for (std::size_t i = 0; i < sources.size(); ++i)
            content.tensors.emplace_back(sources[i], parts[i]);
    }
    return content;
}

Status T5Model::importTensors(const SafeTensors& content, const std::string& file)
{
    const torch::NoGradGuard guard;
    const auto all = content.byName();
    std::set<std::string> used{"encoder.embed_tokens.weight", "decoder.embed_tokens.weight"};
    if (!m_lmHead.defined())
        used.insert("lm_head.weight"); // a copy of the tied embedding
    Status status;
    visit([&](const std::string& name, Tensor& tensor) {
        const auto sources = sourcesOf(name, m_config.gated);
        const auto parts = tensor.chunk(std::int64_t(sources.size()), 0);
        for (std::size_t i = 0; i < sources.size() && status; ++i) {
            const auto found = all.find(sources[i]);
            const Tensor* source = found == all.end() ? nullptr : found->second;
            used.insert(sources[i]);
            if (!source) {
                status = failAt(file, 0, "tensor " + sources[i] + " is missing",
                                "Check that weights and config.json belong together");
            } else if (source->sizes() != parts[i].sizes()) {
                status =
                    failAt(file, 0,
                           fmt::format("tensor {} has shape [{}], config.json asks for [{}]", sources[i],
                                       fmt::join(source->sizes(), ", "), fmt::join(parts[i].sizes(), ", ")),
                           "Check that weights and config.json belong together");
            } else if (!source->is_floating_point() || !allFinite(*source)) {
                status =
                    failAt(file, 0, "tensor " + sources[i] + " is not made of finite floating-point numbers",
                           "Take an earlier checkpoint");
            } else {
                parts[i].copy_(*source);
            }
        }
    });
    if (!status)
        return status;
    for (const auto& [name, tensor] : content.tensors) {
        if (!used.contains(name))
            return failAt(file, 0, "tensor " + name + " is not part of this model",
                          "Check that weights and config.json belong together");
    }
    return {};
}

} // namespace sparserl
