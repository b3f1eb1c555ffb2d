// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/run/run_directory.h"
#include "remote/far_limits.h"
#include "remote/wire.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

class FileHandle;

/// Units that arrived complete but damaged, by name, with their tags and counts. A unit damaged twice is
/// damaged at its source.
struct RefusedUnit
{
    std::string tag;
    int times = 0;
};
using RefusedUnits = std::map<std::string, RefusedUnit>;

/// The state that a follower keeps across connections.
struct MirrorMemory
{
    RefusedUnits refused;      ///< Damaged units, to limit repeated requests.
    bool isLogCutTold = false; ///< The truncation of the worker's log was reported.
};

/// The local folder of a run, updated by received data. All received data are untrusted: names are matched
/// against a pattern, pieces against local data, checkpoints against their checksums. A mismatch is an Error,
/// and the connection restarts.
class Mirror
{
public:
    /// Removes an incomplete last line of the journal, which a crash may have left.
    static Result<Mirror> open(const std::filesystem::path& run, MirrorMemory* memory = nullptr,
                               const FarLimits& limits = {});

    /// The information that the other side needs to send only new data.
    nlohmann::json hello(bool start) const;
    /// Sentences about differences found on this connection, each once.
    std::vector<std::string> takeNotices() { return std::exchange(m_notices, {}); }
    Status take(const Frame& frame);
    /// Whether the last failure was a limit of FarLimits, which would recur on the next connection.
    bool isAtLimit() const { return m_allowance.isReached(); }

private:
    Mirror(std::filesystem::path run, const FarLimits& limits);
    Status takeJournal(std::int64_t offset, const std::string& bytes);
    Status settle(int generation);
    Status takeLog(std::int64_t offset, const std::string& bytes);
    Status takeHeartbeat(const nlohmann::json& head);
    Status takeFile(const nlohmann::json& head, const std::string& bytes);
    Status beginUnit(const std::string& unit);
    Status checkFileOfUnit(const std::string& unit, const std::string& name, std::int64_t bytes);
    Status writeAt(const std::filesystem::path& file, std::int64_t offset, const std::string& bytes,
                   const std::string& what);
    Status refuseUnit(const std::string& unit, const std::string& tag, const Error& fault);
    void clearIncoming();
    Status finishUnit(const std::string& unit, bool whole);
    /// Appends a part of a file to another one; sets `shorter` if the file ends before.
    static Status copyPart(const FileHandle& from, std::int64_t begin, std::int64_t end, FileHandle& to,
                           const Error& shorter);
    Result<std::filesystem::path> keepTail(std::int64_t begin, std::int64_t end);
    void forgetKeptTails(const std::filesystem::path& discarded);
    void tellOfTails();
    Status setAside(const CheckpointInfo& checkpoint);
    Status keepPinned(const std::filesystem::path& checkpoint);
    Status moveAside(const std::filesystem::path& checkpoint, std::string_view because);
    Status keepOnly(const nlohmann::json& present);
    std::filesystem::path incoming(std::string_view name) const;

    std::filesystem::path m_run;
    std::int64_t m_journal = 0; ///< Journal bytes, or those of a journal sent again from its start.
    int m_generation = 0;
    bool m_anew = false;
    MirrorMemory* m_memory = nullptr;
    FarAllowance m_allowance;
    std::vector<std::string> m_notices;
    std::map<std::filesystem::path, std::int64_t>
        m_tails; ///< Bytes cut here that no received file contains yet.
};

} // namespace sparserl
