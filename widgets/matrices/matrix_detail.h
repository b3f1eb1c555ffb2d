// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/row_lengths.h"
#include "widgets/common/session.h"
#include "widgets/matrices/matrix_model.h"

#include <QWidget>

class QLabel;
class QTableWidget;
class QStackedWidget;

namespace sparserl {

class ChartWidget;
class PatternPanel;
class PatternView;

/// One matrix: its pattern, the lengths of its rows and its features.
class MatrixDetail : public QWidget
{
    Q_OBJECT

public:
    explicit MatrixDetail(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    /// Loads and shows a matrix of the project. Does nothing if it is already shown.
    void show(const MatrixItem& item);
    void clear();
    PatternView* pattern() const;
    PatternPanel* panel() const { return m_panel; }
    ChartWidget* histogram() const { return m_histogram; }

Q_SIGNALS:
    void problem(const QString& sentence);

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeNumbers();
    void showFeatures(const std::optional<MatrixFeatures>& features);
    /// Makes the table of features wide enough for its words and numbers at the current text size.
    void giveFeaturesRoom();
    void askPolicy();
    void showHistogram(const std::vector<RowLengthBin>& bins);

    ProjectSession* m_session = nullptr;
    std::string m_shown;
    QStackedWidget* m_stack;
    QLabel *m_title, *m_subtitle, *m_attribution, *m_message;
    PatternPanel* m_panel;
    ChartWidget* m_histogram;
    QTableWidget* m_features;
    JobTracker m_jobs{this}, m_policyJobs{this};
};

} // namespace sparserl
