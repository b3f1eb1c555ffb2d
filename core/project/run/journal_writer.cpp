// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "base/time.h"
#include "base/trimmed.h"
#include "project/files/file_handle.h"
#include "project/files/line_reader.h"
#include "project/run/journal.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace sparserl {
namespace {

constexpr std::size_t flushBytes = 64 * 1024;
constexpr double flushSeconds = 0.5;

/// What opening has to know of what is there.
struct Scan
{
    std::int64_t nextSeq = 0;
    std::int64_t goodLength = 0; ///< Behind the last line that is complete and readable.
    std::unordered_set<std::string> programs;
};

/// The largest number behind a `"seq":`, or -1. Parsing every line would double the time to resume a long
/// run. (In a text these quotes are escaped, so that it is not found there.)
std::int64_t seqOf(std::string_view line)
{
    constexpr std::string_view mark = R"("seq":)";
    constexpr std::int64_t largest = std::int64_t(1) << 50; // beyond it is damage
    std::int64_t most = -1;
    for (std::size_t at = line.find(mark); at != std::string_view::npos; at = line.find(mark, at + 1)) {
        std::int64_t seq = -1;
        const std::size_t number = std::min(line.find_first_not_of(" \t", at + mark.size()), line.size());
        if (std::from_chars(line.data() + number, line.data() + line.size(), seq).ec == std::errc() &&
            seq < largest)
            most = std::max(most, seq);
    }
    return most;
}

/// Without the byte order mark that editors put before a text.
std::string_view withoutMark(std::string_view line)
{
    if (line.starts_with("\xef\xbb\xbf"))
        line.remove_prefix(3);
    return line;
}

/// The last lines of a journal may be torn by a crash or, after power loss, be zeros: everything after
/// the last readable line is dropped. Lines in the middle are left as they are.
Result<Scan> scanJournal(const FileHandle& file, std::int64_t size)
{
    Scan scan;
    LineReader lines(file, 0, size);
    struct Span
    {
        std::int64_t begin = 0, end = 0;
    };
    std::deque<Span> last; // the last lines that have their brackets
    for (;;) {
        SPARSERL_TRY(const auto line, lines.next());
        if (!line)
            break;
        const std::string_view text = trimmed(withoutMark(line->text)); // CRLF is an editor's doing
        if (text.size() < 2 || text.front() != '{' || text.back() != '}')
            continue;
        scan.nextSeq = std::max(scan.nextSeq, seqOf(text) + 1);
        if (text.find(R"("kind":"program")") != std::string_view::npos) {
            const auto json = parseJson(text);
            if (!json)
                continue;
            scan.programs.insert(jsonValue<std::string>(*json, "hash", {}));
        }
        last.push_back({line->offset, line->end});
        if (last.size() > 64)
            last.pop_front();
    }
    // A last line may have brackets and still be broken.
    for (; !last.empty(); last.pop_back()) {
        SPARSERL_TRY(const auto bytes, file.read(last.back().begin, last.back().end - last.back().begin));
        const auto json = parseJson(bytes);
        scan.goodLength = last.back().end;
        if (json && json->is_object() && json->contains("seq"))
            return scan;
        scan.goodLength = last.back().begin;
    }
    return scan;
}

/// Appends what a crash left half-written behind the last good line to journal.torn.
Status keepTorn(const FileHandle& journal, std::int64_t begin, std::int64_t end,
                const std::filesystem::path& file)
{
    SPARSERL_TRY(auto torn, FileHandle::openAppend(file));
    constexpr std::int64_t chunk = 1 << 20;
    for (std::int64_t at = journal.dataFrom(begin); at < end;
         at = journal.dataFrom(at)) { // holes are nothing
        SPARSERL_TRY(const auto bytes, journal.read(at, std::min(chunk, end - at)));
        if (bytes.empty())
            break;
        SPARSERL_CHECK(torn.write(bytes));
        at += static_cast<std::int64_t>(bytes.size());
    }
    return torn.sync();
}

bool isUrgent(const Event& event)
{
    return std::holds_alternative<StateEvent>(event) || std::holds_alternative<ControlEvent>(event) ||
           std::holds_alternative<CheckpointEvent>(event) || std::holds_alternative<EvaluationEvent>(event);
}

bool isDurable(const Event& event)
{
    return std::holds_alternative<StateEvent>(event) || std::holds_alternative<CheckpointEvent>(event);
}

} // namespace

