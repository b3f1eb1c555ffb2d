// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QString>
#include <QStringList>
#include <filesystem>
#include <vector>

class QComboBox;

namespace sparserl {

/// Adds the policies of a project to a box, newest first, each as "RUN / CHECKPOINT" with the folder as its
/// data. Skips checkpoints without a policy, except the checkpoint at `also`.
void addPolicies(QComboBox* box, const std::vector<CheckpointRow>& checkpoints, const QString& also = {});

/// The folder of a project in which models that were imported lie.
constexpr const char* policiesFolder = "policies";
/// Adds the policies in this folder by name.
void addImportedPolicies(QComboBox* box, const std::filesystem::path& project);

/// Adds the user's endpoints (docs/endpoints.md) after the policies; a line that cannot be chosen, and says
/// why, if their file cannot be read.
void addEndpoints(QComboBox* box);
/// The endpoint that the data of a line mean; empty: no endpoint.
QString endpointOf(const QString& data);
void chooseEndpoint(QComboBox* box, const QString& name);
/// The names of the user's endpoints, none if their file cannot be read.
QStringList endpointNames();

/// Adds the policy that comes with the program, if there is one (default_policy.h).
void addDefaultPolicy(QComboBox* box);

} // namespace sparserl
