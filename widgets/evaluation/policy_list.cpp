// SPDX-License-Identifier: Apache-2.0
#include "widgets/evaluation/policy_list.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/theme.h"
#include "widgets/common/translate.h"

#include <QApplication>
#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace sparserl {

namespace {

enum Column
{
    Shown,
    Name,
    Matrices,
    PassOne,
    PassMost,
    Compiled,
    Correct,
    Faster,
    Solved,
    Gflops,
    Speedup,
    Worst
};

constexpr int usualSwatch = 9, besideSwatch = 11; // pixels; the swatch grows with the text
constexpr int leastRows = 3, fewestRows = 4, mostRows = 6;

double orNone(double value)
{
    return value > 0 ? value : std::numeric_limits<double>::quiet_NaN();
}

std::vector<RowColumn<PolicyLine>> policyColumns()
{
    using Line = PolicyLine;
    const auto percent = [](double v) { return formatPercent(v); };
    const auto count = [](double v) { return formatCount(static_cast<std::int64_t>(v)); };
    const auto share = [](double PolicyFigures::*member) {
        return [member](const Line& l) {
            return l.samples > 0 ? l.figures.*member : std::numeric_limits<double>::quiet_NaN();
        };
    };
    std::vector<RowColumn<Line>> columns;
    columns.push_back({QString(), tr("A tick shows the policy in the charts and tables below (Space)."),
                       [](const Line& l, int role) -> QVariant {
                           if (role == Qt::CheckStateRole)
                               return static_cast<int>(l.shown ? Qt::Checked : Qt::Unchecked);
                           if (role == Qt::AccessibleTextRole)
                               return l.shown ? tr("shown") : tr("not shown");
                           if (role == SortRole)
                               return l.shown ? 0 : 1;
                           return {};
                       }});
    columns.push_back(
        {tr("Policy"), tr("The policy that was evaluated. Press Enter to list the matrices of this policy."),
         [](const Line& l, int role) -> QVariant {
             if (role == Qt::DisplayRole)
                 return l.name();
             if (role == SwatchRole)
                 return l.colour;
             if (role == Qt::ToolTipRole) {
                 const QString tip = tr("%1, evaluated by the run %2").arg(l.label, l.run);
                 return l.trainedOn == 0 ? tip
                                         : tr("%1. The policy was trained on %2 of these %3 matrices, so the "
                                              "figures say little about other matrices.")
                                               .arg(tip, formatCount(l.trainedOn), formatCount(l.matrices));
             }
             return {};
         }});
    columns.push_back(numberColumn<Line>(
        tr("Matrices"), tr("Number of matrices of the chosen split that were evaluated."),
        [](const Line& l) { return static_cast<double>(l.matrices); }, count));
    columns.push_back(numberColumn<Line>(
        tr("pass@1"), tr("Probability that one sampled program is correct, as the mean over the matrices."),
        [](const Line& l) {
            const auto at = l.figures.pass.find(1);
            return at == l.figures.pass.end() ? std::numeric_limits<double>::quiet_NaN() : at->second;
        },
        percent));
    columns.push_back({tr("pass@k"),
                       tr("Probability that at least one of k samples is correct, for the largest k that "
                          "every matrix has."),
                       [](const Line& l, int role) -> QVariant {
                           if (l.figures.pass.empty())
                               return role == Qt::DisplayRole ? QVariant(QStringLiteral("–")) : QVariant();
                           const auto& [k, value] = *l.figures.pass.rbegin();
                           if (role == SortRole)
                               return value;
                           if (role == Qt::DisplayRole)
                               return tr("%1 @%2").arg(formatPercent(value)).arg(k);
                           return {};
                       },
                       true});
    columns.push_back(numberColumn<Line>(tr("Compiled"),
                                         tr("Compilation rate (CR): share of programs that compile."),
                                         share(&PolicyFigures::compiled), percent));
    columns.push_back(numberColumn<Line>(tr("Correct"), tr("Share of programs that are correct."),
                                         share(&PolicyFigures::correct), percent));
    columns.push_back(numberColumn<Line>(
        tr("Faster"), tr("Share of programs that are correct and faster than the baseline."),
        share(&PolicyFigures::faster), percent));
    columns.push_back(numberColumn<Line>(
        tr("Solved"), tr("Number of matrices with a correct program."),
        [](const Line& l) {
            return l.matrices > 0 ? static_cast<double>(l.solved) : std::numeric_limits<double>::quiet_NaN();
        },
        count));
    columns.push_back(numberColumn<Line>(
        tr("GFLOPS"),
        tr("GFLOPS of the best program, as the mean over the solved matrices; higher is better."),
        [](const Line& l) { return orNone(l.figures.gflops); }, [](double v) { return formatNumber(v); }));
    columns.push_back(numberColumn<Line>(
        tr("Speed-up"), tr("Speed-up of the best program, as the geometric mean over the solved matrices."),
        [](const Line& l) { return orNone(l.figures.speedup); }, [](double v) { return formatRatio(v); }));
    columns.push_back(numberColumn<Line>(
        tr("Worst"), tr("Smallest speed-up that the best program reaches on a solved matrix."),
        [](const Line& l) { return orNone(l.figures.worst); }, [](double v) { return formatRatio(v); }));
    return columns;
}

} // namespace

void SwatchDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const
{
    QStyleOptionViewItem opt = option;
    initStyleOption(&opt, index);
    const QWidget* widget = opt.widget;
    QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &opt, painter, widget);
    const QVariant colour = index.data(SwatchRole);
    const Theme& theme = Theme::of(opt.palette);
    const int swatch = atTextSize(usualSwatch);
    if (colour.isValid()) {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(colour.toInt() < 0 ? theme.muted : theme.seriesColour(colour.toInt()));
        painter->drawRoundedRect(
            QRectF(opt.rect.left() + 6, opt.rect.center().y() - swatch / 2.0 + 0.5, swatch, swatch), 2, 2);
        painter->restore();
    }
    painter->setPen(opt.state & QStyle::State_Enabled ? theme.text : theme.muted);
    painter->setFont(opt.font);
    const QRect text = opt.rect.adjusted(swatch + besideSwatch, 0, -4, 0);
    painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
                      opt.fontMetrics.elidedText(visibleText(opt.text), Qt::ElideMiddle, text.width()));
}

QSize SwatchDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    return PlainDelegate::sizeHint(option, index) + QSize(atTextSize(usualSwatch) + besideSwatch, 0);
}

PolicyModel::PolicyModel(QObject* parent)
    : RowModel<PolicyLine>(
          policyColumns(), [](const PolicyLine& line) { return line.key; }, parent)
{
}

void PolicyModel::setLines(std::vector<PolicyLine> lines)
{
    std::set<std::int64_t> most;
    for (const PolicyLine& line : lines)
        if (!line.figures.pass.empty())
            most.insert(line.figures.pass.rbegin()->first);
    const auto now = most.size() == 1 ? std::optional(*most.begin()) : std::nullopt;
    const bool renamed = std::exchange(m_mostK, now) != now;
    setRows(std::move(lines));
    if (renamed)
        Q_EMIT headerDataChanged(Qt::Horizontal, PassMost, PassMost);
}

QVariant PolicyModel::data(const QModelIndex& index, int role) const
{
    const PolicyLine* line = row(index);
    if (m_mostK && line && index.column() == PassMost && role == Qt::DisplayRole &&
        !line->figures.pass.empty())
        return formatPercent(line->figures.pass.rbegin()->second);
    return RowModel<PolicyLine>::data(index, role);
}

QVariant PolicyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (m_mostK && orientation == Qt::Horizontal && section == PassMost && role == Qt::DisplayRole)
        return tr("pass@%1").arg(*m_mostK);
    return RowModel<PolicyLine>::headerData(section, orientation, role);
}

