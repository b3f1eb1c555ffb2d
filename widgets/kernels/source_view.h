// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"
#include "widgets/kernels/heat.h"

#include <QWidget>
#include <map>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QsciScintilla;

namespace sparserl {

class CudaLexer;
class HeatScrollBar;

/// A kernel program with per-line heat: colour behind the line and its share in the margin, by a counter the
/// user chooses; a marker on the faulting line.
class SourceView : public QWidget
{
    Q_OBJECT

public:
    explicit SourceView(QWidget* parent = nullptr);

    void show(const QString& text, const std::optional<VerdictRecord>& record);
    /// Why there are no counters: they are on their way, or nothing ran. Empty: they are there.
    void setCountState(const QString& sentence);
    /// Marks lines (from 0) that another text does not have, and leaves empty space behind lines so that
    /// equal ones stand at the same height. `removed`: in the colour of what went.
    void setDifferences(const std::vector<int>& changed, const std::map<int, int>& fillers, bool removed);
    /// Marks lines (from 1) that belong to what the user looks at elsewhere.
    void setLinked(const std::vector<int>& lines);
    /// Beside another view: only the code and what its heat sums to; the counter is the other's.
    void followCounter(const SourceView* other);
    void clear();
    void goToLine(int line); ///< From 1.
    /// Scrolls there where it is not in sight; the cursor stays.
    void revealLine(int line);
    QsciScintilla* editor() const { return m_editor; }
    const std::map<int, LineHeat>& heat() const { return m_heat; }

public Q_SLOTS:
    void nextHotLine();

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyTheme();
    void applyHeat();
    void applyDifferences();
    void applyScrollMarks();

    QWidget* m_choice; ///< What the heat is of, and the way to the hottest line.
    QsciScintilla* m_editor;
    CudaLexer* m_lexer;
    QComboBox* m_counter;
    QLabel* m_summary;
    QString m_countState;
    std::optional<VerdictRecord> m_record;
    std::map<int, LineHeat> m_heat;
    std::vector<int> m_changed;
    bool m_removed = false;
    HeatScrollBar* m_scroll;
};

} // namespace sparserl
