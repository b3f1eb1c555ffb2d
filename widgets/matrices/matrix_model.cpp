// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/matrix_model.h"

#include "base/files.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/common/translate.h"
#include "widgets/matrices/density_image.h"

#include <QApplication>
#include <QBuffer>
#include <QImageReader>
#include <cmath>
#include <nlohmann/json.hpp>

namespace sparserl {

namespace {

QImage colouredThumbnail(const QImage& grey)
{
    // The picture holds densities; the colours are those of the theme of this moment.
    const Theme& theme = Theme::of(QApplication::palette());
    QImage coloured(grey.size(), QImage::Format_RGB32);
    for (int y = 0; y < grey.height(); ++y) {
        const uchar* from = grey.constScanLine(y);
        auto* to = reinterpret_cast<QRgb*>(coloured.scanLine(y));
        for (int x = 0; x < grey.width(); ++x)
            to[x] = from[x] == 0 ? theme.window.rgb() : densityColour(from[x] / 255.0, theme.dark);
    }
    coloured.setDevicePixelRatio(2); // made at twice the size it is shown at
    return coloured;
}

/// The picture in a project's cache, which anybody may have made: what is larger than any thumbnail is not
/// decoded. A few kilobytes of PNG may hold gigabytes.
QImage thumbnailFrom(const std::string& bytes)
{
    constexpr int most = 1024; // pixels of a side
    QByteArray data = QByteArray::fromStdString(bytes);
    QBuffer buffer(&data);
    if (!buffer.open(QIODevice::ReadOnly))
        return {};
    QImageReader reader(&buffer, "PNG");
    const QSize size = reader.size();
    if (size.isEmpty() || size.width() > most || size.height() > most)
        return {};
    return reader.read().convertToFormat(QImage::Format_Grayscale8);
}

using Column = RowColumn<MatrixItem>;

Column countColumn(const QString& title, const QString& tip, std::int64_t MatrixRow::*member)
{
    return {title, tip,
            [member](const MatrixItem& item, int role) -> QVariant {
                // A matrix that the indexer has not read yet has no numbers, which is not the same as zero.
                if (role == Qt::DisplayRole)
                    return item.row.digest.empty() ? QStringLiteral("–") : formatCount(item.row.*member);
                if (role == SortRole)
                    return static_cast<qlonglong>(item.row.*member);
                return {};
            },
            true};
}

Column textColumn(const QString& title, const QString& tip, std::string MatrixRow::*member)
{
    return {title, tip, [member](const MatrixItem& item, int role) -> QVariant {
                if (role == Qt::DisplayRole)
                    return toQString(item.row.*member);
                return {};
            }};
}

Column featureColumn(const QString& title, const FeatureSpec* spec)
{
    return {title, spec ? toQString(spec->help) : QString(),
            [spec](const MatrixItem& item, int role) -> QVariant {
                const bool known = spec && item.features && spec->known(*item.features);
                if (role == Qt::DisplayRole) {
                    if (!known)
                        return QStringLiteral("–");
                    const double value = spec->value(*item.features);
                    if (spec->unit == "share")
                        return formatPercent(value);
                    return spec->integer ? formatCount(std::llround(value)) : formatDigits(value, 3);
                }
                if (role == SortRole && spec && item.features)
                    return spec->value(*item.features);
                return {};
            },
            true};
}

Column pictureColumn()
{
    return {QString(), tr("The pattern of non-zeros."), [](const MatrixItem& item, int role) -> QVariant {
                if (role == PictureRole && !item.thumbnail.isNull())
                    return colouredThumbnail(item.thumbnail);
                if (role == Qt::AccessibleTextRole)
                    return tr("Pattern of %1").arg(toQString(item.row.name));
                if (role == SortRole)
                    return toQString(item.row.name);
                return {};
            }};
}

Column nameColumn()
{
    return {tr("Name"), tr("Name in this project."), [](const MatrixItem& item, int role) -> QVariant {
                if (role == Qt::DisplayRole)
                    return toQString(item.row.name);
                if (role == Qt::ForegroundRole && !item.row.problem.empty())
                    return Theme::of(QApplication::palette()).bad;
                if (role == Qt::ToolTipRole) {
                    if (!item.row.problem.empty())
                        return toQString(item.row.problem);
                    return QStringList{toQString(item.row.source), toQString(item.row.attribution)}
                        .join(QLatin1Char('\n'))
                        .trimmed();
                }
                return {};
            }};
}

} // namespace

QImage makeThumbnail(const DensityPyramid& pyramid, int side)
{
    if (pyramid.levels.empty())
        return {};
    const double aspect = std::clamp(static_cast<double>(pyramid.cols) / pyramid.rows, 0.4, 2.5);
    const int width = aspect >= 1 ? side : std::max(1, static_cast<int>(side * aspect));
    const int height = aspect >= 1 ? std::max(1, static_cast<int>(side / aspect)) : side;
    // The coarsest level that is not coarser than the picture, each cell going to its pixel.
    const DensityGrid* from = &pyramid.levels.front();
    for (const DensityGrid& level : pyramid.levels)
        if (level.width >= width && level.height >= height)
            from = &level;
    const int w = std::min(width, from->width), h = std::min(height, from->height);
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(w) * h, 0);
    for (int y = 0; y < from->height; ++y)
        for (int x = 0; x < from->width; ++x)
            counts[static_cast<std::size_t>(y) * h / from->height * w +
                   static_cast<std::size_t>(x) * w / from->width] += from->at(y, x);
    const auto most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
    QImage image(w, h, QImage::Format_Grayscale8);
    for (int y = 0; y < h; ++y) {
        uchar* line = image.scanLine(y);
        for (int x = 0; x < w; ++x) {
            const auto count = static_cast<double>(counts[static_cast<std::size_t>(y) * w + x]);
            line[x] = count == 0 ? 0 : static_cast<uchar>(60 + 195 * std::log1p(count) / std::log1p(most));
        }
    }
    return image.scaled(width, height);
}

