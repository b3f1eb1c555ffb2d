// SPDX-License-Identifier: Apache-2.0
#include "remote/ship.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/interruption.h"
#include "base/subprocess.h"
#include "base/time.h"
#include "base/trust.h"
#include "matrix/cache.h"
#include "project/files/project_file.h"
#include "project/files/run_files.h"
#include "remote/inventory.h"
#include "remote/said_text.h"
#include "remote/shell_words.h"
#include "remote/ssh.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr double stalledSeconds = 120;

/// What a run's folder holds for this machine only, or until it ends.
constexpr std::array<std::string_view, 6> ownFiles{"remote.json", followerLock, followerLogFile,
                                                   heartbeatFile, workerLock,   workerLogFile};

/// Every regular file below a folder, its place there being below `target`.
Status addTree(std::vector<ShippedFile>& files, const fs::path& folder, const std::string& target)
{
    SPARSERL_TRY(const auto all, treeOf(folder, Hidden::Skip));
    for (const TreeFile& file : all)
        files.push_back({folder / file.name, target + "/" + file.name, false});
    return {};
}

Status addMatrices(std::vector<ShippedFile>& files, Project& project, const fs::path& scratch,
                   const CancelToken& cancel, const Progress& progress)
{
    ProjectFile list{project.title(), project.matrices()};
    const MatrixCache cache(project.cachePath());
    for (MatrixEntry& entry : list.matrices) {
        // A file is read where it is; elsewhere its cache stands for it.
        if (!entry.file.empty() && (entry.digest.empty() || !cache.has(entry.digest))) {
            if (cancel.cancelled())
                return fail(interruption());
            if (progress)
                progress(-1, "reading " + entry.name);
            SPARSERL_TRY(const auto loaded, project.load(MatrixEntry(entry), cancel));
            entry.digest = loaded.digest;
        }
        if (entry.digest.empty())
            continue; // generated there
        for (const fs::path& file :
             {cache.matrixPath(entry.digest), cache.pyramidPath(entry.digest),
              cache.doublesPath(entry.digest), project.cachePath() / (entry.digest + ".features.json")})
            if (glance(file).exists)
                files.push_back({file, "cache/" + file.filename().string(), false});
    }
    // Under another name: a folder with a project.toml would be a project, and nobody has trusted this one.
    SPARSERL_CHECK(writeFileAtomic(scratch / "list", formatProjectFile(list)));
    files.push_back({scratch / "list", "project.toml", true});
    // What their files' formats forbid stands there.
    if (glance(project.cachePath() / "sources.json").exists)
        files.push_back({project.cachePath() / "sources.json", "cache/sources.json", true});
    return {};
}

} // namespace

std::string remoteProjectFolder(const RemoteHost& host, const fs::path& project)
{
    std::string name = project.filename().string();
    for (char& c : name)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
            c = '-';
    std::array<char, 256> machine{};
    static_cast<void>(::gethostname(machine.data(), machine.size() - 1));
    // Names of machines and paths are common (localhost, /root/project): the machine's own number tells them
    // apart, where it has one.
    const std::string number = readFile("/etc/machine-id", 256).value_or(std::string());
    const std::string id = sha256Hex(number + std::string(machine.data()) + ":" + project.string() + ":" +
                                     folderIdentity(project));
    return fmt::format("{}/{}-{}", remotePath(host.folder), name.substr(0, 40), id.substr(0, 10));
}

Result<std::vector<ShippedFile>> shipmentOf(Project& project, const RunDirectory& run,
                                            const RunIdentity& identity, const ShippedPolicy& policy,
                                            const fs::path& scratch, const CancelToken& cancel,
                                            const Progress& progress)
{
    std::vector<ShippedFile> files;
    SPARSERL_CHECK(addMatrices(files, project, scratch, cancel, progress));
    SPARSERL_TRY(const auto annotations, lookAt(project.path() / "annotations.jsonl"));
    if (annotations.exists) // which programs are in the SFT set
        files.push_back({project.path() / "annotations.jsonl", "annotations.jsonl", true});
    SPARSERL_CHECK(addTree(files, project.path() / "sft_set", "sft_set"));
    for (const TreeFile& file : policy.files)
        files.push_back({policy.source / file.name, policy.target + "/" + file.name, false});
    const std::string folder = "runs/" + identity.nameThere;
    std::vector<ShippedFile> own;
    SPARSERL_CHECK(addTree(own, run.path(), folder));
    std::erase_if(own, [&](const ShippedFile& file) {
        const std::string name = file.target.substr(folder.size() + 1);
        return name == runFile || name == identityFile || name == claimFile ||
               std::find(ownFiles.begin(), ownFiles.end(), name) != ownFiles.end();
    });
    files.insert(files.end(), own.begin(), own.end());
    // Paths are those of the project that a run lies in, so that they hold there, too.
    RunConfig config = run.config();
    config.project = project.path().string();
    if (!policy.target.empty()) {
        config.parentCheckpoint = (project.path() / policy.target).string();
        config.parentDigest.clear(); // it has the policy itself
    }
    SPARSERL_CHECK(writeRunConfig(scratch / "run", config));
    SPARSERL_CHECK(writeFileAtomic(scratch / "identity", identity.id + "\n"));
    files.push_back({scratch / "identity", folder + "/" + identityFile, false});
    files.push_back({scratch / "run", folder + "/run.toml", false});
    for (const ShippedFile& file : files)
        SPARSERL_CHECK(checkRemoteText("the file", file.target));
    return files;
}

