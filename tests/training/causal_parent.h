// SPDX-License-Identifier: Apache-2.0
// Causal policies that stages go on from.
#pragma once

#include "policy/policy/policy_adapters.h"
#include "policy/policy/policy_import.h"
#include "tests/policy/tiny_causal.h"

#include <QtGlobal>
#include <filesystem>
#include <string>

namespace sparserl::test {

/// Imports a tiny model in bf16 to a new directory. All its weights will learn.
inline void importCausalParent(const std::filesystem::path& to, const std::string& family)
{
    const CausalConfig config = tinyCausalConfig(family);
    const std::filesystem::path from = to.string() + "-model";
    if (!writeTinyCausal(from, config, tinyCausalWeights(config, 3, torch::kBFloat16)))
        qFatal("a tiny model cannot be written");
    PolicyImportOptions options;
    options.embedding.maxEntries = 12;
    options.maxTokens = 640;
    if (const auto taken = importPolicy(from, to, options); !taken)
        qFatal("%s", taken.error().sentence().c_str());
}

/// Gives an imported policy adapters, which alone will learn with what reads matrices.
inline void adaptCausalParent(const std::filesystem::path& imported, const std::filesystem::path& to)
{
    const auto base = Policy::load(imported);
    if (!base)
        qFatal("%s", base.error().sentence().c_str());
    const auto adapted = withAdapters(
        *base, {.rank = 4, .alpha = 16, .rankStabilised = true, .targets = {"q_proj", "v_proj", "up_proj"}},
        5);
    if (!adapted)
        qFatal("%s", adapted.error().sentence().c_str());
    if (const auto status = adapted->save(to); !status)
        qFatal("%s", status.error().sentence().c_str());
}

} // namespace sparserl::test
