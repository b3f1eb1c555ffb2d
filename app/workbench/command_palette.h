// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QString>
#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace sparserl {

/// A command or place that can be selected by typing a few of its letters.
struct PaletteEntry
{
    QString where; ///< Its category: "File", "Run".
    QString text;
    QString shortcut;
    std::function<void()> choose;
};

/// A list that is filtered by typed letters. Enter activates the marked entry. The size does not change
/// during typing.
class CommandPalette : public QDialog
{
    Q_OBJECT

public:
    explicit CommandPalette(std::vector<PaletteEntry> entries, QWidget* parent);
    /// Adds entries, for example ones that had to be read first.
    void add(std::vector<PaletteEntry> entries);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();
    void chooseCurrent();

    std::vector<PaletteEntry> m_entries;
    QLineEdit* m_typed;
    QListWidget* m_list;
};

} // namespace sparserl
