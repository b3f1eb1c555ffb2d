// SPDX-License-Identifier: Apache-2.0
#include "verdict/record.h"

#include "verdict/record_fields.h"

#include <cmath>

namespace sparserl {

double VerdictRecord::speedup() const
{
    return warm && warm->median > 0 && baselineMicroseconds > 0 ? baselineMicroseconds / warm->median : 0;
}

bool isDoubtful(const VerdictRecord& record)
{
    return record.flags.has(VerdictFlag::Suspicious);
}

VerdictFlags listedFlags(const VerdictRecord& record)
{
    VerdictFlags flags = record.flags;
    if (record.verdict == Verdict::WrongResult && record.wrong && !std::isfinite(record.wrong->got) &&
        std::isfinite(record.wrong->expected))
        flags.add(VerdictFlag::NotFinite);
    return flags;
}

nlohmann::json toJson(const VerdictRecord& record)
{
    return writeFields(record);
}

Result<VerdictRecord> verdictRecordFromJson(const nlohmann::json& json)
{
    try {
        if (const auto name = json.at("verdict").get<std::string>(); !verdictFromName(name))
            return fail("unknown verdict \"" + name + "\" in a verdict record",
                        "the record is of a newer version: update this program");
        VerdictRecord record;
        record.protocolVersion = 1; // Records of before it was written.
        readFields(json, record, readRecord);
        return record;
    } catch (const nlohmann::json::exception& e) {
        return fail(std::string("a verdict record cannot be read: ") + e.what(),
                    "the journal may be damaged: run `sparserl project reindex`");
    }
}

} // namespace sparserl
