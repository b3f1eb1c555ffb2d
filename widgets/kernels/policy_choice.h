// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"

#include <QWidget>
#include <string>
#include <vector>

class QComboBox;
class QListWidget;

namespace sparserl {

/// A selection of a policy of the project, newest first, and of matrices, for generation and specialisation.
class PolicyChoice : public QWidget
{
    Q_OBJECT

public:
    /// Selects the matrices with these digests after loading; none: the first one. `endpoints`: offers the
    /// user's endpoints, too.
    PolicyChoice(ProjectSession* session, std::vector<std::string> digests, bool endpoints, QWidget* parent);
    QComboBox* policies() const { return m_policies; }
    QListWidget* matrices() const { return m_matrices; }
    QComboBox* types() const { return m_types; }
    /// Arguments of `generate` and `specialise` for the selected element type; empty for the policy's own.
    QStringList typeArguments() const;
    QString policy() const;   ///< The folder of a checkpoint, or empty.
    QString endpoint() const; ///< The name of an endpoint, or empty.
    /// Digests of the selected matrices.
    std::vector<std::string> chosen() const;
    /// The name of a matrix in the list, or a prefix of its digest.
    QString nameOf(const std::string& digest) const;

Q_SIGNALS:
    /// The lists were loaded; `problem`: why nothing can be started, or empty.
    void filled(const QString& problem);

private:
    struct Choices
    {
        std::vector<CheckpointRow> checkpoints;
        std::vector<MatrixRow> matrices;
    };
    void fill(const Choices& choices);

    std::vector<std::string> m_wanted;
    bool m_endpoints;
    QComboBox* m_policies;
    QComboBox* m_types;
    QListWidget* m_matrices;
    JobTracker m_jobs{this};
};

} // namespace sparserl
