// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"

#include <QString>
#include <QStringList>
#include <string>

namespace sparserl {

QString taskText(Task task); ///< "SpMV", "SpMM"
/// The same of taskWords(): "SpMM, f64".
QString taskText(const std::string& words);
/// The matrix, and for SpMM with how many dense columns: "cant, 8 columns".
QString targetText(const TargetId& target);
/// What lists call a kernel family: "S10 · ELL"; "–" where there is none.
QString familyText(const std::string& id);
/// What the command line needs to judge or to export for the target beside its matrix: "--columns 8" of SpMM.
QStringList targetArguments(const TargetId& target);

} // namespace sparserl
