// SPDX-License-Identifier: Apache-2.0
#include "machine/sandbox_probe.h"

#include "base/json.h"
#include "base/subprocess.h"

namespace sparserl {

Result<std::vector<RoleSandbox>> probeSandboxes(const std::filesystem::path& runner)
{
    SpawnOptions options;
    options.argv = {runner.string(), "--probe"};
    options.output = StreamEnd::pipe();
    constexpr double wallSeconds = 30;
    SPARSERL_TRY(const auto run, runToEnd(std::move(options), {}, wallSeconds));
    const auto json = parseJson(run.output);
    if (!run.status.ok() || !json || !json->is_object())
        return fail("sparserl-runner did not report how it can be locked: it " + run.status.sentence(),
                    "build it again, or reinstall the package");
    std::vector<RoleSandbox> all;
    for (const auto& one : jsonValue<nlohmann::json>(*json, "roles", nlohmann::json::array())) {
        RoleSandbox role;
        role.role = jsonValue<std::string>(one, "role", "");
        role.level =
            sandboxLevelFromName(jsonValue<std::string>(one, "level", "")).value_or(SandboxLevel::None);
        role.lacks = jsonValue<std::vector<std::string>>(one, "lacks", {});
        all.push_back(std::move(role));
    }
    return all;
}

std::string sandboxWords(const std::vector<RoleSandbox>& sandboxes)
{
    // Roles that are alike stand together.
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;
    for (const RoleSandbox& one : sandboxes) {
        const std::string words = one.words();
        if (groups.empty() || groups.back().first != words)
            groups.push_back({words, {}});
        groups.back().second.push_back(one.role);
    }
    std::string text;
    for (const auto& [words, roles] : groups) {
        text += text.empty() ? "" : ", ";
        for (std::size_t i = 0; i < roles.size(); ++i)
            text += (i == 0 ? "" : i + 1 == roles.size() ? " and " : ", ") + roles[i];
        text += " " + words;
    }
    return text;
}

} // namespace sparserl
