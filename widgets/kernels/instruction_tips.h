// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/kernels/code_listing.h"

#include <QObject>

class QPoint;
class QsciScintilla;

namespace sparserl {

/// Shows help for the instructions of a listing: as a tool tip under the mouse, or at the cursor when a key
/// is pressed. In the second case, the help is also the editor's accessible description.
class InstructionTips : public QObject
{
    Q_OBJECT

public:
    explicit InstructionTips(QsciScintilla* editor);
    void setHelp(CodeHelps help) { m_help = std::move(help); }
    /// The tool tip of margin `margin`; empty: none.
    void setMarginHelp(int margin, const QString& sentence);
    /// Help for the instruction on a line (from 0) as plain text, or empty.
    QString helpOnLine(int line) const;
    /// Shows the help for the cursor's line, or that there is none.
    void explainHere();
    /// Shows a text at the cursor, also for screen readers.
    void tellHere(const QString& sentence);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QString tipAt(const QPoint& point) const;
    bool inMargin(int x) const;
    void tell(int line, int column, const QString& sentence, const QString& tip);

    QsciScintilla* m_editor;
    CodeHelps m_help;
    int m_margin = 0;
    QString m_marginHelp;
};

} // namespace sparserl
