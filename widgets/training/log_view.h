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

/// Shows the log of a run, newest line last: the log events of the journal, and then the tail of worker.log.
/// Keeps the user's scroll position.
class LogView : public QWidget
{
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);
    void show(ProjectSession* session, const RunSummary& run);
    void clear();
    /// Shows only lines that contain this text; empty: all lines.
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
            {}; ///< The text with a shorter prefix, for a narrow view; empty: the same as `text`.
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
