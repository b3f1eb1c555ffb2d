// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/pattern_panel.h"

#include "base/rng.h"
#include "base/source_name.h"
#include "matrix/features.h"
#include "matrix/sampled_entries.h"
#include "widgets/common/format.h"
#include "widgets/common/new_file.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/matrices/pattern_view.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

namespace {

constexpr int asItIs = static_cast<int>(MatrixOrder::AsIs);

struct OtherOrder
{
    ReorderedMatrix order; ///< Its matrix has become the pattern.
    std::shared_ptr<const MatrixPattern> pattern;
    double before = 0, after = 0; ///< Mean distance of entries from the diagonal.
};

double meanDistance(const CsrView& matrix)
{
    double sum = 0;
    for (std::int32_t r = 0; r < matrix.rows; ++r)
        for (std::int32_t k = matrix.rowPtr[r]; k < matrix.rowPtr[r + 1]; ++k)
            sum += std::abs(static_cast<double>(matrix.col[k]) - r);
    return matrix.nnz() > 0 ? sum / static_cast<double>(matrix.nnz()) : 0;
}

QLabel* makeCaption(QWidget* parent)
{
    auto* label = makeMuted({}, parent);
    letShrink(label);
    label->setContentsMargins(8, 0, 4, 0);
    return label;
}

} // namespace

PatternPanel::PatternPanel(QWidget* parent)
    : QFrame(parent)
    , m_view(new PatternView)
    , m_other(new PatternView)
{
    setProperty("card", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 8, 6, 6);
    layout->setSpacing(4);
    layout->addWidget(makeBar());
    layout->addWidget(makeViews(), 1);
    m_readout = makeMuted({}, this);
    letShrink(m_readout);
    m_readout->setContentsMargins(8, 0, 8, 2);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(0, 0, 4, 0);
    below->setSpacing(4);
    below->addWidget(m_readout, 1);
    m_place = new QLineEdit(this);
    m_place->setPlaceholderText(tr("row, column"));
    m_place->setAccessibleName(tr("Go to row and column"));
    m_place->setToolTip(
        tr("Go to this row and column, counted from 0. If only a row is given, go to its first entry."));
    m_place->setMaximumWidth(fontMetrics().horizontalAdvance(QStringLiteral("0000000, 0000000")) + 20);
    connect(m_place, &QLineEdit::returnPressed, this, &PatternPanel::goToPlace);
    below->addWidget(m_place);
    const auto step = [&](const char* icon, const QString& tip, void (PatternView::*slot)()) {
        auto* button = makeToolButton(QLatin1String(icon), {}, tip, this);
        connect(button, &QToolButton::clicked, m_view, slot);
        below->addWidget(button);
    };
    step("up", tr("Go to the previous entry (Shift+F8)"), &PatternView::previousEntry);
    step("down", tr("Go to the next entry (F8)"), &PatternView::nextEntry);
    layout->addLayout(below);
    for (PatternView* view : {m_view, m_other})
        connect(view, &PatternView::readoutChanged, this, [this](const QString& text) {
            m_readout->setText(text);
            m_readout->setToolTip(text);
        });
    connect(m_view, &PatternView::viewportChanged, m_other, &PatternView::setViewport);
    connect(m_other, &PatternView::viewportChanged, m_view, &PatternView::setViewport);
}

PatternPanel::~PatternPanel()
{
    m_cancel.cancel();
    m_jobs.cancel();
}

void PatternPanel::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    // The boxes say what they are set to; what the picture is needs no heading.
    constexpr int roomForHeading = 330;
    m_heading->setVisible(width() >= atTextSize(roomForHeading));
}

