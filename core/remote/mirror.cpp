// SPDX-License-Identifier: Apache-2.0
#include "remote/mirror.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/json.h"
#include "base/time.h"
#include "project/files/file_handle.h"
#include "project/files/line_reader.h"
#include "project/files/run_files.h"
#include "project/run/checkpoint_files.h"
#include "project/run/generation.h"
#include "project/run/heartbeat.h"
#include "project/run/run_directory.h"
#include "remote/mirrored_units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t chunk = 1 << 20;

/// Length of the longest common part of two files that ends with a line.
Result<std::int64_t> commonLines(const fs::path& a, const fs::path& b)
{
    SPARSERL_TRY(const auto one, FileHandle::openRead(a));
    SPARSERL_TRY(const auto other, FileHandle::openRead(b));
    std::int64_t at = 0, lines = 0;
    for (;;) {
        SPARSERL_TRY(const auto x, one.read(at, chunk));
        SPARSERL_TRY(const auto y, other.read(at, chunk));
        const auto same = static_cast<std::size_t>(
            std::mismatch(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(std::min(x.size(), y.size())),
                          y.begin())
                .first -
            x.begin());
        const auto end = std::string_view(x).substr(0, same).rfind('\n');
        if (end != std::string_view::npos)
            lines = at + static_cast<std::int64_t>(end) + 1;
        at += static_cast<std::int64_t>(same);
        if (same < static_cast<std::size_t>(chunk))
            return lines;
    }
}

} // namespace

Mirror::Mirror(fs::path run, const FarLimits& limits)
    : m_run(std::move(run))
    , m_generation(readGeneration(m_run))
    , m_allowance(m_run, limits)
{
}

Result<Mirror> Mirror::open(const fs::path& run, MirrorMemory* memory, const FarLimits& limits)
{
    Mirror mirror(run, limits);
    mirror.m_memory = memory;
    SPARSERL_TRY(auto journal, FileHandle::openAppend(run / journalFile));
    SPARSERL_TRY(const auto size, journal.size());
    const std::string remedy = "Move it away: the data on the other machine is fetched again";
    if (size > limits.journal)
        return failAt((run / journalFile).string(), 0, "the journal is longer than any run writes", remedy);
    // Backwards to the last line break. What ends with a hole was not written by a run.
    std::int64_t keep = 0;
    for (std::int64_t end = size; end > 0 && keep == 0;) {
        const std::int64_t begin = std::max<std::int64_t>(0, end - chunk);
        const bool hole = end - begin == chunk && journal.dataFrom(begin) >= end;
        SPARSERL_TRY(const auto text, journal.read(begin, end - begin));
        if (const auto last = text.rfind('\n'); last != std::string::npos)
            keep = begin + static_cast<std::int64_t>(last) + 1;
        end = begin;
        if (keep == 0 && end > 0 && (hole || size - end > LineReader::endless))
            return failAt((run / journalFile).string(), 0,
                          "no line ends in the last part of the journal: it is damaged", remedy);
    }
    if (keep < size)
        SPARSERL_CHECK(journal.truncate(keep));
    mirror.m_journal = keep;
    std::error_code code;
    removeEntry(mirror.incoming(journalFile), code);
    return mirror;
}

fs::path Mirror::incoming(std::string_view name) const
{
    return m_run / ".incoming" / fs::path(name);
}

nlohmann::json Mirror::hello(bool start) const
{
    nlohmann::json partial = nlohmann::json::object();
    const auto arrived = listTree(m_run / ".incoming");
    for (const fs::path& path : arrived ? *arrived : std::vector<fs::path>())
        partial[path.lexically_relative(m_run / ".incoming").string()] = glance(path).bytes;
    nlohmann::json have = nlohmann::json::object();
    for (const std::string& unit : mirroredUnits(m_run))
        have[unit] = unitTag(m_run, unit);
    for (const auto& [unit, refused] : m_memory != nullptr ? m_memory->refused : RefusedUnits())
        if (refused.times > 1)
            have[unit] = refused.tag;
    return {{"hello", wireVersion},
            {"start", start},
            {"generation", m_generation},
            {"journal", m_journal},
            {"journal_sha256", prefixHash(m_run / journalFile, m_journal)},
            {"log", glance(m_run / workerLogFile).bytes},
            {"have", have},
            {"partial", partial}};
}

