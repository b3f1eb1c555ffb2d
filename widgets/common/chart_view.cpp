// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_view.h"

#include <cmath>
#include <limits>

namespace sparserl {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void takeBox(const ChartBox& box, bool logarithmic, AxisScale& y)
{
    for (const double value : {box.low, box.high}) {
        if (!std::isfinite(value) || (logarithmic && value <= 0))
            continue;
        y.low = std::min(y.low, value);
        y.high = std::max(y.high, value);
    }
}

// Finite values of the visible series of one axis with x in [low, high].
AxisScale extent(const ChartData& data, const QList<int>& hidden, const AxisScale& x, bool right)
{
    AxisScale y{infinity, -infinity, data.logY};
    for (int i = 0; i < data.series.size(); ++i) {
        const ChartSeries& s = data.series[i];
        if (hidden.contains(i) || s.rightAxis != right)
            continue;
        const std::size_t begin = s.curve->firstFrom(x.low);
        const std::size_t end = s.curve->firstFrom(std::nextafter(x.high, infinity));
        const CurveExtremes extremes = s.curve->extremes(begin, end);
        y.low = std::min(y.low, data.logY ? extremes.lowestPositive : extremes.low);
        if (!data.logY || extremes.high > 0)
            y.high = std::max(y.high, extremes.high);
        for (const auto& edge : {s.low, s.high}) {
            if (!edge)
                continue;
            const CurveExtremes of =
                edge->extremes(edge->firstFrom(x.low), edge->firstFrom(std::nextafter(x.high, infinity)));
            y.low = std::min(y.low, data.logY ? of.lowestPositive : of.low);
            if (!data.logY || of.high > 0)
                y.high = std::max(y.high, of.high);
        }
        for (std::size_t at = begin; at < end && s.kind == ChartKind::Boxes; ++at)
            takeBox(s.boxes.value(static_cast<qsizetype>(at)), data.logY, y);
    }
    return y;
}

void finishY(const ChartData& data, bool right, AxisScale& y)
{
    if (!(y.low <= y.high)) {
        y.low = data.logY ? 1 : 0;
        y.high = data.logY ? 10 : 1;
    }
    if (!right && std::isfinite(data.reference) && (!data.logY || data.reference > 0)) {
        y.low = std::min(y.low, data.reference);
        y.high = std::max(y.high, data.reference);
    }
    if (data.logY) {
        if (data.hasBars()) { // a bar of one has a height
            y.low = std::min(y.low, 1.0) * 0.7;
            y.high = std::max(y.high * 1.6, 10.0);
            return;
        }
        padRange(y, 0.08);
        // Only whole decades have labels: two of them at least.
        if (std::floor(std::log10(y.high)) - std::ceil(std::log10(y.low)) < 1) {
            y.low = std::pow(10.0, std::floor(std::log10(y.low)));
            y.high = std::pow(10.0, std::ceil(std::log10(y.high)));
        }
        return;
    }
    if (data.zeroBased) {
        y.low = std::min(y.low, 0.0);
        const bool flat = !(y.high > y.low);
        const double most = y.high <= data.mostY ? data.mostY : infinity;
        y.high = std::min(most, flat ? y.low + 1 : y.high + 0.06 * (y.high - y.low));
        return;
    }
    padRange(y, 0.08);
}

} // namespace

bool looksSame(const ChartView& a, const ChartView& b, const QSizeF& plot)
{
    return looksSame(a.x, b.x, plot.width()) && looksSame(a.y, b.y, plot.height()) &&
           looksSame(a.right, b.right, plot.height());
}

ChartView fullView(const ChartData& data, const QList<int>& hidden)
{
    ChartView view;
    view.x = {infinity, -infinity, false};
    for (int i = 0; i < data.series.size(); ++i) {
        const Curve& curve = *data.series[i].curve;
        if (hidden.contains(i) || curve.empty())
            continue;
        view.x.low = std::min(view.x.low, curve.x(0));
        view.x.high = std::max(view.x.high, curve.x(curve.size() - 1));
    }
    if (!(view.x.low <= view.x.high)) {
        view.x = {0, 1, false};
    } else if (data.hasBoxes()) { // a category where nothing is seen keeps its place
        view.x = {-0.5, std::max(view.x.high + 0.5, static_cast<double>(data.categories.size()) - 0.5),
                  false};
    } else if (data.hasBars()) {
        view.x = {view.x.low - 0.5, view.x.high + 0.5, false};
    } else {
        view.x.logarithmic = data.logX && view.x.low > 0;
        if (view.x.low == 0 && view.x.high == 0)
            view.x.high = 1; // what is counted from nought has nothing below it
        padRange(view.x, view.x.low == view.x.high ? 0.05 : 0.01);
    }
    fitY(data, hidden, view);
    return view;
}

void fitY(const ChartData& data, const QList<int>& hidden, ChartView& view)
{
    for (const bool right : {false, true}) {
        AxisScale& y = right ? view.right : view.y;
        y = extent(data, hidden, view.x, right);
        finishY(data, right, y);
        limitRange(y);
    }
}

} // namespace sparserl
