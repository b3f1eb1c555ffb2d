// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/run_directory.h"
#include "remote/wire.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

// What of a run's folder comes over whole and never changes: its complete checkpoints
// ("checkpoints/step-000400") and what resumes rolled back ("journal.discarded.1.jsonl").
std::vector<std::string> mirroredUnits(const std::filesystem::path& run);
/// Its files, relative to the run's folder; DONE of a checkpoint comes last.
std::vector<std::string> filesOfUnit(const std::filesystem::path& run, const std::string& unit);
/// What tells a unit from another of the same name: checksums of a checkpoint, else the size; empty: it is
/// not there.
std::string unitTag(const std::filesystem::path& run, const std::string& unit);
bool isWholeUnit(const std::filesystem::path& run, const std::string& unit);
/// Whether a name that came from elsewhere is one that mirroredUnits() could have given.
bool isUnitName(std::string_view name);
/// Whether `file` is a file of that unit: no "..", nothing hidden, at most three folders deep.
bool isFileOfUnit(std::string_view unit, std::string_view file);

/// SHA-256 of the first bytes of a file; empty where it is shorter.
std::string prefixHash(const std::filesystem::path& file, std::int64_t bytes);

/// Units that came whole and were damaged, by name: which, and how often. What came so twice is damaged
/// there.
struct RefusedUnit
{
    std::string tag;
    int times = 0;
};
using RefusedUnits = std::map<std::string, RefusedUnit>;

/// The run's folder here, as what arrives changes it. Everything that arrives is looked at as data: names are
/// held against a pattern, pieces against what is here, checkpoints against their checksums. A piece that
/// does not fit is an error, and the connection begins anew.
class Mirror
{
public:
    /// Takes half a line off the journal's end, which a crash may have left.
    /// `refused` keeps what arrived damaged over several connections, so that it is not asked for for ever.
    static Result<Mirror> open(const std::filesystem::path& run, RefusedUnits* refused = nullptr);

    /// What the other side needs to know to send what is new.
    nlohmann::json hello(bool start) const;
    /// What this connection found to be otherwise there than here, in sentences, once each.
    std::vector<std::string> takeNotices() { return std::exchange(m_notices, {}); }
    Status take(const Frame& frame);

private:
    explicit Mirror(std::filesystem::path run);
    Status takeJournal(std::int64_t offset, const std::string& bytes);
    Status settle(int generation);
    Status takeLog(std::int64_t offset, const std::string& bytes);
    Status takeHeartbeat(const nlohmann::json& head);
    Status takeFile(const nlohmann::json& head, const std::string& bytes);
    Status finishUnit(const std::string& unit, bool whole);
    Result<std::filesystem::path> keepTail(std::int64_t begin, std::int64_t end);
    void forgetKeptTails(const std::filesystem::path& discarded);
    void tellOfTails();
    Status setAside(const CheckpointInfo& checkpoint);
    Status keepPinned(const std::filesystem::path& checkpoint);
    Status moveAside(const std::filesystem::path& checkpoint, std::string_view because);
    Status keepOnly(const nlohmann::json& present);
    std::filesystem::path incoming(std::string_view name) const;

    std::filesystem::path m_run;
    std::int64_t m_journal = 0; ///< Bytes of the journal, or of the one that is coming anew.
    int m_generation = 0;
    bool m_anew = false;
    RefusedUnits* m_refused = nullptr;
    std::vector<std::string> m_notices;
    std::map<std::filesystem::path, std::int64_t>
        m_tails; ///< Bytes cut here that no file from there holds yet.
};

} // namespace sparserl
