// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "training/sampling/generation.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace sparserl::cli {

/// What `sparserl generate --json --stream` says while a policy writes: the text as it grows, at most ten
/// times a second, and each program's verdict as soon as it is complete, while the others are still being
/// written. One thread judges for its whole life, as runners end with the thread that has started them.
class GenerateStream
{
public:
    /// `judge`: null where nothing is judged. It and the context outlive the stream.
    GenerateStream(const Context& context, Judge* judge, std::uint64_t seed);
    /// Waits for the verdict that is being found.
    ~GenerateStream();
    GenerateStream(const GenerateStream&) = delete;
    GenerateStream& operator=(const GenerateStream&) = delete;

    /// What follows is written for this one, which lives until finish().
    void begin(const Target& target);
    void addText(std::size_t program, std::string_view text);
    void judge(std::size_t index, const GeneratedProgram& program);
    /// Waits until all are judged. Their verdicts by place; what was not judged (a search) is missing.
    Result<std::map<std::size_t, VerdictRecord>> finish();

private:
    void flush();
    void work(const std::stop_token& stop);

    const Context& m_context;
    Judge* m_judge;
    const Target* m_target = nullptr;
    std::uint64_t m_seed;
    std::map<std::size_t, std::string> m_text; ///< Not said yet.
    double m_saidAt = 0;                       ///< monotonicSeconds()
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::vector<std::pair<std::size_t, GeneratedProgram>> m_queue;
    bool m_judging = false;
    std::map<std::size_t, VerdictRecord> m_records;
    std::optional<Error> m_problem;
    std::jthread m_thread; ///< Last: it uses all others.
};

} // namespace sparserl::cli
