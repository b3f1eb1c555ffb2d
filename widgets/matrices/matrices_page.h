// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/project_page.h"
#include "widgets/matrices/library_commands.h"
#include "widgets/matrices/matrix_import.h"
#include "widgets/matrices/matrix_model.h"

#include <QTimer>
#include <map>

class QAction;
class QLabel;

namespace sparserl {

class FilterEdit;
class MatrixDetail;
class MatrixTable;

/// The library of matrices, with the pattern and features of the selected one.
class MatricesPage : public ProjectPage
{
    Q_OBJECT

public:
    explicit MatricesPage(QWidget* parent = nullptr);

    QString title() const override { return tr("Matrices"); }
    QString menuTitle() const override { return tr("&Matrices"); }
    QStringList layoutState() const override;
    void applyLayoutState(const QStringList& state) override;
    QString selectedKey() const override;
    bool hasSelection() const override;
    QString iconName() const override { return QStringLiteral("matrices"); }
    void fillMenu(QMenu* menu) override;
    void restoreViewState(const QStringList& state) override;
    MatrixModel* model() const { return m_model; }
    MatrixTable* table() const { return m_table; }
    FilterEdit* filter() const { return m_filter; }
    /// The problem with the filter, or empty.
    const QString& filterProblem() const { return m_mistake; }
    MatrixDetail* detail() const { return m_detail; }
    MatrixImport* importer() const { return m_import; }

public Q_SLOTS:
    /// Selects a matrix by name.
    void select(const QString& matrix) override;
    void importFiles();
    void importFolder();
    void generateMatrix();
    /// Sets the split of the selected matrices.
    void setSplit(const QString& split);
    void removeSelected();

protected:
    void projectChanged() override;
    void refresh() override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeList();
    QWidget* makeImportButton(QWidget* parent);
    void showItems(std::vector<MatrixItem> items);
    void showCurrent();
    void showCount();
    void applyFilter();
    void updateWords();
    void makeThumbnails();
    void imported(const QStringList& added);
    void contextMenu(const QPoint& position);
    void fillSelectionMenu(QMenu* menu);
    ChangeProject changer();
    void sayOnceWritten(const QString& sentence);
    void rememberView();

    MatrixModel* m_model;
    MatrixTable* m_table;
    FilterEdit* m_filter;
    QLabel *m_count, *m_filterProblem;
    MatrixDetail* m_detail;
    MatrixImport* m_import;
    ImportSplit m_split = ImportSplit::Train;
    QList<QAction*> m_splitActions; ///< In the order of ImportSplit.
    QTimer m_tellMistake;
    QString m_wanted, m_mistake;
    QStringList m_classes;                      ///< Class names for completion.
    std::shared_ptr<MatrixItemReader> m_reader; ///< Used only on the query thread.
    /// Thumbnails that were made here, by digest; null if one cannot be made. A read-only project keeps none.
    std::map<std::string, QImage> m_madeThumbnails;
    JobTracker m_thumbnailJobs{this};
};

} // namespace sparserl
