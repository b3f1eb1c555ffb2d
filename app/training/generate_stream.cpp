// SPDX-License-Identifier: Apache-2.0
#include "app/training/generate_stream.h"

#include "base/time.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace sparserl::cli {

namespace {

constexpr double secondsBetween = 0.1;

} // namespace

GenerateStream::GenerateStream(const Context& context, Judge* judge, std::uint64_t seed)
    : m_context(context)
    , m_judge(judge)
    , m_seed(seed)
{
    if (m_judge)
        m_thread = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

GenerateStream::~GenerateStream()
{
    m_thread.request_stop();
    m_changed.notify_all();
}

void GenerateStream::begin(const Target& target)
{
    const std::lock_guard lock(m_mutex);
    m_target = &target;
    m_text.clear();
    m_records.clear();
    m_problem.reset();
}

void GenerateStream::addText(std::size_t program, std::string_view text)
{
    m_text[program] += text;
    if (monotonicSeconds() - m_saidAt >= secondsBetween)
        flush();
}

void GenerateStream::flush()
{
    m_saidAt = monotonicSeconds();
    if (m_text.empty())
        return;
    nlohmann::json pieces = nlohmann::json::array();
    for (auto& [program, text] : m_text)
        pieces.push_back({{"sample", program}, {"text", std::move(text)}});
    m_text.clear();
    // Any bytes, and a character may come in two pieces: the whole program comes at the end.
    m_context.emit({{"stream", "text"}, {"digest", m_target->id.contents}, {"pieces", std::move(pieces)}});
}

void GenerateStream::judge(std::size_t index, const GeneratedProgram& program)
{
    if (!m_judge)
        return;
    const std::lock_guard lock(m_mutex);
    m_queue.emplace_back(index, program);
    m_changed.notify_all();
}

void GenerateStream::work(const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    while (m_changed.wait(lock, stop, [this] { return !m_queue.empty(); })) {
        const auto queue = std::exchange(m_queue, {});
        m_judging = true;
        lock.unlock();
        std::vector<GeneratedProgram> programs;
        programs.reserve(queue.size());
        for (const auto& [index, program] : queue)
            programs.push_back(program);
        std::map<std::size_t, VerdictRecord> records;
        const auto judged = judgeGenerated(*m_judge, *m_target, programs, m_seed, m_context.cancel,
                                           [&](std::size_t i, const VerdictRecord& record) {
                                               m_context.emit({{"stream", "verdict"},
                                                               {"digest", m_target->id.contents},
                                                               {"sample", queue[i].first},
                                                               {"verdict", toJson(record)}});
                                           });
        lock.lock();
        if (judged) {
            for (std::size_t i = 0; i < queue.size(); ++i)
                m_records[queue[i].first] = (*judged)[i];
        } else if (!m_problem) {
            m_problem = judged.error();
        }
        m_judging = false;
        m_changed.notify_all();
    }
}

Result<std::map<std::size_t, VerdictRecord>> GenerateStream::finish()
{
    flush();
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_queue.empty() && !m_judging; });
    if (m_problem)
        return fail(*m_problem);
    return m_records;
}

} // namespace sparserl::cli
