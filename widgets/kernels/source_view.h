// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"
#include "widgets/kernels/heat.h"

#include <QWidget>
#include <map>
#include <optional>

class QComboBox;
class QLabel;
class QsciScintilla;

namespace sparserl {

class CudaLexer;

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
    void clear();
    void goToLine(int line); ///< From 1.
    QsciScintilla* editor() const { return m_editor; }
    const std::map<int, LineHeat>& heat() const { return m_heat; }

public Q_SLOTS:
    void nextHotLine();

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyTheme();
    void applyHeat();

    QsciScintilla* m_editor;
    CudaLexer* m_lexer;
    QComboBox* m_counter;
    QLabel* m_summary;
    QString m_countState;
    std::optional<VerdictRecord> m_record;
    std::map<int, LineHeat> m_heat;
};

} // namespace sparserl
