// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QString>
#include <vector>

class QComboBox;

namespace sparserl {

/// Adds the policies of a project to a box, newest first, each as "RUN / CHECKPOINT" with the folder as its
/// data. Skips checkpoints without a policy, except the checkpoint at `also`.
void addPolicies(QComboBox* box, const std::vector<CheckpointRow>& checkpoints, const QString& also = {});

/// Adds the policy that comes with the program, if there is one (default_policy.h).
void addDefaultPolicy(QComboBox* box);

} // namespace sparserl
