// SPDX-License-Identifier: Apache-2.0
// Curves of the selected runs as files of TensorBoard or MLflow.
#include "project/curves/curve_files.h"
#include "widgets/common/format.h"
#include "widgets/common/new_file.h"
#include "widgets/training/run_list.h"

#include <QMenu>

namespace sparserl {

void RunList::fillExportMenu(QMenu* menu)
{
    const auto add = [&](const QString& text, CurveFormat format) {
        menu->addAction(text, this, [this, format] {
            const QString folder =
                chooseNewFile(this, tr("New folder for the curves"), toQString(nameOf(format)), QString(),
                              QFileDialog::ShowDirsOnly);
            if (!folder.isEmpty())
                exportSelected(format, folder);
        });
    };
    add(tr("For &TensorBoard…"), CurveFormat::TensorBoard);
    add(tr("For &MLflow…"), CurveFormat::MLflow);
}

void RunList::exportSelected(CurveFormat format, const QString& folder)
{
    std::vector<std::filesystem::path> runs;
    for (const RunSummary& run : selected())
        runs.push_back(run.path);
    if (!m_session || runs.empty())
        return;
    const std::filesystem::path out = folder.toStdString();
    m_session->runTask<CurveExport>(
        {tr("Export the curves"),
         counted(static_cast<std::int64_t>(runs.size()), tr("one run"), tr("%1 runs"))},
        [runs, format, out](Project&, const TaskWork& work) {
            return exportCurves(runs, format, out, work.cancel, [&](double fraction, std::string_view phase) {
                work.say(fraction, toQString(phase));
            });
        },
        this,
        [this, format](Result<CurveExport> written, TaskTicket& task) {
            if (!written)
                return; // the list of tasks says why
            QStringList problems;
            for (const std::string& problem : written->problems)
                problems.append(toQString(problem));
            const QString sentence = tr("Curves were written to %3: %1 of %2. Look at them with %4.")
                                         .arg(counted(written->curves, tr("one curve"), tr("%1 curves")),
                                              counted(written->runs, tr("one run"), tr("%1 runs")),
                                              toQString(written->folder.string()),
                                              toQString(curveViewer(format, written->folder)));
            task.done(sentence, problems.join(QLatin1Char('\n')));
            Q_EMIT statusMessage(sentence);
        });
}

} // namespace sparserl
