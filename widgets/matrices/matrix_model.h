// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/density.h"
#include "matrix/features.h"
#include "project/queries/queries.h"
#include "widgets/common/row_model.h"

#include <QImage>
#include <map>
#include <optional>
#include <string>

namespace sparserl {

/// A row of the library's table.
struct MatrixItem
{
    MatrixRow row;
    std::optional<MatrixFeatures> features;
    QImage thumbnail; ///< Grey: 0 is empty, and fuller pixels are brighter.
};

using MatrixModel = RowModel<MatrixItem>;
/// The first columns. All other features follow; they are hidden until the user selects them.
enum MatrixColumn
{
    MatrixPicture,
    MatrixName,
    MatrixClass,
    MatrixSplit,
    MatrixRows,
    MatrixColumns,
    MatrixNonZeros,
    MatrixMeanRow,
    MatrixRowCv,
    MatrixSource, ///< This column and all later ones are also hidden initially.
    MatrixMore
};
MatrixModel* makeMatrixModel(QObject* parent);

/// Reads features and thumbnails, and caches them by digest. Use it on one thread.
class MatrixItemReader
{
public:
    MatrixItem read(MatrixRow row);

private:
    struct Known
    {
        std::optional<MatrixFeatures> features;
        QImage thumbnail;
    };
    std::map<std::string, Known> m_known;
};
/// A small grey picture of a pattern, whose longer edge has `side` pixels; null for a matrix without rows or
/// columns. Thread-safe.
QImage makeThumbnail(const DensityPyramid& pyramid, int side);

} // namespace sparserl
