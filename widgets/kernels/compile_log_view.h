// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <QWidget>
#include <optional>

class QLabel;
class QPlainTextEdit;

namespace sparserl {

/// The compiler's output for a program, or a sentence if there is none: whether the compiler ran, and why
/// not.
QString compileLogText(const std::optional<VerdictRecord>& record);
/// Whether the program was never compiled.
bool neverCompiled(const VerdictRecord& record);

/// The compiler's options and output.
class CompileLogView : public QWidget
{
    Q_OBJECT

public:
    explicit CompileLogView(QWidget* parent = nullptr);
    /// Sets the record whose compilation is shown; nullopt: the program is not judged.
    void setRecord(const std::optional<VerdictRecord>& record);
    /// `options`: empty while unknown; `problem` then gives the reason.
    void setOptions(const QString& options, const QString& problem);

private:
    QLabel* m_options;
    QPlainTextEdit* m_log;
    bool m_neverCompiled = false;
};

} // namespace sparserl
