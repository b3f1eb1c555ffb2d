// SPDX-License-Identifier: Apache-2.0
#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/json.h"
#include "base/time.h"
#include "base/trust.h"
#include "project/files/file_handle.h"
#include "project/files/run_files.h"
#include "project/run/checkpoint_files.h"
#include "project/run/run_directory.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

std::optional<CheckpointInfo> readCheckpoint(const fs::path& path)
{
    if (!glance(path / "DONE").exists)
        return std::nullopt;
    return describeCheckpoint(path);
}

/// Takes a checkpoint's name away in one step, so that a half-removed one never looks like one; what a crash
/// leaves is removed by the next beginWork().
Status removeCheckpoint(const fs::path& path)
{
    const fs::path doomed = path.parent_path() / (".removing-" + path.filename().string());
    std::error_code code;
    removeTree(doomed, code);
    renameEntry(path, doomed, code);
    if (!code)
        removeTree(doomed, code);
    if (code)
        return fail(systemError("remove the checkpoint", path, code.value()));
    return {};
}

/// A half-written or half-replaced checkpoint at `path`, if there was one before: its name is `.old-NAME`
/// between the two renames.
fs::path oldNameOf(const fs::path& path)
{
    return path.parent_path() / (".old-" + path.filename().string());
}

} // namespace

std::string checkpointName(std::int64_t step)
{
    return fmt::format("step-{:06}", step);
}

std::optional<CheckpointInfo> describeCheckpoint(const fs::path& path)
{
    const auto text = readControlFile(path / "checkpoint.json");
    return text ? describeCheckpoint(path, *text) : std::nullopt;
}

std::optional<CheckpointInfo> describeCheckpoint(const fs::path& path, std::string_view text)
{
    const auto json = parseJson(text);
    if (!json || !json->is_object())
        return std::nullopt;
    CheckpointInfo info;
    info.name = path.filename().string();
    info.path = path;
    info.step = jsonValue<std::int64_t>(*json, "step", 0);
    info.journalLength = jsonValue<std::int64_t>(*json, "journal_length", 0);
    info.journalSeq = jsonValue<std::int64_t>(*json, "journal_seq", 0);
    info.gen = jsonValue<int>(*json, "gen", 0);
    info.created = jsonValue(*json, "created", 0.0);
    info.pinned = glance(path / "PIN").exists;
    for (const fs::path& file : listTree(path).value_or(std::vector<fs::path>()))
        info.bytes += static_cast<std::int64_t>(glance(file).bytes);
    return info;
}

Status keepCheckpoint(const fs::path& checkpoint)
{
    if (checkpoint.parent_path().filename() != "checkpoints")
        return {};
    const auto gone = [&]() -> Status {
        if (glance(checkpoint / "DONE").exists)
            return {};
        return failAt(checkpoint.string(), 0,
                      "the checkpoint to start from is gone: its run keeps newer ones",
                      "Choose another checkpoint");
    };
    SPARSERL_CHECK(gone());
    // Only a project of this user's is written to: what lies elsewhere may be laid out by others, down to the
    // place of the pin. Nobody can remove it where nobody can write, so that it then needs none.
    if (!projectsAround(checkpoint).empty() && requireTrust(checkpoint))
        static_cast<void>(appendFile(checkpoint / "PIN", "", true));
    return gone(); // it may have been on its way out
}

PendingCheckpoint::PendingCheckpoint(PendingCheckpoint&& other) noexcept
    : m_temporary(std::exchange(other.m_temporary, {}))
    , m_final(std::move(other.m_final))
    , m_step(other.m_step)
{
}

PendingCheckpoint& PendingCheckpoint::operator=(PendingCheckpoint&& other) noexcept
{
    std::swap(m_temporary, other.m_temporary);
    std::swap(m_final, other.m_final);
    std::swap(m_step, other.m_step);
    return *this;
}

