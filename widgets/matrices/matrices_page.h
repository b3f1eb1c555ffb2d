// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/page.h"
#include "widgets/common/session.h"
#include "widgets/matrices/matrix_model.h"

class QLineEdit;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace sparserl {

class MatrixDetail;
class MatrixImport;

/// The library of matrices, and what each looks like.
class MatricesPage : public Page
{
    Q_OBJECT

public:
    explicit MatricesPage(QWidget* parent = nullptr);

    QString title() const override { return tr("Matrices"); }
    QString iconName() const override { return QStringLiteral("matrices"); }
    void fillMenu(QMenu* menu) override;
    MatrixModel* model() const { return m_model; }
    MatrixDetail* detail() const { return m_detail; }
    MatrixImport* importer() const { return m_import; }

public Q_SLOTS:
    /// Selects a matrix by name.
    void select(const QString& matrix) override;
    void importFiles();
    void generateMatrix();

protected:
    void sessionChanged() override;
    void refresh() override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeList();
    void showItems(std::vector<MatrixItem> items);
    void makeThumbnails();
    void imported(const QStringList& added, const QStringList& problems);
    void contextMenu(const QPoint& position);
    void changeProject(std::function<Status(Project&)> change);
    const MatrixItem* current() const;

    MatrixModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QTableView* m_table;
    QLineEdit* m_search;
    QStackedWidget* m_stack;
    MatrixDetail* m_detail;
    MatrixImport* m_import;
    QString m_wanted;
    bool m_again = false;
    std::vector<std::string> m_triedThumbnails;
    JobTracker m_jobs{this}, m_thumbnailJobs{this}, m_changeJobs{this};
};

} // namespace sparserl
