// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/causal/lora_config.h"
#include "policy/files/gguf_types.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

// Converts policies and exports files for other programs, from directory to directory (policy_adapters.h
// describes the operations). This interface has no tensors. The destination must not exist yet.

struct ConvertedPolicy
{
    std::int64_t weights = 0, trainable = 0;
};

/// Creates a policy with new adapters.
Result<ConvertedPolicy> adaptPolicy(const std::filesystem::path& from, const std::filesystem::path& to,
                                    const LoraConfig& lora, std::uint64_t seed);
/// Creates a policy with the adapters of a PEFT directory.
Result<ConvertedPolicy> adaptPolicy(const std::filesystem::path& from, const std::filesystem::path& to,
                                    const std::filesystem::path& adapter);
/// Creates a policy whose adapters are merged into its weights.
Result<ConvertedPolicy> mergePolicy(const std::filesystem::path& from, const std::filesystem::path& to);
/// Creates a copy with 16-bit weights (bf16): half the size.
Result<ConvertedPolicy> shrinkPolicy(const std::filesystem::path& from, const std::filesystem::path& to);
/// Writes the adapters of a policy as a PEFT directory.
Status exportAdapters(const std::filesystem::path& from, const std::filesystem::path& to);

/// Writes the language model and tokenizer of a policy as a GGUF file (policy_gguf.h).
Status exportGguf(const std::filesystem::path& from, const std::filesystem::path& to, GgufType type,
                  const CancelToken& cancel);

} // namespace sparserl