Qt::ItemFlags PolicyModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = RowModel<PolicyLine>::flags(index);
    return index.isValid() && index.column() == Shown ? flags | Qt::ItemIsUserCheckable : flags;
}

bool PolicyModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    const PolicyLine* line = row(index);
    if (role != Qt::CheckStateRole || index.column() != Shown || !line)
        return false;
    const bool on = value.toInt() == Qt::Checked;
    const QString key = line->key;
    edit(index.row(), [on](PolicyLine& edited) { edited.shown = on; });
    if (m_onTick)
        m_onTick(key, on);
    return true;
}

PolicyList::PolicyList(QWidget* parent)
    : QTableView(parent)
    , m_model(new PolicyModel(this))
    , m_proxy(new QSortFilterProxyModel(this))
{
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(SortRole);
    styleTable(this);
    setModel(m_proxy);
    setItemDelegateForColumn(Name, new SwatchDelegate(this));
    setSortingEnabled(true);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    setAccessibleName(tr("Policies"));
    fitColumns(this,
               {QStringLiteral("W"), QStringLiteral("a-run/step-000000"), QStringLiteral("0,000"),
                QStringLiteral("100.0 %"), QStringLiteral("100.0 % @1000"), QStringLiteral("100.0 %"),
                QStringLiteral("100.0 %"), QStringLiteral("100.0 %"), QStringLiteral("0,000"),
                QStringLiteral("000.0"), QStringLiteral("00.00×"), QStringLiteral("00.00×")},
               Name);
    m_model->setOnTick([this](const QString& key, bool on) { Q_EMIT ticked(key, on); });
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this] { Q_EMIT currentChangedTo(current()); });
    connect(this, &QTableView::activated, this, [this] { Q_EMIT opened(current()); });
    auto* tick = new QShortcut(QKeySequence(Qt::Key_Space), this, nullptr, nullptr, Qt::WidgetShortcut);
    connect(tick, &QShortcut::activated, this, [this] {
        const QModelIndex index = m_proxy->mapToSource(currentIndex()).siblingAtColumn(Shown);
        if (const PolicyLine* line = m_model->row(index))
            m_model->setData(index, static_cast<int>(line->shown ? Qt::Unchecked : Qt::Checked),
                             Qt::CheckStateRole);
    });
}

QString PolicyList::current() const
{
    const PolicyLine* line = m_model->row(m_proxy->mapToSource(currentIndex()));
    return line ? line->key : QString();
}

void PolicyList::setCurrent(const QString& key)
{
    if (const QModelIndex index = m_proxy->mapFromSource(m_model->indexOfKey(key)); index.isValid())
        setCurrentIndex(index);
}

void PolicyList::showView(const EvaluationView& view)
{
    const auto rows = m_model->rowCount();
    m_model->setLines(view.policies);
    setColumnHidden(PassMost, m_model->mostK() == 1); // pass@1 has a column
    if (!currentIndex().isValid() && m_proxy->rowCount() > 0)
        setCurrentIndex(m_proxy->index(0, Name));
    if (m_model->rowCount() != rows)
        updateGeometry();
}

int PolicyList::heightOf(int rows) const
{
    // With room for the scroll bar: where the columns do not fit it would lie over the last row.
    return horizontalHeader()->sizeHint().height() + rows * verticalHeader()->defaultSectionSize() +
           horizontalScrollBar()->sizeHint().height() + 2;
}

QSize PolicyList::sizeHint() const
{
    return {700, heightOf(std::clamp(m_model->rowCount(), fewestRows, mostRows))};
}

QSize PolicyList::minimumSizeHint() const
{
    return {QTableView::minimumSizeHint().width(), heightOf(std::clamp(m_model->rowCount(), 2, leastRows))};
}

} // namespace sparserl
