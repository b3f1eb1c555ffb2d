// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "widgets/common/session.h"

#include <QWidget>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace sparserl {

/// What a run said, newest at the end: log events of the journal, then the tail of worker.log. Stays where
/// the user scrolled to.
class LogView : public QWidget
{
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);
    void show(ProjectSession* session, const RunSummary& run);
    void clear();
    /// Shows only lines that have this text; all of them where it is empty.
    void setFilter(const QString& text);
    void focusFilter();
    QString text() const;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

Q_SIGNALS:
    void problem(const QString& sentence);

private:
    struct Line
    {
        QString text;
        bool warning = false;
        QString narrow =
            {}; ///< The same with less before it, where that would leave no room; empty: as it is.
    };
    void setLines(std::vector<Line> lines);
    void fill();
    void findNext(bool backward);
    void followWidth();

    QPlainTextEdit* m_text;
    QLineEdit* m_search;
    QCheckBox *m_only, *m_warnings;
    QLabel* m_count;
    std::vector<Line> m_lines;
    QStringList m_shown;
    bool m_isNarrow = false;
    JobTracker m_jobs{this};
};

} // namespace sparserl
