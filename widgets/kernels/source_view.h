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

/// Shows a kernel program with the heat of each line, by a counter that the user chooses: a colour behind the
/// line and the line's share in the margin. A marker shows the faulting line. It can also show a listing (PTX
/// or SASS) with help for its instructions.
class SourceView : public QWidget
{
    Q_OBJECT

public:
    explicit SourceView(QWidget* parent = nullptr);

    void showProgram(const QString& text, const std::optional<VerdictRecord>& record);
    /// Shows PTX or SASS instead of the program. `name`: its title. `counts`: by the listing's lines; may be
    /// empty.
    void showListing(const CodeListing& listing, const QString& name,
                     const std::vector<LineCounters>& counts = {});
    /// What is shown: the program, PTX or SASS.
    CodeKind kind() const { return m_kind; }
    /// Shows or hides control codes beside SASS.
    void setControlsShown(bool on);
    /// Moves a widget from its current place into the head of this view.
    void takeHead(QWidget* head);
    /// Sets the reason why there are no counters: they are being computed, or nothing ran. Empty: there are
    /// counters.
    void setCountState(const QString& sentence);
    /// Sets the colour of the band beside each line (from 0) that corresponds to lines of another view; -1:
    /// no band. Numbers beyond the available colours start again at the first colour.
    void setBands(const std::vector<int>& bands);
    /// Marks lines (from 0) that the other text does not have, and leaves empty space after lines so that
    /// equal lines have the same height. `within`: the parts that differ within a line. `removed`: uses the
    /// colour for removed lines.
    void setDifferences(const std::vector<int>& changed, const std::map<int, int>& fillers,
                        const std::map<int, std::vector<LineSpan>>& within, bool removed);
    /// Marks lines (from 1) that correspond to the line that the user looks at in another view.
    void setLinked(const std::vector<int>& lines);
    /// Shows only the code and the sum of its heat, and uses the counter that is selected in the view
    /// `other`.
    void followCounter(const SourceView* other);
    void clear();
    void goToLine(int line); ///< From 1.
    /// Scrolls to a line (from 1) if it is not visible. The cursor stays.
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
    /// Opens the search line below the code, as Ctrl+F does if the code or the search line has the focus.
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

    QWidget* m_choice; ///< The choice of the counter, and the button for the hottest line.
    QsciScintilla* m_editor;
    CudaLexer* m_lexer;
    QComboBox* m_counter;
    QLabel* m_heatLabel;
    QToolButton* m_hottest;
    QLabel* m_summary;
    QHBoxLayout* m_bar;
    /// The widget that takeHead() moved here; another view may have taken it since.
    QPointer<QWidget> m_head;
    InstructionTips* m_tips;
    CodeKind m_kind = CodeKind::Program;
    QString m_listingName;
    QStringList m_controls;
    QString m_controlProblem;
    bool m_controlsShown = false, m_follower = false;
    std::vector<int> m_bands;
    QString m_countState;
    std::optional<VerdictRecord> m_record;
    std::vector<LineCounters> m_counts; ///< By line of the shown text.
    std::map<int, LineHeat> m_heat;
    std::vector<int> m_changed;
    std::map<int, std::vector<LineSpan>> m_within;
    bool m_removed = false;
    HeatScrollBar* m_scroll;
    FindBar* m_find;
};

} // namespace sparserl
