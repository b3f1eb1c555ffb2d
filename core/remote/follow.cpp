// SPDX-License-Identifier: Apache-2.0
#include "remote/follow.h"

#include "base/beneath.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/printable.h"
#include "base/time.h"
#include "project/files/file_handle.h"
#include "project/files/run_files.h"
#include "project/run/control.h"
#include "project/run/remote_mark.h"
#include "remote/known_hosts.h"
#include "remote/mirror.h"
#include "remote/said_text.h"
#include "remote/sent_runs.h"
#include "remote/shell_words.h"
#include "remote/ssh.h"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr double markSeconds = 5, waitSlice = 0.2;

/// One connection to the other side, from the first word to its end.
class Connection
{
public:
    Connection(const fs::path& run, const FollowOptions& options, RemoteMark& mark, const RemoteHost& host,
               MirrorMemory& memory)
        : m_run(run)
        , m_options(options)
        , m_mark(mark)
        , m_host(host)
        , m_memory(memory)
    {
        // All of it is told with each connection, as its file may be another one than before: each command
        // has its id, and counts there once.
        m_mark.controlBegin = std::min(m_mark.controlBegin, controlLength(run));
    }
    /// Whether the failure is an answer of the other side, or a limit of what it may write here: waiting does
    /// not mend them.
    bool answered() const { return m_answered; }

