// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "project/queries/queries.h"
#include "widgets/common/session.h"
#include "widgets/kernels/command_job.h"
#include "widgets/kernels/export_dialog.h"

#include <map>
#include <optional>
#include <string>

namespace sparserl {

/// A request to judge one program on one matrix.
struct JudgeQuestion
{
    std::string text;
    TargetId target;
    std::uint64_t seed = 0;
    std::string device = "sim", model = "h200", timing = "standard";
    int runners = 0;       ///< Simulator processes; 0: one per core.
    bool ptxLines = false; ///< Also requests counters per PTX line.
    /// Uses the task of the text's plan, and the task of `target` only if the plan cannot be read.
    bool taskOfPlan = false;
};

/// The request for a candidate with its run's settings (`parameters` of run.toml): the same device model,
/// timing, task and width. Uses a GPU if the record was measured on one.
JudgeQuestion questionOf(const std::string& text, const CandidateRow& candidate,
                         const std::optional<VerdictRecord>& record,
                         const std::map<std::string, ParameterValue>& parameters);

/// Judges one program at a time in a child process, with counters for every line. A new request replaces the
/// current one.
class ProgramJudge : public QObject
{
    Q_OBJECT

public:
    /// `title`: its name in the list of tasks; `quiet`: started automatically.
    ProgramJudge(QObject* parent, const QString& title, bool quiet = false);
    void ask(ProjectSession* session, JudgeQuestion question);
    /// Suppresses the result of the current request.
    void drop();
    /// Cancels the current request and emits `failed`.
    void cancel();
    bool running() const { return m_running; }
    /// The kernel family of the last judged program, or empty.
    const std::string& family() const { return m_family; }

Q_SIGNALS:
    void judged(const VerdictRecord& record);
    void failed(const QString& sentence);

private:
    void begin();
    void start(const JudgeQuestion& question);
    void ended(const std::vector<nlohmann::json>& lines, const QString& problem);

    ProjectSession* m_session = nullptr;
    std::optional<JudgeQuestion> m_next; ///< The request that waits for the end of the previous process.
    bool m_running = false, m_silent = false;
    std::string m_family;
    TaskName m_name;
    TaskTicket m_task;
    JobFiles m_files;
    TargetId m_target; ///< The target of the current request.
    JobTracker m_jobs{this};
    CommandJob m_command{this};
};

} // namespace sparserl
