// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QString>
#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace sparserl {

/// Something that can be done or gone to by typing a few of its letters.
struct PaletteEntry
{
    QString where; ///< "File", "Run": what kind of thing it is.
    QString text;
    QString shortcut;
    std::function<void()> choose;
};

/// A list that a few letters narrow; Enter does what is marked. It stays the same size while typing.
class CommandPalette : public QDialog
{
    Q_OBJECT

public:
    explicit CommandPalette(std::vector<PaletteEntry> entries, QWidget* parent);
    /// More of them, such as those that had to be read first.
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
