// SPDX-License-Identifier: Apache-2.0
#include "widgets/evaluation/comparison_view.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/translate.h"
#include "widgets/evaluation/policy_list.h"

#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

enum Column
{
    Name,
    Measure,
    Policy,
    Other,
    Difference,
    Interval,
    Painted,
    Reading,
    Matrices
};

QString measureName(const std::string& measure)
{
    if (measure == "compiled")
        return tr("Compiled");
    if (measure == "correct")
        return tr("Correct");
    if (measure == "faster")
        return tr("Faster");
    if (measure == "speed-up")
        return tr("Speed-up");
    return toQString(measure);
}

bool isRatio(const PairedFigure& figure)
{
    return figure.kind == PairedFigure::Kind::Ratio;
}

QString valueText(const PairedFigure& figure, double value)
{
    return isRatio(figure) ? formatRatio(value) : formatPercent(value);
}

// Decimals by which a small number differs from none: two digits of it, where the usual ones would say 0.
int decimalsOf(double size, int usual)
{
    constexpr double least = 1e-7; // less is rounding
    const bool hidden = size >= least && size < 0.5 * std::pow(10.0, -usual);
    return hidden ? static_cast<int>(std::ceil(-std::log10(size))) + 1 : usual;
}

// A difference of shares has a sign and is in percentage points, one of speed-ups is a factor.
QString differenceText(const PairedFigure& figure, double value)
{
    if (isRatio(figure)) // three decimals: an interval may end close to 1
        return QLocale().toString(value, 'f', decimalsOf(std::abs(value - 1), 3)) + QChar(0xd7);
    const int decimals = decimalsOf(std::abs(100 * value), 1);
    const double unit = std::pow(10.0, decimals);
    const double points = std::round(100 * value * unit) / unit + 0.0; // of a rounded -0.0 the sign goes
    const QString number = QLocale().toString(points, 'f', decimals);
    return points > 0 ? QStringLiteral("+") + number : number;
}

// On the scale that is painted: no difference is 0.
double onScale(const PairedFigure& figure, double value)
{
    return isRatio(figure) ? std::log(value) : value;
}

QString readingOf(const PairedFigure& figure)
{
    if (!figure.interval)
        return tr("too few matrices");
    const int direction = figure.direction();
    return direction > 0 ? tr("better") : direction < 0 ? tr("worse") : tr("no clear difference");
}

} // namespace

void IntervalDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const
{
    QStyleOptionViewItem opt = option;
    initStyleOption(&opt, index);
    const QWidget* widget = opt.widget;
    QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &opt, painter, widget);
    const QVariantList values = index.data(IntervalRole).toList();
    if (values.size() != 4)
        return;
    const Theme& theme = Theme::of(opt.palette);
    const QRectF area = QRectF(opt.rect).adjusted(8, 5, -8, -5);
    const double widest = values[3].toDouble();
    const auto x = [&](const QVariant& value) {
        const double unit = widest > 0 ? value.toDouble() / widest : 0;
        return area.center().x() + std::clamp(unit, -1.0, 1.0) * area.width() / 2;
    };
    const QColor colour = toneColour(theme, static_cast<Tone>(index.data(ToneRole).toInt()));
    const double y = area.center().y();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme.border, 1));
    painter->drawLine(QPointF(x(0.0), area.top() - 3), QPointF(x(0.0), area.bottom() + 3));
    painter->setPen(QPen(colour, 2));
    painter->drawLine(QPointF(x(values[0]), y), QPointF(x(values[2]), y));
    for (const int end : {0, 2})
        painter->drawLine(QPointF(x(values[end]), y - 3), QPointF(x(values[end]), y + 3));
    painter->setPen(Qt::NoPen);
    painter->setBrush(colour);
    painter->drawEllipse(QPointF(x(values[1]), y), 3.5, 3.5);
    painter->restore();
}

