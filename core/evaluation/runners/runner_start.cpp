// SPDX-License-Identifier: Apache-2.0
#include "evaluation/runners/runner_start.h"

#include "base/json.h"

#include <cstdlib>
#include <fmt/format.h>

namespace sparserl {

std::vector<std::string> lockedEnvironment(std::vector<std::string> own,
                                           const std::vector<const char*>& passed)
{
    own.insert(own.end(), {"LC_ALL=C.UTF-8", "MALLOC_ARENA_MAX=1"});
    const auto pass = [&own](const char* name) {
        if (const char* value = std::getenv(name))
            own.push_back(std::string(name) + "=" + value);
    };
    for (const char* name : {"PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
        pass(name);
    for (const char* name : passed)
        pass(name);
    return own;
}

RoleSandbox sandboxOf(std::string_view role, const nlohmann::json& ready)
{
    RoleSandbox sandbox;
    sandbox.role = role;
    sandbox.level =
        sandboxLevelFromName(jsonValue<std::string>(ready, "level", "")).value_or(SandboxLevel::None);
    sandbox.lacks = jsonValue<std::vector<std::string>>(ready, "lacks", {});
    return sandbox;
}

Status requireSandbox(const RoleSandbox& sandbox, SandboxLevel required)
{
    if (sandbox.level >= required)
        return {};
    return fail(fmt::format("the {} runner is locked at level {}, and {} is required", sandbox.role,
                            sandbox.words(), nameOf(required)),
                "Use a machine that has what is missing (`sparserl doctor` says what), or require less");
}

} // namespace sparserl
