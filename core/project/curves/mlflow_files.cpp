// SPDX-License-Identifier: Apache-2.0
// MLflow's file store, as its documentation has it: a folder for each experiment, in it one for each run,
// with a file for each metric ("milliseconds value step" a line), parameter and tag.
#include "base/hash.h"
#include "base/new_folders.h"
#include "project/curves/curve_files.h"
#include "project/files/file_handle.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// The experiment that a store always has.
constexpr const char* experiment = "0";
/// MLflow takes no longer value of a parameter.
constexpr std::size_t longestValue = 6000;

std::int64_t milliseconds(double seconds)
{
    return std::isfinite(seconds) && std::abs(seconds) < 1e12
               ? static_cast<std::int64_t>(std::llround(seconds * 1000))
               : 0;
}

constexpr std::size_t longestName = 200;

/// MLflow's names are of letters, digits, "_", "-", ".", blanks and slashes, which are folders.
std::string storeName(std::string_view name)
{
    std::string result, part;
    const auto endPart = [&] {
        if (part.empty() || part.find_first_not_of('.') == std::string::npos)
            part += '_';
        result += (result.empty() ? "" : "/") + std::exchange(part, {});
    };
    for (const char c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '_' || c == '-' || c == '.' || c == ' ';
        if (c == '/')
            endPart();
        else if (c == '@')
            part += "_at_";
        else
            part += plain ? c : '_';
    }
    endPart();
    if (result.size() <= longestName)
        return result;
    // What is left of the last part must be a name, too.
    result.resize(longestName);
    const auto last = result.rfind('/') + 1; // 0 where there is none
    if (result.find_first_not_of('.', last) == std::string::npos)
        result += '_';
    return result;
}

/// Names of files that are no other's, and no folder of another's.
class StoreNames
{
public:
    std::string add(std::string_view name)
    {
        std::string plain = storeName(name);
        for (auto slash = fileAbove(plain); slash != std::string::npos; slash = fileAbove(plain))
            plain[slash] = '_';
        // Names of other alphabets are all alike by now. Counted, so that neither the names nor the time to
        // find them grow with how many there are.
        std::string own = plain;
        for (auto& number = m_numbers[plain]; m_files.contains(own) || m_folders.contains(own);)
            own = fmt::format("{}_{}", plain, ++number + 1);
        m_files.insert(own);
        for (auto slash = own.find('/'); slash != std::string::npos; slash = own.find('/', slash + 1))
            m_folders.insert(own.substr(0, slash));
        return own;
    }

private:
    /// Where a folder of this name would be a file.
    std::string::size_type fileAbove(const std::string& name) const
    {
        auto slash = name.find('/');
        while (slash != std::string::npos && !m_files.contains(name.substr(0, slash)))
            slash = name.find('/', slash + 1);
        return slash;
    }
    std::set<std::string> m_files, m_folders;
    std::map<std::string, int> m_numbers; ///< The last given to names that begin alike.
};

/// In single quotes, as YAML has them; a line of text.
std::string yamlText(std::string_view text)
{
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'')
            result += '\'';
        result += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? ' ' : c;
    }
    return result + "'";
}

/// The numbers of MLflow's RunStatus.
int statusOf(RunState state)
{
    switch (state) {
    case RunState::Running:
    case RunState::Paused:
        return 1;
    case RunState::Queued:
        return 2;
    case RunState::Done:
        return 3;
    case RunState::Failed:
        break;
    }
    return 4;
}

Status writeInto(const fs::path& file, std::string_view bytes)
{
    NewFolders folders;
    SPARSERL_CHECK(folders.make(file.parent_path()));
    // Not synced one by one: a run is a hundred files, and all of them can be written again.
    SPARSERL_TRY(auto handle, FileHandle::openAppend(file));
    folders.keep();
    return handle.write(bytes);
}

} // namespace

Result<fs::path> writeMlflowExperiment(const fs::path& folder)
{
    fs::path place = folder / experiment;
    SPARSERL_CHECK(writeInto(place / "meta.yaml",
                             fmt::format("artifact_location: {}\ncreation_time: 0\nexperiment_id: '{}'\n"
                                         "last_update_time: 0\nlifecycle_stage: active\nname: Default\n",
                                         yamlText("file://" + place.string()), experiment)));
    return place;
}

Status writeMlflowRun(const RunCurveSet& run, const fs::path& folder)
{
    const std::string id = sha256Hex(fmt::format("{} {}", run.name, run.config.created)).substr(0, 32);
    const fs::path place = folder / id;
    const std::string name = run.config.title.empty() ? run.name : run.config.title;
    const bool ended = run.state == RunState::Done || run.state == RunState::Failed;
    NewFolders folders;
    for (const char* part : {"artifacts", "metrics", "params", "tags"})
        SPARSERL_CHECK(folders.make(place / part));
    SPARSERL_CHECK(writeInto(
        place / "meta.yaml",
        fmt::format("artifact_uri: {}\nend_time: {}\nentry_point_name: ''\nexperiment_id: '{}'\n"
                    "lifecycle_stage: active\nrun_id: {}\nrun_name: {}\nrun_uuid: {}\nsource_name: ''\n"
                    "source_type: 4\nsource_version: ''\nstart_time: {}\nstatus: {}\ntags: []\n"
                    "user_id: ''\n",
                    yamlText("file://" + (place / "artifacts").string()),
                    ended ? fmt::format("{}", milliseconds(run.last)) : "null", experiment, yamlText(id),
                    yamlText(name), yamlText(id), milliseconds(run.config.created), statusOf(run.state))));
    for (const auto& [key, text] : {std::pair<std::string, std::string>{"mlflow.runName", name},
                                    {"sparserl.run", run.name},
                                    {"sparserl.stage", run.config.stage},
                                    {"sparserl.preset", run.config.preset}})
        SPARSERL_CHECK(writeInto(place / "tags" / key, text));
    StoreNames parameters;
    for (const auto& [key, value] : run.config.parameters)
        SPARSERL_CHECK(
            writeInto(place / "params" / parameters.add(key), toText(value).substr(0, longestValue)));
    StoreNames metrics;
    for (const auto& [key, points] : run.curves) {
        std::string lines;
        for (const CurvePoint& point : points) // the shortest text that is read back as the same number
            lines += fmt::format("{} {} {}\n", milliseconds(point.t), point.value, point.step);
        SPARSERL_CHECK(writeInto(place / "metrics" / metrics.add(key.first + "/" + key.second), lines));
    }
    folders.keep();
    return {};
}

} // namespace sparserl