PendingCheckpoint::~PendingCheckpoint()
{
    std::error_code code;
    if (!m_temporary.empty())
        removeTree(m_temporary, code);
}

Result<CheckpointInfo> PendingCheckpoint::commit(JournalWriter& journal)
{
    // The event comes first, so that the recorded length covers it. If we die before the rename, the next
    // resume moves it away with the rest of the tail.
    SPARSERL_CHECK(journal.append(m_step, CheckpointEvent{m_final.filename().string()}));
    SPARSERL_CHECK(journal.sync());
    SPARSERL_TRY(auto files, listCheckpointFiles(m_temporary));
    const nlohmann::json json = {{"step", m_step},
                                 {"journal_length", journal.length()},
                                 {"journal_seq", journal.nextSeq()},
                                 {"gen", journal.generation()},
                                 {"created", unixSeconds()},
                                 {"files", std::move(files)}};
    const std::string text = dumpJsonPretty(json);
    SPARSERL_CHECK(writeFileAtomic(m_temporary / "checkpoint.json", text));
    SPARSERL_CHECK(writeFileAtomic(m_temporary / "DONE", doneText(text)));
    SPARSERL_CHECK(syncTree(m_temporary));
    // One that has this name already stays until the new one has it: recoverCheckpoints() gives it back.
    std::error_code code;
    const fs::path old = oldNameOf(m_final);
    if (glance(m_final).exists) {
        removeTree(old, code);
        renameEntry(m_final, old, code);
        if (code)
            return fail(systemError("move the checkpoint away", m_final, code.value()));
    }
    renameEntry(m_temporary, m_final, code);
    if (code)
        return fail(systemError("move the checkpoint into place", m_final, code.value()));
    m_temporary.clear();
    SPARSERL_CHECK(syncDirectory(m_final.parent_path()));
    removeTree(old, code);
    auto info = readCheckpoint(m_final);
    if (!info)
        return failAt(m_final.string(), 0, "the checkpoint cannot be read back");
    return *info;
}

void recoverCheckpoints(const fs::path& runDirectory)
{
    const fs::path folder = runDirectory / "checkpoints";
    const auto entries = listDirectory(folder);
    if (!entries)
        return; // choosing one says why
    for (const fs::path& path : *entries) {
        const std::string name = path.filename().string();
        std::error_code code;
        if (name.starts_with(".old-")) {
            const fs::path final = folder / name.substr(5);
            const auto present = lookAt(final);
            if (!present)
                continue;
            if (!present->exists) {
                renameEntry(path, final, code); // died between the two renames
                continue;
            }
        }
        if (name.starts_with(".old-") || name.starts_with(".tmp-") || name.starts_with(".removing-"))
            removeTree(path, code);
    }
}

std::vector<CheckpointInfo> listCheckpoints(const fs::path& runDirectory)
{
    std::vector<CheckpointInfo> list;
    for (const fs::path& path : entriesOf(runDirectory / "checkpoints")) {
        if (path.filename().string().starts_with('.'))
            continue;
        if (auto info = readCheckpoint(path))
            list.push_back(std::move(*info));
    }
    std::sort(list.begin(), list.end(), [](const CheckpointInfo& a, const CheckpointInfo& b) {
        return std::tie(a.step, a.name) < std::tie(b.step, b.name);
    });
    return list;
}

