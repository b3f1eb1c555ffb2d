// SPDX-License-Identifier: Apache-2.0
#include "project/files/sent_project.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/trust.h"
#include "base/trust_once.h"

#include <array>
#include <string_view>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

bool isDerived(const fs::path& file)
{
    constexpr std::array<std::string_view, 4> endings{".doubles", ".features.json", ".png", ".pyramid"};
    const std::string name = file.filename().string();
    if (name == "sources.json")
        return true;
    for (const std::string_view ending : endings)
        if (name.ends_with(ending))
            return true;
    return false;
}

Status discard(const fs::path& file)
{
    std::error_code code;
    removeEntry(file, code);
    if (code)
        return failAt(file.string(), 0, "what came with the project cannot be removed: " + code.message(),
                      "Remove it, then trust the project again");
    return {};
}

/// What cannot be listed now may hold anything.
Status discardIn(const fs::path& folder, bool (*unwanted)(const fs::path&))
{
    SPARSERL_TRY(const auto look, lookAt(folder));
    if (!look.folder)
        return {};
    SPARSERL_TRY(const auto entries, listDirectory(folder));
    for (const fs::path& entry : entries)
        if (unwanted(entry)) {
            SPARSERL_CHECK(discard(entry));
        }
    return {};
}

bool isIndex(const fs::path& file)
{
    return file.filename().string().starts_with("project.sqlite");
}

} // namespace

Status trustSentProject(const fs::path& project)
{
    SPARSERL_TRY(const bool trusted, trustOf(project));
    if (trusted)
        return {};
    return trustProjectOnce(project, [&]() -> Status {
        SPARSERL_CHECK(discardIn(project, isIndex));
        return discardIn(project / "cache", isDerived);
    });
}

} // namespace sparserl
