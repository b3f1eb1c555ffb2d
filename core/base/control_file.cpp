// SPDX-License-Identifier: Apache-2.0
#include "base/control_file.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"

namespace sparserl {

Result<std::string> readControlFile(const std::filesystem::path& path)
{
    auto text = readFile(path, controlFileLimit);
    // The user has not named this file: one that is too large is damaged.
    if (!text && (text.error().remedy.empty() || glance(path).bytes > controlFileLimit))
        text.error().remedy = "Move it away, or restore the file";
    return text;
}

Result<nlohmann::json> readControlJson(const std::filesystem::path& path)
{
    SPARSERL_TRY(const auto text, readControlFile(path));
    return parseJson(text, path.string());
}

} // namespace sparserl