Result<std::optional<CheckpointInfo>> newestCheckpoint(const fs::path& runDirectory)
{
    const fs::path folder = runDirectory / "checkpoints";
    SPARSERL_TRY(const auto place, lookAt(folder));
    if (!place.exists)
        return std::nullopt;
    SPARSERL_TRY(const auto entries, listDirectory(folder));
    std::pair<std::int64_t, fs::path> newest{-1, {}};
    for (const fs::path& path : entries) {
        const std::string name = path.filename().string();
        std::int64_t step = -1;
        if (name.starts_with("step-"))
            std::from_chars(name.data() + 5, name.data() + name.size(), step);
        if (step < newest.first || name.starts_with('.'))
            continue;
        SPARSERL_TRY(const auto done, lookAt(path / "DONE"));
        if (done.exists)
            newest = std::max(newest, {step, path});
    }
    if (newest.second.empty())
        return std::nullopt;
    SPARSERL_TRY(auto fault, checkpointNotation(newest.second));
    auto info = fault ? std::nullopt : describeCheckpoint(newest.second);
    if (!fault && (!info || newest.second.filename() != checkpointName(info->step)))
        fault = Error{"it is not the checkpoint that its name says", newest.second.string(), 0, {}};
    if (fault)
        return failAt(fault->file, 0,
                      fmt::format("the newest checkpoint, {}, is damaged: {}",
                                  newest.second.filename().string(), fault->what),
                      insteadOfCheckpoint(newest.second));
    return info;
}

std::string insteadOfCheckpoint(const fs::path& checkpoint)
{
    if (checkpoint.parent_path().filename() != "checkpoints")
        return "Use another checkpoint of the run; this one is damaged";
    const auto list = listCheckpoints(checkpoint.parent_path().parent_path());
    const auto name = checkpoint.filename().string();
    for (auto at = list.rbegin(); at != list.rend(); ++at)
        if (at->name < name)
            return fmt::format(
                "The one before it is {}. A run that has not ended moves the damaged one aside "
                "when it is resumed",
                at->path.string());
    return "Restore it. A run that has not ended moves it aside when it is resumed";
}

Result<PendingCheckpoint> RunDirectory::beginCheckpoint(std::int64_t step)
{
    PendingCheckpoint pending;
    const std::string name = checkpointName(step);
    pending.m_final = m_path / "checkpoints" / name;
    const fs::path temporary = m_path / "checkpoints" / (".tmp-" + name);
    std::error_code code;
    removeTree(temporary, code);
    SPARSERL_CHECK(makeDirectories(temporary));
    pending.m_temporary = temporary;
    // The only file of a run that nothing else could be made anew from.
    const fs::path config = m_path / runFile;
    if (glance(config).exists) {
        copyEntry(config, temporary / runFile, code);
        if (code)
            return fail(systemError("copy into the checkpoint", config, code.value()));
    }
    pending.m_step = step;
    return pending;
}

std::vector<CheckpointInfo> RunDirectory::checkpoints() const
{
    return listCheckpoints(m_path);
}

std::optional<CheckpointInfo> RunDirectory::latestCheckpoint() const
{
    auto list = checkpoints();
    if (list.empty())
        return std::nullopt;
    return std::move(list.back());
}

Result<CheckpointInfo> RunDirectory::checkpoint(const std::string& name) const
{
    if (name.find('/') == std::string::npos) {
        if (auto info = readCheckpoint(m_path / "checkpoints" / name))
            return *info;
    }
    return failAt((m_path / "checkpoints" / name).string(), 0, "there is no complete checkpoint of this name",
                  "Choose one of `sparserl runs`");
}

Status RunDirectory::pruneCheckpoints(int keep)
{
    auto list = checkpoints();
    std::erase_if(list, [](const CheckpointInfo& info) { return info.pinned; });
    const std::size_t stay = static_cast<std::size_t>(std::max(1, keep));
    for (std::size_t i = 0; i + stay < list.size(); ++i) {
        SPARSERL_CHECK(removeCheckpoint(list[i].path));
    }
    return {};
}

Status RunDirectory::pinCheckpoint(const std::string& name, bool pinned)
{
    SPARSERL_TRY(const auto info, checkpoint(name));
    if (pinned)
        return appendFile(info.path / "PIN", "", true);
    std::error_code code;
    removeEntry(info.path / "PIN", code);
    if (code)
        return fail(systemError("remove the pin", info.path, code.value()));
    return {};
}

} // namespace sparserl
