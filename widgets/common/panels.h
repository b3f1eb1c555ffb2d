// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QWidget>

class QAbstractItemView;
class QFormLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QTableView;
class QToolButton;
class QVBoxLayout;

namespace sparserl {

/// What a view shows when it is empty: an icon, the reason, and a button with a remedy.
class EmptyState : public QWidget
{
    Q_OBJECT

public:
    EmptyState(const QString& icon, const QString& title, const QString& sentence, QWidget* parent = nullptr);
    QPushButton* addButton(const QString& text, bool primary);
    void setText(const QString& title, const QString& sentence);

protected:
    void changeEvent(QEvent* event) override;

private:
    void updateIcon();
    QString m_iconName;
    QLabel *m_icon, *m_title, *m_sentence;
    QHBoxLayout* m_buttons;
};

/// A message at the top of a page that stays until it is closed or replaced. Problems never open a pop-up
/// window.
class MessageBar : public QFrame
{
    Q_OBJECT

public:
    enum class Level
    {
        Info,
        Warning,
        Problem
    };
    explicit MessageBar(QWidget* parent = nullptr);
    void showMessage(Level level, const QString& sentence);
    Level level() const { return m_level; }
    /// Adds a button, which the next message removes.
    QPushButton* addAction(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QColor tint() const;
    void updateIcon();
    Level m_level = Level::Info;
    QLabel *m_icon, *m_text;
    QHBoxLayout* m_actions;
};

/// A bordered white panel with rounded corners.
QFrame* makeCard(QWidget* parent = nullptr);
/// Sets a property used in the style sheet, and updates the widget.
void setStyled(QWidget* widget, const char* property, bool on);
/// A button on a page, outside a dialog. Both Enter and Space press it.
QPushButton* makeButton(const QString& text, QWidget* parent);
/// Marks the primary button of a page or dialog.
void makePrimary(QPushButton* button);
/// Elides a single-line label that would widen the window. Its tool tip shows the whole text.
void letShrink(QLabel* label);
/// A bold heading label.
QLabel* makeHeading(const QString& text, QWidget* parent = nullptr, double scale = 1.0);
/// A label in the muted colour.
QLabel* makeMuted(const QString& text, QWidget* parent = nullptr);
/// Gives a wrapped label in a QFormLayout the height that it needs at its actual width. The layout by itself
/// would reserve the height for the preferred width, which is much narrower.
void fitWrapped(QLabel* label);
/// Aligns form labels with their single-line fields. The layout by itself would place the labels higher.
void levelLabels(QFormLayout* form);
/// A tool button with an icon and, unless `text` is empty, a text. The tool tip is its accessible name.
QToolButton* makeToolButton(const QString& icon, const QString& text, const QString& toolTip,
                            QWidget* parent = nullptr);
/// Makes a widget use the code font, even after the user selects another code font.
void followCodeFont(QWidget* text);
/// Applies the common table style: whole rows, no grid, quiet header, uniform row height, no cell focus. Rows
/// are `padding` pixels higher than text and at least `least` pixels; rows and columns grow with the text.
void styleTable(QTableView* table, int padding = 12, int least = 0);
/// Makes a column as wide as its title or a sample of its contents, whichever is wider.
void fitColumn(QTableView* table, int column, const QString& sample);
/// The same for all columns. Column `stretch` takes the remaining width; column `wants` takes the width of
/// its contents from column `stretch`. If there is not enough width, columns give up unused width; then texts
/// are cut, first those of these two, down to half their samples. Numbers, which are the columns with titles
/// on the right, are never cut. In a window that is too narrow for that, the table scrolls, and the two have
/// the width of their contents, up to three times that of their samples.
void fitColumns(QTableView* table, const QStringList& samples, int stretch, int wants = -1);
/// saveColumns() is QHeaderView::saveState() with the widths that apply when there is enough space;
/// restoreColumns() is its inverse.
QByteArray saveColumns(const QTableView* table);
void restoreColumns(QTableView* table, const QByteArray& state);
/// Shows a sentence in the middle of a list or table while it has no rows.
void tellWhenEmpty(QAbstractItemView* view, const QString& sentence);

} // namespace sparserl
