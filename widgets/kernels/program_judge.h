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

/// One program on one matrix, and how it is to be judged.
struct JudgeQuestion
{
    std::string text;
    TargetId target;
    std::uint64_t seed = 0;
    std::string device = "sim", model = "h200", timing = "standard";
    int runners = 0;       ///< Simulator processes; 0: one per core.
    bool ptxLines = false; ///< Counters by line of the PTX, too.
    /// The task is that of the text's plan; that of `target` only where the plan cannot be read.
    bool taskOfPlan = false;
};

/// The candidate's question with the settings of its run (`parameters` of run.toml): the same device model
/// and way of timing, the task and width of its record. What was measured on a GPU is measured on one again.
JudgeQuestion questionOf(const std::string& text, const CandidateRow& candidate,
                         const std::optional<VerdictRecord>& record,
                         const std::map<std::string, ParameterValue>& parameters);

/// Judges one program at a time in a child process, with counters for every line. A new question replaces the
/// one that is being judged.
class ProgramJudge : public QObject
{
    Q_OBJECT

public:
    /// `title`: what it is called in the list of tasks; `quiet`: the window begins it by itself.
    ProgramJudge(QObject* parent, const QString& title, bool quiet = false);
    void ask(ProjectSession* session, JudgeQuestion question);
    /// Nothing will be said any more of what was asked.
    void drop();
    /// Ends it; `failed` says so.
    void cancel();
    bool running() const { return m_running; }
    /// The kernel family of the program that was judged last, or empty.
    const std::string& family() const { return m_family; }

Q_SIGNALS:
    void judged(const VerdictRecord& record);
    void failed(const QString& sentence);

private:
    void begin();
    void start(const JudgeQuestion& question);
    void ended(const std::vector<nlohmann::json>& lines, const QString& problem);

    ProjectSession* m_session = nullptr;
    std::optional<JudgeQuestion> m_next; ///< Waits for the process before to end.
    bool m_running = false, m_silent = false;
    std::string m_family;
    TaskName m_name;
    TaskTicket m_task;
    JobFiles m_files;
    TargetId m_target; ///< Of the question that is being judged.
    JobTracker m_jobs{this};
    CommandJob m_command{this};
};

} // namespace sparserl