    /// Success: the run has ended and all of it is here. `wasUp`: the other side had answered.
    Status follow(bool& wasUp)
    {
        SPARSERL_TRY(m_mirror, Mirror::open(m_run, &m_memory, m_options.limits));
        auto options = sshCommand(m_host, shellLine({m_host.program, "remote", "serve", m_mark.run}));
        options.input = options.output = options.error = StreamEnd::pipe();
        SPARSERL_TRY(auto ssh, spawn(options));
        SaidText errors(ssh.errorFd());
        Status ended = talk(ssh);
        wasUp = m_up;
        if (ended)
            return ended;
        if (ended.error().kind == ErrorKind::Interruption)
            return ended;
        ssh.closeInput();
        const auto status = ssh.wait(m_broken ? 5 : 0.5);
        ssh.killGroup(9);
        // What the other side said itself says more than how ssh ended.
        if (!m_broken)
            return ended;
        std::string text = errors.take();
        if (!m_up && !m_frames.skipped().empty())
            text += m_frames.skipped();
        return fail(explainSsh(m_host, status.value_or(ExitStatus{true, 9}), text));
    }

private:
    Status talk(Subprocess& ssh)
    {
        double heard = monotonicSeconds();
        bool greeted = false;
        std::array<char, 65536> buffer{};
        for (;;) {
            if (m_options.cancel.cancelled())
                return fail(interruption());
            pollfd ready{ssh.outputFd(), POLLIN, 0};
            if (::poll(&ready, 1, static_cast<int>(waitSlice * 1000)) > 0) {
                const ssize_t got = ::read(ssh.outputFd(), buffer.data(), buffer.size());
                if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
                    m_broken = true;
                    return fail("the connection broke");
                }
                if (got > 0) {
                    heard = monotonicSeconds();
                    m_frames.feed({buffer.data(), static_cast<std::size_t>(got)});
                }
            }
            if (monotonicSeconds() - heard > m_options.silence)
                return fail(fmt::format("{} no longer sends anything", m_host.name),
                            "The connection is tried again automatically");
            for (;;) {
                SPARSERL_TRY(const auto frame, m_frames.next());
                if (!frame)
                    break;
                if (frame->head.contains("idle"))
                    return end();
                if (auto taken = take(*frame); !taken) {
                    m_answered = m_answered || m_mirror->isAtLimit();
                    return taken;
                }
                if (frame->head.contains("server") && !greeted) {
                    greeted = true;
                    auto hello = m_mirror->hello(m_mark.wantsStart);
                    hello["identity"] = m_mark.identity;
                    hello["version"] = SPARSERL_VERSION;
                    SPARSERL_CHECK(send(ssh, hello));
                }
            }
            if (m_up)
                SPARSERL_CHECK(sendControl(ssh));
        }
    }

    Status send(Subprocess& ssh, const nlohmann::json& head, std::string_view body = {})
    {
        if (auto sent = writeAll(ssh.inputFd(), encodeFrame(head, body)); !sent) {
            m_broken = true;
            return sent;
        }
        return {};
    }

    Status take(const Frame& frame)
    {
        const nlohmann::json& head = frame.head;
        if (head.contains("server")) {
            m_answered = jsonValue(head, "server", 0) != wireVersion;
            if (m_answered)
                return fail(
                    fmt::format("{} has version {} of SparseRL Workbench, which follows runs in "
                                "another way",
                                m_host.name,
                                shortened(printable(jsonValue<std::string>(head, "version", "?")), 40)),
                    "Install the same version on both machines");
            return {};
        }
        if (head.contains("error") || head.contains("refused")) {
            m_answered = !jsonValue(head, "passing", false);
            const std::string what =
                jsonValue<std::string>(head, "error", jsonValue<std::string>(head, "refused", "?"));
            return fail(fmt::format("{} says: {}", m_host.name, shortened(printable(what), 500)),
                        shortened(printable(jsonValue<std::string>(head, "remedy", {})), 300));
        }
        m_mark.reached = unixSeconds();
        if (head.contains("started")) {
            m_up = true;
            m_mark.connected = true;
            m_mark.worker = jsonValue(head, "started", false);
            m_mark.wantsStart = false;
            m_mark.ended = false;
            m_mark.since = 0;
            m_mark.problem.clear();
            m_mark.remedy.clear();
            m_mark.answered = false;
            return note();
        }
        if (head.contains("control_sent")) {
            m_mark.controlSent = jsonValue<std::int64_t>(head, "control_sent", 0);
            return note();
        }
        SPARSERL_CHECK(m_mirror->take(frame));
        for (std::string& notice : m_mirror->takeNotices()) {
            m_options.log(notice);
            m_mark.notice = std::move(notice);
            SPARSERL_CHECK(note());
        }
        if (head.contains("beat")) {
            const bool worker = jsonValue(head, "worker", false);
            const bool news = worker != m_mark.worker || monotonicSeconds() - m_noted > markSeconds;
            m_mark.worker = worker;
            if (news)
                return note();
        }
        return {};
    }

    Status note()
    {
        m_noted = monotonicSeconds(); // clocks are set
        return writeRemoteMark(m_run, m_mark);
    }

    Status end()
    {
        m_mark.reached = unixSeconds();
        m_mark.connected = true;
        m_mark.worker = false;
        m_mark.ended = true;
        return note();
    }

    /// Commands that the other side does not have: changes always, pauses and stops if they are for the
    /// worker that lives there now.
    Status sendControl(Subprocess& ssh)
    {
        const std::int64_t length = controlLength(m_run);
        if (length <= m_controlAsked)
            return {};
        const std::int64_t from = m_controlAsked;
        SPARSERL_TRY(const auto file, FileHandle::openRead(m_run / controlFile));
        SPARSERL_TRY(auto bytes, file.read(from, std::min(length - from, longestBody / 2)));
        const auto whole = bytes.rfind('\n');
        if (whole == std::string::npos)
            return {};
        bytes.resize(whole + 1);
        std::string lines;
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t end = bytes.find('\n', at);
            const std::string line = bytes.substr(at, end - at);
            const auto offset = from + static_cast<std::int64_t>(at);
            at = end + 1;
            const auto json = parseJson(line);
            const bool set = json && jsonValue<std::string>(*json, "command", {}) == "set";
            if (json && (set || offset >= m_mark.controlBegin))
                lines += dumpJson(*json) + "\n";
        }
        m_controlAsked = from + static_cast<std::int64_t>(bytes.size());
        return send(ssh, {{"control", m_controlAsked}}, lines);
    }

    const fs::path& m_run;
    const FollowOptions& m_options;
    RemoteMark& m_mark;
    const RemoteHost& m_host;
    std::optional<Mirror> m_mirror;
    FrameReader m_frames;
    MirrorMemory& m_memory;
    bool m_up = false, m_broken = false, m_answered = false;
    double m_noted = -1e9;
    std::int64_t m_controlAsked = 0;
};

