// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"

#include <QString>
#include <QStringList>
#include <string>

namespace sparserl {

QString taskText(Task task); ///< "SpMV", "SpMM"
/// The display text of a task in the form of taskWords(): "SpMM, f64".
QString taskText(const std::string& words);
/// The name of the matrix and, for SpMM, the number of dense columns: "cant, 8 columns".
QString targetText(const TargetId& target);
/// The display name of a kernel family: "S10 · ELL"; "–" if there is none.
QString familyText(const std::string& id);
/// Command-line arguments for judging or exporting on the target, in addition to its matrix: "--columns 8"
/// for SpMM.
QStringList targetArguments(const TargetId& target);

} // namespace sparserl
