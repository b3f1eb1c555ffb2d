// SPDX-License-Identifier: Apache-2.0
#include "project/files/verifications.h"

#include "base/json.h"
#include "base/time.h"
#include "project/files/file_handle.h"
#include "project/files/json_lines.h"
#include "project/files/unique_id.h"

namespace sparserl {
namespace {

std::filesystem::path fileOf(const std::filesystem::path& project)
{
    return project / "verifications.jsonl";
}

} // namespace

Result<std::string> addVerification(const std::filesystem::path& project, Verification verification)
{
    if (verification.id.empty())
        verification.id = uniqueId();
    if (verification.t == 0)
        verification.t = unixSeconds();
    const nlohmann::json json = {{"id", verification.id},
                                 {"t", verification.t},
                                 {"before", verification.before},
                                 {"record", toJson(verification.record)}};
    SPARSERL_CHECK(appendLine(fileOf(project), dumpJson(json)));
    return verification.id;
}

Result<std::vector<Verification>> readVerifications(const std::filesystem::path& project)
{
    std::vector<Verification> list;
    SPARSERL_TRY(const auto lines, readJsonLines(fileOf(project)));
    for (const nlohmann::json& json : lines) {
        if (!json.contains("record"))
            continue;
        auto record = verdictRecordFromJson(json["record"]);
        if (!record)
            continue;
        list.push_back({jsonValue<std::string>(json, "id", {}), jsonValue(json, "t", 0.0),
                        jsonValue<std::string>(json, "before", {}), std::move(*record)});
    }
    return list;
}

} // namespace sparserl
