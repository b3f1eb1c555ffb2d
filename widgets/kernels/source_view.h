// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"
#include "widgets/kernels/code_listing.h"
#include "widgets/kernels/heat.h"

#include <QPointer>
#include <QWidget>
#include <map>
#include <optional>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QToolButton;
class QsciScintilla;

namespace sparserl {

class CudaLexer;
class FindBar;
class HeatScrollBar;
class InstructionTips;

/// A kernel program with per-line heat: colour behind the line and its share in the margin, by a counter the
/// user chooses; a marker on the faulting line. Or what a program was made into, with help on its
/// instructions.
class SourceView : public QWidget
{
    Q_OBJECT

public:
    explicit SourceView(QWidget* parent = nullptr);

    void showProgram(const QString& text, const std::optional<VerdictRecord>& record);
    /// PTX or SASS in its place; `name`: what stands above it. `counts`: by its lines; may be empty.
    void showListing(const CodeListing& listing, const QString& name,
                     const std::vector<LineCounters>& counts = {});
    /// Whether what is shown has instructions.
    CodeKind kind() const { return m_kind; }
    /// Control codes beside SASS.
    void setControlsShown(bool on);
    /// Takes a widget into the head, from wherever it was.
    void takeHead(QWidget* head);
    /// Why there are no counters: they are on their way, or nothing ran. Empty: they are there.
    void setCountState(const QString& sentence);
    /// A coloured band beside each line (from 0) that belongs to a line of another view; -1: none. Any number
    /// of colours repeat.
    void setBands(const std::vector<int>& bands);
    /// Marks lines (from 0) that another text does not have, and leaves empty space behind lines so that
    /// equal ones stand at the same height; `within`: the words of lines that differ. `removed`: in the
    /// colour of what went.
    void setDifferences(const std::vector<int>& changed, const std::map<int, int>& fillers,
                        const std::map<int, std::vector<LineSpan>>& within, bool removed);
    /// Marks lines (from 1) that belong to what the user looks at elsewhere.
    void setLinked(const std::vector<int>& lines);
    /// Beside another view: only the code and what its heat sums to; the counter is the other's.
    void followCounter(const SourceView* other);
    void clear();
    void goToLine(int line); ///< From 1.
    /// Scrolls there where it is not in sight; the cursor stays.
    void revealLine(int line);
    /// The line of the cursor, from 1.
    int cursorLine() const;
    QsciScintilla* editor() const { return m_editor; }
    FindBar* findBar() const { return m_find; }
    InstructionTips* tips() const { return m_tips; }
    const std::map<int, LineHeat>& heat() const { return m_heat; }

public Q_SLOTS:
    void nextHotLine();
    void previousHotLine();
    /// A line to search with below the code; Ctrl+F there, or where the code has the focus.
    void find();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void stepHotLine(int step);
    void applyTheme();
    void applyWidth();
    void setText(const QString& text);
    void applyHeat();
    void applyControls();
    void applyBands();
    void applyDifferences();
    void applyScrollMarks();

    QWidget* m_choice; ///< What the heat is of, and the way to the hottest line.
    QsciScintilla* m_editor;
    CudaLexer* m_lexer;
    QComboBox* m_counter;
    QLabel* m_heatLabel;
    QToolButton* m_hottest;
    QLabel* m_summary;
    QHBoxLayout* m_bar;
    QPointer<QWidget> m_head; ///< Taken; another view may have it by now.
    InstructionTips* m_tips;
    CodeKind m_kind = CodeKind::Program;
    QString m_listingName;
    QStringList m_controls;
    QString m_controlProblem;
    bool m_controlsShown = false, m_follower = false;
    std::vector<int> m_bands;
    QString m_countState;
    std::optional<VerdictRecord> m_record;
    std::vector<LineCounters> m_counts; ///< By line of what is shown.
    std::map<int, LineHeat> m_heat;
    std::vector<int> m_changed;
    std::map<int, std::vector<LineSpan>> m_within;
    bool m_removed = false;
    HeatScrollBar* m_scroll;
    FindBar* m_find;
};

} // namespace sparserl
