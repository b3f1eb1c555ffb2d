// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QObject>

class QSplitter;

namespace sparserl {

/// Lends width from the left side of a splitter to the right side while the right side needs it, for example
/// for several listings side by side, and returns it afterwards. If the user has dragged the handle in the
/// meantime, the sizes stay as they are.
class WidthLoan : public QObject
{
    Q_OBJECT

public:
    explicit WidthLoan(QSplitter* splitter);
    /// Requests this many pixels for the right side; 0: no additional width.
    void ask(int pixels);
    /// QSplitter::saveState() without the loan, to be stored in a layout.
    static QByteArray ownState(QSplitter* splitter);
    /// QSplitter::restoreState(), followed by the requested loan.
    static void restore(QSplitter* splitter, const QByteArray& state);

private:
    QSplitter* m_splitter;
    QList<int> m_own; ///< Sizes without the loan; empty: nothing is lent.
    int m_asked = 0;
};

} // namespace sparserl
