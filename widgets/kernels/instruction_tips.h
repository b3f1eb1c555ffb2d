// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/kernels/code_listing.h"

#include <QObject>

class QPoint;
class QsciScintilla;

namespace sparserl {

/// Help on the instructions of a listing: a tool tip where the mouse rests on one, and at the cursor when it
/// is asked for by a key; then it is the accessible description of the editor, too.
class InstructionTips : public QObject
{
    Q_OBJECT

public:
    explicit InstructionTips(QsciScintilla* editor);
    void setHelp(CodeHelps help) { m_help = std::move(help); }
    /// The tool tip of margin `margin`; empty: none.
    void setMarginHelp(int margin, const QString& sentence);
    /// What is known of the instruction on a line (from 0), in plain text; empty: nothing.
    QString helpOnLine(int line) const;
    /// Shows the help of the line under the cursor, or that there is none.
    void explainHere();
    /// Says something at the cursor, also to who cannot see it.
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
