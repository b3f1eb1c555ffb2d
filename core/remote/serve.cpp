// SPDX-License-Identifier: Apache-2.0
#include "remote/serve.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/line_diff.h"
#include "base/lock.h"
#include "base/subprocess.h"
#include "base/time.h"
#include "project/files/file_handle.h"
#include "project/files/run_files.h"
#include "project/run/control.h"
#include "project/run/generation.h"
#include "project/run/heartbeat.h"
#include "project/run/launch.h"
#include "project/run/worker_start.h"
#include "remote/inventory.h"
#include "remote/mirrored_units.h"
#include "remote/wire.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <poll.h>
#include <set>
#include <unistd.h>
#include <utility>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// A connection begins with small pieces, so that one which breaks again and again brings something each
/// time.
constexpr std::int64_t firstPiece = std::int64_t(4) << 10, largestPiece = std::int64_t(64) << 10;
constexpr int pollMilliseconds = 200;
constexpr double beatSeconds = 1;

/// The run's folder as it is told.
class Server
{
public:
    explicit Server(const ServeOptions& options)
        : m_options(options)
    {
    }

    Status serve()
    {
        SPARSERL_CHECK(send({{"server", wireVersion}, {"version", m_options.version}}));
        for (;;) {
            SPARSERL_TRY(const bool open, receive());
            if (!open || m_options.cancel.cancelled())
                return {};
            if (!m_greeted)
                continue;
            SPARSERL_CHECK(tell());
        }
    }

private:
    Status send(const nlohmann::json& head, std::string_view body = {})
    {
        return writeAll(m_options.output, encodeFrame(head, body));
    }

    /// False at the end of the input. Waits a moment where there is nothing to send.
    Result<bool> receive()
    {
        pollfd ready{m_options.input, POLLIN, 0};
        if (::poll(&ready, 1, m_busy ? 0 : pollMilliseconds) > 0) {
            std::array<char, 65536> buffer{};
            const ssize_t got = ::read(m_options.input, buffer.data(), buffer.size());
            if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
                return false;
            if (got > 0)
                m_frames.feed({buffer.data(), static_cast<std::size_t>(got)});
        }
        for (;;) {
            SPARSERL_TRY(const auto frame, m_frames.next());
            if (!frame)
                return true;
            SPARSERL_CHECK(take(*frame));
        }
    }

    Status take(const Frame& frame)
    {
        if (frame.head.contains("hello"))
            return greet(frame.head);
        if (frame.head.contains("control"))
            return control(frame);
        return {};
    }

    Status greet(const nlohmann::json& hello)
    {
        m_hello = hello;
        if (auto refusal = refusalOf(hello); !refusal.empty())
            return send(refusal);
        if (jsonValue(hello, "start", false) && !hasWorker(m_options.run)) {
            // Its own Error is told by the other side as its cause.
            if (const auto worker = resumeWorker(m_options.run, m_options.program); !worker)
                return send({{"refused", causeOf(worker.error())}, {"remedy", worker.error().remedy}});
        }
        m_generation = readGeneration(m_options.run);
        m_journal = jsonValue<std::int64_t>(hello, "journal", 0);
        m_log = jsonValue<std::int64_t>(hello, "log", 0);
        if (hello.contains("have") && hello["have"].is_object())
            for (const auto& [name, tag] : hello["have"].items())
                m_have[name] = jsonAs<std::string>(tag).value_or(std::string());
        if (hello.contains("partial") && hello["partial"].is_object())
            for (const auto& [name, size] : hello["partial"].items())
                m_partial[name] = std::max<std::int64_t>(0, jsonAs<std::int64_t>(size).value_or(0));
        m_greeted = true;
        SPARSERL_CHECK(send({{"started", hasWorker(m_options.run)}}));
        const bool same = jsonValue(hello, "generation", -1) == m_generation &&
                          prefixHash(m_options.run / journalFile, m_journal) ==
                              jsonValue<std::string>(hello, "journal_sha256", {});
        return same ? Status() : reset();
    }

