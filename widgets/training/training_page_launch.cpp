// SPDX-License-Identifier: Apache-2.0
// How runs begin and go on from the page of training: here, on another machine, and after they ended.
#include "widgets/training/training_page.h"

#include "project/run/default_policy.h"
#include "project/run/launch.h"
#include "project/run/metrics.h"
#include "remote/remote_launch.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"
#include "verdict/names.h"
#include "widgets/common/format.h"
#include "widgets/training/host_chooser.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/run_list.h"
#include "widgets/training/steered_parameters.h"

#include <QPointer>
#include <map>
#include <set>

namespace sparserl {

void TrainingPage::newRun()
{
    openLaunch(From::Nothing);
}

namespace {

constexpr std::size_t mostReferences = 40;

/// What the project has for a new run at this moment.
struct LaunchMaterial
{
    std::vector<CheckpointRow> checkpoints;
    std::size_t training = 0, heldOut = 0; ///< Matrices.
    std::map<RunId, double> correctRates;  ///< Of the runs that have checkpoints, as they reported last.
};

/// What the launch form needs to know of the project.
struct LaunchAnswer
{
    LaunchMaterial material;
    std::vector<LaunchReference> runs;
    std::map<std::string, std::string> values; ///< Of the run to be forked, as they are by now.
};

/// What the settings say of every new run.
std::map<std::string, std::string> launchDefaults(const Preferences& preferences)
{
    std::map<std::string, std::string> values;
    if (!preferences.device.isEmpty())
        values[std::string(param::device.key)] = preferences.device.toStdString();
    if (!preferences.judgeDevice.isEmpty())
        values[std::string(param::judge::device.key)] = preferences.judgeDevice.toStdString();
    if (preferences.threads >= 0)
        values[std::string(param::threads.key)] = std::to_string(preferences.threads);
    return values;
}

Result<LaunchMaterial> askForMaterial(ProjectReader& reader)
{
    LaunchMaterial material;
    SPARSERL_TRY(material.checkpoints, reader.checkpoints());
    SPARSERL_TRY(const auto matrices, reader.matrices());
    for (const MatrixRow& matrix : matrices)
        ++(matrix.split == split::heldOut ? material.heldOut : material.training);
    std::set<RunId> runs;
    for (const CheckpointRow& checkpoint : material.checkpoints)
        if (checkpoint.present && checkpoint.hasPolicy && runs.insert(checkpoint.run).second) {
            SPARSERL_TRY(const auto metrics, reader.latestMetrics(checkpoint.run));
            std::int64_t step = -1;
            for (const LatestMetric& metric : metrics)
                if (metric.name == metric::correctRate.text && metric.step > step) {
                    step = metric.step;
                    material.correctRates[checkpoint.run] = metric.value;
                }
        }
    return material;
}

Result<LaunchAnswer> askForLaunch(ProjectReader& reader, const std::optional<RunSummary>& fork)
{
    LaunchAnswer answer;
    SPARSERL_TRY(answer.material, askForMaterial(reader));
    SPARSERL_TRY(const auto runs, reader.runs());
    for (const RunSummary& run : runs) {
        const bool asked = fork && run.id == fork->id;
        if (answer.runs.size() >= mostReferences && !asked)
            continue;
        if (auto config = reader.runConfig(run.id))
            answer.runs.push_back({run.name, runLabel(run), std::move(*config)});
    }
    if (fork) {
        SPARSERL_TRY(const auto steered, readSteered(reader, fork->id, fork->path));
        for (const std::string& key : steered.values.differences(steered.started))
            answer.values[key] = toText(steered.values.value(key));
    }
    return answer;
}

} // namespace

void TrainingPage::openLaunch(From how, const std::optional<RunSummary>& from,
                              const std::map<std::string, std::string>& values)
{
    if (!session() || (how != From::Nothing && !from))
        return;
    const auto fork = how == From::Fork ? from : std::nullopt;
    session()->query<LaunchAnswer>(
        m_launchJobs, [fork](ProjectReader& reader) { return askForLaunch(reader, fork); },
        [this, how, from, values](Result<LaunchAnswer> answer) {
            if (!answer) {
                Q_EMIT problem(sentenceOf(answer.error()));
                return;
            }
            const auto& checkpoints = answer->material.checkpoints;
            auto* dialog = new LaunchDialog(checkpoints, session()->path(), this);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->setRuns(answer->runs);
            dialog->setMatrices(answer->material.training, answer->material.heldOut);
            dialog->setCorrectRates(answer->material.correctRates);
            dialog->setDefaults(launchDefaults(session()->preferences()));
            // The natural next stage, from the newest checkpoint.
            const CheckpointRow* newest = nullptr;
            for (const CheckpointRow& c : checkpoints)
                if (c.present && c.hasPolicy && (!from || c.runName == from->name) &&
                    (!newest || c.t > newest->t))
                    newest = &c;
            const StageDescription* stage = from ? findStage(from->stage) : nullptr;
            if (how == From::Fork) {
                auto all = answer->values;
                for (const auto& [key, value] : values)
                    all[key] = value;
                dialog->takeOver(from->name, all);
                dialog->setWindowTitle(tr("Fork of %1").arg(runLabel(*from)));
                // Searches and evaluations use a policy and keep none: theirs again.
                dialog->choose(from->stage, {}, newest ? newest->path : policyPlace(from->parentCheckpoint));
            } else if (newest) {
                const StageKind next = stage && stage->next ? *stage->next : StageKind::Rl;
                dialog->choose(std::string(nameOf(next)), {}, newest->path);
            }
            m_launching = dialog;
            connect(dialog, &LaunchDialog::startAsked, this,
                    [this, dialog] { launch(dialog->config(), dialog->where()->host()); });
            connect(dialog->where(), &HostChooser::checkAsked, this,
                    [this, where = QPointer(dialog->where())](const RemoteHost& host) {
                        session()->runTask<RemoteMachine>(
                            {tr("Host check"), toQString(host.name)},
                            [host](Project&, const TaskWork&) { return askHost(host); }, this,
                            [where, host](const Result<RemoteMachine>& said, TaskTicket&) {
                                if (where)
                                    where->showAnswer(host, said);
                            });
                    });
            // Runs go on meanwhile, and remove what is chosen here; matrices come.
            connect(session(), &ProjectSession::changed, dialog, [this, dialog] {
                session()->query<LaunchMaterial>(
                    m_checkpointJobs, askForMaterial,
                    [dialog = QPointer(dialog)](Result<LaunchMaterial> material) {
                        if (!dialog || !material)
                            return;
                        dialog->setMatrices(material->training, material->heldOut);
                        dialog->setCorrectRates(std::move(material->correctRates));
                        dialog->setCheckpoints(std::move(material->checkpoints));
                    });
            });
            dialog->open();
        });
}

void TrainingPage::launch(const RunConfig& config, const std::optional<RemoteHost>& host)
{
    if (host) {
        launchThere(config, *host);
        return;
    }
    session()->runTask<WorkerInfo>(
        {tr("Launch"), config.title.empty() ? stageText(config.stage) : toQString(config.title)},
        [config](Project& project, const TaskWork&) -> Result<WorkerInfo> {
            SPARSERL_TRY(auto binary, findSparserlBinary());
            return launchWorker(project, config, binary);
        },
        this,
        [this, form = m_launching](Result<WorkerInfo> worker, TaskTicket& task) {
            if (worker) {
                const QString run = toQString(worker->run.filename().string());
                m_list->select(run);
                task.done(tr("The run %1 has started.").arg(run));
                if (form)
                    form->deleteLater();
                Q_EMIT statusMessage(tr("The run %1 has started.").arg(run));
            } else {
                launchFailed(form, sentenceOf(worker.error()));
            }
            session()->updateNow();
        });
}

void TrainingPage::launchFailed(LaunchDialog* form, const QString& sentence)
{
    if (form)
        form->refuse(sentence);
    else
        Q_EMIT problem(sentence);
}

namespace {

Progress progressOf(const TaskWork& work)
{
    return [say = work.say](double fraction, std::string_view phase) {
        if (say)
            say(fraction, toQString(phase));
    };
}

} // namespace

void TrainingPage::launchThere(const RunConfig& config, const RemoteHost& host)
{
    session()->runTask<WorkerInfo>(
        {tr("Launch on %1").arg(toQString(host.name)),
         config.title.empty() ? stageText(config.stage) : toQString(config.title)},
        [config, host](Project& project, const TaskWork& work) -> Result<WorkerInfo> {
            SPARSERL_TRY(auto binary, findSparserlBinary());
            return launchRemote(project, config, host, binary, work.cancel, progressOf(work));
        },
        this,
        [this, host, form = m_launching](Result<WorkerInfo> worker, TaskTicket& task) {
            if (worker) {
                const QString run = toQString(worker->run.filename().string());
                const QString said = tr("The run %1 executes on %2.").arg(run, toQString(host.name));
                m_followed.insert(worker->run.filename().string());
                m_list->select(run);
                task.done(said);
                if (form)
                    form->deleteLater();
                Q_EMIT statusMessage(said);
            } else {
                launchFailed(form, sentenceOf(worker.error()));
            }
            session()->updateNow();
        });
}

void TrainingPage::resumeThere(const RunSummary& run)
{
    session()->runTask<WorkerInfo>(
        {tr("Resume on %1").arg(toQString(run.remote->host)), runLabel(run)},
        [path = run.path](Project&, const TaskWork& work) -> Result<WorkerInfo> {
            SPARSERL_TRY(auto binary, findSparserlBinary());
            return resumeRemote(path, binary, work.cancel, progressOf(work));
        },
        this,
        [this, host = toQString(run.remote->host)](Result<WorkerInfo> worker, TaskTicket& task) {
            if (worker)
                task.done(tr("Continues on %1.").arg(host));
            else
                Q_EMIT problem(sentenceOf(worker.error()));
            session()->updateNow();
        });
}

void TrainingPage::follow(const RunSummary& run, bool anew)
{
    m_followed.insert(run.name);
    session()->runTask<bool>(
        {tr("Follow a run on %1").arg(toQString(run.remote->host)), runLabel(run)},
        [path = run.path, anew](Project&, const TaskWork&) -> Result<bool> {
            SPARSERL_TRY(auto binary, findSparserlBinary());
            SPARSERL_CHECK(ensureFollower(path, binary, anew));
            return true;
        },
        this,
        [this](Result<bool> follows, TaskTicket& task) {
            if (follows)
                task.done(tr("Receiving its output."));
            else
                Q_EMIT problem(sentenceOf(follows.error()));
            refresh();
        });
}

// Runs of earlier sessions, whose followers may have gone with the machine.
void TrainingPage::followAll(const std::vector<RunSummary>& runs)
{
    for (const RunSummary& run : runs)
        if (session()->trusted() && run.status == RunStatus::Unreached && !m_followed.contains(run.name))
            follow(run, false);
}

void TrainingPage::resume()
{
    const auto run = currentRun();
    if (!run)
        return;
    if (run->hasWorker) {
        send(ControlCommand::Kind::Resume);
        return;
    }
    if (run->remote) {
        resumeThere(*run);
        return;
    }
    session()->runTask<WorkerInfo>(
        {tr("Resume"), runLabel(*run)},
        [path = run->path](Project&, const TaskWork&) -> Result<WorkerInfo> {
            SPARSERL_TRY(auto binary, findSparserlBinary());
            return resumeWorker(path, binary);
        },
        this,
        [this](Result<WorkerInfo> worker, TaskTicket& task) {
            if (worker)
                task.done(tr("Resumed."));
            else
                Q_EMIT problem(sentenceOf(worker.error()));
            session()->updateNow();
        });
}

} // namespace sparserl
