// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/export_dialog.h"

#include "base/files.h"
#include "base/source_name.h"
#include "base/trust.h"
#include "matrix/write.h"
#include "target/target_text.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/open_folder.h"
#include "widgets/common/panels.h"
#include "widgets/common/target_text.h"
#include "widgets/common/typed_path.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

Result<JobFiles> writeJobFiles(Project& project, const std::string& text, const std::string& matrixDigest)
{
    SPARSERL_CHECK(requireTrust(project.path())); // they are for work that is refused without it
    JobFiles files;
    files.directory = std::make_shared<QTemporaryDir>();
    if (!files.directory->isValid())
        return fail("No temporary folder could be made: " + files.directory->errorString().toStdString(),
                    "Free some space in the folder for temporary files");
    const MatrixEntry* entry = project.matrixByDigest(matrixDigest);
    const std::string name = entry ? entry->name : "matrix";
    SPARSERL_TRY(auto matrix, project.loadByDigest(matrixDigest, true));
    files.program = files.directory->filePath(QStringLiteral("program.cu"));
    files.matrix = files.directory->filePath(toQString(copyName(name + ".mtx")));
    SPARSERL_CHECK(writeMatrixMarket(files.matrix.toStdString(), *matrix));
    SPARSERL_CHECK(writeFileAtomic(files.program.toStdString(), text));
    return files;
}

namespace {

enum Column
{
    ProgramColumn,
    MatrixColumn,
    SpeedupColumn,
    StateColumn,
    Columns
};

/// Names of matrices come from projects and journals of others.
QString bundleName(const CandidateRow& candidate)
{
    return toQString(copyName(candidate.target.name + "-" + candidate.programHash.substr(0, 8)) +
                     fileSuffixOf(candidate.target));
}

} // namespace

ExportDialog::ExportDialog(ProjectSession* session, std::vector<CandidateRow> candidates, QWidget* parent)
    : QDialog(parent)
    , m_session(session)
    , m_candidates(std::move(candidates))
    , m_table(new QTableWidget(static_cast<int>(m_candidates.size()), Columns, this))
    , m_target(new QLineEdit(this))
    , m_licence(new QLineEdit(QStringLiteral("Apache-2.0"), this))
    , m_outcome(new QLabel(this))
    , m_progress(new QProgressBar(this))
{
    const bool one = m_candidates.size() == 1;
    setWindowTitle(one ? tr("Export a kernel") : tr("Export %1 kernels").arg(m_candidates.size()));
    resize(700, one ? 360 : 520);
    const std::string& chosen = m_session->preferences().exportFolder.toStdString();
    const auto exports = chosen.empty() ? m_session->path() / "exports" : std::filesystem::path(chosen);
    m_target->setText(one ? toQString((exports / bundleName(m_candidates[0]).toStdString()).string())
                          : toQString(exports.string()));
    m_progress->setRange(0, static_cast<int>(m_candidates.size()));
    m_progress->setFormat(tr("%v of %m"));
    m_progress->hide();
    m_outcome->setWordWrap(true);
    m_outcome->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);

    auto* layout = new QVBoxLayout(this);
    auto* about =
        makeMuted(tr("Writes a stand-alone folder for each program. It contains the verified PTX "
                     "with the host conversion and a C interface, CMake files, a self-test for the "
                     "matrix, PyTorch, CuPy and SciPy bindings, and a manifest with the evidence. The "
                     "program is first compiled again and must give the same PTX."),
                  this);
    about->setWordWrap(true);
    layout->addWidget(about);
    styleTable(m_table);
    m_table->setAccessibleName(tr("Programs to export"));
    m_table->setHorizontalHeaderLabels({tr("Program"), tr("Matrix"), tr("Speed-up"), tr("State")});
    m_table->horizontalHeaderItem(SpeedupColumn)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (std::size_t i = 0; i < m_candidates.size(); ++i) {
        const CandidateRow& candidate = m_candidates[i];
        const QString texts[] = {
            shortHash(candidate.programHash), targetText(candidate.target), formatRatio(candidate.speedup),
            candidate.verdict == Verdict::Correct ? tr("waiting") : tr("not correct: left out")};
        for (int column = 0; column < Columns; ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            if (column == SpeedupColumn)
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            m_table->setItem(static_cast<int>(i), column, item);
        }
    }
    fitColumns(m_table,
               {QStringLiteral("00000000000"), QStringLiteral("a matrix with a name"),
                QStringLiteral("0.00x"), tr("not correct: left out")},
               StateColumn);
    layout->addWidget(m_table, 1);
    auto* form = new QFormLayout;
    auto* across = new QHBoxLayout;
    across->addWidget(m_target, 1);
    auto* browse = makeToolButton(QStringLiteral("open"), {}, tr("Choose a folder"), this);
    across->addWidget(browse);
    auto* label = new QLabel(tr("&Folder"), this); // of a layout, a form's own label would show the "&"
    label->setBuddy(m_target);
    form->addRow(label, across);
    m_target->setAccessibleName(one ? tr("Folder of the bundle") : tr("Folder of the bundles"));
    auto* licence = new QLabel(tr("&Licence"), this);
    licence->setBuddy(m_licence);
    form->addRow(licence, m_licence);
    m_licence->setAccessibleName(tr("Licence of the kernels"));
    m_licence->setToolTip(tr("SPDX identifier of the licence; the manifest states it."));
    levelLabels(form);
    layout->addLayout(form);
    layout->addWidget(m_progress);
    layout->addWidget(m_outcome);
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_export = m_buttons->addButton(tr("&Export"), QDialogButtonBox::ActionRole);
    makePrimary(m_export);
    m_export->setDefault(true);
    layout->addWidget(m_buttons);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_export, &QPushButton::clicked, this, [this] { m_running ? cancel() : start(); });
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString path =
            QFileDialog::getExistingDirectory(this, tr("Location of the bundle's folder"), m_target->text());
        if (!path.isEmpty())
            m_target->setText(path);
    });
    connect(&m_command, &CommandJob::finished, this,
            [this](const std::vector<nlohmann::json>&, const QString& problem) { done(problem); });
}