/// What arrived and is not whole yet lies there only while it is followed.
class Incoming
{
public:
    explicit Incoming(fs::path folder)
        : m_folder(std::move(folder))
    {
        clear();
    }
    ~Incoming() { clear(); }
    Incoming(const Incoming&) = delete;
    Incoming& operator=(const Incoming&) = delete;

private:
    void clear() const
    {
        std::error_code code;
        removeTree(m_folder, code);
    }
    fs::path m_folder;
};

/// A function that says sentences as `log` does, up to as many as a machine that breaks connections on
/// purpose may cause.
std::function<void(const std::string&)> speaker(std::function<void(const std::string&)> log, std::size_t most)
{
    return [log = std::move(log), left = most](const std::string& sentence) mutable {
        if (!log || left == 0)
            return;
        log(--left > 0 ? sentence : sentence + " No further messages are shown for this run.");
    };
}

} // namespace

Status followRun(const fs::path& run, const FollowOptions& given)
{
    FollowOptions options = given;
    options.log = speaker(given.log, given.limits.sentences);
    const auto& say = options.log;
    // What arrives goes into this folder, and into no other that gets its name.
    SPARSERL_TRY(const auto held, HeldFolder::hold(run));
    SPARSERL_TRY(const auto lock, FileLock::tryLock(run / followerLock));
    if (!lock)
        return failAt(run.string(), 0, "another process follows this run already");
    SPARSERL_TRY(RemoteMark mark, requireRemoteMark(run));
    SPARSERL_TRY(const RemoteHost host, confirmedHost(mark.host, mark.folder));
    SPARSERL_CHECK(requireSent(run, mark));
    SPARSERL_CHECK(checkRemoteText("the run", mark.run));
    const Incoming incoming(run / ".incoming");
    double pause = options.shortestPause;
    MirrorMemory memory;
    for (;;) {
        bool wasUp = false;
        Connection connection(run, options, mark, host, memory);
        Status ended = connection.follow(wasUp);
        if (ended) {
            std::vector<std::string> missing;
            for (const auto& [unit, why] : memory.refused)
                if (why.times >= 2)
                    missing.push_back(unit);
            say(missing.empty()
                    ? fmt::format("The run has ended on {}, and all of it is here.", host.name)
                    : fmt::format(
                          "The run has ended on {}. Everything is here except what is damaged there: {}.",
                          host.name, fmt::join(missing, ", ")));
            return {};
        }
        if (ended.error().kind == ErrorKind::Interruption)
            return ended;
        // A follower of a run that somebody has removed has nothing to do.
        if (!held.isThere())
            return failAt(run.string(), 0, "the run was moved, replaced or removed while it was followed",
                          "Follow it where it is now: `sparserl remote follow RUN`");
        if (!glance(run / runFile).exists)
            return failAt(run.string(), 0, "the run is gone");
        if (wasUp)
            pause = options.shortestPause;
        mark.connected = false;
        mark.answered = connection.answered();
        mark.problem = causeOf(ended.error());
        mark.remedy = ended.error().remedy;
        if (mark.since == 0)
            mark.since = mark.reached > 0 ? mark.reached : unixSeconds();
        static_cast<void>(writeRemoteMark(run, mark)); // a full disk: it is tried again, too
        // The other side itself said it, and says the same next time.
        if (connection.answered())
            return failAt(run.string(), 0, causeOf(ended.error()), ended.error().remedy);
        say(ended.error().sentence());
        for (double waited = 0; waited < pause; waited += waitSlice) {
            if (options.cancel.cancelled())
                return fail(interruption());
            std::this_thread::sleep_for(std::chrono::duration<double>(waitSlice));
        }
        pause = std::min(options.longestPause, pause * 2);
    }
}

} // namespace sparserl
