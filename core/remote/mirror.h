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

/// Units that came whole and were damaged, by name: which, and how often. What came so twice is damaged
/// there.
struct RefusedUnit
{
    std::string tag;
    int times = 0;
};
using RefusedUnits = std::map<std::string, RefusedUnit>;

/// What a follower knows over several connections.
struct MirrorMemory
{
    RefusedUnits refused;      ///< What arrived damaged, so that it is not asked for for ever.
    bool isLogCutTold = false; ///< That not all of the worker's log is fetched.
};

/// The run's folder here, as what arrives changes it. Everything that arrives is looked at as data: names are
/// held against a pattern, pieces against what is here, checkpoints against their checksums. A piece that
/// does not fit is an error, and the connection begins anew.
class Mirror
{
public:
    /// Takes half a line off the journal's end, which a crash may have left.
    static Result<Mirror> open(const std::filesystem::path& run, MirrorMemory* memory = nullptr,
                               const FarLimits& limits = {});

    /// What the other side needs to know to send what is new.
    nlohmann::json hello(bool start) const;
    /// What this connection found to be otherwise there than here, in sentences, once each.
    std::vector<std::string> takeNotices() { return std::exchange(m_notices, {}); }
    Status take(const Frame& frame);
    /// Whether the last failure was a limit of FarLimits, which the next connection would reach again.
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
    /// Appends a part of a file to another; `shorter` where the file ends before.
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
    std::int64_t m_journal = 0; ///< Bytes of the journal, or of the one that is coming anew.
    int m_generation = 0;
    bool m_anew = false;
    MirrorMemory* m_memory = nullptr;
    FarAllowance m_allowance;
    std::vector<std::string> m_notices;
    std::map<std::filesystem::path, std::int64_t>
        m_tails; ///< Bytes cut here that no file from there holds yet.
};

} // namespace sparserl
