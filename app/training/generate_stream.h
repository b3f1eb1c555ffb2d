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

/// Prints the output of `sparserl generate --json --stream` while a policy writes: the growing text, at most
/// ten times a second, and the verdict of each program as soon as the program is complete, while others are
/// still being written. A single thread judges for the whole lifetime of the stream, because runners end with
/// the thread that started them.
class GenerateStream
{
public:
    /// `judge`: null if nothing is judged. The judge and the context must outlive the stream.
    GenerateStream(const Context& context, Judge* judge, std::uint64_t seed);
    /// Waits for the current verdict.
    ~GenerateStream();
    GenerateStream(const GenerateStream&) = delete;
    GenerateStream& operator=(const GenerateStream&) = delete;

    /// Starts the output for this target, which must stay alive until finish().
    void begin(const Target& target);
    void addText(std::size_t program, std::string_view text);
    void judge(std::size_t index, const GeneratedProgram& program);
    /// Waits until all programs are judged. Returns their verdicts by position; programs that were not judged
    /// (in a search) have none.
    Result<std::map<std::size_t, VerdictRecord>> finish();

private:
    void flush();
    void work(const std::stop_token& stop);

    const Context& m_context;
    Judge* m_judge;
    const Target* m_target = nullptr;
    std::uint64_t m_seed;
    std::map<std::size_t, std::string> m_text; ///< Not printed yet.
    double m_saidAt = 0;                       ///< monotonicSeconds()
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::vector<std::pair<std::size_t, GeneratedProgram>> m_queue;
    bool m_judging = false;
    std::map<std::size_t, VerdictRecord> m_records;
    std::optional<Error> m_problem;
    std::jthread m_thread; ///< Last member, because it uses all others.
};

} // namespace sparserl::cli
