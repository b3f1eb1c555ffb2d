// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QString>
#include <vector>

class QComboBox;

namespace sparserl {

/// Adds the policies of a project to what a box offers, the newest first, each as "RUN / CHECKPOINT" with the
/// folder as its data. Of checkpoints that hold no policy only the one at `also` is offered, if it is there.
void addPolicies(QComboBox* box, const std::vector<CheckpointRow>& checkpoints, const QString& also = {});

} // namespace sparserl
