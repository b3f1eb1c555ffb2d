// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/policy_update.h"

#include "base/beneath.h"
#include "base/hash.h"
#include "base/json.h"
#include "policy/files/safetensors.h"

#include <fmt/format.h>
#include <set>
#include <utility>

namespace sparserl {

using torch::Tensor;

namespace {

constexpr const char *formatKey = "sparserl_update", *frozenKey = "frozen", *digestKey = "digest";
constexpr const char* format = "1";

std::string digestOf(const NamedTensors& tensors)
{
    Hasher hasher;
    for (const auto& [name, tensor] : tensors) {
        const Tensor data = tensor.detach().to(torch::kCPU).contiguous();
        hasher.update(fmt::format("{} {}\n", name, c10::toString(data.scalar_type())));
        hasher.update(data.const_data_ptr(), data.nbytes());
    }
    return hasher.hex();
}

} // namespace

std::string frozenDigest(const Policy& policy)
{
    const torch::NoGradGuard guard;
    nlohmann::json shape = nlohmann::json::object();
    policy.model().writeConfig(shape);
    shape["embedding"] = toJson(policy.model().embedding());
    shape["tokenizer"] = policy.tokenizer().toJson();
    shape["end"] = policy.tokenizer().end();
    std::set<std::string> trained;
    for (const auto& [name, tensor] : policy.parameters())
        trained.insert(name);
    NamedTensors frozen;
    for (const auto& [name, tensor] : policy.model().weights())
        if (!trained.contains(name))
            frozen.emplace_back(name, tensor);
    return sha256Hex(dumpJson(shape) + digestOf(frozen));
}

std::string trainableDigest(const Policy& policy)
{
    const torch::NoGradGuard guard;
    return digestOf(policy.parameters());
}

Status writeUpdate(const Policy& policy, const std::string& frozen, const std::filesystem::path& file)
{
    const torch::NoGradGuard guard;
    SafeTensors update;
    for (const auto& [name, tensor] : policy.parameters())
        update.tensors.emplace_back(name, tensor.detach().to(torch::kCPU).contiguous());
    update.metadata = {{formatKey, format}, {frozenKey, frozen}, {digestKey, trainableDigest(policy)}};
    return writeSafeTensors(file, update);
}

Result<std::string> readUpdate(const Policy& policy, const std::string& frozen,
                               const std::filesystem::path& file)
{
    const torch::NoGradGuard guard;
    SPARSERL_TRY(const SafeTensors update, readSafeTensors(file));
    const auto said = [&](const char* key) {
        const auto at = update.metadata.find(key);
        return at == update.metadata.end() ? std::string() : at->second;
    };
    if (said(formatKey) != format)
        return failAt(file.string(), 0, "these are no new weights of a policy in training");
    if (said(frozenKey) != frozen)
        return failAt(file.string(), 0, "these weights belong to another policy",
                      "Serve the policy from which the training starts");
    const NamedTensors own = policy.parameters();
    const auto found = update.byName();
    if (found.size() != own.size())
        return failAt(file.string(), 0, "these weights are not complete");
    for (const auto& [name, tensor] : own) {
        const auto at = found.find(name);
        if (at == found.end() || at->second->sizes() != tensor.sizes())
            return failAt(file.string(), 0, "the weights " + name + " are missing or of another shape");
        if (!torch::isfinite(*at->second).all().item<bool>())
            return failAt(file.string(), 0, "the weights " + name + " are not all finite");
    }
    if (digestOf(update.tensors) != said(digestKey))
        return failAt(file.string(), 0, "these weights are damaged");
    for (const auto& [name, tensor] : own)
        Tensor(tensor).copy_(*found.at(name));
    return said(digestKey);
}

} // namespace sparserl
