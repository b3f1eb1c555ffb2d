// SPDX-License-Identifier: Apache-2.0
#include "project/verifications.h"

#include "base/files.h"
#include "base/json.h"
#include "base/time.h"
#include "project/file_handle.h"
#include "project/unique_id.h"

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
    if (auto status = appendLine(fileOf(project), dumpJson(json)); !status)
        return fail(status.error());
    return verification.id;
}

Result<std::vector<Verification>> readVerifications(const std::filesystem::path& project)
{
    std::vector<Verification> list;
    std::error_code code;
    if (!std::filesystem::exists(fileOf(project), code))
        return list;
    const auto text = readFile(fileOf(project));
    if (!text)
        return fail(text.error());
    std::size_t at = 0;
    for (std::size_t end; (end = text->find('\n', at)) != std::string::npos; at = end + 1) {
        const auto json = parseJson(std::string_view(*text).substr(at, end - at));
        if (!json || !json->is_object() || !json->contains("record"))
            continue; // A torn line of a crashed process; what follows still counts.
        auto record = verdictRecordFromJson((*json)["record"]);
        if (!record)
            continue;
        list.push_back({jsonValue<std::string>(*json, "id", {}), jsonValue(*json, "t", 0.0),
                        jsonValue<std::string>(*json, "before", {}), std::move(*record)});
    }
    return list;
}

} // namespace sparserl