QWidget* PatternPanel::makeBar()
{
    auto* widget = new QWidget(this);
    auto* bar = new QHBoxLayout(widget);
    bar->setContentsMargins(6, 0, 4, 0);
    bar->setSpacing(4);
    m_heading = makeHeading(tr("Pattern"), widget);
    bar->addWidget(m_heading);
    bar->addStretch(1);
    m_order = new QComboBox(widget);
    m_order->addItem(tr("As it is"), asItIs);
    m_order->addItem(tr("Cuthill–McKee"), static_cast<int>(MatrixOrder::CuthillMcKee));
    m_order->addItem(tr("By row length"), static_cast<int>(MatrixOrder::LongestFirst));
    m_order->setAccessibleName(tr("Second order, beside the original"));
    m_order->setToolTip(tr("Shows the matrix in another order beside the original. Reverse Cuthill–McKee "
                           "gathers the entries of a square matrix near the diagonal. “By row length” puts "
                           "the longest rows first. The matrix itself does not change."));
    connect(m_order, &QComboBox::currentIndexChanged, this, &PatternPanel::showOrder);
    m_shading = new QComboBox(widget);
    m_shading->addItem(tr("Relative"), static_cast<int>(Shading::Relative));
    m_shading->addItem(tr("Absolute"), static_cast<int>(Shading::Absolute));
    m_shading->addItem(tr("Binary"), static_cast<int>(Shading::Binary));
    m_shading->setAccessibleName(tr("Shading"));
    m_shading->setToolTip(
        tr("How pixels are shaded. Relative: compared with the fullest pixel in view. Absolute: by the share "
           "of places that are filled. Binary: all pixels with entries look the same."));
    connect(m_shading, &QComboBox::currentIndexChanged, this, [this] {
        const auto shading = static_cast<Shading>(m_shading->currentData().toInt());
        m_view->setShading(shading);
        m_other->setShading(shading);
    });
    for (QComboBox* box : {m_order, m_shading}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(3); // large text has no room for more
        box->setMaximumWidth(200);
        bar->addWidget(box, 8);
    }
    m_policyButton = makeToolButton(QStringLiteral("sight"), {}, {}, widget);
    m_policyButton->setCheckable(true);
    connect(m_policyButton, &QToolButton::toggled, this, &PatternPanel::showMarks);
    bar->addWidget(m_policyButton);
    setPolicySight({}, m_entries, m_windows);
    const auto button = [&](const char* icon, const QString& tip, auto action) {
        auto* b = makeToolButton(QString::fromLatin1(icon), {}, tip, widget);
        connect(b, &QToolButton::clicked, this, action);
        bar->addWidget(b);
    };
    button("zoom-out", tr("Zoom out (-)"), [this] { m_view->zoom(1 / 0.6); });
    button("zoom-in", tr("Zoom in (+)"), [this] { m_view->zoom(0.6); });
    button("zoom-fit", tr("Show the whole matrix (0)"), [this] { m_view->showAll(); });
    button("image", tr("Save the picture as PNG or SVG…"), [this] { askFile(); });
    return widget;
}

QWidget* PatternPanel::makeViews()
{
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setHandleWidth(6);
    splitter->setChildrenCollapsible(false);
    auto* side = new QWidget(splitter);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    m_caption = makeCaption(side);
    m_caption->hide();
    column->addWidget(m_caption);
    column->addWidget(m_view, 1);
    m_otherSide = new QWidget(splitter);
    auto* other = new QVBoxLayout(m_otherSide);
    other->setContentsMargins(0, 0, 0, 0);
    other->setSpacing(2);
    m_otherCaption = makeCaption(m_otherSide);
    other->addWidget(m_otherCaption);
    m_otherStack = new QStackedWidget(m_otherSide);
    m_wait = makeMuted({}, m_otherSide);
    m_wait->setAlignment(Qt::AlignCenter);
    m_wait->setWordWrap(true);
    m_otherStack->addWidget(m_wait);
    m_otherStack->addWidget(m_other);
    other->addWidget(m_otherStack, 1);
    m_otherSide->hide();
    splitter->addWidget(side);
    splitter->addWidget(m_otherSide);
    splitter->setSizes({1000, 1000});
    return splitter;
}

void PatternPanel::setPattern(std::shared_ptr<const MatrixPattern> pattern, const QString& name)
{
    m_pattern = std::move(pattern);
    m_name = name;
    m_view->setPattern(m_pattern, name);
    m_readout->setText(m_view->readout());
    showMarks();
    showOrder();
}

void PatternPanel::setPolicySight(const QString& policy, int entries, bool windows)
{
    m_policy = policy;
    m_entries = entries;
    m_windows = windows;
    const QString how = windows ? tr("in windows of whole rows") : tr("anywhere in the matrix");
    m_policyButton->setToolTip(policy.isEmpty()
                                   ? tr("Mark %1 entries %2, the way a policy with the default settings "
                                        "reads them. The policy draws different entries each time.")
                                         .arg(formatCount(entries), how)
                                   : tr("Mark %1 entries %2, the way the policy %3 reads them. The policy "
                                        "draws different entries each time.")
                                         .arg(formatCount(entries), how, policy));
    m_policyButton->setAccessibleName(tr("What the policy sees"));
    showMarks();
}

void PatternPanel::askPlace()
{
    m_place->setFocus();
    m_place->selectAll();
}

