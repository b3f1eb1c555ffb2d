// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/import_report.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace sparserl {
namespace {

QString atLine(std::int64_t line, const QString& text)
{
    return line > 0 ? ImportReport::tr("line %1: %2").arg(formatCount(line), text) : text;
}

} // namespace

QString ImportProblem::sentence() const
{
    return ImportReport::tr("%1: %2").arg(file, reason);
}

ImportProblem importProblem(const QString& file, Error error)
{
    const std::string own = file.toStdString();
    if (error.file == own) {
        error.file.clear();
        return {file, atLine(error.line, sentenceOf(error))};
    }
    if (error.file.starts_with(own + '(') && error.file.ends_with(')'))
        error.file = error.file.substr(own.size() + 1, error.file.size() - own.size() - 2);
    return {file, sentenceOf(error)};
}

ImportProblem importProblem(const QString& file, const MatrixWarning& warning)
{
    MatrixWarning text = warning;
    text.line = 0;
    return {file, atLine(warning.line, toQString(text.sentence({})))};
}

ImportReport::ImportReport(const QList<ImportProblem>& problems, QWidget* parent)
    : QDialog(parent)
    , m_problems(problems)
    , m_table(new QTableWidget(static_cast<int>(problems.size()), 2, this))
{
    setWindowTitle(tr("Problems during the import"));
    resize(atTextSize(860), atTextSize(420));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(
        makeMuted(counted(problems.size(), tr("One file was not imported, or breaks a rule of its format."),
                          tr("%1 files were not imported, or break rules of their formats.")),
                  this));
    styleTable(m_table);
    m_table->setHorizontalHeaderLabels({tr("File"), tr("Reason")});
    m_table->setAccessibleName(tr("Files and reasons"));
    fitColumns(m_table, {QStringLiteral("a_folder/name_of_a_matrix_of_a_collection.mtx"), tr("Reason")}, 1);
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const ImportProblem& one = problems[row];
        auto* file = new QTableWidgetItem(one.file);
        auto* reason = new QTableWidgetItem(one.reason);
        file->setToolTip(one.file);
        reason->setToolTip(one.reason);
        m_table->setItem(row, 0, file);
        m_table->setItem(row, 1, reason);
    }
    if (m_table->rowCount() > 0)
        m_table->setCurrentCell(0, 0);
    layout->addWidget(m_table, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* copy = buttons->addButton(tr("&Copy the list"), QDialogButtonBox::ActionRole);
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(text()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
}

QString ImportReport::text() const
{
    QString text;
    for (const ImportProblem& one : m_problems)
        text += one.file + QLatin1Char('\t') + one.reason + QLatin1Char('\n');
    return text;
}

} // namespace sparserl
