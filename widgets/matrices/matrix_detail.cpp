// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/matrix_detail.h"

#include "project/queries/policy_sight.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/matrices/pattern_panel.h"
#include "widgets/matrices/pattern_view.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QTableWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>

namespace sparserl {

namespace {

struct Loaded
{
    std::shared_ptr<const MatrixPattern> pattern;
    std::optional<MatrixFeatures> features;
    std::vector<RowLengthBin> bins;
};

QString binLabel(const RowLengthBin& bin)
{
    return bin.low == bin.high ? formatShortCount(static_cast<double>(bin.low))
                               : QStringLiteral("%1–%2").arg(formatShortCount(static_cast<double>(bin.low)),
                                                             formatShortCount(static_cast<double>(bin.high)));
}

QString structureText(const MatrixFeatures& features)
{
    const std::string_view structure = structureOf(features);
    return structure == "rectangular"         ? MatrixDetail::tr("rectangular")
           : structure == "symmetric"         ? MatrixDetail::tr("symmetric")
           : structure == "symmetric pattern" ? MatrixDetail::tr("symmetric pattern")
                                              : MatrixDetail::tr("unsymmetric");
}

} // namespace

MatrixDetail::MatrixDetail(QWidget* parent)
    : QWidget(parent)
    , m_stack(new QStackedWidget(this))
    , m_title(makeHeading({}, this, 1.2))
    , m_subtitle(makeMuted({}, this))
    , m_attribution(makeMuted({}, this))
    , m_message(makeMuted(tr("Select a matrix to see its pattern."), this))
{
    letShrink(m_subtitle);
    letShrink(m_attribution);
    m_attribution->setContentsMargins(4, 0, 0, 0);
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setWordWrap(true);
    m_stack->addWidget(m_message);
    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(4, 2, 0, 0);
    head->addWidget(m_title);
    head->addSpacing(8);
    head->addWidget(m_subtitle, 1, Qt::AlignBottom);
    auto* names = new QVBoxLayout;
    names->setSpacing(0);
    names->addLayout(head);
    names->addWidget(m_attribution);
    layout->addLayout(names);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setObjectName(QStringLiteral("matrices.detail"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    m_panel = new PatternPanel(this);
    connect(m_panel, &PatternPanel::problem, this, &MatrixDetail::problem);
    splitter->addWidget(m_panel);
    splitter->addWidget(makeNumbers());
    splitter->setSizes({480, 260});
    splitter->setStretchFactor(0, 1);
    layout->addWidget(splitter, 1);
    m_stack->addWidget(content);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
}

PatternView* MatrixDetail::pattern() const
{
    return m_panel->pattern();
}

QWidget* MatrixDetail::makeNumbers()
{
    auto* widget = new QWidget(this);
    auto* across = new QHBoxLayout(widget);
    across->setContentsMargins(0, 0, 0, 0);
    across->setSpacing(10);
    m_histogram = new ChartWidget(widget);
    across->addWidget(m_histogram, 3);
    auto* card = makeCard(widget);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(8, 8, 1, 1);
    auto* heading = makeHeading(tr("Features"), card);
    heading->setContentsMargins(4, 0, 0, 0); // above the text of the cells
    layout->addWidget(heading);
    m_features = new QTableWidget(0, 2, card);
    styleTable(m_features, 7);
    m_features->horizontalHeader()->hide();
    m_features->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_features->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_features->setAccessibleName(tr("Features of the matrix"));
    // With large text a name takes two lines rather than end in dots.
    m_features->setWordWrap(true);
    m_features->setTextElideMode(Qt::ElideNone);
    m_features->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    layout->addWidget(m_features, 1);
    across->addWidget(card, 4); // names of features are longer than the numbers of the chart
    return widget;
}

void MatrixDetail::setSession(ProjectSession* session)
{
    m_session = session;
    clear();
}

void MatrixDetail::clear()
{
    m_jobs.cancel();
    m_policyJobs.cancel();
    m_shown.clear();
    m_message->setText(tr("Select a matrix to see its pattern."));
    m_stack->setCurrentIndex(0);
}

void MatrixDetail::show(const MatrixItem& item)
{
    const std::string key = item.row.name + item.row.digest;
    if (key == m_shown || !m_session)
        return;
    m_shown = key;
    m_title->setText(toQString(item.row.name));
    QStringList facts{tr("%1 × %2").arg(formatCount(item.row.rows), formatCount(item.row.cols)),
                      counted(item.row.nnz, tr("one non-zero"), tr("%1 non-zeros"))};
    if (!item.row.matrixClass.empty())
        facts.append(toQString(item.row.matrixClass));
    m_attribution->setText(toQString(item.row.attribution));
    m_attribution->setVisible(!item.row.attribution.empty());
    m_subtitle->setText(facts.join(QStringLiteral("  ·  ")));
    m_subtitle->setToolTip(toQString(item.row.source));
    // Nothing of another matrix may stand under this one's name while it is read.
    m_message->setText(tr("Reading %1…").arg(toQString(item.row.name)));
    m_stack->setCurrentIndex(0);
    m_session->work<Loaded>(
        m_jobs,
        [name = item.row.name](Project& project) -> Result<Loaded> {
            const MatrixEntry* entry = project.matrix(name);
            if (!entry)
                return fail(fmt::format("There is no matrix \"{}\" in this project any more", name));
            const MatrixCache cache(project.cachePath());
            std::string digest = entry->digest;
            auto pattern = MatrixPattern::open(cache, digest);
            if (!pattern) { // nobody has read it yet, or its file in the cache is damaged
                SPARSERL_TRY(const auto loaded, project.load(MatrixEntry(*entry)));
                digest = loaded.digest;
                SPARSERL_TRY(pattern, MatrixPattern::open(cache, digest));
            }
            Loaded result;
            result.pattern = *pattern;
            result.bins = rowLengthHistogram(result.pattern->matrix().rowPtr);
            // Where it cannot be written, what is there is shown.
            (void)project.completeFeatures(digest);
            const auto json = nlohmann::json::parse(project.featuresJson(digest), nullptr, false);
            if (!json.is_discarded())
                result.features = featuresFromJson(json);
            return result;
        },
        [this, name = toQString(item.row.name)](Result<Loaded> loaded) {
            if (!loaded) {
                m_shown.clear();
                m_message->setText(sentenceOf(loaded.error()));
                m_stack->setCurrentIndex(0);
                return;
            }
            m_panel->setPattern(loaded->pattern, name);
            askPolicy();
            showFeatures(loaded->features);
            if (loaded->features) // Here, because only the features say it.
                m_subtitle->setText(m_subtitle->text() + QStringLiteral("  ·  ") +
                                    structureText(*loaded->features));
            showHistogram(loaded->bins);
            m_stack->setCurrentIndex(1);
        });
}

void MatrixDetail::askPolicy()
{
    m_session->query<PolicySight>(
        m_policyJobs, [](ProjectReader& reader) { return newestPolicySight(reader); },
        [this](Result<PolicySight> sight) {
            if (sight)
                m_panel->setPolicySight(toQString(sight->policy), sight->entries, sight->windows);
        });
}

void MatrixDetail::showFeatures(const std::optional<MatrixFeatures>& features)
{
    m_features->setRowCount(0);
    if (!features)
        return;
    QHeaderView* rows = m_features->verticalHeader();
    rows->setMinimumSectionSize(rows->defaultSectionSize()); // which goes with the size of text
    const auto& specs = featureSpecs();
    m_features->setRowCount(static_cast<int>(specs.size()));
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const FeatureSpec& spec = specs[i];
        const double value = spec.value(*features);
        QString text = !spec.known(*features) ? QStringLiteral("–")
                       : spec.integer         ? formatCount(static_cast<std::int64_t>(value))
                       : spec.unit == "share" ? formatPercent(value)
                                              : formatDigits(value, 4);
        if (!spec.unit.empty() && spec.unit != "share" && spec.known(*features))
            text += QChar(0x00a0) + toQString(spec.unit);
        auto* name = new QTableWidgetItem(toQString(spec.name));
        auto* number = new QTableWidgetItem(text);
        number->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        for (QTableWidgetItem* item : {name, number})
            item->setToolTip(toQString(spec.help));
        m_features->setItem(static_cast<int>(i), 0, name);
        m_features->setItem(static_cast<int>(i), 1, number);
    }
    giveFeaturesRoom();
}

void MatrixDetail::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        QTimer::singleShot(0, this, &MatrixDetail::giveFeaturesRoom); // the style sets its own font behind it
}

void MatrixDetail::giveFeaturesRoom()
{
    // Names take several lines, words and numbers one.
    int widestWord = 0;
    for (int row = 0; row < m_features->rowCount(); ++row)
        for (const QString& word : m_features->item(row, 0)->text().split(QLatin1Char(' ')))
            widestWord = std::max(widestWord, m_features->fontMetrics().horizontalAdvance(word));
    const int margins = 2 * (m_features->style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1) + 2;
    m_features->horizontalHeader()->setMinimumSectionSize(widestWord + margins);
    const int numbers =
        std::max(widestWord + margins, static_cast<QAbstractItemView*>(m_features)->sizeHintForColumn(1));
    m_features->setMinimumWidth(widestWord + margins + numbers +
                                m_features->verticalScrollBar()->sizeHint().width());
    m_features->resizeRowsToContents();
    QFont bold = m_histogram->font();
    bold.setWeight(QFont::DemiBold);
    constexpr int aroundTitle = 28;
    m_histogram->setMinimumWidth(QFontMetrics(bold).horizontalAdvance(tr("Row lengths")) + aroundTitle);
}

void MatrixDetail::showHistogram(const std::vector<RowLengthBin>& bins)
{
    ChartData chart;
    chart.title = tr("Row lengths");
    chart.hint = tr("number of rows");
    chart.xLabel = tr("entries in a row");
    chart.logY = true;
    chart.emptyText = tr("This matrix has no rows.");
    ChartSeries rows;
    rows.name = tr("rows");
    rows.kind = ChartKind::Bars;
    // From the first length that occurs to the last.
    const auto occurs = [](const RowLengthBin& bin) { return bin.rows > 0; };
    const auto first = std::find_if(bins.begin(), bins.end(), occurs);
    const auto last = std::find_if(bins.rbegin(), std::make_reverse_iterator(first), occurs).base();
    int position = 0;
    for (const RowLengthBin& bin : std::span(first, last)) {
        rows.curve->append(position++, static_cast<double>(bin.rows));
        rows.labels.append(binLabel(bin));
    }
    chart.series.append(rows);
    m_histogram->setData(chart);
    m_histogram->showAll();
}

} // namespace sparserl