struct JournalWriter::Impl
{
    mutable std::mutex mutex;
    FileHandle file;
    int gen = 0;
    std::int64_t nextSeq = 0;
    double lastTime = 0;
    std::int64_t written = 0; ///< Bytes in the file.
    std::string pending;
    double lastFlush = 0;
    std::unordered_set<std::string> programs;

    Status flush()
    {
        if (pending.empty())
            return {};
        if (auto status = file.write(pending); !status) {
            // Keep the lines for another try, and the file free of halves.
            (void)file.truncate(written);
            return status;
        }
        written += static_cast<std::int64_t>(pending.size());
        pending.clear();
        lastFlush = monotonicSeconds();
        return {};
    }

    Status append(std::int64_t step, const Event& event)
    {
        lastTime = unixSeconds();
        const JournalEntry entry{nextSeq, gen, lastTime, step, event};
        pending += dumpJson(toJson(entry));
        pending += '\n';
        ++nextSeq;
        if (pending.size() >= flushBytes || isUrgent(event) ||
            monotonicSeconds() - lastFlush > flushSeconds) {
            SPARSERL_CHECK(flush());
        }
        return isDurable(event) ? file.sync() : Status{};
    }
};

JournalWriter::JournalWriter(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
JournalWriter::JournalWriter(JournalWriter&&) noexcept = default;

JournalWriter& JournalWriter::operator=(JournalWriter&& other) noexcept
{
    std::swap(m_impl, other.m_impl);
    return *this;
}

JournalWriter::~JournalWriter()
{
    if (m_impl)
        (void)m_impl->flush();
}

Result<JournalWriter> JournalWriter::open(const std::filesystem::path& file, int gen, std::int64_t leastSeq)
{
    SPARSERL_TRY(auto handle, FileHandle::openAppend(file));
    SPARSERL_TRY(const auto size, handle.size());
    SPARSERL_TRY(auto scan, scanJournal(handle, size));
    if (scan.goodLength < size) {
        SPARSERL_CHECK(keepTorn(handle, scan.goodLength, size, file.parent_path() / "journal.torn"));
        SPARSERL_CHECK(handle.truncate(scan.goodLength));
    }
    auto impl = std::make_unique<Impl>();
    impl->file = std::move(handle);
    impl->gen = gen;
    impl->nextSeq = std::max(scan.nextSeq, leastSeq);
    impl->written = scan.goodLength;
    impl->lastFlush = monotonicSeconds();
    impl->programs = std::move(scan.programs);
    return JournalWriter(std::move(impl));
}

Status JournalWriter::append(std::int64_t step, const Event& event)
{
    const std::lock_guard lock(m_impl->mutex);
    if (const auto* program = std::get_if<ProgramEvent>(&event))
        m_impl->programs.insert(program->hash);
    return m_impl->append(step, event);
}

Status JournalWriter::appendProgram(std::int64_t step, std::string_view hash, std::string_view text)
{
    const std::lock_guard lock(m_impl->mutex);
    if (!m_impl->programs.insert(std::string(hash)).second)
        return {};
    return m_impl->append(step, ProgramEvent{std::string(hash), std::string(text)});
}

bool JournalWriter::hasProgram(std::string_view hash) const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->programs.contains(std::string(hash));
}

Status JournalWriter::flush()
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->flush();
}

Status JournalWriter::sync()
{
    const std::lock_guard lock(m_impl->mutex);
    SPARSERL_CHECK(m_impl->flush());
    return m_impl->file.sync();
}

int JournalWriter::generation() const
{
    return m_impl->gen;
}

std::int64_t JournalWriter::nextSeq() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->nextSeq;
}

JournalEntry JournalWriter::lastStamp() const
{
    const std::lock_guard lock(m_impl->mutex);
    JournalEntry stamp;
    stamp.seq = m_impl->nextSeq - 1;
    stamp.gen = m_impl->gen;
    stamp.t = m_impl->lastTime;
    return stamp;
}

std::int64_t JournalWriter::length() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->written + static_cast<std::int64_t>(m_impl->pending.size());
}

} // namespace sparserl
