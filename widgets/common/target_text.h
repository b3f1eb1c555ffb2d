// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"

#include <QString>
#include <QStringList>

namespace sparserl {

QString taskText(Task task); ///< "SpMV", "SpMM"
/// The matrix, and for SpMM with how many dense columns: "cant, 8 columns".
QString targetText(const TargetId& target);
/// What the command line needs to judge or to export for the target beside its matrix: "--columns 8" of SpMM.
QStringList targetArguments(const TargetId& target);

} // namespace sparserl
