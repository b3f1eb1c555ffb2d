// SPDX-License-Identifier: Apache-2.0
// What a mirror keeps although the other side has it no more.
#include "base/beneath.h"
#include "base/files.h"
#include "base/free_name.h"
#include "project/files/file_handle.h"
#include "project/files/run_files.h"
#include "project/run/checkpoint_files.h"
#include "remote/mirror.h"
#include "remote/mirrored_units.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view cutPrefix = "journal.cut."; ///< What a follower took from the journal's end here.
constexpr std::int64_t chunk = 1 << 20;

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

Status Mirror::copyPart(const FileHandle& from, std::int64_t begin, std::int64_t end, FileHandle& to,
                        const Error& shorter)
{
    for (std::int64_t at = begin; at < end;) {
        SPARSERL_TRY(const auto text, from.read(at, std::min(chunk, end - at)));
        if (text.empty())
            return fail(shorter);
        SPARSERL_CHECK(to.write(text));
        at += static_cast<std::int64_t>(text.size());
    }
    return {};
}

// What is cut here may be all that is left of it: there, a folder may have been restored or edited.
Result<fs::path> Mirror::keepTail(std::int64_t begin, std::int64_t end)
{
    SPARSERL_TRY(const auto journal, FileHandle::openRead(m_run / journalFile));
    SPARSERL_TRY(const auto entries, listDirectory(m_run));
    int number = 1;
    std::size_t count = 0;
    for (const fs::path& entry : entries) {
        const std::string name = entry.filename().string();
        if (name.starts_with(discardedPrefix) && isUnitName(name) && startsWith(entry, journal, begin, end))
            return fs::path(); // a resume there has kept it
        if (!name.starts_with(cutPrefix))
            continue;
        if (startsWith(entry, journal, begin, end))
            return entry; // and so has this mirror, at another time
        ++count;
        int other = 0;
        if (std::from_chars(name.data() + cutPrefix.size(), name.data() + name.size(), other).ec ==
                std::errc() &&
            other < 1'000'000)
            number = std::max(number, other + 1);
    }
    if (const auto most = m_allowance.limits().setAside; count >= most)
        return m_allowance.reach(
            fmt::format("its journal was exchanged for another more than {} times", most));
    SPARSERL_CHECK(m_allowance.take(end - begin));
    fs::path kept = m_run / fmt::format("{}{}{}", cutPrefix, number, discardedSuffix);
    const fs::path temporary = incoming("journal.cut");
    SPARSERL_CHECK(makeDirectories(temporary.parent_path()));
    {
        SPARSERL_TRY(auto out, FileHandle::openAppend(temporary));
        SPARSERL_CHECK(out.truncate(0));
        SPARSERL_CHECK(
            copyPart(journal, begin, end, out, wrongPiece("the journal here was changed by somebody else")));
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
        m_notices.push_back(fmt::format("The journal there is not the one that was followed: of the local "
                                        "journal, {} bytes are not there. They are in {}",
                                        bytes, file.filename().string()));
}

// A run removes its oldest checkpoints. One that is newer than all it has was lost there.
Status Mirror::setAside(const CheckpointInfo& checkpoint)
{
    return moveAside(checkpoint.path, "no longer exists there, and is newer than all that do");
}

Status Mirror::keepPinned(const fs::path& checkpoint)
{
    return moveAside(checkpoint, "was replaced on the other machine, and the local one is pinned");
}

Status Mirror::moveAside(const fs::path& checkpoint, std::string_view because)
{
    const fs::path folder = m_run / "checkpoints.set-aside";
    if (const auto most = m_allowance.limits().setAside; entriesOf(folder).size() > most)
        return m_allowance.reach(
            fmt::format("its checkpoints are exchanged for others more than {} times", most));
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
    if (const auto most = m_allowance.limits().names; present.size() > most)
        return m_allowance.reach(fmt::format("it has more than {} checkpoints", most));
    clearIncoming(); // what is begun by now is not finished any more
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