Status Mirror::take(const Frame& frame)
{
    const nlohmann::json& head = frame.head;
    if (head.contains("journal"))
        return takeJournal(jsonValue<std::int64_t>(head, "journal", -1), frame.body);
    if (head.contains("reset")) {
        const auto generation = jsonValue<std::int64_t>(head, "reset", -1);
        if (!isGeneration(generation))
            return fail(wrongPiece("the number of a resume that cannot be"));
        m_generation = static_cast<int>(generation);
        m_journal = 0;
        m_anew = true;
        SPARSERL_CHECK(makeDirectories(m_run / ".incoming"));
        SPARSERL_TRY(auto file, FileHandle::openAppend(incoming(journalFile)));
        return file.truncate(0);
    }
    if (head.contains("settled"))
        return settle(jsonValue(head, "settled", -1));
    if (head.contains("log"))
        return takeLog(jsonValue<std::int64_t>(head, "log", -1), frame.body);
    if (head.contains("beat"))
        return takeHeartbeat(head);
    if (head.contains("present"))
        return keepOnly(head["present"]);
    if (head.contains("file"))
        return takeFile(head, frame.body);
    if (head.contains("unit"))
        return finishUnit(jsonValue<std::string>(head, "unit", {}), jsonValue(head, "whole", false));
    return {};
}

Status Mirror::takeJournal(std::int64_t offset, const std::string& bytes)
{
    if (offset != m_journal || bytes.empty() || bytes.back() != '\n')
        return fail(wrongPiece("lines of the journal"));
    if (offset + static_cast<std::int64_t>(bytes.size()) > m_allowance.limits().journal)
        return m_allowance.reach("its journal is longer than " +
                                 formatBytes(static_cast<double>(m_allowance.limits().journal)));
    SPARSERL_CHECK(m_allowance.take(static_cast<std::int64_t>(bytes.size())));
    SPARSERL_TRY(auto file, FileHandle::openAppend(m_anew ? incoming(journalFile) : m_run / journalFile));
    SPARSERL_TRY(const auto size, file.size());
    if (size != m_journal)
        return fail(wrongPiece("the journal here was changed by somebody else"));
    if (auto status = file.write(bytes); !status) {
        static_cast<void>(file.truncate(m_journal)); // a full disk leaves no half line
        return status;
    }
    m_journal += static_cast<std::int64_t>(bytes.size());
    return {};
}

// In the order of a resume, so that readers see what they would see of one: the journal is cut, then the
// generation is raised, then what is new is appended.
Status Mirror::settle(int generation)
{
    if (!m_anew || generation != m_generation)
        return fail(wrongPiece("a journal that starts again from its beginning"));
    const fs::path fresh = incoming(journalFile), journal = m_run / journalFile;
    SPARSERL_TRY(const auto common, commonLines(journal, fresh));
    SPARSERL_TRY(auto file, FileHandle::openAppend(journal));
    SPARSERL_TRY(const auto size, file.size());
    SPARSERL_CHECK(m_allowance.take(m_journal - common)); // before anything is cut
    if (common < size) {
        SPARSERL_TRY(const auto kept, keepTail(common, size));
        if (!kept.empty())
            m_tails[kept] = size - common; // told once all has come that a resume there may have kept
    }
    SPARSERL_CHECK(file.truncate(common));
    SPARSERL_CHECK(file.sync());
    SPARSERL_CHECK(writeGeneration(m_run, generation));
    SPARSERL_TRY(const auto source, FileHandle::openRead(fresh));
    SPARSERL_CHECK(copyPart(source, common, m_journal, file,
                            wrongPiece("a journal that starts again from its beginning")));
    m_anew = false;
    std::error_code code;
    removeEntry(fresh, code);
    return {};
}

