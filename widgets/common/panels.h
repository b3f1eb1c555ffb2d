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

/// What a view shows while it has nothing: an icon, what is missing, what to do, and a button that does it.
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

/// A sentence across the top of a page that stays until it is closed or replaced; problems never pop up.
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
    /// A button in the bar; replaced by the next message.
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
/// Sets a property that the style sheet reads, and shows it.
void setStyled(QWidget* widget, const char* property, bool on);
/// A button of a page, outside of a dialog: Enter presses it too, not only Space.
QPushButton* makeButton(const QString& text, QWidget* parent);
/// The one button of a page or dialog that does what it is there for.
void makePrimary(QPushButton* button);
/// Lets a label of one line end in dots rather than widen the window; its tool tip is all of it then.
void letShrink(QLabel* label);
/// A bold heading label.
QLabel* makeHeading(const QString& text, QWidget* parent = nullptr, double scale = 1.0);
/// A label in the muted colour.
QLabel* makeMuted(const QString& text, QWidget* parent = nullptr);
/// A sentence in a QFormLayout takes as many lines as it needs at its width, where the layout would reserve
/// the height that it likes best, of a much narrower one.
void fitWrapped(QLabel* label);
/// The labels of a form stand level with their fields of one line, where the layout would set them higher.
void levelLabels(QFormLayout* form);
/// A tool button with an icon and, where `text` is not empty, text beside it; the tool tip is its accessible
/// name.
QToolButton* makeToolButton(const QString& icon, const QString& text, const QString& toolTip,
                            QWidget* parent = nullptr);
/// Shows a text in the font of code, also after the user has chosen another one.
void followCodeFont(QWidget* text);
/// The house style of tables: whole rows, no grid, quiet header, uniform row height, no cell focus. Rows are
/// `padding` pixels higher than text, and no lower than `least`; rows and columns grow with text.
void styleTable(QTableView* table, int padding = 12, int least = 0);
/// Makes a column as wide as its title or as a sample of what stands below it.
void fitColumn(QTableView* table, int column, const QString& sample);
/// The same for all columns. Column `stretch` takes what is left and never gets less than its sample; in a
/// narrow window the table scrolls. Column `wants` takes of it what its contents need. Where that is not
/// enough for the contents of both, the others give up what theirs do not need; where the table scrolls, both
/// get what their contents need, up to twice their samples.
void fitColumns(QTableView* table, const QStringList& samples, int stretch, int wants = -1);
/// QHeaderView::saveState as it is where there is room, and its inverse.
QByteArray saveColumns(const QTableView* table);
void restoreColumns(QTableView* table, const QByteArray& state);
/// A sentence in the middle of a list or table as long as it has no row.
void tellWhenEmpty(QAbstractItemView* view, const QString& sentence);

} // namespace sparserl
