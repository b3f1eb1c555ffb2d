// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/compile_log_view.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/translate.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QTextDocument>
#include <QVBoxLayout>

namespace sparserl {

namespace {

QString silence(const VerdictRecord& record)
{
    if (neverCompiled(record))
        return record.verdict == Verdict::StoppedEarly
                   ? tr("This program was never compiled: the policy was stopped while writing it.")
                   : tr("This program was never compiled: its plan lines break a rule.");
    switch (record.verdict) {
    case Verdict::MachineError:
        return tr("The compiler was not called: a header is missing on the machine that judged the program.");
    case Verdict::CompileError:
        return tr("The compiler left no log.");
    case Verdict::AssembleError:
        return tr("NVRTC reported nothing. nvJitLink refused the PTX.");
    case Verdict::Rejected:
        return tr("NVRTC reported nothing, or was not called: the gate refused the program.");
    default:
        return tr("The compiler reported nothing.");
    }
}

} // namespace

bool neverCompiled(const VerdictRecord& record)
{
    // A plan may also fail on its matrix, long after it was compiled.
    return record.verdict == Verdict::StoppedEarly ||
           (record.verdict == Verdict::PlanError && record.ptxHash.empty());
}

QString compileLogText(const std::optional<VerdictRecord>& record)
{
    if (!record)
        return tr("No verdict has arrived for this program yet, so there is no compiler log.");
    if (!record->log.empty())
        return toQString(record->log);
    QStringList lines{silence(*record)};
    if (!isCompiled(record->verdict) && !record->message.empty())
        lines.append(record->line > 0 ? tr("Line %1: %2").arg(record->line).arg(toQString(record->message))
                                      : toQString(record->message));
    return lines.join(QLatin1Char('\n'));
}

CompileLogView::CompileLogView(QWidget* parent)
    : QWidget(parent)
    , m_options(makeMuted({}, this))
    , m_log(new QPlainTextEdit(this))
{
    m_options->setWordWrap(true);
    m_options->setContentsMargins(12, 6, 12, 0);
    m_options->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_log->setReadOnly(true);
    m_log->document()->setDocumentMargin(12); // as the line above
    followCodeFont(m_log);
    m_log->setAccessibleName(tr("Compile log"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_options);
    layout->addWidget(m_log, 1);
}

void CompileLogView::setRecord(const std::optional<VerdictRecord>& record)
{
    m_neverCompiled = record && neverCompiled(*record);
    m_log->setPlainText(compileLogText(record));
}

void CompileLogView::setOptions(const QString& options, const QString& problem)
{
    if (m_neverCompiled)
        m_options->setText(tr("NVRTC was not called."));
    else if (!options.isEmpty())
        m_options->setText(tr("NVRTC: %1").arg(options));
    else
        m_options->setText(
            problem.isEmpty() ? tr("The options appear once the program has been compiled here.") : problem);
}

} // namespace sparserl