Status Mirror::takeLog(std::int64_t offset, const std::string& bytes)
{
    const std::int64_t longest = m_allowance.limits().log;
    if (offset > longest - static_cast<std::int64_t>(bytes.size())) { // it is for reading: the run goes on
        if (m_memory == nullptr || !std::exchange(m_memory->isLogCutTold, true))
            m_notices.push_back(
                fmt::format("The worker's log there is longer than {}: the rest of it is not fetched",
                            formatBytes(static_cast<double>(longest))));
        return {};
    }
    return writeAt(m_run / workerLogFile, offset, bytes, "lines of the worker's log");
}

Status Mirror::takeHeartbeat(const nlohmann::json& head)
{
    if (!head.contains("age"))
        return {};
    Heartbeat heartbeat;
    const double age = jsonValue(head, "age", 0.0);
    heartbeat.t = unixSeconds() - (std::isfinite(age) ? std::max(0.0, age) : 0.0);
    heartbeat.pid = std::max<std::int64_t>(1, jsonValue<std::int64_t>(head, "pid", 1));
    heartbeat.host = jsonValue<std::string>(head, "host", "?");
    heartbeat.host = heartbeat.host.empty() ? "?" : heartbeat.host.substr(0, 255);
    heartbeat.phase = jsonValue<std::string>(head, "phase", {}).substr(0, 500);
    heartbeat.phaseFraction = jsonValue(head, "phase_fraction", -1.0);
    heartbeat.step = std::max<std::int64_t>(0, jsonValue<std::int64_t>(head, "step", 0));
    heartbeat.totalSteps = std::max<std::int64_t>(0, jsonValue<std::int64_t>(head, "total_steps", 0));
    heartbeat.secondsLeft = jsonValue(head, "seconds_left", -1.0);
    return writeHeartbeat(m_run, std::move(heartbeat));
}

Status Mirror::takeFile(const nlohmann::json& head, const std::string& bytes)
{
    const auto unit = jsonValue<std::string>(head, "unit", {}),
               name = jsonValue<std::string>(head, "file", {});
    const auto offset = jsonValue<std::int64_t>(head, "offset", -1);
    if (!isFileOfUnit(unit, name))
        return fail(wrongPiece("a file that no run has"));
    const fs::path path = incoming(name);
    if (!glance(incoming(unit)).exists)
        SPARSERL_CHECK(beginUnit(unit));
    if (offset < 0 || offset > m_allowance.limits().file)
        return fail(wrongPiece("a piece of " + name));
    SPARSERL_CHECK(checkFileOfUnit(unit, name, offset + static_cast<std::int64_t>(bytes.size())));
    SPARSERL_CHECK(makeDirectories(path.parent_path()));
    return writeAt(path, offset, bytes, "a piece of " + name);
}

Status Mirror::writeAt(const fs::path& path, std::int64_t offset, const std::string& bytes,
                       const std::string& what)
{
    if (offset < 0 || (offset > 0 && !glance(path).exists)) // a lie leaves no file
        return fail(wrongPiece(what));
    SPARSERL_TRY(auto file, FileHandle::openAppend(path));
    SPARSERL_TRY(const auto size, file.size());
    if (offset > size)
        return fail(wrongPiece(what));
    SPARSERL_CHECK(m_allowance.take(static_cast<std::int64_t>(bytes.size())));
    if (offset < size)
        SPARSERL_CHECK(file.truncate(offset));
    return file.write(bytes);
}