MatrixItem MatrixItemReader::read(MatrixRow row)
{
    MatrixItem item;
    Known& known = m_known[row.digest];
    if (!known.features) {
        const auto json = nlohmann::json::parse(row.featuresJson, nullptr, false);
        if (!json.is_discarded())
            known.features = featuresFromJson(json);
    }
    if (known.thumbnail.isNull() && !row.thumbnail.empty()) {
        constexpr std::uint64_t most = 4 << 20;
        const auto bytes = readFile(row.thumbnail, most); // not QImage::load(), which waits for a pipe
        if (bytes)
            known.thumbnail = thumbnailFrom(*bytes);
    }
    item.features = known.features;
    item.thumbnail = known.thumbnail;
    if (row.digest.empty())
        known = {};
    item.row = std::move(row);
    return item;
}

MatrixModel* makeMatrixModel(QObject* parent)
{
    std::vector<Column> columns{
        pictureColumn(),
        nameColumn(),
        textColumn(tr("Class"),
                   tr("Derived from the structure of the matrix, or given when the matrix was imported."),
                   &MatrixRow::matrixClass),
        textColumn(tr("Split"), tr("Train: the policy learns from it. Held-out: used only for evaluation."),
                   &MatrixRow::split),
        countColumn(tr("Rows"), tr("Number of rows."), &MatrixRow::rows),
        countColumn(tr("Columns"), tr("Number of columns."), &MatrixRow::cols),
        countColumn(tr("Non-zeros"), tr("Number of stored entries."), &MatrixRow::nnz),
        featureColumn(tr("Mean row"), findFeature("row_mean")),
        featureColumn(tr("Row CV"), findFeature("row_cv")),
        textColumn(tr("Source"), tr("Its file or generator."), &MatrixRow::source)};
    for (const FeatureSpec& spec : featureSpecs())
        if (spec.key != "rows" && spec.key != "cols" && spec.key != "nnz" && spec.key != "row_mean" &&
            spec.key != "row_cv")
            columns.push_back(featureColumn(toQString(spec.name), &spec));
    return new MatrixModel(
        std::move(columns), [](const MatrixItem& item) { return toQString(item.row.name); }, parent);
}

} // namespace sparserl
