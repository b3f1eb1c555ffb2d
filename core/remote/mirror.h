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

/// A unit (mirrored_units.h) that arrived completely but damaged. If this happens to the same unit twice, it
/// is damaged on the other machine.
struct RefusedUnit
{
    std::string tag;
    int times = 0;
};
using RefusedUnits = std::map<std::string, RefusedUnit>;

/// The state that a follower keeps from one connection to the next.
struct MirrorMemory
{
    RefusedUnits refused;      ///< The damaged units by name, to limit repeated requests.
    bool isLogCutTold = false; ///< It was reported that the worker's log exceeds its limit.
};

/// Updates the local folder of a run with data from another machine. These data are untrusted: names must
/// match a pattern, pieces must continue the local data, and checkpoints must match their checksums. A
/// mismatch is an Error, and the follower then connects again.
class Mirror
{
public:
    /// Opens the local folder. Removes an incomplete last line of the journal, which a crash may have left.
    /// `memory` must outlive the mirror.
    static Result<Mirror> open(const std::filesystem::path& run, MirrorMemory* memory = nullptr,
                               const FarLimits& limits = {});

    /// Returns the first message to the other side. It describes the local data, so that only new data are
    /// sent. With `start`, it requests a worker.
    nlohmann::json hello(bool start) const;
    /// Returns and clears the sentences about differences that were found on this connection.
    std::vector<std::string> takeNotices() { return std::exchange(m_notices, {}); }
    Status take(const Frame& frame);
    /// Returns whether a limit of FarLimits was reached. A new connection would reach it again.
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
    /// Appends the bytes [begin, end) of a file to another file. Fails with `shorter` if the file ends before
    /// `end`.
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
    std::int64_t m_journal = 0; ///< Length of the local journal, or of the part that has arrived if the
                                ///< journal is sent again from its start.
    int m_generation = 0;
    bool m_anew = false;
    MirrorMemory* m_memory = nullptr;
    FarAllowance m_allowance;
    std::vector<std::string> m_notices;
    std::map<std::filesystem::path, std::int64_t>
        m_tails; ///< Sizes of the files that keep what was cut from the local journal, until a received file
                 ///< contains the same bytes.
};

} // namespace sparserl