namespace {

/// A folder with links to the files where they are to be there.
Status stage(const fs::path& folder, std::vector<const ShippedFile*> files)
{
    // What makes it look like a project comes last: then nothing more is made in it.
    std::stable_partition(files.begin(), files.end(),
                          [](const ShippedFile* file) { return file->target != "project.toml"; });
    for (const ShippedFile* file : files) {
        // Who reads through these links follows others, too.
        SPARSERL_CHECK(openFile(file->source, O_RDONLY, "send the file"));
        const fs::path link = folder / file->target;
        SPARSERL_CHECK(makeDirectories(link.parent_path()));
        std::error_code code;
        fs::create_symlink(fs::absolute(file->source), link, code);
        if (code)
            return failAt(link.string(), 0, "cannot collect the files to be sent: " + code.message());
    }
    return {};
}

Status waitFor(Subprocess& process, const CancelToken& cancel, const RemoteHost& host, SaidText& errors)
{
    for (;;) {
        if (const auto status = process.wait(0.2)) {
            return status->ok() ? Status() : fail(explainSsh(host, *status, errors.take()));
        }
        if (cancel.cancelled()) {
            process.killGroup(SIGTERM);
            return fail(interruption());
        }
    }
}

Status byRsync(const RemoteHost& host, const std::string& folder, const fs::path& staged,
               const CancelToken& cancel)
{
    std::string shell;
    for (const std::string& word : sshWords()) // none has a blank
        shell += (shell.empty() ? "" : " ") + word;
    SpawnOptions options;
    // -s: paths go through the protocol, not through the shell there. -I: all of this is to be sent, also
    // over files of equal size and time that a disk has damaged.
    options.argv = {"rsync",
                    "-rLtI",
                    "-s",
                    "--partial",
                    fmt::format("--timeout={:.0f}", stalledSeconds),
                    "-e",
                    shell,
                    staged.string() + "/",
                    host.name + ":" + folder + "/"};
    options.dieWithParent = true;
    options.output = StreamEnd::null();
    options.error = StreamEnd::pipe();
    SPARSERL_TRY(auto rsync, spawn(options));
    SaidText errors(rsync.errorFd());
    return waitFor(rsync, cancel, host, errors);
}

enum class Taken
{
    All,
    Nothing ///< Nobody reads any more.
};
/// Writes all of it, for as long as the other side goes on taking some.
Result<Taken> offer(Subprocess& ssh, std::string_view bytes, const CancelToken& cancel,
                    const RemoteHost& host)
{
    double since = monotonicSeconds();
    while (!bytes.empty()) {
        if (cancel.cancelled()) {
            ssh.killGroup(SIGTERM);
            return fail(interruption());
        }
        if (monotonicSeconds() - since > stalledSeconds) {
            ssh.killGroup(SIGKILL);
            return fail(fmt::format("{} has accepted no data for {:.0f} seconds", host.name, stalledSeconds),
                        "See whether it is overloaded; `ssh` in a terminal says more");
        }
        pollfd ready{ssh.inputFd(), POLLOUT, 0};
        if (::poll(&ready, 1, 200) <= 0)
            continue;
        // A pipe that can be written to takes so much at once.
        const auto piece = bytes.substr(0, PIPE_BUF);
        if (!writeAll(ssh.inputFd(), piece))
            return Taken::Nothing;
        bytes.remove_prefix(piece.size());
        since = monotonicSeconds();
    }
    return Taken::All;
}

Status byTar(const RemoteHost& host, const std::string& folder, const fs::path& staged, std::int64_t total,
             const CancelToken& cancel, const Progress& progress)
{
    SpawnOptions packing;
    packing.argv = {"tar", "-C", staged.string(), "-chf", "-", "."};
    packing.dieWithParent = true;
    packing.output = StreamEnd::pipe();
    packing.error = StreamEnd::null();
    SPARSERL_TRY(auto tar, spawn(packing));
    auto sending = sshCommand(host, shellLine({"tar", "-C", folder, "-xof", "-"}));
    sending.input = StreamEnd::pipe();
    sending.output = StreamEnd::null();
    sending.error = StreamEnd::pipe();
    SPARSERL_TRY(auto ssh, spawn(sending));
    SaidText errors(ssh.errorFd());
    ::fcntl(ssh.inputFd(), F_SETFL, O_NONBLOCK);
    std::array<char, 65536> buffer{};
    std::int64_t sent = 0;
    for (;;) {
        const ssize_t got = ::read(tar.outputFd(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        SPARSERL_TRY(const Taken taken,
                     offer(ssh, {buffer.data(), static_cast<std::size_t>(got)}, cancel, host));
        if (taken == Taken::Nothing)
            break; // ssh says why
        sent += got;
        if (progress)
            progress(std::min(1.0, static_cast<double>(sent) / static_cast<double>(total + 1)),
                     "sending to " + host.name);
    }
    ssh.closeInput();
    SPARSERL_CHECK(waitFor(ssh, cancel, host, errors));
    if (const auto status = tar.wait(5); !status || !status->ok())
        return fail("the files to be sent could not be read", "See whether the project's files can be read");
    return {};
}

/// The step of a checkpoint that the file "runs/NAME/checkpoints/step-N/..." belongs to; -1: of none.
std::int64_t stepOf(std::string_view target)
{
    constexpr std::string_view mark = "/checkpoints/step-";
    const auto at = target.find(mark);
    std::int64_t step = -1;
    if (at != std::string_view::npos)
        std::from_chars(target.data() + at + mark.size(), target.data() + target.size(), step);
    return step;
}

/// A run that is there is the truth, whatever is here: a file of its own history there would be damaged by
/// one of the same name of another. Only checkpoints that are newer than all it has go along, for where
/// something was lost there. Caches, programs and policies are called by what they hold.
bool isThere(const RemoteInventory& there, const ShippedFile& file, std::int64_t size)
{
    const auto at = file.target.starts_with("runs/") ? file.target.find('/', 5) : std::string::npos;
    if (at == std::string::npos) {
        const auto known = there.files.find(file.target);
        return known != there.files.end() && known->second == size && !file.always;
    }
    const std::string run = file.target.substr(0, at);
    if (!there.hasRun)
        return false; // all of it: what lies there is of no run, or was cut while it came
    const std::int64_t step = stepOf(file.target);
    if (step < 0)
        return true;
    std::int64_t newest = -1;
    const std::string prefix = run + "/checkpoints/step-";
    for (auto other = there.files.lower_bound(prefix);
         other != there.files.end() && other->first.starts_with(prefix); ++other)
        if (other->first.ends_with("/DONE"))
            newest = std::max(newest, stepOf(other->first));
    return step <= newest;
}

/// In which part a file goes: what says that something is whole comes after it, so that a connection or a
/// disk that fails in between leaves nothing that looks whole.
std::size_t partOf(const std::string& target)
{
    const bool ofARun = target.starts_with("runs/");
    if (ofARun && stepOf(target) >= 0)
        return target.ends_with("/DONE") ? 1 : 0;
    return ofARun && target.ends_with("/run.toml") ? 2 : ofARun && target.ends_with("/run.identity") ? 3 : 0;
}

} // namespace

Status ship(const RemoteHost& host, const std::string& folder, const std::vector<ShippedFile>& files,
            const RemoteInventory& there, const RunIdentity& run, const CancelToken& cancel,
            const Progress& progress)
{
    SPARSERL_CHECK(checkRemoteHost(host));
    SPARSERL_CHECK(checkRemoteText("the folder", folder));
    if (run.id.empty() || there.run != run)
        return fail(fmt::format("{} has no place that is claimed for this run", host.name), "Try again");
    const std::string own = "runs/" + run.nameThere + "/";
    for (const ShippedFile& file : files)
        if (file.target.starts_with("runs/") && !file.target.starts_with(own))
            return failAt(file.source.string(), 0, "would be sent into another run's folder",
                          "Rename the file");
    std::array<std::vector<const ShippedFile*>, 4> parts;
    std::int64_t total = 0;
    for (const ShippedFile& file : files) {
        SPARSERL_TRY(const auto look, lookAt(file.source));
        if (!look.exists)
            return failAt(file.source.string(), 0, "cannot be sent: it is not there now", "Try again");
        const auto size = static_cast<std::int64_t>(look.bytes);
        if (isThere(there, file, size))
            continue;
        total += size;
        parts[partOf(file.target)].push_back(&file);
    }
    for (const auto& part : parts) {
        if (part.empty())
            continue;
        if (cancel.cancelled())
            return fail(interruption());
        SPARSERL_TRY(const auto staging, TempDir::create("sparserl-send"));
        SPARSERL_CHECK(makeDirectories(staging.path() / "files"));
        SPARSERL_CHECK(stage(staging.path() / "files", part));
        if (progress)
            progress(0, "sending to " + host.name);
        // rsync minds what a login shell prints, tar does not.
        bool sent = false;
        if (there.hasRsync && isOnPath("rsync")) {
            auto status = byRsync(host, folder, staging.path() / "files", cancel);
            if (!status && isInterruption(status.error()))
                return status;
            sent = status.has_value();
        }
        if (!sent)
            SPARSERL_CHECK(byTar(host, folder, staging.path() / "files", total, cancel, progress));
    }
    return {};
}

} // namespace sparserl
