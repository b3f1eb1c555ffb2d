// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/files/gguf_types.h"
#include "policy/policy/policy.h"

#include <filesystem>

namespace sparserl {

/// Writes the language model of a causal policy, without its matrix embedding, its tokenizer and its chat
/// template to a GGUF file for llama.cpp. Adapters are merged into the weights. `type` is the type of weight
/// matrices, F32, F16 or Q8_0. Vectors are stored in F32, and matrices whose rows do not fill whole blocks in
/// F16. The file must not exist yet. Fails for policies of other families, for settings that llama.cpp
/// computes differently, and for a tokenizer whose rules have no GGUF name.
Status writeGguf(const Policy& policy, const std::filesystem::path& file, GgufType type,
                 const CancelToken& cancel = {});
/// Writes the adapters of a policy to a GGUF file that llama.cpp applies to the model of the policy (its
/// option --lora). The matrices are stored in F32. llama.cpp divides alpha by the rank, so rank-stabilised
/// adapters are written with alpha * sqrt(rank). The file must not exist yet. Fails for policies without
/// adapters.
Status writeAdaptersGguf(const Policy& policy, const std::filesystem::path& file,
                         const CancelToken& cancel = {});

} // namespace sparserl
