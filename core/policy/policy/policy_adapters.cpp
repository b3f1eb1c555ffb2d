// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/policy_adapters.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"
#include "base/rng.h"
#include "policy/causal/causal_model.h"
#include "policy/policy/new_directory.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <span>

namespace sparserl {

namespace fs = std::filesystem;
using nlohmann::json;
using torch::Tensor;

namespace {

constexpr const char* peftConfig = "adapter_config.json";
constexpr const char* peftWeights = "adapter_model.safetensors";
constexpr std::string_view peftPrefix = "base_model.model.";
constexpr std::string_view downEnd = ".lora_A.weight", upEnd = ".lora_B.weight", weightEnd = ".weight";

Result<const CausalModel*> causalOf(const Policy& policy)
{
    const auto* model = dynamic_cast<const CausalModel*>(&policy.model());
    if (model == nullptr)
        return fail("the policy is a T5, which has no adapters",
                    "Give a policy that comes from a llama, qwen2, qwen3 or glm4");
    return model;
}

Result<const CausalModel*> withoutAdapters(const Policy& policy)
{
    SPARSERL_TRY(const auto* model, causalOf(policy));
    if (model->config().lora.any())
        return fail("the policy has adapters already", "Merge them into its weights first");
    return model;
}

Result<const CausalModel*> withSome(const Policy& policy)
{
    SPARSERL_TRY(const auto* model, causalOf(policy));
    if (!model->config().lora.any())
        return fail("the policy has no adapters", "Give one that was made by `sparserl policy adapt`");
    return model;
}

/// The names of the linear layers of blocks, and of what has adapters among them.
std::vector<std::string> layersOf(const CausalModel& model)
{
    std::vector<std::string> layers;
    for (const auto& [name, tensor] : model.weights()) {
        if (name.ends_with("_proj.weight"))
            layers.push_back(name.substr(0, name.size() - weightEnd.size()));
    }
    return layers;
}

/// A policy of the same weights, and others, with adapters as `lora` says.
Result<Policy> rebuilt(const Policy& policy, const CausalModel& model, const LoraConfig& lora,
                       const SafeTensors& weights, const std::string& file)
{
    CausalConfig config = model.config();
    config.lora = lora;
    auto made = std::make_shared<CausalModel>(config, model.embedding(), ModelHead::Vocabulary);
    SPARSERL_CHECK(made->importTensors(weights, file));
    made->moveTo(model.compute());
    return Policy::ofModel(policy.config(), policy.tokenizer(), std::move(made));
}

/// Last parts of the names of layers, where all layers of that name have adapters, and whole names else.
std::vector<std::string> targetsOf(const std::set<std::string>& adapted,
                                   const std::vector<std::string>& layers)
{
    std::map<std::string, bool> whole; // by the last part of a name
    const auto lastOf = [](const std::string& layer) { return layer.substr(layer.rfind('.') + 1); };
    for (const std::string& layer : layers) {
        const auto [at, isNew] = whole.try_emplace(lastOf(layer), true);
        at->second = at->second && adapted.contains(layer);
    }
    std::set<std::string> targets;
    for (const std::string& layer : adapted)
        targets.insert(whole[lastOf(layer)] ? lastOf(layer) : layer);
    return {targets.begin(), targets.end()};
}

std::string namesOf(const std::vector<std::string>& layers)
{
    return fmt::format("{}", fmt::join(targetsOf({layers.begin(), layers.end()}, layers), ", "));
}

/// Whether the layers that a description names are those whose weights there are. A pattern and what narrows
/// a list say what PEFT chose when it made the adapters; the weights have it.
Status checkNamed(const json& description, const LoraConfig& named, const std::set<std::string>& adapted,
                  const std::vector<std::string>& layers)
{
    const auto narrows = [&](const char* key) {
        return description.contains(key) && !description[key].is_null() && !description[key].empty();
    };
    if (named.targets.empty() || narrows("layers_to_transform") || narrows("exclude_modules"))
        return {};
    const std::string remedy = "Take both files from the same adapter";
    for (const std::string& layer : layers) {
        if (named.adapts(layer) != adapted.contains(layer))
            return adapted.contains(layer)
                       ? fail(
                             fmt::format("{} has an adapter, and \"target_modules\" does not name it", layer),
                             remedy)
                       : fail(
                             fmt::format("\"target_modules\" names {}, and the weights have no adapter of it",
                                         layer),
                             remedy);
    }
    for (const std::string& target : named.targets) {
        const LoraConfig alone{.rank = 1, .targets = {target}};
        if (std::ranges::none_of(layers, [&](const std::string& layer) { return alone.adapts(layer); }))
            return fail(fmt::format("\"target_modules\" names {}, and the policy has no such layer", target),
                        "Use an adapter of the model that the policy comes from");
    }
    return {};
}

} // namespace

Result<Policy> withAdapters(const Policy& base, LoraConfig lora, std::uint64_t seed)
{
    const torch::NoGradGuard guard;
    SPARSERL_TRY(const auto* model, withoutAdapters(base));
    SPARSERL_CHECK(lora.check());
    const auto layers = layersOf(*model);
    for (const std::string& target : lora.targets) {
        const LoraConfig alone{.rank = 1, .targets = {target}};
        if (std::ranges::none_of(layers, [&](const std::string& layer) { return alone.adapts(layer); }))
            return fail(fmt::format("no layer is called \"{}\"", target), "Name some of " + namesOf(layers));
    }
    if (lora.targets.empty())
        lora.targets = targetsOf({layers.begin(), layers.end()}, layers);
    std::ranges::sort(lora.targets);
    SafeTensors weights = model->exportTensors();
    const Rng drawn(seed);
    for (const std::string& layer : layers) {
        if (!lora.adapts(layer))
            continue;
        const Tensor weight = *weights.find(layer + std::string(weightEnd));
        const double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
        Tensor down = torch::empty({lora.rank, weight.size(1)});
        Rng rng = drawn.derive(layer);
        for (float& value : std::span(down.data_ptr<float>(), static_cast<std::size_t>(down.numel())))
            value = static_cast<float>(rng.uniform(-bound, bound));
        weights.tensors.emplace_back(layer + std::string(downEnd), down);
        weights.tensors.emplace_back(layer + std::string(upEnd), torch::zeros({weight.size(0), lora.rank}));
    }
    return rebuilt(base, *model, lora, weights, "the policy");
}

Result<Policy> withPeftAdapters(const Policy& base, const fs::path& directory)
{
    const torch::NoGradGuard guard;
    SPARSERL_TRY(const auto* model, withoutAdapters(base));
    const fs::path configFile = directory / peftConfig, weightsFile = directory / peftWeights;
    if (!glance(configFile).exists)
        return failAt(directory.string(), 0,
                      fmt::format("this is not a PEFT adapter: it has no {}", peftConfig),
                      fmt::format("Give a directory with {} and {}", peftConfig, peftWeights));
    SPARSERL_TRY(const json value, readJson(configFile));
    auto lora = loraConfigFromJson(value);
    if (!lora)
        return failAt(configFile.string(), 0, lora.error().what, lora.error().remedy);
    SPARSERL_TRY(auto adapters, readSafeTensors(weightsFile));
    SafeTensors weights = model->exportTensors();
    const auto layers = layersOf(*model);
    std::set<std::string> adapted;
    for (auto& [name, tensor] : adapters.tensors) {
        if (!name.starts_with(peftPrefix) || (!name.ends_with(downEnd) && !name.ends_with(upEnd)))
            return failAt(weightsFile.string(), 0,
                          "tensor " + name + " is not one of an adapter of linear layers",
                          "Use a LoRA adapter of a model of this family");
        const std::string own = name.substr(peftPrefix.size());
        const std::string layer = own.substr(0, own.size() - downEnd.size());
        if (std::ranges::find(layers, layer) == layers.end())
            return failAt(weightsFile.string(), 0,
                          "tensor " + name + " is of a layer that the policy does not have",
                          "Use an adapter of the model that the policy comes from");
        if (const auto rank = tensor.dim() == 2 ? tensor.size(name.ends_with(downEnd) ? 0 : 1) : 0;
            rank != lora->rank)
            return failAt(
                weightsFile.string(), 0,
                fmt::format("tensor {} is of rank {}, and {} says {}", name, rank, peftConfig, lora->rank),
                "Take both files from the same adapter");
        adapted.insert(layer);
        weights.tensors.emplace_back(own, std::move(tensor));
    }
    if (adapted.empty())
        return failAt(weightsFile.string(), 0, "there is no adapter in it");
    if (auto fits = checkNamed(value, *lora, adapted, layers); !fits)
        return failAt(configFile.string(), 0, fits.error().what, fits.error().remedy);
    lora->targets = targetsOf(adapted, layers);
    return rebuilt(base, *model, *lora, weights, weightsFile.string());
}

Result<std::vector<AdapterWeights>> adaptersOf(const Policy& policy)
{
    SPARSERL_TRY(const auto* model, withSome(policy));
    std::vector<AdapterWeights> adapters;
    for (const auto& [name, tensor] : model->weights()) { // A, and then its B
        if (name.ends_with(downEnd))
            adapters.push_back({name.substr(0, name.size() - downEnd.size()), tensor.detach(), {}});
        else if (name.ends_with(upEnd))
            adapters.back().up = tensor.detach();
    }
    return adapters;
}

Status writePeftAdapters(const Policy& policy, const fs::path& directory)
{
    SPARSERL_TRY(const auto* model, withSome(policy));
    SPARSERL_TRY(const auto all, adaptersOf(policy));
    SafeTensors adapters;
    adapters.metadata["format"] = "pt";
    for (const auto& [layer, down, up] : all) {
        const std::string begin = std::string(peftPrefix) + layer;
        adapters.tensors.emplace_back(begin + std::string(downEnd), down);
        adapters.tensors.emplace_back(begin + std::string(upEnd), up);
    }
    json config = toJson(model->config().lora);
    config.update({{"peft_type", "LORA"},
                   {"task_type", "CAUSAL_LM"},
                   {"base_model_name_or_path", nullptr},
                   {"bias", "none"},
                   {"fan_in_fan_out", false},
                   {"inference_mode", true},
                   {"lora_dropout", 0.0},
                   {"init_lora_weights", true},
                   {"modules_to_save", nullptr}});
    return writeNewDirectory(directory, [&](const fs::path& into) -> Status {
        SPARSERL_CHECK(writeSafeTensors(into / peftWeights, adapters));
        return writeFileAtomic(into / peftConfig, config.dump(2) + "\n");
    });
}

Result<Policy> mergedPolicy(const Policy& policy)
{
    const torch::NoGradGuard guard;
    SPARSERL_TRY(const auto* model, withSome(policy));
    const SafeTensors all = model->exportTensors();
    const auto known = all.byName();
    SafeTensors merged;
    for (const auto& [name, tensor] : all.tensors) {
        if (name.ends_with(downEnd) || name.ends_with(upEnd))
            continue;
        const std::string layer = name.substr(0, name.size() - std::min(name.size(), weightEnd.size()));
        const auto down = known.find(layer + std::string(downEnd)),
                   up = known.find(layer + std::string(upEnd));
        if (down == known.end() || up == known.end()) {
            merged.tensors.emplace_back(name, tensor);
            continue;
        }
        const Tensor product = torch::mm(up->second->to(torch::kFloat32), down->second->to(torch::kFloat32));
        const Tensor sum = tensor.to(torch::kFloat32) + model->config().lora.scale() * product;
        merged.tensors.emplace_back(name, sum.to(tensor.scalar_type()));
    }
    return rebuilt(policy, *model, {}, merged, "the policy");
}

} // namespace sparserl
