// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/export_dialog.h"

#include "matrix/write.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"

#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSaveFile>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

namespace sparserl {

Result<JobFiles> writeJobFiles(Project& project, const std::string& text, const std::string& matrixDigest)
{
    JobFiles files;
    files.directory = std::make_shared<QTemporaryDir>();
    if (!files.directory->isValid())
        return fail("No temporary folder could be made: " + files.directory->errorString().toStdString(),
                    "Free some space in the folder for temporary files");
    const MatrixEntry* entry = project.matrixByDigest(matrixDigest);
    const std::string name = entry ? entry->name : "matrix";
    SPARSERL_TRY(auto matrix, project.loadByDigest(matrixDigest));
    files.program = files.directory->filePath(QStringLiteral("program.cu"));
    files.matrix = files.directory->filePath(toQString(name) + QStringLiteral(".mtx"));
    SPARSERL_CHECK(writeMatrixMarket(files.matrix.toStdString(), *matrix));
    QSaveFile out(files.program);
    if (!out.open(QIODevice::WriteOnly) || out.write(text.data(), static_cast<qint64>(text.size())) < 0 ||
        !out.commit())
        return failAt(files.program.toStdString(), 0, "The program could not be written");
    return files;
}

ExportDialog::ExportDialog(ProjectSession* session, const CandidateRow& candidate, QWidget* parent)
    : QDialog(parent)
    , m_session(session)
    , m_candidate(candidate)
    , m_target(new QLineEdit(this))
    , m_outcome(new QLabel(this))
    , m_busy(new QProgressBar(this))
{
    setWindowTitle(tr("Export a kernel"));
    resize(640, 300);
    const QString folder = QStringLiteral("%1-%2").arg(toQString(candidate.target.name),
                                                       toQString(candidate.programHash.substr(0, 8)));
    m_target->setText(toQString((session->path() / "exports" / folder.toStdString()).string()));
    m_busy->setRange(0, 0);
    m_busy->hide();
    m_outcome->setWordWrap(true);
    m_outcome->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);

    auto* layout = new QVBoxLayout(this);
    auto* about = makeMuted(
        tr("Writes a folder that stands on its own: the PTX that was verified with the host conversion and "
           "a C interface, CMake, a self-test for this matrix, PyTorch and CuPy bindings, and a manifest "
           "with the evidence. The program is compiled again first, and must give that PTX."),
        this);
    about->setWordWrap(true);
    layout->addWidget(about);
    auto* form = new QFormLayout;
    form->addRow(tr("Program"), new QLabel(shortHash(candidate.programHash), this));
    form->addRow(tr("Matrix"), new QLabel(toQString(candidate.target.name), this));
    form->addRow(tr("Speed-up"), new QLabel(formatRatio(candidate.speedup), this));
    auto* across = new QHBoxLayout;
    across->addWidget(m_target, 1);
    auto* browse = makeToolButton(QStringLiteral("open"), {}, tr("Choose a folder"), this);
    across->addWidget(browse);
    auto* label = new QLabel(tr("&Folder"), this); // of a layout, a form's own label would show the "&"
    label->setBuddy(m_target);
    form->addRow(label, across);
    m_target->setAccessibleName(tr("Folder of the bundle"));
    layout->addLayout(form);
    layout->addWidget(m_busy);
    layout->addWidget(m_outcome, 1);
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_export = m_buttons->addButton(tr("&Export"), QDialogButtonBox::ActionRole);
    makePrimary(m_export);
    m_export->setDefault(true);
    layout->addWidget(m_buttons);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::start);
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString path = QFileDialog::getExistingDirectory(this, tr("Where the bundle's folder is made"),
                                                               m_target->text());
        if (!path.isEmpty())
            m_target->setText(path);
    });
    connect(&m_command, &CommandJob::finished, this, &ExportDialog::done);
}

void ExportDialog::start()
{
    m_export->setEnabled(false);
    m_busy->show();
    m_outcome->setText({});
    const std::filesystem::path run = m_session->path() / "runs" / m_candidate.runName;
    m_command.start({QStringLiteral("export"), QStringLiteral("--run"), toQString(run.string()),
                     QStringLiteral("--program"), toQString(m_candidate.programHash),
                     QStringLiteral("--matrix"), toQString(m_candidate.target.digest),
                     QStringLiteral("--out"), m_target->text()});
}

void ExportDialog::done(const std::vector<nlohmann::json>&, const QString& problem)
{
    m_busy->hide();
    m_export->setEnabled(!problem.isEmpty());
    if (problem.isEmpty() && !m_show) { // a box of buttons shows what was hidden in it
        m_show = m_buttons->addButton(tr("&Show the folder"), QDialogButtonBox::ActionRole);
        connect(m_show, &QPushButton::clicked, this,
                [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_target->text())); });
    }
    m_outcome->setText(problem.isEmpty() ? tr("The bundle is in %1.").arg(m_target->text()) : problem);
    m_session->updateNow();
}

} // namespace sparserl
