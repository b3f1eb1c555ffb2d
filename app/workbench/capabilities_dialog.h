// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/capabilities.h"
#include "widgets/common/background.h"

#include <QDialog>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace sparserl {

/// Shows this program, its versions, and the machine's capabilities, with one sentence per line as in
/// `sparserl doctor`.
class CapabilitiesDialog : public QDialog
{
    Q_OBJECT

public:
    CapabilitiesDialog(const std::filesystem::path& project, QWidget* parent);

protected:
    void changeEvent(QEvent* event) override;

private:
    void updateIcons();
    void showCapabilities(const std::vector<Capability>& capabilities);
    QString asText() const;

    QVBoxLayout* m_list;
    std::vector<Capability> m_capabilities;
    std::vector<QLabel*> m_icons; ///< The icons of the lines.
    JobTracker m_jobs{this};
    BackgroundThread m_thread{QStringLiteral("capabilities")};
};

} // namespace sparserl
