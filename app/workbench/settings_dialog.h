// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/settings.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QFontComboBox;
class QLineEdit;
class QSpinBox;

namespace sparserl {

/// The settings of the user: appearance, initial values of launches, work in the background, and the folder
/// for exports. Every change takes effect at once.
class SettingsDialog : public QDialog
{
    Q_OBJECT

public:
    SettingsDialog(Settings& settings, QWidget* parent);

public Q_SLOTS:
    void resetToDefaults();

Q_SIGNALS:
    void themeChosen(sparserl::ThemeChoice theme);
    void preferencesChanged();
    void layoutResetAsked();

private:
    QWidget* makeLooks();
    QWidget* makeWork();
    void fill();
    void take();

    Settings& m_settings;
    bool m_filling = false;
    QComboBox *m_theme, *m_curves, *m_device, *m_judgeDevice;
    QFontComboBox* m_codeFont;
    QSpinBox *m_text, *m_code, *m_threads;
    QCheckBox *m_ownCodeFont, *m_counting, *m_remember;
    QLineEdit* m_exports;
};

} // namespace sparserl
