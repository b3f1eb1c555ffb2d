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

/// A matrix of the library as the table shows it.
struct MatrixItem
{
    MatrixRow row;
    std::optional<MatrixFeatures> features;
    QImage thumbnail; ///< Grey: 0 empty, brighter the fuller.
};

using MatrixModel = RowModel<MatrixItem>;
/// The first columns; behind them come all other features, hidden until the user asks for them.
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
    MatrixSource, ///< Hidden, too, from here on.
    MatrixMore
};
MatrixModel* makeMatrixModel(QObject* parent);

/// What was read of features and thumbnails before, by digest. Use on one thread.
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
/// A small grey picture of a pattern (any thread), `side` pixels along its longer edge; null for a matrix
/// without rows or columns.
QImage makeThumbnail(const DensityPyramid& pyramid, int side);

} // namespace sparserl
