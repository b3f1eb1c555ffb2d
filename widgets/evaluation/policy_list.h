// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/row_model.h"
#include "widgets/evaluation/evaluation_data.h"

#include <QTableView>
#include <optional>

class QSortFilterProxyModel;

namespace sparserl {

/// An additional role for the colour of a row.
enum EvaluationRole
{
    SwatchRole = Qt::UserRole + 300, ///< int: for Theme::seriesColour(); negative: the muted one.
    IntervalRole
};

/// Draws the text of a cell after a spot in the row's colour.
class SwatchDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// The list of policies. Those that are shown have a check mark.
class PolicyModel : public RowModel<PolicyLine>
{
public:
    explicit PolicyModel(QObject* parent);

    /// Called when a check mark is set or cleared.
    void setOnTick(std::function<void(const QString& key, bool on)> onTick) { m_onTick = std::move(onTick); }
    void setLines(std::vector<PolicyLine> lines);
    /// The largest k of pass@k, if it is the same for all policies: then it is in the title of the column.
    const std::optional<std::int64_t>& mostK() const { return m_mostK; }
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

private:
    std::optional<std::int64_t> m_mostK;
    std::function<void(const QString&, bool)> m_onTick;
};

/// Lists all evaluations of the project, with check marks for those that are shown and with the measures that
/// the paper's tables have. Space toggles a check mark. Enter or a double click requests the matrices of a
/// policy.
class PolicyList : public QTableView
{
    Q_OBJECT

public:
    explicit PolicyList(QWidget* parent = nullptr);

    void showView(const EvaluationView& view);
    PolicyModel* policies() const { return m_model; }
    /// The key of the selected evaluation, or empty.
    QString current() const;
    void setCurrent(const QString& key);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void ticked(const QString& key, bool on);
    void currentChangedTo(const QString& key);
    void opened(const QString& key);

private:
    int heightOf(int rows) const;
    PolicyModel* m_model;
    QSortFilterProxyModel* m_proxy;
};

/// Makes a column of numbers; NaN is shown as an en dash.
template <typename Row>
RowColumn<Row> numberColumn(const QString& title, const QString& tip, std::function<double(const Row&)> value,
                            std::function<QString(double)> format)
{
    return {title, tip,
            [value = std::move(value), format = std::move(format)](const Row& row, int role) -> QVariant {
                if (role != Qt::DisplayRole && role != SortRole)
                    return {};
                const double v = value(row);
                if (role == SortRole)
                    return std::isnan(v) ? -std::numeric_limits<double>::infinity() : v;
                return std::isnan(v) ? QStringLiteral("–") : format(v);
            },
            true};
}

} // namespace sparserl
