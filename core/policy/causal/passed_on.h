// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sparserl {

/// Texts from the files of an imported model that this program does not execute. They stay with the policy,
/// so that an export can contain them.
struct PassedOn
{
    std::string chatTemplate;     ///< A Jinja2 program in UTF-8; empty: there is none.
    std::string generationConfig; ///< The JSON object in generation_config.json; empty: there is none.
};

/// Reads generation_config.json of a Hugging Face directory, if there is one. Fails if it is not an object of
/// at most 64 KiB.
Result<PassedOn> passedOnOf(const std::filesystem::path& directory, std::string chatTemplate);
/// Adds the texts to our part of a policy's config.json.
void writePassedOn(const PassedOn& passedOn, nlohmann::json& own);
/// Reads them from this part. `own` may be null. Fails if a member has the wrong type.
Result<PassedOn> passedOnFromJson(const nlohmann::json& own);

} // namespace sparserl
