// SPDX-License-Identifier: Apache-2.0
// JSON that others write: verdict records, and the lines and files of a project (commands of control.jsonl,
// annotations, verifications, heartbeat, checkpoint, cached features). All readers get each input.
#include "base/json.h"
#include "fuzz.h"
#include "project/files/annotations.h"
#include "project/files/verifications.h"
#include "project/index/verdict_row.h"
#include "project/run/checkpoint_files.h"
#include "project/run/control.h"
#include "project/run/generation.h"
#include "project/run/heartbeat.h"
#include "project/run/run_directory.h"
#include "project/run/written_programs.h"
#include "verdict/record.h"

#include <algorithm>
#include <cmath>

namespace {

using namespace sparserl;
using fuzz::checkError;
using fuzz::checkReason;

void checkVerdict(const nlohmann::json& json)
{
    const auto record = verdictRecordFromJson(json);
    if (!record) {
        checkError(record.error());
        return;
    }
    const std::string written = dumpJson(toJson(*record));
    const auto parsed = parseJson(written);
    FUZZ_CHECK(parsed.has_value());
    const auto again = verdictRecordFromJson(*parsed);
    FUZZ_CHECK(again.has_value() && dumpJson(toJson(*again)) == written);
    FUZZ_CHECK(again->verdict == record->verdict && again->lines.size() == record->lines.size());
    const VerdictRow row = verdictRow(*record);
    FUZZ_CHECK(std::isfinite(row.speedup) && std::isfinite(row.microseconds));
    FUZZ_CHECK(row.verdict == nameOf(record->verdict));
    for (const std::string& flag : record->flags)
        FUZZ_CHECK(row.flags.find("," + flag + ",") != std::string::npos);
}

void checkControl(const std::filesystem::path& folder, std::string_view text)
{
    const auto all = readControl(folder);
    FUZZ_CHECK(all.has_value());
    ControlReader reader(folder, {}, 0);
    const auto commands = reader.poll();
    FUZZ_CHECK(commands.size() <= all->size());
    for (const std::string& problem : reader.problems())
        checkReason(problem);
    const auto complete =
        text.substr(0, text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1);
    FUZZ_CHECK(all->size() + reader.problems().size() <=
               static_cast<std::size_t>(std::count(complete.begin(), complete.end(), '\n')));
    FUZZ_CHECK(reader.poll().empty());
}

void checkCheckpoint(const std::filesystem::path& folder)
{
    const auto fault = checkpointFault(folder);
    if (!fault)
        checkError(fault.error());
    else if (*fault)
        checkError(**fault);
    (void)looksComplete(folder);
    if (const auto info = describeCheckpoint(folder))
        FUZZ_CHECK(info->bytes >= 0);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::textOf(data, size);
    const auto folder = fuzz::scratch("records");
    for (const char* name : {"control.jsonl", "annotations.jsonl", "verifications.jsonl", "programs.jsonl",
                             "heartbeat.json", "generation.json", "checkpoint.json"})
        fuzz::writeFile(folder / name, text);
    checkControl(folder, text);
    checkCheckpoint(folder);
    (void)readHeartbeat(folder);
    FUZZ_CHECK(readAnnotations(folder).has_value() && readVerifications(folder).has_value() &&
               readWrittenPrograms(folder).has_value());
    (void)readGeneration(folder);
    if (const auto json = parseJson(text))
        checkVerdict(*json);
    else
        checkError(json.error());
    return 0;
}
