// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/live_runs.h"

#include "project/run/control.h"
#include "widgets/common/format.h"
#include "widgets/common/translate.h"

#include <QMessageBox>
#include <QPushButton>

namespace sparserl {

QuitChoice askAboutLiveRuns(const std::vector<WorkerInfo>& live, QWidget* parent)
{
    if (live.empty())
        return QuitChoice::KeepRunning;
    QStringList names;
    for (const WorkerInfo& worker : live)
        names.append(toQString(worker.run.filename().string()));
    QMessageBox box(parent);
    box.setWindowTitle(tr("Training is still running"));
    box.setIcon(QMessageBox::Question);
    box.setText(
        live.size() == 1
            ? tr("The run %1 is still training.").arg(names.first())
            : tr("%1 runs are still training: %2.").arg(live.size()).arg(names.join(QStringLiteral(", "))));
    box.setInformativeText(tr("Training can continue without the window; at its next start, the window "
                              "finds the training again. Training can also write a checkpoint and stop, "
                              "so that you can resume it later."));
    QPushButton* keep = box.addButton(tr("&Keep running"), QMessageBox::AcceptRole);
    QPushButton* stop = box.addButton(tr("Checkpoint and &stop"), QMessageBox::DestructiveRole);
    box.addButton(QMessageBox::Cancel);
    box.setDefaultButton(keep);
    box.exec();
    if (box.clickedButton() == keep)
        return QuitChoice::KeepRunning;
    return box.clickedButton() == stop ? QuitChoice::CheckpointAndStop : QuitChoice::Cancel;
}

std::vector<std::string> checkpointAndStop(const std::vector<WorkerInfo>& live)
{
    std::vector<std::string> problems;
    for (const WorkerInfo& worker : live) {
        for (const auto kind : {ControlCommand::Kind::Checkpoint, ControlCommand::Kind::Stop}) {
            ControlCommand command;
            command.kind = kind;
            if (auto sent = appendControl(worker.run, command); !sent)
                problems.push_back(sent.error().sentence());
        }
    }
    return problems;
}

} // namespace sparserl
