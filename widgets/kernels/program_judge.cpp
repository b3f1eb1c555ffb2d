// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/program_judge.h"

#include "base/hash.h"
#include "base/json.h"
#include "widgets/common/format.h"
#include "widgets/common/target_text.h"
#include "widgets/kernels/verdict_text.h"

namespace sparserl {

JudgeQuestion questionOf(const std::string& text, const CandidateRow& candidate,
                         const std::optional<VerdictRecord>& record,
                         const std::map<std::string, ParameterValue>& parameters)
{
    JudgeQuestion question;
    question.text = text;
    question.target = candidate.target;
    const auto setting = [&](const char* key, std::string& value) {
        const auto found = parameters.find(key);
        if (found != parameters.end())
            if (const auto* name = std::get_if<std::string>(&found->second); name && !name->empty())
                value = *name;
    };
    setting("judge.model", question.model);
    setting("judge.timing", question.timing);
    if (!record)
        return question;
    question.seed = record->seed;
    question.device = record->simulated ? "sim" : "cuda";
    return question;
}

ProgramJudge::ProgramJudge(QObject* parent, const QString& title, bool quiet)
    : QObject(parent)
    , m_name{title, {}, quiet}
{
    connect(&m_command, &CommandJob::finished, this, &ProgramJudge::ended);
}

void ProgramJudge::ask(ProjectSession* session, JudgeQuestion question)
{
    m_session = session;
    m_next = std::move(question);
    TaskName name = m_name;
    name.what = tr("%1 on %2").arg(shortHash(sha256Hex(m_next->text)), targetText(m_next->target));
    m_task = TaskTicket(session->tasks(), name, [this] { cancel(); });
    m_running = true;
    m_silent = false;
    m_jobs.cancel();
    if (m_command.running())
        m_command.cancel(); // the next begins when it has ended
    else
        begin();
}

void ProgramJudge::drop()
{
    m_next.reset();
    m_jobs.cancel();
    m_running = false;
    m_silent = true;
    m_task.cancelled();
    if (m_command.running())
        m_command.cancel();
}

void ProgramJudge::cancel()
{
    m_next.reset();
    if (m_command.running()) {
        m_command.cancel();
    } else if (m_running) {
        m_jobs.cancel();
        m_running = false;
        m_task.cancelled();
        Q_EMIT failed(tr("Cancelled."));
    }
}

void ProgramJudge::begin()
{
    const JudgeQuestion question = std::move(*std::exchange(m_next, {}));
    m_session->work<JobFiles>(
        m_jobs,
        [text = question.text, digest = question.target.contents](Project& project) {
            return writeJobFiles(project, text, digest);
        },
        [this, question](Result<JobFiles> files) {
            if (!files) {
                m_running = false;
                m_task.failed(sentenceOf(files.error()));
                Q_EMIT failed(sentenceOf(files.error()));
                return;
            }
            m_files = *files;
            start(question);
        });
}

void ProgramJudge::start(const JudgeQuestion& question)
{
    m_target = question.target;
    QStringList arguments{QStringLiteral("judge"), m_files.program, QStringLiteral("--lines"),
                          QStringLiteral("--families")};
    arguments << CommandJob::options({{"matrix", m_files.matrix},
                                      {"seed", QString::number(question.seed)},
                                      {"device", toQString(question.device)},
                                      {"model", toQString(question.model)},
                                      {"timing", toQString(question.timing)},
                                      {"runners", QString::number(question.runners)}});
    if (!question.taskOfPlan)
        arguments << CommandJob::options({{"task", toQString(nameOf(question.target.task()))}});
    arguments << targetArguments(question.target);
    if (question.ptxLines)
        arguments << QStringLiteral("--ptx-lines");
    m_command.start(m_session->path(), arguments);
}

void ProgramJudge::ended(const std::vector<nlohmann::json>& lines, const QString& problem)
{
    m_files = {};
    if (m_next) {
        begin();
        return;
    }
    m_running = false;
    if (m_silent)
        return;
    if (!problem.isEmpty()) {
        if (m_command.cancelled())
            m_task.cancelled(problem);
        else
            m_task.failed(problem);
        Q_EMIT failed(problem);
        return;
    }
    for (const nlohmann::json& line : lines)
        if (auto record = verdictRecordFromJson(line)) {
            if (jsonValue(line, "task_assumed", false))
                record->target = m_target;
            m_family = jsonValue<std::string>(line, "family", {});
            m_task.done(asSentence(outcomeText(*record)), toQString(record->message));
            Q_EMIT judged(*record);
            return;
        }
    const QString nothing = tr("The judge returned no verdict for this program.");
    m_task.failed(nothing);
    Q_EMIT failed(nothing);
}

} // namespace sparserl