QString ExportDialog::folderOf(std::size_t candidate) const
{
    return m_candidates.size() == 1 ? m_folder
                                    : m_folder + QLatin1Char('/') + bundleName(m_candidates[candidate]);
}

void ExportDialog::setState(int row, const QString& text, bool good)
{
    QTableWidgetItem* item = m_table->item(row, StateColumn);
    item->setText(text);
    item->setToolTip(text);
    if (!good)
        item->setData(TextToneRole, static_cast<int>(Tone::Bad));
    m_table->scrollToItem(item);
}

void ExportDialog::start()
{
    const auto folder = typedPath(m_target->text());
    if (!folder || m_licence->text().trimmed().isEmpty()) {
        m_outcome->setText(folder ? tr("Name the licence of the kernels.") : sentenceOf(folder.error()));
        return;
    }
    m_folder = toQString(folder->string());
    m_at = 0;
    m_written = m_failed = 0;
    m_running = true;
    m_cancelled = false;
    m_target->setEnabled(false);
    m_licence->setEnabled(false);
    m_export->setText(tr("&Cancel"));
    m_progress->setValue(0);
    m_progress->show();
    m_outcome->setText({});
    m_task = TaskTicket(m_session->tasks(),
                        {tr("Export"), m_candidates.size() == 1 ? bundleName(m_candidates.front())
                                                                : tr("%1 programs").arg(m_candidates.size())},
                        [this] { cancel(); });
    m_session->afterWrites(this, [this] { next(); }); // a program that was judged again a moment ago
}

void ExportDialog::cancel()
{
    m_cancelled = true;
    m_command.cancel();
}

void ExportDialog::next()
{
    while (m_at < m_candidates.size() && m_candidates[m_at].verdict != Verdict::Correct)
        m_progress->setValue(static_cast<int>(++m_at));
    if (m_cancelled || m_at >= m_candidates.size()) {
        finish();
        return;
    }
    const CandidateRow& candidate = m_candidates[m_at];
    setState(static_cast<int>(m_at), tr("writing…"), true);
    m_task.say(static_cast<double>(m_at) / static_cast<double>(m_candidates.size()),
               tr("Writing %1.").arg(folderOf(m_at)));
    const std::filesystem::path run = candidate.runName.empty() // the project stands for what no run wrote
                                          ? m_session->path()
                                          : m_session->path() / "runs" / candidate.runName;
    QStringList arguments{QStringLiteral("export")};
    arguments << CommandJob::options({{"run", toQString(run.string())},
                                      {"program", toQString(candidate.programHash)},
                                      {"matrix", toQString(candidate.target.contents)},
                                      {"licence", m_licence->text().trimmed()},
                                      {"out", folderOf(m_at)}});
    arguments << targetArguments(candidate.target);
    m_command.start(m_session->path(), arguments);
}

void ExportDialog::done(const QString& problem)
{
    const bool good = problem.isEmpty();
    ++(good ? m_written : m_failed);
    setState(static_cast<int>(m_at), good ? folderOf(m_at) : problem, good);
    m_progress->setValue(static_cast<int>(++m_at));
    next();
}

void ExportDialog::finish()
{
    m_running = false;
    m_progress->hide();
    m_export->setText(tr("&Export"));
    m_target->setEnabled(true);
    m_licence->setEnabled(true);
    m_export->setEnabled(m_failed > 0 || m_cancelled);
    if (m_written > 0 && !m_show) { // a box of buttons shows what was hidden in it
        m_show = m_buttons->addButton(tr("&Show the folder"), QDialogButtonBox::ActionRole);
        connect(m_show, &QPushButton::clicked, this, [this] {
            if (const QString problem = openFolder(m_folder.toStdString()); !problem.isEmpty())
                m_outcome->setText(problem);
        });
    }
    if (!m_copy && m_candidates.size() > 1) {
        m_copy = m_buttons->addButton(tr("Copy the &report"), QDialogButtonBox::ActionRole);
        connect(m_copy, &QPushButton::clicked, this,
                [this] { QGuiApplication::clipboard()->setText(report()); });
    }
    if (m_candidates.size() == 1)
        m_outcome->setText(m_written == 1 ? tr("The bundle is in %1.").arg(m_folder)
                                          : m_table->item(0, StateColumn)->text());
    else
        m_outcome->setText(tr("%1 of %2 bundles were written into %3; %4 failed.%5")
                               .arg(m_written)
                               .arg(m_candidates.size())
                               .arg(m_folder)
                               .arg(m_failed)
                               .arg(m_cancelled ? tr(" It was cancelled.") : QString()));
    if (m_cancelled)
        m_task.cancelled(m_outcome->text());
    else if (m_written == 0)
        m_task.failed(m_outcome->text(), report());
    else
        m_task.done(m_outcome->text(), report());
    m_session->updateNow();
}

QString ExportDialog::report() const
{
    QStringList lines{
        QStringList{tr("Program"), tr("Matrix"), tr("Speed-up"), tr("State")}.join(QLatin1Char('\t'))};
    for (int row = 0; row < m_table->rowCount(); ++row) {
        QStringList cells{toQString(m_candidates[static_cast<std::size_t>(row)].programHash)};
        for (int column = MatrixColumn; column < Columns; ++column)
            cells.append(m_table->item(row, column)->text());
        lines.append(cells.join(QLatin1Char('\t')));
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace sparserl
