// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "base/time.h"
#include "project/file_handle.h"
#include "project/journal.h"

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

/// The last lines of a journal may be torn by a crash or, after power loss, be zeros: everything behind the
/// last readable line is given up. Lines in the middle are left as they are.
Scan scanJournal(std::string_view text)
{
    Scan scan;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = text.find('\n', at);
        if (end == std::string_view::npos)
            break;
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        const bool program = line.find(R"("kind":"program")") != std::string_view::npos;
        const bool last = at >= text.size() || text.find('\n', at) == std::string_view::npos;
        // Parsing every line would double the time to resume a long run; the ends and the programs are
        // enough, unless the end turns out to be damaged.
        if (!program && !last) {
            if (line.size() > 1 && line.front() == '{' && line.back() == '}')
                scan.goodLength = static_cast<std::int64_t>(at);
            continue;
        }
        const auto json = parseJson(line);
        if (!json || !json->is_object() || !json->contains("seq"))
            continue;
        scan.goodLength = static_cast<std::int64_t>(at);
        if (program)
            scan.programs.insert(jsonValue<std::string>(*json, "hash", {}));
    }
    // The seq of the last kept line.
    if (scan.goodLength > 0) {
        const std::string_view kept = text.substr(0, static_cast<std::size_t>(scan.goodLength) - 1);
        const std::size_t begin = kept.rfind('\n');
        const auto json = parseJson(begin == std::string_view::npos ? kept : kept.substr(begin + 1));
        if (json)
            scan.nextSeq = jsonValue<std::int64_t>(*json, "seq", -1) + 1;
    }
    return scan;
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
        const JournalEntry entry{nextSeq, gen, unixSeconds(), step, event};
        pending += dumpJson(toJson(entry));
        pending += '\n';
        ++nextSeq;
        if (pending.size() >= flushBytes || isUrgent(event) ||
            monotonicSeconds() - lastFlush > flushSeconds) {
            if (auto status = flush(); !status)
                return status;
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

Result<JournalWriter> JournalWriter::open(const std::filesystem::path& file, int gen)
{
    auto handle = FileHandle::openAppend(file);
    if (!handle)
        return fail(handle.error());
    const auto size = handle->size();
    if (!size)
        return fail(size.error());
    const auto text = handle->read(0, *size);
    if (!text)
        return fail(text.error());
    Scan scan = scanJournal(*text);
    if (scan.goodLength < *size) {
        auto torn = FileHandle::openAppend(file.parent_path() / "journal.torn");
        if (!torn)
            return fail(torn.error());
        if (auto status =
                torn->write(std::string_view(*text).substr(static_cast<std::size_t>(scan.goodLength)));
            !status)
            return fail(status.error());
        if (auto status = handle->truncate(scan.goodLength); !status)
            return fail(status.error());
    }
    auto impl = std::make_unique<Impl>();
    impl->file = std::move(*handle);
    impl->gen = gen;
    impl->nextSeq = scan.nextSeq;
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
    if (auto status = m_impl->flush(); !status)
        return status;
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

std::int64_t JournalWriter::length() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->written + static_cast<std::int64_t>(m_impl->pending.size());
}

} // namespace sparserl