    /// Why nothing can be told or started: this is not the run that is asked for, or cannot be found out.
    nlohmann::json refusalOf(const nlohmann::json& hello) const
    {
        const auto look = lookAt(m_options.run / runFile);
        if (!look)
            return {{"error", causeOf(look.error())}, {"remedy", look.error().remedy}, {"passing", true}};
        if (!look->exists)
            return {{"error", "the run is not there any more"},
                    {"remedy", "Resume it: the local files are sent there again"}};
        const auto wanted = jsonValue<std::string>(hello, "identity", {});
        const auto said = identityIn(m_options.run / identityFile);
        const std::string found = said ? said->value_or(std::string()) : std::string();
        if (wanted.empty() || found != wanted) // a mark without one may name any run
            return {
                {"error", fmt::format("the folder {} holds another run than the one that was sent there",
                                      m_options.run.string())},
                {"remedy", "Move it away there, then resume the run: the local files are sent there again"}};
        const auto version = jsonValue<std::string>(hello, "version", m_options.version);
        if (jsonValue(hello, "start", false) && version != m_options.version)
            return {{"refused",
                     fmt::format("the version here is {}, and the version of the machine that asks is {}",
                                 m_options.version, version)},
                    {"remedy", "Install the same version on both machines"}};
        return {};
    }

    /// The journal from its start: it was rolled back, or is another one.
    Status reset()
    {
        m_generation = readGeneration(m_options.run);
        m_journal = 0;
        m_settleAt = static_cast<std::int64_t>(glance(m_options.run / journalFile).bytes);
        m_settled = false;
        m_listed = {"-"}; // What a resume kept comes first; then the other side knows that it has all of it.
        return send({{"reset", m_generation}});
    }

    Status control(const Frame& frame)
    {
        SPARSERL_TRY(const auto known, readControl(m_options.run));
        std::set<std::string> ids;
        for (const ControlCommand& command : known)
            ids.insert(command.id);
        for (const std::string& line : splitLines(frame.body)) {
            const auto json = parseJson(line);
            // A command is told again after a broken connection: its id makes it count once.
            if (json && json->is_object() && ids.insert(jsonValue<std::string>(*json, "id", {})).second)
                SPARSERL_CHECK(appendLine(m_options.run / controlFile, dumpJson(*json)));
        }
        return send({{"control_sent", jsonValue<std::int64_t>(frame.head, "control", 0)}});
    }

    Status tell()
    {
        const bool worker =
            hasWorker(m_options.run); // before anything is read: what it wrote last is then seen
        m_busy = false;
        // A folder that goes while it is told of is no run without a worker whose journal is empty.
        if (const auto look = lookAt(m_options.run / runFile); !look || !look->exists) {
            m_greeted = false;
            const auto refusal = refusalOf(m_hello);
            return refusal.empty()
                       ? fail("the run's folder is there again") // the next connection begins there
                       : send(refusal);
        }
        if (readGeneration(m_options.run) != m_generation)
            SPARSERL_CHECK(reset());
        SPARSERL_CHECK(tellJournal());
        SPARSERL_CHECK(tellLog());
        if (const double now = monotonicSeconds(); now - m_lastBeat >= beatSeconds) {
            m_lastBeat = now;
            SPARSERL_CHECK(tellHeartbeat(worker));
        }
        if (!m_busy) // what is small goes first
            SPARSERL_CHECK(tellFiles());
        if (!m_busy && !worker && !m_told) {
            m_told = true;
            return send({{"idle", true}});
        }
        m_told = m_told && !worker && !m_busy;
        return {};
    }

    Status tellJournal()
    {
        const fs::path file = m_options.run / journalFile;
        if (!glance(file).exists)
            return settle();
        SPARSERL_TRY(const auto journal, FileHandle::openRead(file));
        SPARSERL_TRY(const auto size, journal.size());
        if (size < m_journal)
            return reset();
        std::string bytes;
        // A line longer than a piece is read in more of them; none is longer than a body.
        for (std::int64_t want = nextPiece(); m_journal + static_cast<std::int64_t>(bytes.size()) < size;
             want *= 4) {
            SPARSERL_TRY(bytes, journal.read(m_journal, std::min(want, longestBody)));
            if (bytes.rfind('\n') != std::string::npos || want >= longestBody ||
                m_journal + static_cast<std::int64_t>(bytes.size()) >= size)
                break;
        }
        const auto whole = bytes.rfind('\n');
        if (whole == std::string::npos && static_cast<std::int64_t>(bytes.size()) >= longestBody)
            return send({{"error", "a line of the journal is longer than can be told"}});
        if (whole == std::string::npos)
            return settle(); // at most half a line
        bytes.resize(whole + 1);
        // It was rolled back meanwhile: these may be of either history.
        if (readGeneration(m_options.run) != m_generation)
            return {};
        SPARSERL_CHECK(send({{"journal", m_journal}}, bytes));
        m_journal += static_cast<std::int64_t>(bytes.size());
        m_busy = m_busy || m_journal < size;
        return m_journal >= m_settleAt ? settle() : Status();
    }

    /// After a reset: everything that was there has been told.
    Status settle()
    {
        if (m_settled)
            return {};
        m_settled = true;
        return send({{"settled", m_generation}});
    }

