// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <QWidget>
#include <optional>

class QLabel;
class QPlainTextEdit;

namespace sparserl {

/// What the compiler said of a program, or a sentence where there is nothing: whether it was called at all,
/// and why not.
QString compileLogText(const std::optional<VerdictRecord>& record);
/// A program that no compiler has seen.
bool neverCompiled(const VerdictRecord& record);

/// What the compiler was called with and what it said.
class CompileLogView : public QWidget
{
    Q_OBJECT

public:
    explicit CompileLogView(QWidget* parent = nullptr);
    /// Of whose compilation; none: not judged.
    void setRecord(const std::optional<VerdictRecord>& record);
    /// `options`: empty while they are not known; `problem` then says why there are none.
    void setOptions(const QString& options, const QString& problem);

private:
    QLabel* m_options;
    QPlainTextEdit* m_log;
    bool m_neverCompiled = false;
};

} // namespace sparserl
