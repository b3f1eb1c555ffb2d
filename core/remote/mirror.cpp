// SPDX-License-Identifier: Apache-2.0
#include "remote/mirror.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/free_name.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/time.h"
#include "project/checkpoint_files.h"
#include "project/file_handle.h"
#include "project/generation.h"
#include "project/heartbeat.h"
#include "project/line_reader.h"
#include "project/run_directory.h"
#include "project/run_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view checkpointPrefix = "checkpoints/step-", discardedPrefix = "journal.discarded.",
                           discardedSuffix = ".jsonl";
constexpr std::string_view cutPrefix = "journal.cut."; ///< What a follower took from the journal's end here.
constexpr std::size_t deepest = 3;
constexpr std::int64_t chunk = 1 << 20;

bool isNumber(std::string_view text)
{
    return !text.empty() && text.size() <= 12 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isPlainName(std::string_view name)
{
    return !name.empty() && name.size() <= 128 && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-';
           });
}

Error wrongPiece(const std::string& what)
{
    return {"what came from the other machine does not fit: " + what, {}, 0, "It is asked for again"};
}

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

/// Does the file begin with this part of another?
bool startsWith(const fs::path& file, const FileHandle& other, std::int64_t begin, std::int64_t end)
{
    const auto handle = FileHandle::openRead(file);
    for (std::int64_t at = begin; handle && at < end; at += chunk) {
        const auto a = handle->read(at - begin, std::min(chunk, end - at));
        const auto b = other.read(at, std::min(chunk, end - at));
        if (!a || !b || *a != *b)
            return false;
    }
    return handle.has_value();
}

} // namespace

std::vector<std::string> mirroredUnits(const fs::path& run)
{
    std::vector<std::string> units;
    for (const CheckpointInfo& checkpoint : listCheckpoints(run))
        units.push_back("checkpoints/" + checkpoint.name);
    for (const fs::path& path : entriesOf(run))
        if (const std::string name = path.filename().string(); name.starts_with(discardedPrefix))
            units.push_back(name);
    std::erase_if(units, [](const std::string& unit) { return !isUnitName(unit); });
    std::sort(units.begin(), units.end());
    return units;
}

bool isUnitName(std::string_view name)
{
    if (name.starts_with(checkpointPrefix))
        return isNumber(name.substr(checkpointPrefix.size()));
    return name.starts_with(discardedPrefix) && name.ends_with(discardedSuffix) &&
           name.size() > discardedPrefix.size() + discardedSuffix.size() &&
           isNumber(name.substr(discardedPrefix.size(),
                                name.size() - discardedPrefix.size() - discardedSuffix.size()));
}

bool isFileOfUnit(std::string_view unit, std::string_view file)
{
    if (!isUnitName(unit))
        return false;
    if (file == unit)
        return !unit.starts_with(checkpointPrefix);
    if (!unit.starts_with(checkpointPrefix) || !file.starts_with(unit) || file.size() <= unit.size() + 1 ||
        file[unit.size()] != '/')
        return false;
    std::string_view rest = file.substr(unit.size() + 1);
    for (std::size_t depth = 0; depth < deepest; ++depth) {
        const auto slash = rest.find('/');
        if (!isPlainName(rest.substr(0, slash)))
            return false;
        if (slash == std::string_view::npos)
            return true;
        rest.remove_prefix(slash + 1);
    }
    return false;
}

std::vector<std::string> filesOfUnit(const fs::path& run, const std::string& unit)
{
    if (!glance(run / unit).folder)
        return {unit};
    std::vector<std::string> files;
    const auto all = listTree(run / unit);
    for (const fs::path& path : all ? *all : std::vector<fs::path>()) {
        const std::string name = path.lexically_relative(run).string();
        if (isFileOfUnit(unit, name) && path.filename() != "PIN")
            files.push_back(name);
    }
    std::sort(files.begin(), files.end(), [&](const std::string& a, const std::string& b) {
        const std::string done = unit + "/DONE";
        return std::pair(a == done, a) < std::pair(b == done, b);
    });
    return files;
}

std::string unitTag(const fs::path& run, const std::string& unit)
{
    if (unit.starts_with(checkpointPrefix)) {
        const auto done = readControlFile(run / unit / "checkpoint.json");
        return done ? sha256Hex(*done) : std::string();
    }
    const Entry look = glance(run / unit);
    return look.exists ? std::to_string(look.bytes) : std::string();
}

bool isWholeUnit(const fs::path& run, const std::string& unit)
{
    return unit.starts_with(checkpointPrefix) ? glance(run / unit / "DONE").exists
                                              : glance(run / unit).exists;
}

std::string prefixHash(const fs::path& file, std::int64_t bytes)
{
    Hasher hasher;
    if (bytes > 0) {
        const auto handle = FileHandle::openRead(file);
        if (!handle)
            return {};
        for (std::int64_t at = 0; at < bytes;) {
            const auto text = handle->read(at, std::min(chunk, bytes - at));
            if (!text || text->empty() || handle->dataFrom(at) > at + chunk) // a hole is in no journal
                return {};
            hasher.update(*text);
            at += static_cast<std::int64_t>(text->size());
        }
    }
    return hasher.hex();
}