Status Mirror::beginUnit(const std::string& unit)
{
    const bool isCheckpoint = unit.starts_with(checkpointPrefix);
    const auto isPart = [](const fs::path& path) {
        return path.filename().string().starts_with(discardedPrefix);
    };
    const auto here = entriesOf(isCheckpoint ? m_run / "checkpoints" : m_run);
    const auto count = isCheckpoint ? static_cast<std::ptrdiff_t>(here.size())
                                    : std::count_if(here.begin(), here.end(), isPart);
    if (const auto most = m_allowance.limits().checkpoints; static_cast<std::size_t>(count) >= most)
        return m_allowance.reach(fmt::format("it has more than {} {}", most,
                                             isCheckpoint ? "checkpoints" : "journals that were taken back"));
    // The other side finishes one before it begins the next; others were given up there.
    const auto begun = entriesOf(m_run / ".incoming");
    if (entriesOf(m_run / ".incoming/checkpoints").size() +
            static_cast<std::size_t>(std::count_if(begun.begin(), begun.end(), isPart)) >=
        m_allowance.limits().unfinished)
        clearIncoming();
    return {};
}

Status Mirror::checkFileOfUnit(const std::string& unit, const std::string& name, std::int64_t bytes)
{
    const FarLimits& limits = m_allowance.limits();
    const std::int64_t longest = name == unit ? limits.journal : limits.file;
    if (bytes > longest)
        return m_allowance.reach(
            fmt::format("{} is larger than {}", name, formatBytes(static_cast<double>(longest))));
    if (name == unit || glance(incoming(name)).exists || !glance(incoming(unit)).exists)
        return {};
    SPARSERL_TRY(const auto files, listTree(incoming(unit)));
    return files.size() < limits.filesOfUnit
               ? Status()
               : m_allowance.reach(fmt::format("{} has more than {} files", unit, limits.filesOfUnit));
}

void Mirror::clearIncoming()
{
    std::error_code code;
    for (const fs::path& entry : entriesOf(m_run / ".incoming"))
        if (!m_anew || entry.filename() != journalFile)
            removeTree(entry, code);
}

Status Mirror::refuseUnit(const std::string& unit, const std::string& tag, const Error& fault)
{
    if (m_memory == nullptr)
        return fail(wrongPiece(fault.sentence()));
    RefusedUnit& refused = m_memory->refused[unit];
    refused = {tag, refused.tag == tag ? refused.times + 1 : 1};
    if (const auto most = m_allowance.limits().refused; m_memory->refused.size() > most)
        return m_allowance.reach(fmt::format("more than {} of its checkpoints are damaged", most));
    if (refused.times < 2) // it may have come from two histories
        return fail(wrongPiece(fault.sentence()));
    m_notices.push_back(fmt::format("The checkpoint {} is damaged there, and is not kept here: {}",
                                    fs::path(unit).filename().string(), fault.what));
    return {};
}

Status Mirror::finishUnit(const std::string& unit, bool whole)
{
    if (!isUnitName(unit))
        return fail(wrongPiece("something that no run has"));
    const fs::path from = incoming(unit), to = m_run / unit;
    std::error_code code;
    if (!whole || !glance(from).exists) { // it went there meanwhile
        removeTree(from, code);
        return {};
    }
    if (unit.starts_with(checkpointPrefix)) {
        SPARSERL_TRY(const auto fault, checkpointFault(from));
        if (fault) {
            const std::string tag = unitTag(m_run / ".incoming", unit);
            removeTree(from, code); // so that it is sent again from its beginning
            return refuseUnit(unit, tag, *fault);
        }
        SPARSERL_CHECK(makeDirectories(to.parent_path()));
        SPARSERL_CHECK(syncTree(from));
    }
    if (unit.starts_with(checkpointPrefix) && glance(to / "PIN").exists) { // somebody starts from this one
        if (unitTag(m_run, unit) == unitTag(m_run / ".incoming", unit)) {
            removeTree(from, code);
            return {};
        }
        SPARSERL_CHECK(keepPinned(to));
    }
    if (glance(to).exists) { // another of its name: it was made anew after a damaged one
        const fs::path old = m_run / ".incoming" / "replaced";
        removeTree(old, code);
        renameEntry(to, old, code);
        removeTree(old, code);
    }
    renameEntry(from, to, code);
    if (code)
        return fail(systemError("keep what came from the other machine", to, code.value()));
    if (!unit.starts_with(checkpointPrefix))
        forgetKeptTails(to);
    return syncDirectory(to.parent_path());
}

} // namespace sparserl
