// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"

#include <QWidget>
#include <string>
#include <vector>

class QComboBox;
class QListWidget;

namespace sparserl {

/// A policy of the project, the newest first, and some of its matrices: what generation and specialisation
/// begin with.
class PolicyChoice : public QWidget
{
    Q_OBJECT

public:
    /// Ticks the matrices of these digests once they are read; none: the first one.
    PolicyChoice(ProjectSession* session, std::vector<std::string> digests, QWidget* parent);
    QComboBox* policies() const { return m_policies; }
    QListWidget* matrices() const { return m_matrices; }
    QComboBox* types() const { return m_types; }
    /// What `generate` and `specialise` need for the chosen element type: nothing for the policy's own.
    QStringList typeArguments() const;
    QString policy() const; ///< The folder of a checkpoint, or empty.
    /// Digests of the ticked matrices.
    std::vector<std::string> chosen() const;
    /// The name of a matrix of the list, or the beginning of its digest.
    QString nameOf(const std::string& digest) const;

Q_SIGNALS:
    /// The lists were read; `problem`: why nothing can be begun, or empty.
    void filled(const QString& problem);

private:
    struct Choices
    {
        std::vector<CheckpointRow> checkpoints;
        std::vector<MatrixRow> matrices;
    };
    void fill(const Choices& choices);

    std::vector<std::string> m_wanted;
    QComboBox* m_policies;
    QComboBox* m_types;
    QListWidget* m_matrices;
    JobTracker m_jobs{this};
};

} // namespace sparserl
