// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/policy_conversion.h"

#include "base/new_place.h"
#include "policy/policy/policy_adapters.h"
#include "policy/policy/policy_gguf.h"

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

Status exportAdapters(const fs::path& from, const fs::path& to)
{
    SPARSERL_TRY(const auto policy, Policy::load(from));
    return ofPolicy(writePeftAdapters(policy, to), from);
}

Status exportGguf(const fs::path& from, const fs::path& to, GgufType type, const CancelToken& cancel)
{
    SPARSERL_TRY(const auto policy, Policy::load(from));
    return ofPolicy(writeGguf(policy, to, type, cancel), from);
}

} // namespace sparserl
