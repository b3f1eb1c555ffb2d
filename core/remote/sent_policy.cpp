// SPDX-License-Identifier: Apache-2.0
#include "remote/sent_policy.h"

#include "base/allowed_links.h"
#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"
#include "base/place.h"
#include "base/printable.h"
#include "base/settings_file.h"
#include "base/shell.h"
#include "base/trust.h"
#include "base/trust_roots.h"
#include "project/files/run_files.h"
#include "project/run/checkpoint_files.h"
#include "project/run/default_policy.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// Who names more policies than that forgets the oldest.
constexpr std::size_t mostPolicies = 1000;

/// What a run that starts from a policy reads beside them.
constexpr std::array<const char*, 6> policyMayHave{"tokenizer.json",       "critic.json",
                                                   "critic.safetensors",   "trained_on.json",
                                                   "pretrained_code.json", runFile};
constexpr std::array<const char*, 2> checkpointMarks{"checkpoint.json", "DONE"};

fs::path namedFile()
{
    return userSettingsFolder() / "named-policies";
}

/// The size of a file below a folder; nothing where there is none.
Result<std::optional<std::int64_t>> sizeBelow(const fs::path& folder, const fs::path& name)
{
    fs::path at = folder;
    Entry look;
    for (const fs::path& part : name) {
        at /= part;
        SPARSERL_CHECK(refuseLink(at));
        SPARSERL_TRY(look, lookAt(at));
    }
    if (look.exists && !look.folder && !look.regular)
        return failAt(at.string(), 0, "this is no file", "Move it away");
    return look.regular ? std::optional(static_cast<std::int64_t>(look.bytes)) : std::nullopt;
}

/// The names that a checkpoint lists; empty where an older one has no list.
Result<std::vector<std::string>> listedNames(const fs::path& folder)
{
    const fs::path description = folder / "checkpoint.json";
    SPARSERL_TRY(const auto size, sizeBelow(folder, "checkpoint.json"));
    if (!size)
        return std::vector<std::string>();
    SPARSERL_TRY(const auto text, readFile(description, 64 << 20));
    SPARSERL_TRY(const auto json, parseJson(text, description.string()));
    std::vector<std::string> names;
    const auto files = json.is_object() ? json.find("files") : json.end();
    if (!json.is_object() || (files != json.end() && !files->is_object()))
        return failAt(description.string(), 0, "the list of files is damaged", "Choose another checkpoint");
    if (files == json.end())
        return names;
    for (const auto& [name, sum] : files->items()) {
        const fs::path relative = name;
        if (name.empty() || relative.is_absolute() || relative != relative.lexically_normal() ||
            !relative.has_filename() || std::ranges::any_of(relative, [](const fs::path& part) {
                return part.string().starts_with('.');
            }))
            return failAt(description.string(), 0,
                          fmt::format("the list of files names \"{}\"", shortened(printableLine(name), 200)),
                          "Choose another checkpoint");
        names.push_back(name);
    }
    return names;
}

} // namespace

Result<std::vector<TreeFile>> filesOfPolicy(const fs::path& folder)
{
    SPARSERL_TRY(auto names, listedNames(folder));
    const bool listed = !names.empty();
    if (!listed) {
        names.insert(names.end(), policyNeeds.begin(), policyNeeds.end());
        names.insert(names.end(), policyMayHave.begin(), policyMayHave.end());
    }
    for (const char* needed : policyNeeds) {
        SPARSERL_TRY(const auto size, sizeBelow(folder, needed));
        if (!size || std::find(names.begin(), names.end(), needed) == names.end())
            return failAt(folder.string(), 0, fmt::format("this is not a policy: it has no {}", needed),
                          "Start a run from another policy or checkpoint");
    }
    names.insert(names.end(), checkpointMarks.begin(), checkpointMarks.end());
    std::vector<TreeFile> files;
    for (const std::string& name : names) {
        SPARSERL_TRY(const auto size, sizeBelow(folder, name));
        if (size)
            files.push_back({name, *size});
        else if (listed && name != "DONE")
            return failAt((folder / name).string(), 0, "the file of the checkpoint is missing",
                          "Choose another checkpoint");
    }
    return files;
}

Status refuseLink(const fs::path& path)
{
    std::error_code ignored;
    if (!fs::is_symlink(path, ignored) || isLinkAllowed(path))
        return {};
    return failAt(path.string(), 0, "a symbolic link is not sent along with a policy",
                  "Replace it with what it points to");
}

Status recordNamedPolicy(const fs::path& folder)
{
    const std::string place = placeOf(folder).string();
    if (place.find('\n') != std::string::npos)
        return failAt(folder.string(), 0, "a path with a line break cannot be recorded", "Rename the folder");
    return changeSettings(namedFile(), [&](const std::string& before) -> Result<std::string> {
        std::vector<std::string_view> lines = linesOf(before);
        if (std::find(lines.begin(), lines.end(), place) != lines.end())
            return before;
        if (lines.size() >= mostPolicies)
            lines.erase(lines.begin(), lines.end() - (mostPolicies - 1));
        std::string after;
        for (const std::string_view line : lines)
            after.append(line) += '\n';
        return after + place + '\n';
    });
}

Status requireNamedPolicy(const Project& project, const fs::path& folder)
{
    if (folder == defaultPolicyFolder())
        return {};
    const fs::path inside = folder.lexically_normal().lexically_relative(project.path().lexically_normal());
    if (!inside.empty() && *inside.begin() != "..")
        return {};
    if (!trustRootsAround(folder).empty() && requireTrust(folder))
        return {};
    SPARSERL_TRY(const auto named, readSettings(namedFile()));
    const auto lines = linesOf(named);
    if (std::find(lines.begin(), lines.end(), placeOf(folder).string()) != lines.end())
        return {};
    return failAt(folder.string(), 0,
                  "this policy lies outside the project, and you have not named it on this machine: it is "
                  "not sent to another one",
                  "Name it in a new run: " +
                      shellCommand("sparserl train PRESET --parent {} --host HOST", {folder.string()}));
}

} // namespace sparserl
