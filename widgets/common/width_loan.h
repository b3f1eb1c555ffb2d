// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QObject>

class QSplitter;

namespace sparserl {

/// The left side of a splitter lends width to the right one while that needs more, such as for several
/// listings beside each other, and gets it back afterwards. Where the user drags the handle meanwhile, it
/// stays there.
class WidthLoan : public QObject
{
    Q_OBJECT

public:
    explicit WidthLoan(QSplitter* splitter);
    /// The right side needs so many pixels; 0: no more than it has of its own.
    void ask(int pixels);
    /// What QSplitter::saveState would say if nothing were lent: what a layout keeps.
    static QByteArray ownState(QSplitter* splitter);
    /// QSplitter::restoreState, from which is lent again what is asked for.
    static void restore(QSplitter* splitter, const QByteArray& state);

private:
    QSplitter* m_splitter;
    QList<int> m_own; ///< Sizes without the loan; empty: nothing is lent.
    int m_asked = 0;
};

} // namespace sparserl
