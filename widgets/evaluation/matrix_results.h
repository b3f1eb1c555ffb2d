// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/page.h"
#include "widgets/common/row_model.h"
#include "widgets/evaluation/evaluation_data.h"

#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace sparserl {

/// The results of one shown policy on a matrix.
struct MatrixPolicyLine
{
    QString key, label, run;
    int colour = 0;
    EvaluationEvent row;
};

/// Shows the results of one policy on each matrix, beside those of the reference policy. Below, it shows the
/// results of every shown policy on the selected matrix. Enter goes from a matrix to its policies, and from
/// there to the kernels. A double click goes directly to the kernels.
class MatrixResults : public QWidget
{
    Q_OBJECT

public:
    explicit MatrixResults(QWidget* parent = nullptr);

    /// `key`: the evaluation whose matrices are listed.
    void showView(std::shared_ptr<const EvaluationView> view, const QString& key);
    void setPolicy(const QString& key);
    void focusTable();
    RowModel<MatrixLine>* model() const { return m_model; }
    RowModel<MatrixPolicyLine>* policies() const { return m_policies; }
    QTableView* table() const { return m_table; }
    QTableView* policyTable() const { return m_policyTable; }

Q_SIGNALS:
    void navigate(const Destination& place);

private:
    QWidget* makeTop();
    QWidget* makeBottom();
    void fill();
    void showMatrix();
    const MatrixLine* current() const;

    std::shared_ptr<const EvaluationView> m_view;
    QString m_key;
    RowModel<MatrixLine>* m_model;
    RowModel<MatrixPolicyLine>* m_policies;
    QSortFilterProxyModel* m_proxy;
    QTableView *m_table, *m_policyTable;
    QLabel *m_heading, *m_detailHeading;
};

} // namespace sparserl
