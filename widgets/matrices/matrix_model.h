// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/density.h"
#include "matrix/features.h"
#include "project/queries.h"
#include "widgets/common/row_model.h"

#include <QImage>
#include <optional>

namespace sparserl {

/// A matrix of the library as the table shows it.
struct MatrixItem
{
    MatrixRow row;
    std::optional<MatrixFeatures> features;
    QImage thumbnail; ///< Grey: 0 empty, brighter the fuller.
};

using MatrixModel = RowModel<MatrixItem>;
enum MatrixColumn
{
    MatrixPicture,
    MatrixName,
    MatrixRows,
    MatrixColumns,
    MatrixNonZeros,
    MatrixClass,
    MatrixSplit,
    MatrixMeanRow,
    MatrixRowCv
};
MatrixModel* makeMatrixModel(QObject* parent);

/// Reads features and thumbnail of a row (any thread).
MatrixItem readItem(MatrixRow row);
/// A small grey picture of a pattern (any thread), `side` pixels along its longer edge.
QImage makeThumbnail(const Csr& matrix, int side);

} // namespace sparserl
