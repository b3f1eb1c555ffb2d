// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/causal/lora_config.h"
#include "policy/files/gguf_types.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

// Conversion of policies, and export for other programs. The functions read the directory `from` and write
// `to`, which must not exist yet. policy_adapters.h describes the operations on adapters. This interface has
// no tensors, so that its users need not include LibTorch.

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
/// Creates a copy of half the size, with weights in bf16.
Result<ConvertedPolicy> shrinkPolicy(const std::filesystem::path& from, const std::filesystem::path& to);
/// What an export leaves out of a policy: a sentence for each thing that the other program has no place for.
struct PolicyExport
{
    std::vector<std::string> leftOut;
};

/// Writes the adapters of a policy to a PEFT directory.
Result<PolicyExport> exportAdapters(const std::filesystem::path& from, const std::filesystem::path& to);
/// Writes the adapters of a policy to a GGUF file (policy_gguf.h).
Result<PolicyExport> exportAdaptersGguf(const std::filesystem::path& from, const std::filesystem::path& to,
                                        const CancelToken& cancel);
/// Writes the language model and the tokenizer of a policy to a GGUF file (policy_gguf.h).
Result<PolicyExport> exportGguf(const std::filesystem::path& from, const std::filesystem::path& to,
                                GgufType type, const CancelToken& cancel);
/// Writes the language model and the tokenizer of a policy to a directory for transformers
/// (policy_hugging_face.h).
Result<PolicyExport> exportHuggingFace(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace sparserl