    Status tellLog()
    {
        const fs::path file = m_options.run / workerLogFile;
        if (!glance(file).exists)
            return {};
        SPARSERL_TRY(const auto log, FileHandle::openRead(file));
        SPARSERL_TRY(const auto size, log.size());
        if (size < m_log)
            m_log = 0;
        if (size == m_log)
            return {};
        SPARSERL_TRY(const auto bytes, log.read(m_log, nextPiece()));
        SPARSERL_CHECK(send({{"log", m_log}}, bytes));
        m_log += static_cast<std::int64_t>(bytes.size());
        m_busy = m_busy || m_log < size;
        return {};
    }

    std::int64_t nextPiece() { return std::exchange(m_piece, std::min(2 * m_piece, largestPiece)); }

    Status tellHeartbeat(bool worker)
    {
        nlohmann::json head{{"beat", true}, {"worker", worker}};
        if (const auto heartbeat = readHeartbeat(m_options.run)) {
            // An age, not a time: clocks differ.
            head["age"] = std::max(0.0, unixSeconds() - heartbeat->t);
            head["pid"] = heartbeat->pid;
            head["host"] = heartbeat->host;
            head["phase"] = heartbeat->phase;
            head["phase_fraction"] = heartbeat->phaseFraction;
            head["step"] = heartbeat->step;
            head["total_steps"] = heartbeat->totalSteps;
            head["seconds_left"] = heartbeat->secondsLeft;
        }
        return send(head);
    }

    /// A piece of the next file that the other side does not have, or the list of what there is.
    Status tellFiles()
    {
        const fs::path folder = m_options.run / "checkpoints";
        SPARSERL_TRY(const auto place, lookAt(folder));
        if (place.exists) // what cannot be listed now is not gone
            if (const auto readable = listDirectory(folder); !readable)
                return send({{"error", causeOf(readable.error())},
                             {"remedy", readable.error().remedy},
                             {"passing", true}});
        std::vector<std::string> units = mirroredUnits(m_options.run);
        for (const std::string& unit : units) {
            if (const auto have = m_have.find(unit);
                have != m_have.end() && have->second == unitTag(m_options.run, unit))
                continue;
            m_busy = true;
            return tellUnit(unit);
        }
        if (units != m_listed) {
            m_listed = units;
            return send({{"present", units}});
        }
        return {};
    }

    Status tellUnit(const std::string& unit)
    {
        for (const std::string& file : filesOfUnit(m_options.run, unit)) {
            const Entry look = glance(m_options.run / file);
            if (!look.exists)
                break; // pruned meanwhile
            const auto size = static_cast<std::int64_t>(look.bytes);
            std::int64_t& at = m_partial[file];
            const bool begun = m_begun.contains(file);
            if (at > size)
                at = 0;
            if (begun && at == size)
                continue;
            const auto handle = FileHandle::openRead(m_options.run / file);
            const auto text =
                handle ? handle->read(at, nextPiece()) : Result<std::string>(fail(handle.error()));
            if (!text || (text->empty() && at < size))
                break;
            m_begun.insert(file);
            SPARSERL_CHECK(send({{"unit", unit}, {"file", file}, {"offset", at}, {"size", size}}, *text));
            at += static_cast<std::int64_t>(text->size());
            return {};
        }
        for (auto at = m_partial.begin(); at != m_partial.end();)
            at = at->first == unit || at->first.starts_with(unit + "/") ? m_partial.erase(at) : std::next(at);
        std::erase_if(m_begun,
                      [&](const std::string& file) { return file == unit || file.starts_with(unit + "/"); });
        m_have[unit] = unitTag(m_options.run, unit); // told, or gone
        return send({{"unit", unit}, {"whole", isWholeUnit(m_options.run, unit)}});
    }

    const ServeOptions& m_options;
    FrameReader m_frames;
    nlohmann::json m_hello;
    bool m_greeted = false, m_busy = false, m_told = false, m_settled = true;
    int m_generation = 0;
    std::int64_t m_journal = 0, m_log = 0, m_settleAt = 0;
    std::int64_t m_piece = firstPiece;
    double m_lastBeat = -1e9;
    std::map<std::string, std::string> m_have; ///< Units that are there, with their tags.
    std::set<std::string> m_begun;
    std::map<std::string, std::int64_t> m_partial; ///< How far files are there.
    std::vector<std::string> m_listed{"-"};        ///< What was told last; nothing is called so.
};

} // namespace

Status serveRun(const ServeOptions& options)
{
    return Server(options).serve();
}

} // namespace sparserl
