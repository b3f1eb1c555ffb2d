// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/matrix_model.h"

#include "widgets/common/colormap.h"
#include "widgets/common/format.h"
#include "widgets/matrices/pattern_view.h"

#include <QApplication>
#include <QCoreApplication>
#include <cmath>
#include <nlohmann/json.hpp>

namespace sparserl {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("MatrixModel", text);
}

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

Column featureColumn(const QString& title, const char* key)
{
    const FeatureSpec* spec = findFeature(key);
    return {title, spec ? toQString(spec->help) : QString(),
            [spec](const MatrixItem& item, int role) -> QVariant {
                if (!spec || !item.features)
                    return {};
                if (role == Qt::DisplayRole)
                    return formatNumber(spec->value(*item.features), 3);
                if (role == SortRole)
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

QImage makeThumbnail(const Csr& matrix, int side)
{
    if (matrix.rows == 0 || matrix.cols == 0)
        return {};
    const double aspect = std::clamp(static_cast<double>(matrix.cols) / matrix.rows, 0.4, 2.5);
    const int width = aspect >= 1 ? side : std::max(1, static_cast<int>(side * aspect));
    const int height = aspect >= 1 ? std::max(1, static_cast<int>(side / aspect)) : side;
    const DensityGrid grid = densityTile(matrix, 0, matrix.rows, 0, matrix.cols, width, height);
    QImage image(grid.width, grid.height, QImage::Format_Grayscale8);
    for (int y = 0; y < grid.height; ++y) {
        uchar* line = image.scanLine(y);
        for (int x = 0; x < grid.width; ++x)
            line[x] = grid.at(y, x) == 0
                          ? 0
                          : static_cast<uchar>(60 + 195 * std::log1p(grid.at(y, x)) / std::log1p(grid.most));
    }
    return image.scaled(width, height);
}

MatrixItem readItem(MatrixRow row)
{
    MatrixItem item;
    const auto json = nlohmann::json::parse(row.featuresJson, nullptr, false);
    if (!json.is_discarded())
        item.features = featuresFromJson(json);
    QImage image;
    if (!row.thumbnail.empty() && image.load(toQString(row.thumbnail.string())))
        item.thumbnail = image.convertToFormat(QImage::Format_Grayscale8);
    item.row = std::move(row);
    return item;
}

MatrixModel* makeMatrixModel(QObject* parent)
{
    return new MatrixModel(
        {pictureColumn(), nameColumn(), countColumn(tr("Rows"), tr("Number of rows."), &MatrixRow::rows),
         countColumn(tr("Columns"), tr("Number of columns."), &MatrixRow::cols),
         countColumn(tr("Non-zeros"), tr("Number of stored entries."), &MatrixRow::nnz),
         textColumn(tr("Class"), tr("Where matrices like this one come from."), &MatrixRow::matrixClass),
         textColumn(tr("Split"), tr("Train: the policy learns on it. Held-out: it only judges."),
                    &MatrixRow::split),
         featureColumn(tr("Mean row"), "row_mean"), featureColumn(tr("Row CV"), "row_cv")},
        [](const MatrixItem& item) { return toQString(item.row.name); }, parent);
}

} // namespace sparserl