Mirror::Mirror(fs::path run)
    : m_run(std::move(run))
    , m_generation(readGeneration(m_run))
{
}

Result<Mirror> Mirror::open(const fs::path& run, RefusedUnits* refused)
{
    Mirror mirror(run);
    mirror.m_refused = refused;
    SPARSERL_TRY(auto journal, FileHandle::openAppend(run / journalFile));
    SPARSERL_TRY(const auto size, journal.size());
    // Backwards to the last line break.
    std::int64_t keep = 0;
    for (std::int64_t end = size; end > 0 && keep == 0;) {
        const std::int64_t begin = std::max<std::int64_t>(0, end - chunk);
        SPARSERL_TRY(const auto text, journal.read(begin, end - begin));
        if (const auto last = text.rfind('\n'); last != std::string::npos)
            keep = begin + static_cast<std::int64_t>(last) + 1;
        end = begin;
        if (keep == 0 && end > 0 && size - end > LineReader::endless)
            return failAt((run / journalFile).string(), 0,
                          "no line ends in the last part of the journal: it is damaged",
                          "Move it away: what is on the other machine is fetched again");
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
    for (const auto& [unit, refused] : m_refused != nullptr ? *m_refused : RefusedUnits())
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
        return fail(wrongPiece("a journal that was begun anew"));
    const fs::path fresh = incoming(journalFile), journal = m_run / journalFile;
    SPARSERL_TRY(const auto common, commonLines(journal, fresh));
    const int before = readGeneration(m_run);
    SPARSERL_TRY(auto file, FileHandle::openAppend(journal));
    SPARSERL_TRY(const auto size, file.size());
    if (common < size) {
        SPARSERL_TRY(const auto kept, keepTail(common, size));
        if (!kept.empty())
            m_tails[kept] = size - common;
        if (generation <= before) // no resume there has taken it back
            tellOfTails();
    }
    SPARSERL_CHECK(file.truncate(common));
    SPARSERL_CHECK(file.sync());
    SPARSERL_CHECK(writeGeneration(m_run, generation));
    SPARSERL_TRY(const auto source, FileHandle::openRead(fresh));
    for (std::int64_t at = common; at < m_journal;) {
        SPARSERL_TRY(const auto text, source.read(at, std::min(chunk, m_journal - at)));
        if (text.empty())
            return fail(wrongPiece("a journal that was begun anew"));
        SPARSERL_CHECK(file.write(text));
        at += static_cast<std::int64_t>(text.size());
    }
    m_anew = false;
    std::error_code code;
    removeEntry(fresh, code);
    return {};
}

// What is cut here may be all that is left of it: there, a folder may have been restored or edited.
Result<fs::path> Mirror::keepTail(std::int64_t begin, std::int64_t end)
{
    SPARSERL_TRY(const auto journal, FileHandle::openRead(m_run / journalFile));
    SPARSERL_TRY(const auto entries, listDirectory(m_run));
    int number = 1;
    for (const fs::path& entry : entries) {
        const std::string name = entry.filename().string();
        if (name.starts_with(discardedPrefix) && isUnitName(name) && startsWith(entry, journal, begin, end))
            return fs::path(); // a resume there has kept it
        int other = 0;
        if (name.starts_with(cutPrefix) &&
            std::from_chars(name.data() + cutPrefix.size(), name.data() + name.size(), other).ec ==
                std::errc())
            number = std::max(number, other + 1);
    }
    const fs::path kept = m_run / fmt::format("{}{}{}", cutPrefix, number, discardedSuffix),
                   temporary = incoming("journal.cut");
    SPARSERL_CHECK(makeDirectories(temporary.parent_path()));
    {
        SPARSERL_TRY(auto out, FileHandle::openAppend(temporary));
        SPARSERL_CHECK(out.truncate(0));
        for (std::int64_t at = begin; at < end;) {
            SPARSERL_TRY(const auto text, journal.read(at, std::min(chunk, end - at)));
            if (text.empty())
                return fail(wrongPiece("the journal here was changed by somebody else"));
            SPARSERL_CHECK(out.write(text));
            at += static_cast<std::int64_t>(text.size());
        }
        SPARSERL_CHECK(out.sync());
    }
    std::error_code code;
    renameEntry(temporary, kept, code);
    if (code)
        return fail(systemError("keep what is cut from the journal", kept, code.value()));
    SPARSERL_CHECK(syncDirectory(m_run));
    return kept;
}

// What a resume there has kept need not be kept here a second time.
void Mirror::forgetKeptTails(const fs::path& discarded)
{
    const auto all = listDirectory(m_run);
    for (const fs::path& entry : all ? *all : std::vector<fs::path>()) {
        if (!entry.filename().string().starts_with(cutPrefix))
            continue;
        const auto tail = FileHandle::openRead(entry);
        const auto size = tail ? tail->size() : Result<std::int64_t>(fail(tail.error()));
        std::error_code code;
        if (size && startsWith(discarded, *tail, 0, *size)) {
            removeEntry(entry, code);
            m_tails.erase(entry);
        }
    }
}

void Mirror::tellOfTails()
{
    for (const auto& [file, bytes] : std::exchange(m_tails, {}))
        m_notices.push_back(fmt::format("The journal there is not the one that was followed: of what was "
                                        "here, {} bytes are not there. They are in {}",
                                        bytes, file.filename().string()));
}

Status Mirror::takeLog(std::int64_t offset, const std::string& bytes)
{
    SPARSERL_TRY(auto file, FileHandle::openAppend(m_run / workerLogFile));
    SPARSERL_TRY(const auto size, file.size());
    if (offset < 0 || offset > size)
        return fail(wrongPiece("lines of the worker's log"));
    if (offset < size)
        SPARSERL_CHECK(file.truncate(offset));
    return file.write(bytes);
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
    SPARSERL_CHECK(makeDirectories(path.parent_path()));
    SPARSERL_TRY(auto file, FileHandle::openAppend(path));
    SPARSERL_TRY(const auto size, file.size());
    if (offset < 0 || offset > size)
        return fail(wrongPiece("a piece of " + name));
    if (offset < size)
        SPARSERL_CHECK(file.truncate(offset));
    return file.write(bytes);
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
            removeTree(from, code); // so that it comes anew, not from where it is wrong
            if (m_refused == nullptr)
                return fail(wrongPiece(fault->sentence()));
            RefusedUnit& refused = (*m_refused)[unit];
            refused = {tag, refused.tag == tag ? refused.times + 1 : 1};
            if (refused.times < 2) // it may have come from two histories
                return fail(wrongPiece(fault->sentence()));
            m_notices.push_back(fmt::format("The checkpoint {} is damaged there, and is not kept here: {}",
                                            to.filename().string(), fault->what));
            return {};
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

// A run removes its oldest checkpoints. One that is newer than all it has was lost there.
Status Mirror::setAside(const CheckpointInfo& checkpoint)
{
    return moveAside(checkpoint.path, "is not there any more, and is newer than all that are");
}

Status Mirror::keepPinned(const fs::path& checkpoint)
{
    return moveAside(checkpoint, "is another one there now, and the one here is pinned");
}

Status Mirror::moveAside(const fs::path& checkpoint, std::string_view because)
{
    const fs::path folder = m_run / "checkpoints.set-aside";
    SPARSERL_CHECK(makeDirectories(folder));
    std::error_code code;
    const std::string name = checkpoint.filename().string();
    const fs::path target = freePlace(folder / name);
    const std::string why = fmt::format("The checkpoint {} {}. It was moved to {}", name, because,
                                        target.lexically_relative(m_run).string());
    SPARSERL_CHECK(appendLine(folder / "reasons.txt", why));
    renameEntry(checkpoint, target, code);
    if (code)
        return fail(systemError("move the checkpoint aside", checkpoint, code.value()));
    m_notices.push_back(why);
    return {};
}

// Checkpoints that the run has removed go here, too, unless somebody needs them here.
Status Mirror::keepOnly(const nlohmann::json& present)
{
    std::set<std::string> names;
    if (!present.is_array())
        return {};
    for (const auto& name : present)
        if (name.is_string())
            names.insert(name.get<std::string>());
    tellOfTails();     // All that a resume there kept has arrived by now.
    if (names.empty()) // a folder that was emptied there is no reason to lose what is here
        return {};
    std::int64_t newest = -1; // Names of steps sort by them up to six digits only.
    for (const std::string& name : names)
        if (std::int64_t step = -1; name.starts_with(checkpointPrefix)) {
            std::from_chars(name.data() + checkpointPrefix.size(), name.data() + name.size(), step);
            newest = std::max(newest, step);
        }
    const auto here = listCheckpoints(m_run);
    std::int64_t newestHere = -1; // Of those that are there, too: one that arrived damaged is not here.
    for (const CheckpointInfo& checkpoint : here)
        if (names.contains("checkpoints/" + checkpoint.name))
            newestHere = std::max(newestHere, checkpoint.step);
    for (const CheckpointInfo& checkpoint : here) {
        const std::string unit = "checkpoints/" + checkpoint.name;
        if (checkpoint.pinned || names.contains(unit))
            continue;
        if (checkpoint.step < newest && checkpoint.step > newestHere)
            continue; // Nothing that is newer, and whole, is here in its place.
        if (checkpoint.step >= newest) {
            SPARSERL_CHECK(setAside(checkpoint));
            continue;
        }
        const fs::path doomed = checkpoint.path.parent_path() / (".removing-" + checkpoint.name);
        std::error_code code;
        removeTree(doomed, code);
        renameEntry(checkpoint.path, doomed, code);
        if (!code)
            removeTree(doomed, code);
    }
    return {};
}

} // namespace sparserl