void PatternPanel::goToPlace()
{
    const CsrView* matrix = m_view->matrix();
    if (!matrix)
        return;
    static const QRegularExpression pattern(
        QStringLiteral("^\\s*\\(?\\s*(\\d{1,18})(?:[\\s,;]+(\\d{1,18}))?\\s*\\)?\\s*$"));
    const auto match = pattern.match(m_place->text());
    const qint64 row = match.captured(1).toLongLong();
    const bool bad = !match.hasMatch() || row >= matrix->rows;
    qint64 col = match.captured(2).toLongLong();
    if (!bad && match.capturedStart(2) < 0 && matrix->rowLength(static_cast<std::int32_t>(row)) > 0)
        col = matrix->col[static_cast<std::size_t>(matrix->rowPtr[static_cast<std::size_t>(row)])];
    QString problem;
    if (!match.hasMatch())
        problem = tr("Enter a row and a column, such as “12, 40”.");
    else if (bad)
        problem = tr("Rows go from 0 to %2; there is no row %1.")
                      .arg(formatCount(row), formatCount(matrix->rows - 1));
    else if (col >= matrix->cols)
        problem = tr("Columns go from 0 to %2; there is no column %1.")
                      .arg(formatCount(col), formatCount(matrix->cols - 1));
    setStyled(m_place, "invalid", !problem.isEmpty());
    if (!problem.isEmpty()) {
        m_readout->setText(problem);
        m_readout->setToolTip(problem);
        return;
    }
    m_view->goTo(row, col);
    m_readout->setText(m_view->readout());
}

void PatternPanel::showMarks()
{
    std::vector<std::pair<std::int32_t, std::int32_t>> marks;
    if (m_policyButton->isChecked() && m_pattern) {
        const CsrView& matrix = m_pattern->matrix();
        Rng rng(1); // the same picture each time
        for (const std::int64_t k :
             m_windows ? sampleWindows(matrix, m_entries, rng) : sampleUniform(matrix.nnz(), m_entries, rng))
            marks.emplace_back(rowOfEntry(matrix, k), matrix.col[static_cast<std::size_t>(k)]);
    }
    const auto number = static_cast<std::int64_t>(marks.size());
    const QString reader = m_policy.isEmpty() ? tr("a policy") : m_policy;
    m_view->setMarks(std::move(marks),
                     counted(number, tr("one entry that %1 reads").arg(reader),
                             tr("%1 entries that %2 reads").arg(QStringLiteral("%1"), reader)));
}

void PatternPanel::showOrder()
{
    m_cancel.cancel();
    m_jobs.cancel();
    m_other->setPattern(nullptr, {});
    const int choice = m_order->currentData().toInt();
    m_otherSide->setVisible(choice != asItIs);
    m_caption->setVisible(choice != asItIs);
    if (choice == asItIs || !m_pattern)
        return;
    m_cancel = CancelToken();
    m_caption->setText(tr("As it is"));
    m_otherCaption->setText(m_order->currentText());
    m_wait->setText(tr("Reordering the matrix…"));
    m_otherStack->setCurrentIndex(0);
    if (!m_thread)
        m_thread = std::make_unique<BackgroundThread>(QStringLiteral("order"));
    const auto by = static_cast<MatrixOrder>(choice);
    m_jobs.start<Result<OtherOrder>>(
        *m_thread,
        [pattern = m_pattern, by, cancel = m_cancel] {
            return guarded<OtherOrder>([&]() -> Result<OtherOrder> {
                OtherOrder other;
                SPARSERL_TRY(other.order, reorder(pattern->matrix(), by, cancel));
                other.before = meanDistance(pattern->matrix());
                other.after = meanDistance(other.order.matrix);
                other.pattern = std::make_shared<MatrixPattern>(std::exchange(other.order.matrix, {}));
                return other;
            });
        },
        [this, by](Result<OtherOrder> other) {
            if (!other) {
                m_wait->setText(sentenceOf(other.error()));
                return;
            }
            const QString name = m_order->currentText();
            m_caption->setText(by == MatrixOrder::CuthillMcKee
                                   ? tr("As it is: entries are %1 places from the diagonal on average")
                                         .arg(formatDigits(other->before, 3))
                                   : tr("As it is"));
            showReordered(other->pattern, other->order,
                          by == MatrixOrder::CuthillMcKee
                              ? tr("%1: %2 places on average").arg(name, formatDigits(other->after, 3))
                              : name);
        });
}

void PatternPanel::showReordered(std::shared_ptr<const MatrixPattern> pattern, const ReorderedMatrix& by,
                                 const QString& caption)
{
    m_other->setPattern(std::move(pattern), tr("%1 in another order").arg(m_name));
    m_other->setOrigin(by.rows, by.columns);
    m_otherCaption->setText(caption);
    m_otherStack->setCurrentIndex(1);
    m_other->setViewport(m_view->viewport());
    for (QLabel* label : {m_caption, m_otherCaption})
        label->setToolTip(label->text());
}

void PatternPanel::askFile()
{
    if (!m_pattern)
        return;
    const QString file =
        chooseNewFile(this, tr("Save the picture"), toQString(copyName(m_name.toStdString() + ".png")),
                      tr("PNG (*.png);;SVG (*.svg)"));
    if (!file.isEmpty())
        saveAs(file);
}

void PatternPanel::saveAs(const QString& file)
{
    PatternView* view = m_other->hasFocus() ? m_other : m_view;
    const QString failure = view->save(file);
    if (!failure.isEmpty())
        Q_EMIT problem(failure);
}

} // namespace sparserl