ComparisonView::ComparisonView(QWidget* parent)
    : QWidget(parent)
    , m_proxy(new QSortFilterProxyModel(this))
    , m_table(new QTableView(this))
    , m_heading(makeHeading({}, this))
    , m_note(makeMuted({}, this))
{
    using Line = ComparisonLine;
    const auto text = [](std::function<QString(const Line&)> of) {
        return [of = std::move(of)](const Line& line, int role) -> QVariant {
            return role == Qt::DisplayRole ? QVariant(of(line)) : QVariant();
        };
    };
    const auto number = [](std::function<double(const Line&)> of,
                           QString (*format)(const PairedFigure&, double)) {
        return [of = std::move(of), format](const Line& line, int role) -> QVariant {
            if (role == SortRole)
                return of(line);
            return role == Qt::DisplayRole ? QVariant(format(line.figure, of(line))) : QVariant();
        };
    };
    const auto tone = [](const Line& line) {
        const int direction = line.figure.direction();
        return static_cast<int>(direction > 0 ? Tone::Good : direction < 0 ? Tone::Bad : Tone::Neutral);
    };
    std::vector<RowColumn<Line>> columns;
    columns.push_back({tr("Policy"), tr("Press Enter to list the matrices of this policy."),
                       [](const Line& line, int role) -> QVariant {
                           if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
                               return line.label;
                           return role == SwatchRole ? QVariant(line.colour) : QVariant();
                       }});
    columns.push_back({tr("Measure"),
                       tr("Speed-up is the geometric mean of the best programs' speed-ups on the matrices "
                          "that both policies solve."),
                       text([](const Line& l) { return measureName(l.figure.measure); })});
    columns.push_back({tr("Value"), tr("Mean over the matrices on which both policies were evaluated."),
                       number([](const Line& l) { return l.figure.policy; }, valueText), true});
    columns.push_back({tr("Other value"),
                       tr("Mean for the policy with which this one is compared, over the same matrices."),
                       number([](const Line& l) { return l.figure.other; }, valueText), true});
    columns.push_back(
        {tr("Difference"),
         tr("Mean difference over the matrices, in percentage points; for speed-ups, a factor."),
         number([](const Line& l) { return l.figure.difference; }, differenceText), true});
    columns.push_back({tr("95 % interval"), tr("Percentile bootstrap over the matrices, 2,000 draws."),
                       text([](const Line& l) {
                           return l.figure.interval
                                      ? tr("%1 to %2")
                                            .arg(differenceText(l.figure, (*l.figure.interval)[0]),
                                                 differenceText(l.figure, (*l.figure.interval)[1]))
                                      : QStringLiteral("–");
                       }),
                       true});
    columns.push_back(
        {tr("worse | better"),
         tr("The interval; the line in the middle means no difference. Speed-ups have their own scale."),
         [this, tone](const Line& l, int role) -> QVariant {
             if (role == ToneRole)
                 return tone(l);
             if (role == SortRole)
                 return onScale(l.figure, l.figure.difference);
             if (role == Qt::AccessibleTextRole)
                 return readingOf(l.figure);
             if (role != IntervalRole || !l.figure.interval)
                 return {};
             return QVariantList{onScale(l.figure, (*l.figure.interval)[0]),
                                 onScale(l.figure, l.figure.difference),
                                 onScale(l.figure, (*l.figure.interval)[1]),
                                 isRatio(l.figure) ? m_widestRatio : m_widestShare};
         }});
    columns.push_back(
        {tr("Conclusion"),
         tr("“Better” or “worse” means that the whole interval is on one side of the line in the middle."),
         [tone](const Line& l, int role) -> QVariant {
             if (role == Qt::DisplayRole)
                 return readingOf(l.figure);
             return role == ToneRole ? QVariant(tone(l)) : QVariant();
         }});
    columns.push_back(
        {tr("Matrices"),
         tr("Matrices on which both policies were evaluated; for speed-ups, matrices that both have solved."),
         [](const Line& l, int role) -> QVariant {
             if (role == SortRole)
                 return QVariant::fromValue<qlonglong>(l.figure.matrices);
             return role == Qt::DisplayRole ? QVariant(formatCount(l.figure.matrices)) : QVariant();
         },
         true});
    m_model = new RowModel<Line>(
        std::move(columns),
        [](const Line& line) {
            return QString(line.key + QLatin1Char('\n') + toQString(line.figure.measure));
        },
        this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(SortRole);
    styleTable(m_table);
    m_table->setModel(m_proxy);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->setItemDelegateForColumn(Name, new SwatchDelegate(m_table));
    m_table->setItemDelegateForColumn(Painted, new IntervalDelegate(m_table));
    m_table->setItemDelegateForColumn(Reading, new BadgeDelegate(m_table));
    m_table->setAccessibleName(tr("Differences between policies"));
    fitColumns(m_table,
               {QStringLiteral("a-longer-run/step-000000"), QStringLiteral("pass@1000"),
                QStringLiteral("100.0 %"), QStringLiteral("100.0 %"), QStringLiteral("+100.0"),
                QStringLiteral("0.000× to 0.000×"), QStringLiteral("a picture as wide"),
                QStringLiteral("no clear difference  "), QStringLiteral("0,000")},
               Painted, Name);
    m_heading->setContentsMargins(12, 0, 12, 0);
    m_note->setContentsMargins(12, 0, 12, 0);
    m_note->setWordWrap(true);
    letShrink(m_heading);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT opened(index.data(KeyRole).toString().section(QLatin1Char('\n'), 0, 0));
    });
    auto* card = makeCard(this);
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(1, 8, 1, 1);
    inside->addWidget(m_heading);
    inside->addWidget(m_note);
    inside->addWidget(m_table, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->addWidget(card);
}

void ComparisonView::showView(const EvaluationView& view)
{
    const EvaluationSet* other = view.find(view.choice.other);
    m_heading->setText(other ? tr("Differences from %1").arg(view.nameOf(other->key)) : tr("Differences"));
    QString note = tr("Compared matrix by matrix, with 95 % intervals from a bootstrap over the matrices.");
    if (view.comparison.empty())
        note =
            tr("To compare, tick another policy in the list above that was evaluated on the same matrices.");
    if (view.leftOut > 0)
        note +=
            QLatin1Char(' ') + counted(view.leftOut,
                                       tr("One more evaluation of this policy is left out: a policy "
                                          "is not compared with itself."),
                                       tr("%1 more evaluations of this policy are left out: a policy is not "
                                          "compared with itself."));
    m_note->setText(note);
    m_widestShare = m_widestRatio = 0;
    for (const ComparisonLine& line : view.comparison) {
        double& widest = isRatio(line.figure) ? m_widestRatio : m_widestShare;
        if (line.figure.interval)
            for (const double end : *line.figure.interval)
                widest = std::max(widest, std::abs(onScale(line.figure, end)));
    }
    m_model->setRows(view.comparison);
}

} // namespace sparserl
