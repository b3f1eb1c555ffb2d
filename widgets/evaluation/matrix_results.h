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

/// A matrix under one of the shown policies.
struct MatrixPolicyLine
{
    QString key, label, run;
    int colour = 0;
    EvaluationEvent row;
};

/// The matrices under one policy beside the reference policy, and below, the selected matrix under every
/// shown policy. Enter goes from a matrix to its policies and from there to the kernels; a double click goes
/// directly to the kernels.
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
