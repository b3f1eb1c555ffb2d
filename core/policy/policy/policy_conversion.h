// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/causal/lora_config.h"
#include "policy/files/gguf_types.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

// Policies made of policies, and files for other programs, from directory to directory and without tensors
// (policy_adapters.h has what they do). What is written must not be there yet.

struct ConvertedPolicy
{
    std::int64_t weights = 0, trainable = 0;
};

/// A policy with new adapters.
Result<ConvertedPolicy> adaptPolicy(const std::filesystem::path& from, const std::filesystem::path& to,
                                    const LoraConfig& lora, std::uint64_t seed);
/// A policy with the adapters of a directory of PEFT's.
Result<ConvertedPolicy> adaptPolicy(const std::filesystem::path& from, const std::filesystem::path& to,
                                    const std::filesystem::path& adapter);
/// A policy without its adapters, which are added to its weights.
Result<ConvertedPolicy> mergePolicy(const std::filesystem::path& from, const std::filesystem::path& to);
/// The adapters of a policy as a directory of PEFT's.
Status exportAdapters(const std::filesystem::path& from, const std::filesystem::path& to);

/// Its language model and tokenizer as a GGUF file (policy_gguf.h).
Status exportGguf(const std::filesystem::path& from, const std::filesystem::path& to, GgufType type,
                  const CancelToken& cancel);

} // namespace sparserl
