// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/policy_conversion.h"

#include "base/beneath.h"
#include "base/format.h"
#include "base/new_place.h"
#include "policy/causal/causal_model.h"
#include "policy/policy/policy_adapters.h"
#include "policy/policy/policy_gguf.h"
#include "policy/policy/policy_hugging_face.h"

#include <fmt/format.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// What a policy is not says which policy it is.
template <typename T>
T ofPolicy(T result, const fs::path& from)
{
    if (!result && result.error().file.empty())
        result.error().file = from.string();
    return result;
}

/// Reads a policy, and writes what `convert` makes of it.
template <typename Convert>
Result<ConvertedPolicy> converted(const fs::path& from, const fs::path& to, const Convert& convert,
                                  torch::ScalarType precision = torch::kFloat32)
{
    SPARSERL_CHECK(checkFree(to, "folder"));
    SPARSERL_TRY(const auto policy, Policy::load(from));
    SPARSERL_TRY(const Policy made, ofPolicy(convert(policy), from));
    SPARSERL_CHECK(made.save(to, precision));
    return ConvertedPolicy{made.parameterCount(), countOf(made.parameters())};
}

/// What of a policy an export holds.
enum class Part
{
    Model,
    Adapters
};

std::vector<std::string> leftOutOf(const Policy& policy, const fs::path& from, Part part)
{
    std::vector<std::string> sentences;
    std::int64_t embedding = 0;
    for (const auto& [name, tensor] : policy.model().weights())
        embedding += name.starts_with("matrix.") ? tensor.numel() : 0;
    if (policy.config().textEntries == 0)
        sentences.push_back(fmt::format("The matrix embedding ({} weights) is left out, because other "
                                        "programs cannot read matrices: there, the model reads its prompt "
                                        "alone.",
                                        formatGrouped(embedding)));
    if (glance(from / "critic.safetensors").exists)
        sentences.emplace_back("The critic is left out, because only training uses it.");
    const auto* causal = dynamic_cast<const CausalModel*>(&policy.model());
    if (part == Part::Model && causal != nullptr && causal->config().passedOn.chatTemplate.empty() &&
        !policy.config().chat.empty())
        sentences.push_back(fmt::format("There is no chat template: the policy's files hold only the name of "
                                        "its chat format, {}.",
                                        policy.config().chat));
    return sentences;
}

/// Reads a policy, and has `write` write a part of it.
template <typename Write>
Result<PolicyExport> exported(const fs::path& from, Part part, const Write& write)
{
    SPARSERL_TRY(const auto policy, Policy::load(from));
    SPARSERL_CHECK(ofPolicy(write(policy), from));
    return PolicyExport{leftOutOf(policy, from, part)};
}

} // namespace

Result<ConvertedPolicy> adaptPolicy(const fs::path& from, const fs::path& to, const LoraConfig& lora,
                                    std::uint64_t seed)
{
    return converted(from, to, [&](const Policy& policy) { return withAdapters(policy, lora, seed); });
}

Result<ConvertedPolicy> adaptPolicy(const fs::path& from, const fs::path& to, const fs::path& adapter)
{
    return converted(from, to, [&](const Policy& policy) { return withPeftAdapters(policy, adapter); });
}

Result<ConvertedPolicy> mergePolicy(const fs::path& from, const fs::path& to)
{
    return converted(from, to, [](const Policy& policy) { return mergedPolicy(policy); });
}

Result<ConvertedPolicy> shrinkPolicy(const fs::path& from, const fs::path& to)
{
    return converted(
        from, to, [](const Policy& policy) { return Result<Policy>(policy); }, torch::kBFloat16);
}

Result<PolicyExport> exportAdapters(const fs::path& from, const fs::path& to)
{
    return exported(from, Part::Adapters,
                    [&](const Policy& policy) { return writePeftAdapters(policy, to); });
}

Result<PolicyExport> exportAdaptersGguf(const fs::path& from, const fs::path& to, const CancelToken& cancel)
{
    return exported(from, Part::Adapters,
                    [&](const Policy& policy) { return writeAdaptersGguf(policy, to, cancel); });
}

Result<PolicyExport> exportGguf(const fs::path& from, const fs::path& to, GgufType type,
                                const CancelToken& cancel)
{
    return exported(from, Part::Model,
                    [&](const Policy& policy) { return writeGguf(policy, to, type, cancel); });
}

Result<PolicyExport> exportHuggingFace(const fs::path& from, const fs::path& to)
{
    return exported(from, Part::Model, [&](const Policy& policy) { return writeHuggingFace(policy, to); });
}

} // namespace sparserl
