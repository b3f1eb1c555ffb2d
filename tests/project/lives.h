// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fixture.h"

#include "base/json.h"
#include "base/subprocess.h"

#include <set>

/// Lives of a run in a process of their own (crasher life), and what they leave.
namespace fixture {

/// What the entries say, without when and in which life they were written; states of a resumed run repeat.
inline std::vector<std::string> contentOf(const std::filesystem::path& run)
{
    std::vector<std::string> lines;
    for (const auto& entry : must(readWholeJournal(run))) {
        auto json = toJson(entry);
        if (json["kind"] == "state")
            continue;
        for (const char* key : {"seq", "gen", "t"})
            json.erase(key);
        lines.push_back(dumpJson(json));
    }
    return lines;
}

inline RunOutput live(const std::filesystem::path& run,
                      std::vector<std::pair<std::string, std::string>> environment)
{
    SpawnOptions options;
    options.argv = {SPARSERL_CRASHER, "life", run.string()};
    options.extraEnvironment = std::move(environment);
    return must(runToEnd(std::move(options), {}, 60));
}

inline std::set<std::string> namesIn(const std::filesystem::path& folder)
{
    std::set<std::string> names;
    for (const auto& path : must(listDirectory(folder)))
        names.insert(path.filename().string());
    return names;
}

} // namespace fixture
